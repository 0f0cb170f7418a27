import { describe, expect, it } from 'vitest'
import { customersPath, ids, startMock, synchronizationPath } from '../../mock.ts'
import { staged } from '../stage.ts'
import { explained } from './explained.ts'

describe('an undisturbed answer', () => {
  it('an undisturbed answer is explained by the clause behind it, and by what could have disturbed it', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'T' })
    const { summary, why, done, told, change } = await explained(mock)
    expect(summary).toBe(
      'createSending with transactionId "T": answered 201 with state CREATED; platform sending 500012 was sent.',
    )
    expect(why).toEqual([
      'No scenario applied: none is in force for the space, the request names none, and its synchronization is no test synchronization.',
    ])
    expect(done[1]).toMatch(
      /^On the platform mailing 100017 was made, and sending 500012 to \d+ recipients was sent at 2026-11-01T10:00:00.000Z\.$/,
    )
    expect(told).toEqual([
      'The response was 201 with state CREATED, as the service answered it.',
      'Everything was set up under a new transactionId: 201 with a Location (4.1/4).',
      'What a client is to do on CREATED: nothing more, it was sent or scheduled (3/4).',
      expect.stringMatching(/^All of it went out, \d+ bytes; whether the client received it is not known\.$/),
    ])
    expect(change).toEqual([
      'To disturb one such request, send the header X-Mock-Scenario: NAME, or a transactionId mock:NAME:ANYTHING. To disturb all requests of the space, PUT …/scenario; for a single fault, POST …/faults. GET /_mock/scenarios lists the names.',
    ])
  })

  it('to a request without a transaction ID is explained by what success means there', async () => {
    const { mock, act } = await staged([])
    await act.post({})
    expect((await explained(mock)).told[1]).toContain('Without a transactionId success means')
  })

  it('that schedules tells when it goes out', async () => {
    const { mock, act } = await staged([])
    await act.post({ scheduleDate: '2026-12-24T18:00:00Z' })
    const { summary, done } = await explained(mock)
    expect(summary).toContain('is scheduled')
    expect(done[1]).toContain('is scheduled for 2026-12-24T18:00:00.000Z')
  })

  it('to a repeat names the first request, whose plan stands', async () => {
    const { mock, act } = await staged([])
    await act.post({ transactionId: 'T', name: 'a' })
    await act.post({ transactionId: 'T', name: 'b' })
    const { done, told } = await explained(mock)
    expect(done[0]).toMatch(
      /^Its transactionId was known: r0-1 made sending .* a repeat makes no second one \(4\.1\/5\)\.$/,
    )
    expect(done).toContain('The payload differs from that of r0-1; what differs was ignored (4.1/9).')
    expect(told[1]).toContain('200 with the state of the sending (4.1/5)')
  })

  it('to a repeat with the same payload, written in another order, says nothing of a difference', async () => {
    const { mock } = await staged([])
    const path = synchronizationPath(ids.ready, '/sendings')
    await mock.as('demo').post(path, '{"transactionId":"T","name":"a","subject":"b"}')
    await mock.as('demo').post(path, '{"subject":"b","name":"a","transactionId":"T"}')
    expect((await explained(mock)).done.join(' ')).not.toContain('differs')
  })

  it('to a read names the section', async () => {
    const mock = await startMock()
    await mock.as('demo').get(synchronizationPath(ids.ready))
    expect(await explained(mock)).toMatchObject({
      done: ['It only read: nothing was changed.'],
      told: [expect.anything(), 'That is the response of section 4.5, undisturbed.', expect.anything()],
    })
  })

  it('to a change that makes no sending says that it was done', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').get(customersPath)
    const [{ name }] = json._embedded['svc:accessible-customers']
    const path = `${customersPath}/${encodeURIComponent(name)}/configuration/accessible-lists`
    await mock.as('demo').put(path, { permitAll: true, permittedLists: [] })
    expect((await explained(mock)).done).toEqual(['It was done as it was asked for.'])
  })

  it('to an upload tells the mailing that it made', async () => {
    const mock = await startMock()
    await mock.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
    expect((await explained(mock)).done).toEqual([
      'On the platform mailing 100017 was made at 2026-11-01T10:00:00.000Z.',
    ])
  })
})
