import { describe, expect, it } from 'vitest'
import { ids, startMock, synchronizationPath } from '../mock.ts'
import { onCreate, scenarioOf } from './stage.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const past = { transactionId: 'T', scheduleDate: '2020-01-01T00:00:00Z' }

describe('a transaction ID that was refused', () => {
  it.each([
    ['free', 201],
    ['bound', 400],
  ] as const)(
    'a transaction ID that was refused is %s: a corrected request with it is answered %d',
    async (value, status) => {
      const demo = (await startMock({ dials: { 'rejected-transaction': value } })).as('demo')
      const first = await demo.post(sendings, past)
      expect(first.status).toBe(400)
      const corrected = await demo.post(sendings, { transactionId: 'T' })
      expect(corrected.status).toBe(status)
      if (status === 400) expect(corrected.text).toBe(first.text)
      expect((await demo.post(sendings, { transactionId: 'U' })).status).toBe(201)
    },
  )

  it('a transaction ID that was refused is not bound by a refusal that has nothing to do with it', async () => {
    const mock = await startMock({ dials: { 'rejected-transaction': 'bound' } })
    const body = { transactionId: 'T' }
    expect((await mock.as('demo-viewer').post(sendings, body)).status).toBe(403)
    expect((await mock.as('demo').post(sendings, body, { accept: 'text/html' })).status).toBe(406)
    expect((await mock.as('demo').post(sendings, body)).status).toBe(201)
  })

  it('a transaction ID that was refused counts against the rate limit and has the Date of its answer, as every request', async () => {
    const dials = {
      'rejected-transaction': 'bound',
      'rate-limit': '60',
      'date-header': 'space-clock',
    } as const
    const mock = await startMock({ dials })
    const post = async () => {
      const { status, headers } = await mock.as('demo').post(sendings, past)
      return [status, headers.get('x-ratelimit-remaining'), headers.get('date')]
    }
    expect(await post()).toEqual([400, '59', 'Sun, 01 Nov 2026 10:00:00 GMT'])
    mock.clock.advance(2_000)
    expect(await post()).toEqual([400, '58', 'Sun, 01 Nov 2026 10:00:02 GMT'])
    for (let left = 57; left >= 0; left--) await post()
    expect((await post())[0]).toBe(429)
  })

  it('a transaction ID that was refused in a repeat still stands for its sending', async () => {
    const dials = { 'rejected-transaction': 'bound', 'repeat-validation': 'checked' } as const
    const demo = (await startMock({ dials })).as('demo')
    const { json } = await demo.post(sendings, { transactionId: 'T' })
    expect((await demo.post(sendings, { transactionId: 'T', name: 5 })).status).toBe(400)
    const repeat = await demo.post(sendings, { transactionId: 'T' })
    expect([repeat.status, repeat.json]).toEqual([200, json])
  })

  it('a transaction ID that was refused is refused to a user that may not write for that reason', async () => {
    const mock = await startMock({ dials: { 'rejected-transaction': 'bound' } })
    for (const [user, status] of [
      ['demo', 400],
      ['demo-viewer', 403],
    ] as const)
      expect((await mock.as(user).post(sendings, past)).status).toBe(status)
  })
})

describe('a repeat that is the first to be processed', () => {
  it.each([
    ['201', 'absent', [201, true]],
    ['200', 'absent', [200, false]],
    ['200', 'present', [200, true]],
  ] as const)(
    'a repeat that is the first to be processed is told as %s, Location on a 200 %s',
    async (status, location, told) => {
      const mock = await startMock({
        dials: { 'repeat-after-500-status': status, 'location-on-200': location },
      })
      mock.rig().scenarios.arm(scenarioOf([onCreate([{ phase: 'before' }, {}])]))
      const post = () => mock.as('demo').post(sendings, { transactionId: 'T' })
      expect((await post()).status).toBe(500)
      const repeat = await post()
      expect([repeat.status, repeat.headers.has('location')]).toEqual(told)
      expect(repeat.json.state).toBe('CREATED')
    },
  )

  it('a repeat that is the first to be processed is 201 for a transaction that was never lost', async () => {
    const mock = await startMock({ dials: { 'repeat-after-500-status': '200' } })
    expect((await mock.as('demo').post(sendings, { transactionId: 'T' })).status).toBe(201)
  })

  it('a repeat that is the first to be processed is one request: a forgotten transaction ID begins anew with 201', async () => {
    const mock = await startMock({
      dials: { 'repeat-after-500-status': '200', 'transaction-expiry': '24h' },
    })
    mock.rig().scenarios.arm(scenarioOf([onCreate([{ phase: 'before' }, { state: 'PENDING' }])]))
    const post = async () => (await mock.as('demo').post(sendings, { transactionId: 'T' })).status
    expect([await post(), await post()]).toEqual([500, 200])
    mock.rig().scenarios.arm(undefined)
    mock.clock.advance(24 * 3_600_000)
    expect(await post()).toBe(201)
  })
})
