import { describe, expect, it } from 'vitest'
import { settingRow } from '../../src/rig/space-settings.ts'
import { dialNames } from '../../src/service/dials.ts'
import { ids, startMock, synchronizationPath, type TestMock } from '../mock.ts'
import { acting, onCreate, scenarioOf, staged } from './stage.ts'

/** What the space does where the document is silent, as three dials show it. */
async function shown(mock: TestMock, user = 'demo', headers: Record<string, string> = {}) {
  const as = mock.as(user)
  const empty = await as.get(synchronizationPath(ids.ready, '/sendings'), headers)
  const notReady = await as.post(synchronizationPath(ids.draftOnly, '/sendings'), {}, headers)
  const invalid = await as.post(synchronizationPath(ids.ready, '/sendings'), { name: 5 }, headers)
  return [empty.json._embedded === undefined ? 'no-embedded' : 'embedded', notReady.status, invalid.status]
}

const usual = ['embedded', 409, 400]
const dials = { 'empty-collection': 'no-embedded', 'not-ready-status': '422', 'invalid-input-status': '422' }
const turned = ['no-embedded', 422, 422]
const turning = scenarioOf([], 'turning', { dials })

/** Turns dials of one space, as a control call does. */
async function turnOwn(mock: TestMock, own: object) {
  mock.space().data.save({ settings: [settingRow('dials', own)] })
  mock.rig().refreshDials()
}

describe('dials of a scenario', () => {
  it('dials of a scenario are turned while it is in force in the space, and back when it is taken away', async () => {
    const mock = await startMock()
    expect(await shown(mock)).toEqual(usual)
    mock.rig().scenarios.arm(turning)
    expect(await shown(mock)).toEqual(turned)
    mock.rig().scenarios.arm(undefined)
    expect(await shown(mock)).toEqual(usual)
  })

  it('dials of a scenario are turned for the one request that names it', async () => {
    const mock = await startMock({ scenario: () => turning })
    expect(await shown(mock, 'demo', { 'X-Mock-Scenario': 'turning' })).toEqual(turned)
    expect(await shown(mock)).toEqual(usual)
  })

  it('dials of a scenario are turned for a request whose transaction ID names it, though no rule of it fires', async () => {
    const mock = await startMock({ scenario: () => turning })
    const post = (transactionId: string) =>
      mock.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), { transactionId })
    expect([(await post('mock:turning:1')).status, (await post('T')).status]).toEqual([422, 409])
  })

  it("dials of a scenario give way to those of the scenario that a request names, the space's own scenario included", async () => {
    const other = scenarioOf([], 'other', { dials: { 'not-ready-status': '400' } })
    const mock = await startMock({ scenario: () => other })
    mock.rig().scenarios.arm(turning)
    expect(await shown(mock, 'demo', { 'X-Mock-Scenario': 'other' })).toEqual(['embedded', 400, 400])
  })

  it('also turn how its own disturbances are told', async () => {
    const rules = [onCreate([{ phase: 'before' }])]
    const { mock, act } = await staged([])
    mock.rig().scenarios.arm(scenarioOf(rules, 'minimal', { dials: { 'error-body': 'minimal' } }))
    expect((await act.post()).json).toEqual({ title: 'Request could not be processed', status: 500 })
  })

  it('dials of a scenario go before those of the space, which go before those of the mock', async () => {
    const mock = await startMock({ dials: { 'not-ready-status': '400', 'invalid-input-status': '422' } })
    expect(await shown(mock)).toEqual(['embedded', 400, 422])
    await turnOwn(mock, { 'invalid-input-status': '400', 'empty-collection': 'no-embedded' })
    expect(await shown(mock)).toEqual(['no-embedded', 400, 400])
    mock.rig().scenarios.arm(turning)
    expect(await shown(mock)).toEqual(turned)
  })

  it('dials of a scenario stay in their space', async () => {
    const mock = await startMock()
    mock.rig().scenarios.arm(turning)
    expect(await shown(mock, 'demo+x')).toEqual(usual)
  })

  it('dials of a scenario end with a reset of the space', async () => {
    const mock = await startMock()
    mock.rig().scenarios.arm(turning)
    await turnOwn(mock, { 'not-ready-status': '400' })
    await mock.spaces.reset()
    expect(await shown(mock)).toEqual(usual)
  })
})

describe('seeded dials', () => {
  const seeded = scenarioOf([], 'seeded', { dials: 'seeded' })
  const turnedIn = async (seed: number, user = 'demo') => {
    const mock = await startMock({ seed })
    await mock.as(user).get('/mailings')
    return mock.rig(user).dials(seeded)
  }

  it('seeded dials follow from seed and space', async () => {
    expect(await turnedIn(1)).toEqual(await turnedIn(1))
    expect(await turnedIn(2)).not.toEqual(await turnedIn(1))
    expect(await turnedIn(1, 'demo+x')).not.toEqual(await turnedIn(1))
  })

  it('seeded dials take every value of every dial in some space', async () => {
    const mock = await startMock()
    const seen = new Map(dialNames.map(name => [name, new Set<string>()]))
    for (let n = 0; n < 120; n++) {
      const user = `demo+${n}`
      await mock.as(user).get('/mailings')
      for (const [name, value] of Object.entries(mock.rig(user).dials(seeded)))
        seen.get(name as (typeof dialNames)[number])!.add(value)
    }
    for (const [name, values] of seen) expect([name, values.size > 1]).toEqual([name, true])
  })

  it('seeded dials leave alone what the space has turned itself', async () => {
    for (let seed = 1; seed < 20; seed++) {
      const mock = await startMock({ seed, dials: { 'not-ready-status': '422' } })
      expect(mock.rig().dials(seeded)['not-ready-status']).toBe('422')
    }
  })

  it('seeded dials do not change for a client that relies on the document what is sent', async () => {
    for (let seed = 1; seed < 20; seed++) {
      const mock = await startMock({ seed })
      mock.rig().scenarios.arm(seeded)
      const [first, again] = await acting(mock).states('T', 'T')
      expect([first, again]).toEqual(['CREATED', 'CREATED'])
    }
  })
})
