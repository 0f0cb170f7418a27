import { describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../../src/index.ts'
import {
  basic,
  customersPath,
  ids,
  type Json,
  synchronizationPath,
  synchronizationsPath,
} from '../../mock.ts'
import { temporaryDirectory } from '../../process.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const [customer, list] = ['harbour-group', 1001]

/** A mock with its only clients: `send` is one of the service. */
async function stage(options: Parameters<typeof createMock>[0] = {}) {
  const mock = await createMock({ now: '2026-11-01T10:00:00Z', frozen: true, ...options })
  const space = mock.space('demo')
  const call = async (path: string, body?: unknown): Promise<{ status: number; json: Json }> => {
    const response = await mock.fetch(`http://mock${path}`, {
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
      headers: { authorization: basic('demo'), 'content-type': 'application/json' },
    })
    const text = await response.text()
    return { status: response.status, json: text === '' ? undefined : JSON.parse(text) }
  }
  const items = async (path: string): Promise<Json[]> =>
    Object.values((await call(path)).json._embedded as Record<string, Json[]>)[0]!
  return { mock, space, call, items, [Symbol.asyncDispose]: () => mock.close() }
}
type Space = ReturnType<Mock['space']>

const removals: readonly (readonly [string, (space: Space) => Promise<void>, gone: string])[] = [
  ['mailing', space => space.mailings.remove(ids.mailing.ready), `mailing ${ids.mailing.ready}`],
  ['list', space => space.lists.remove(list), `list ${list}`],
  ['customer', space => space.customers.remove(customer), `list ${list}`],
]

const removalOfSynchronization: (typeof removals)[number] = [
  'synchronization',
  space => space.synchronizations.remove(ids.ready),
  'synchronization',
]

describe('what was deleted', () => {
  it.each([
    ['a mailing', removals[0]![1], `/mailings/${ids.mailing.ready}`, '/mailings'],
    [
      'a list',
      removals[1]![1],
      `${customersPath}/${customer}/lists/${list}`,
      `${customersPath}/${customer}/lists`,
    ],
    ['a customer', removals[2]![1], `${customersPath}/${customer}`, customersPath],
    [
      'a synchronization',
      (space: Space) => space.synchronizations.remove(ids.ready),
      synchronizationPath(ids.ready),
      synchronizationsPath,
    ],
  ])(
    'S removed: %s is 404 and out of its collection, and a reset brings it back',
    async (_, remove, path, collection) => {
      await using it = await stage()
      const before = (await it.items(collection)).length
      expect((await it.call(path)).status).toBe(200)
      await remove(it.space)
      expect((await it.call(path)).status).toBe(404)
      expect(await it.items(collection)).toHaveLength(before - 1)
      await it.space.reset()
      expect((await it.call(path)).status).toBe(200)
      expect(await it.items(collection)).toHaveLength(before)
    },
  )

  it.each([
    ['mailing', 0, { customer, listId: list, mailingId: ids.mailing.ready }, 'mailingId'],
    ['template', 0, { customer, listId: list, templateMailingId: ids.mailing.ready }, 'templateMailingId'],
    ['list', 1, { customer, listId: list }, 'listId'],
    ['customer', 2, { customer, listId: list }, 'customer'],
  ] as const)(
    'S removed: a synchronization with a deleted %s is refused as with an unknown one',
    async (_, nth, body, field) => {
      await using it = await stage()
      await removals[nth]![1](it.space)
      const { status, json } = await it.call(synchronizationsPath, body)
      expect([status, json.invalidFields[0].field]).toEqual([400, field])
    },
  )

  it('S removed: a second deletion and an unknown thing are 404', async () => {
    await using it = await stage()
    await it.space.lists.remove(list)
    for (const call of [
      it.space.lists.remove(list),
      it.space.lists.rename(list, 'x'),
      it.space.customers.remove('nobody'),
      it.space.mailings.remove('nothing'),
      it.space.synchronizations.remove('nothing'),
    ])
      await expect(call).rejects.toMatchObject({ status: 404 })
  })

  it('S removed synchronization: everything below its address is 404, a repeat of a known transaction ID too', async () => {
    await using it = await stage()
    const made = await it.call(sendings, { transactionId: 'a' })
    await it.space.synchronizations.remove(ids.ready)
    const sending = `${sendings}/${made.json.id}`
    for (const path of [
      sendings,
      sending,
      `${sending}/statistics`,
      synchronizationPath(ids.ready, '/preview'),
    ])
      expect((await it.call(path)).status, path).toBe(404)
    expect((await it.call(sendings, { transactionId: 'a' })).status).toBe(404)
    expect(await it.space.sent()).toHaveLength(1)
  })

  it.each(removals)(
    'S removed part: without its %s a synchronization can be read but takes no sending, upload or test sending',
    async (_, remove, gone) => {
      await using it = await stage()
      const made = await it.call(sendings, { transactionId: 'a' })
      await remove(it.space)
      const { status, json } = await it.call(synchronizationPath(ids.ready))
      expect([status, json.readyForSending, json.mailingIsApproved]).toEqual([200, false, true])
      expect(
        (await it.items(`${synchronizationsPath}?readyForSending=true`)).map(({ id }) => id),
      ).not.toContain(ids.ready)
      expect((await it.call(synchronizationPath(ids.ready, '/preview'))).status).toBe(200)
      for (const [path, body] of [
        ['/sendings', { transactionId: 'b' }],
        ['/mailing-uploads', {}],
        ['/test-sendings', { recipientAddresses: ['a@example.com'] }],
      ] as const) {
        const refused = await it.call(synchronizationPath(ids.ready, path), body)
        expect([refused.status, refused.json.type]).toEqual([
          409,
          expect.stringMatching(/not-ready-for-sending$/),
        ])
        expect(refused.json.detail).toContain(gone)
      }
      const again = await it.call(sendings, { transactionId: 'a' })
      expect([again.status, again.json.id]).toEqual([200, made.json.id])
    },
  )

  it.each([...removals, removalOfSynchronization])(
    'S accepted before removal: what is PENDING or scheduled goes out without its %s',
    async (_, remove) => {
      await using it = await stage()
      await it.call(sendings, { scheduleDate: '2026-11-01T11:00:00.000Z' })
      await it.space.arm({
        rules: [{ on: 'createSending', steps: [{ state: 'PENDING', for: '30s' }, { state: 'CREATED' }] }],
      })
      expect((await it.call(sendings, { transactionId: 'a' })).json.state).toBe('PENDING')
      await remove(it.space)
      await it.space.clock.advance('2h')
      expect(await it.space.sent()).toHaveLength(2)
    },
  )

  it('S removed: a snapshot and a restart keep it', async () => {
    using directory = temporaryDirectory()
    const data = directory.path
    const remove = async (space: Space) => {
      await space.lists.remove(list)
      await space.synchronizations.remove(ids.both)
    }
    const look = async (it: Awaited<ReturnType<typeof stage>>) => [
      (await it.call(synchronizationPath(ids.both))).status,
      (await it.call(sendings, { transactionId: 'b' })).status,
    ]
    {
      await using it = await stage({ data })
      await remove(it.space)
      const snapshot = await it.space.snapshot()
      await it.space.reset()
      expect(await look(it)).toEqual([200, 201])
      await it.space.restore(snapshot)
      expect(await look(it)).toEqual([404, 409])
    }
    await using again = await stage({ data })
    expect(await look(again)).toEqual([404, 409])
  })
})

describe('what was renamed', () => {
  it('S renamed: a list shows its new name everywhere', async () => {
    await using it = await stage()
    await it.space.lists.rename(list, 'Friends')
    expect((await it.call(synchronizationPath(ids.ready))).json.target.listName).toBe('Friends')
    expect((await it.call(`${customersPath}/${customer}/lists/${list}`)).json.name).toBe('Friends')
    expect((await it.items(`${customersPath}/${customer}/lists`)).map(({ name }) => name)).toContain(
      'Friends',
    )
  })

  it('S renamed: a customer and all that is its own have the new name, and the old one is 404', async () => {
    await using it = await stage()
    const lists = (await it.items(`${customersPath}/${customer}/lists`)).map(({ id }) => id)
    await it.space.customers.rename(customer, 'holding')
    expect((await it.call(`${customersPath}/${customer}/lists`)).status).toBe(404)
    expect((await it.items(customersPath)).map(({ name }) => name)).toEqual(
      expect.not.arrayContaining([customer]),
    )
    expect((await it.items(`${customersPath}/holding/lists`)).map(({ id }) => id)).toEqual(lists)
    expect((await it.call(synchronizationPath(ids.ready))).json.target.customer).toBe('holding')
    expect((await it.call(synchronizationsPath, { customer, listId: list })).status).toBe(400)
    expect((await it.call(synchronizationsPath, { customer: 'holding', listId: list })).status).toBe(201)
    expect((await it.call(sendings, { transactionId: 'a' })).status).toBe(201)
    await expect(it.space.customers.rename('holding', 'scenario-lab')).rejects.toMatchObject({ status: 409 })
  })
})

describe('the judge', () => {
  it.each([
    ['409', (space: Space) => space.lists.remove(list), 'reset-before', 'not-sent'],
    ['404', (space: Space) => space.synchronizations.remove(ids.ready), 'reset-after', 'unknown'],
  ] as const)(
    'does not accuse a client that stops because its repeat is %s',
    async (status, remove, scenario, believes) => {
      await using it = await stage()
      await it.space.arm(scenario)
      await expect(it.call(sendings, { transactionId: 'a' })).rejects.toThrow()
      await it.space.disarm()
      await it.space.clock.advance('2s')
      await remove(it.space)
      expect((await it.call(sendings, { transactionId: 'a' })).status).toBe(Number(status))
      const { findings } = await it.space.verdict({ believes })
      expect(findings).toEqual([])
    },
  )

  it('still warns a client that never asked whether it is ready, and is refused at once', async () => {
    await using it = await stage()
    await it.space.lists.remove(list)
    expect((await it.call(sendings, { transactionId: 'a' })).status).toBe(409)
    const { findings } = await it.space.verdict({ believes: 'not-sent' })
    expect(findings.map(({ rule }) => rule)).toEqual(['R21'])
  })
})
