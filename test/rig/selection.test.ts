import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/lib/create-mock.ts'
import { ruleFrom } from '../../src/rig/scenarios/read.ts'
import type { SelectionChannel } from '../../src/rig/scenarios/selection.ts'
import { basic, ids, jsonOf, synchronizationPath, synchronizationsPath, type TestMock } from '../mock.ts'
import { eventually } from '../process.ts'
import { RawClient } from './faults/raw-client.ts'
import { acting, onCreate, scenarioOf, staged } from './stage.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const testSynchronization = '55555555-0000-4000-8000-000000000001'
const bound = synchronizationPath(ids.both, '/sendings')

/** Scenarios of which each refuses with its own status, twice for each attempt that it counts. */
const scenarios = new Map(
  [
    ['by-header', 501],
    ['by-id', 502],
    ['by-synchronization', 503],
    ['by-space', 504],
  ].map(([name, status]) => [
    name as string,
    scenarioOf([onCreate([{ phase: 'before', answer: { status }, times: 2 }, {}])], name as string),
  ]),
)

function find(name: string) {
  const found = scenarios.get(name)
  if (!found) throw new Error(`there is no scenario "${name}"; there are ${[...scenarios.keys()].join(', ')}`)
  return found
}

/** A mock in which one synchronization is bound to a scenario, with another in force in its space. */
async function stage(inForce = true, channels?: readonly SelectionChannel[]) {
  const { mock } = await staged([], {
    scenario: find,
    hints: true,
    ...(channels && { channels }),
    fixture: base => ({
      ...base,
      testSynchronizations: [{ id: ids.both, scenario: 'by-synchronization' }],
    }),
  })
  if (inForce) mock.rig().scenarios.arm(find('by-space'))
  return mock
}

const header = (name: string) => ({ 'X-Mock-Scenario': name })
const chosen = (mock: TestMock) =>
  mock.rig().scenarios.chosen.map(({ by, active }) => [by, active.scenario.name, active.hits()[0]!.hits])

describe('which scenario applies to a request', () => {
  it.each([
    ['the header, before all others', bound, 'mock:by-id:1', header('by-header'), 501],
    ['the transaction ID', bound, 'mock:by-id:1', {}, 502],
    ['the test synchronization', bound, 'T', {}, 503],
    ['the test synchronization, without a transaction ID', bound, undefined, {}, 503],
    ['the test synchronization, with an encoded path', bound.replace('/2', '/%32'), 'T', {}, 503],
    ["the space's own", sendings, 'T', {}, 504],
  ])('which scenario applies to a request: %s', async (_, path, transactionId, headers, status) => {
    const mock = await stage()
    const answer = await mock.as('demo').post(path, { transactionId }, headers)
    expect(answer.status).toBe(status)
  })

  it('which scenario applies to a request is named in the answer that it changed, and only there', async () => {
    const mock = await stage(false)
    const post = (headers = {}) => mock.as('demo').post(sendings, { transactionId: 'T' }, headers)
    expect((await post(header('by-header'))).headers.get('x-mock-scenario')).toBe('by-header')
    expect((await post()).headers.get('x-mock-scenario')).toBeNull()
  })

  it('which scenario applies to a request is on record with the request, with the reason why it is this one', async () => {
    const mock = await stage()
    await mock.as('demo').post(bound, { transactionId: 'mock:by-id:1' })
    const [entry] = mock.rig().journal.entries()
    expect([entry!.applicableScenario?.by, entry!.decision?.scenario, entry!.decision?.by]).toEqual([
      'transactionId',
      'by-id',
      'transactionId',
    ])
  })

  it('which scenario applies to a request is found in a transaction ID however its characters are written', async () => {
    const mock = await stage(false)
    const body = '{"transactionId":"\\u006doc\\u006b:by-id:1"}'
    expect((await mock.as('demo').post(sendings, body)).status).toBe(502)
  })

  it('which scenario applies to a request is none where its body is not UTF-8, which the service refuses', async () => {
    const mock = await stage(false)
    const body = Buffer.from('{"transactionId":"mock:by-id:1","name":"\xff"}', 'latin1')
    const headers = { 'Content-Type': 'application/json' }
    expect((await mock.as('demo').send('POST', sendings, { body, headers })).status).toBe(400)
    expect(mock.rig().journal.entries()[0]!.applicableScenario).toBeUndefined()
  })

  it.each([
    ['in a name', { name: 'mock:by-id:1' }],
    ['in the middle of a transaction ID', { transactionId: 'amock:by-id:1' }],
    ['in other letters', { transactionId: 'MOCK:by-id:1' }],
    ['as the prefix of nothing', { transactionId: 'mock' }],
    ['before an order number', { transactionId: 'mock:order-17' }],
    ['alone', { transactionId: 'mock:' }],
    ['before a name without a third part', { transactionId: 'mock:by-id' }],
    ['before a name and an empty third part', { transactionId: 'mock:by-id:' }],
    ['before no name', { transactionId: 'mock::1' }],
  ])('which scenario applies to a request is none where mock: stands %s', async (_, body) => {
    const mock = await stage(false)
    expect((await mock.as('demo').post(sendings, body)).status).toBe(201)
  })

  it.each([
    [
      'header',
      [
        ['header', 501],
        ['ID', 201],
        ['synchronization', 201],
        ['legal ID', 201],
      ],
    ],
    [
      'transaction-id',
      [
        ['header', 201],
        ['ID', 502],
        ['synchronization', 201],
        ['legal ID', 400],
      ],
    ],
    [
      'synchronization',
      [
        ['header', 201],
        ['ID', 201],
        ['synchronization', 503],
        ['legal ID', 201],
      ],
    ],
    [
      'none',
      [
        ['header', 201],
        ['ID', 201],
        ['synchronization', 201],
        ['legal ID', 201],
      ],
    ],
  ] as const)(
    '--selection %s: a request chooses a scenario in this way only, and every other ID is an ordinary one',
    async (only, expected) => {
      const mock = await stage(false, only === 'none' ? [] : [only])
      const post = (path: string, transactionId: string, headers = {}) =>
        mock.as('demo').post(path, { transactionId }, headers)
      const statuses = {
        header: (await post(sendings, 'T', header('by-header'))).status,
        ID: (await post(sendings, 'mock:by-id:1')).status,
        synchronization: (await post(bound, 'T')).status,
        'legal ID': (await post(sendings, 'mock:nothing:1')).status,
      }
      expect(statuses).toEqual(Object.fromEntries(expected))
    },
  )

  it('which scenario applies to a request is chosen by one request and leaves the others alone, also at the same time', async () => {
    const mock = await stage(false)
    const answers = await Promise.all(
      Array.from({ length: 60 }, (_, n) =>
        mock
          .as('demo')
          .post(
            sendings,
            { transactionId: n % 3 === 1 ? `mock:by-id:${n}` : `T${n}` },
            n % 3 === 0 ? header('by-header') : {},
          ),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual(
      Array.from({ length: 60 }, (_, n) => [501, 502, 201][n % 3]),
    )
  })

  it('of a test synchronization disturbs that one only', async () => {
    const mock = await stage(false)
    expect((await mock.as('demo').post(bound, {})).status).toBe(503)
    expect((await mock.as('demo').post(sendings, {})).status).toBe(201)
  })

  it('which scenario applies to a request follows its steps: attempts are counted for each way of choosing by itself', async () => {
    const mock = await stage()
    const post = async (headers = {}) =>
      (await mock.as('demo').post(sendings, { transactionId: 'T' }, headers)).status
    const named = header('by-header')
    expect([await post(named), await post(), await post(named), await post(), await post(named)]).toEqual([
      501, 504, 501, 504, 201,
    ])
    expect(await post()).toBe(200)
  })
})

describe('counts', () => {
  it('counts are kept for each selection', async () => {
    const mock = await stage()
    const post = (path: string, transactionId: string, headers = {}) =>
      mock.as('demo').post(path, { transactionId }, headers)
    await post(sendings, 'T', header('by-header'))
    await post(sendings, 'U', header('by-header'))
    await post(sendings, 'mock:by-id:1')
    await post(bound, 'T')
    await post(sendings, 'T')
    expect(chosen(mock)).toEqual([
      ['header', 'by-header', 2],
      ['transactionId', 'by-id', 1],
      ['test synchronization', 'by-synchronization', 1],
    ])
    expect(mock.rig().scenarios.active!.hits()).toEqual([
      { rule: 0, on: ['createSending'], hits: 1, steps: [1, 0] },
    ])
  })

  it('counts tell of a scenario that was chosen and never fired', async () => {
    const mock = await stage()
    await mock.as('demo').get('/mailings', header('by-header'))
    expect(
      mock.rig().scenarios.chosen.map(({ active }) => [active.scenario.name, active.hasApplied]),
    ).toEqual([['by-header', false]])
    expect(mock.rig().scenarios.active!.hasApplied).toBe(false)
  })

  it('begin anew when the scenario is armed again, and in another space', async () => {
    const mock = await stage()
    await acting(mock).states('T', 'T')
    mock.rig().scenarios.arm(find('by-space'))
    expect(await acting(mock).states('T', 'T', 'T')).toEqual([504, 504, 'CREATED'])
    await mock.as('demo+x').get('/mailings')
    mock.rig('demo+x').scenarios.arm(find('by-space'))
    expect(await acting(mock, 'demo+x').states('T', 'T', 'T')).toEqual([504, 504, 'CREATED'])
  })

  it('of a test synchronization have no second, empty count when a fault fires early', async () => {
    const upload = scenarioOf(
      [onCreate([{ phase: 'before', answer: { fault: 'reset-upload' } }], { per: 'space' })],
      'upload',
    )
    const { mock } = await staged([], {
      scenario: () => upload,
      fixture: base => ({ ...base, testSynchronizations: [{ id: ids.both, scenario: 'upload' }] }),
    })
    await expect(mock.as('demo').post(bound, {})).rejects.toThrow(/fetch failed/)
    expect(chosen(mock)).toEqual([['test synchronization', 'upload', 1]])
  })
})

describe('a scenario that there is not', () => {
  it.each([
    ['in the header', {}, header('nothing'), 'X-Mock-Scenario'],
    ['in a transaction ID', { transactionId: 'mock:nothing:1' }, {}, 'transactionId'],
    ['in an empty header', {}, header(''), 'X-Mock-Scenario'],
  ])('%s is refused with the names that there are, and nothing is done', async (_, body, headers, field) => {
    const mock = await stage()
    const { status, json } = await mock.as('demo').post(sendings, body, headers)
    expect(status).toBe(400)
    expect(json.invalidFields).toEqual([
      { field, problem: expect.stringContaining('by-header, by-id, by-synchronization, by-space') },
    ])
    expect(mock.space().data.seq).toBe(0)
    expect(mock.rig().scenarios.active!.hasApplied).toBe(false)
  })

  it('in the header is refused on every operation', async () => {
    const mock = await stage()
    expect((await mock.as('demo').get('/mailings', header('nothing'))).status).toBe(400)
  })
})

describe('test synchronizations in the list of synchronizations', () => {
  it.each([false, true])(
    'with hideTestSynchronizations %s a synchronization of one’s own is the last, behind test synchronizations or not',
    async hideTestSynchronizations => {
      await using mock = await createMock({ hideTestSynchronizations })
      const ask = async (path: string, init: RequestInit = {}) =>
        jsonOf(
          await mock.fetch(`http://mock${path}`, {
            ...init,
            headers: { authorization: basic('demo'), 'content-type': 'application/json' },
          }),
        )
      const body = JSON.stringify({ customer: 'harbour-group', listId: 1001 })
      const { synchronizations, testSynchronizations } = await mock.space().snapshot()
      const place =
        synchronizations.length + 1 - (hideTestSynchronizations ? testSynchronizations!.length : 0)
      const own = await ask(synchronizationsPath, { method: 'POST', body })
      for (const query of ['', '?sortBy=creationDate', '?syncModifications=true']) {
        const { _embedded } = await ask(synchronizationsPath + query)
        const listed = _embedded['svc:mailing-synchronizations'].map(({ id }: { id: string }) => id)
        expect([listed.length, listed.indexOf(own.id) + 1]).toEqual([place, place])
      }
      expect((await ask(synchronizationPath(testSynchronization))).id).toBe(testSynchronization)
    },
  )
})

describe('a request that never came whole', () => {
  it('a request that never came whole uses up no step, and is on record as left by its client', async () => {
    const { mock, listen } = await staged([])
    mock.rig().faults.arm(ruleFrom(onCreate([{ phase: 'before' }]), 'the test'))
    const { port } = await listen()
    using client = await RawClient.connect(port)
    client.send(
      `POST ${sendings} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('demo')}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"half":`,
    )
    const entry = await eventually('it to arrive', () => mock.rig().journal.entries()[0])
    client.leave('reset')
    await eventually('its entry to close', () => entry.ended)
    expect([entry.delivered, entry.decision, entry.read]).toEqual(['aborted', undefined, undefined])
    expect(mock.rig().faults.get('f1')!.left).toBe(1)
    expect(mock.rig().use.idleMilliseconds).toBeGreaterThan(0)
  })
})
