import { describe, expect, it } from 'vitest'
import { operationIds, shownBy } from '../../src/service/operations.ts'
import { requestPath } from '../../src/service/request-input.ts'
import { isCollection } from '../../src/service/resource.ts'
import {
  customersPath,
  exampleRequest,
  ids,
  type Json,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type TestMock,
} from '../mock.ts'

/** Every collection, and some of them otherwise, with what its items are told apart by. */
const collections: [name: string, path: string, key: string][] = [
  ...operationIds.flatMap((id): [string, string, string][] => {
    const shown = shownBy(id)
    if (!shown || !isCollection(shown)) return []
    return [[id, requestPath(exampleRequest(id).target), 'id' in shown.item.members ? 'id' : 'name']]
  }),
  ['sorted mailing-synchronizations', `${synchronizationsPath}?sortBy=mailingName&order=desc`, 'id'],
  ['sendings in all states', synchronizationPath(ids.failedTwice, '/sendings?includeAllStates=true'), 'id'],
  ['all lists', `${customersPath}/lindenau/lists?showAllLists=true`, 'id'],
  ['lists of a customer whose name is encoded', `${customersPath}/Maison%20Orane/lists`, 'id'],
]

const withSize = (path: string, size: number) => `${path}${path.includes('?') ? '&' : '?'}pageSize=${size}`
const items = (json: Json): Json[] => Object.values<Json[]>(json._embedded)[0]!

async function pages(mock: TestMock, path: string): Promise<Json[]> {
  const found: Json[] = []
  for (let next: string | undefined = path; next; ) {
    const { status, json } = await mock.as('demo').get(next)
    expect(status).toBe(200)
    found.push(json)
    next = json._links.next?.href
  }
  return found
}

describe('pages of a collection', () => {
  it.each(collections)(
    'S pagination next, 4.12 pageSize: following next through %s gives everything once, in order',
    async (_, path, key) => {
      const mock = await startMock()
      const all = items((await mock.as('demo').get(path)).json)
      for (const size of [1, 2, all.length]) {
        const found = await pages(mock, withSize(path, size))
        expect(found.flatMap(items).map(item => item[key])).toEqual(all.map(item => item[key]))
        expect(found).toHaveLength(Math.ceil(all.length / size))
        for (const page of found.slice(0, -1)) expect(items(page)).toHaveLength(size)
      }
    },
  )

  it('S pagination links: there is next and nothing else: no first, prev, last, no totals', async () => {
    const { json } = await (await startMock()).as('demo').get('/mailings?pageSize=2')
    expect(Object.keys(json)).toEqual(['_embedded', '_links'])
    expect(Object.keys(json._links).sort()).toEqual(['curies', 'next', 'self'])
  })

  it('S cursor: the cursor alone carries filters, order and page size', async () => {
    const mock = await startMock()
    const [first, second] = await pages(mock, '/mailings?isApproved=false&pageSize=2')
    expect(new URL(first._links.next.href).search).toMatch(/^\?cursor=[^&]+$/)
    expect(items(second)).toHaveLength(2)
    for (const item of [...items(first), ...items(second)]) expect(item.isApproved).toBe(false)
  })

  it('8 pageSize default: without a page size a page has 1000 items', async () => {
    const mock = await startMock({
      fixture: base => ({
        ...base,
        customers: Array.from({ length: 1001 }, (_, n) => ({ name: `customer ${n}` })),
        lists: base.lists,
      }),
    })
    const [first, second] = await pages(mock, customersPath)
    expect(items(first)).toHaveLength(1000)
    expect(items(second)).toHaveLength(1)
    expect(items((await pages(mock, `${customersPath}?pageSize=1000`))[0])).toHaveLength(1000)
  })

  it('S cursor expiry: a cursor is good for ten minutes of the space, then 410', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').get('/mailings?pageSize=2')
    mock.clock.advance(10 * 60_000)
    expect((await mock.as('demo').get(json._links.next.href)).status).toBe(200)
    mock.clock.advance(1)
    expect((await mock.as('demo').get(json._links.next.href)).status).toBe(410)
  })

  it('S foreign cursor: a cursor of another collection, space or life, or a made-up one, is 410', async () => {
    const mock = await startMock()
    const cursorOf = async (path: string) =>
      new URL((await mock.as('demo').get(path)).json._links.next.href).searchParams.get('cursor')!
    const cursor = await cursorOf('/mailings?pageSize=2')
    const [payload, signature] = cursor.split('.')
    const forged = Buffer.from('[9999999999999,{"query":{"pageSize":9999}}]').toString('base64url')
    for (const wrong of [
      '',
      'x',
      '.',
      payload,
      `${payload}.x`,
      `${forged}.${signature}`,
      await cursorOf(`${customersPath}?pageSize=1`),
    ])
      expect((await mock.as('demo').get(`/mailings?cursor=${wrong}`)).status, wrong).toBe(410)
    expect((await mock.as('demo+other').get(`/mailings?cursor=${cursor}`)).status).toBe(410)
    await mock.spaces.reset()
    await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    expect((await mock.as('demo').get(`/mailings?cursor=${cursor}`)).status).toBe(200)
    await mock.spaces.reset()
    expect((await mock.as('demo').get(`/mailings?cursor=${cursor}`)).status).toBe(410)
  })

  it('S default order: what is added while a client pages comes at the end', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const path = synchronizationPath(ids.failedTwice, '/sendings')
    const first = await demo.get(`${path}?includeAllStates=true&pageSize=2`)
    const added = await demo.post(path, { transactionId: 'added' })
    const rest = await pages(mock, first.json._links.next.href)
    expect(rest.flatMap(items).at(-1)!.id).toBe(added.json.id)
    expect(rest.flatMap(items)).toHaveLength(2)
  })
})

describe('incremental synchronization', () => {
  const start = `${synchronizationsPath}?syncModifications=true`
  const upcoming = (json: Json): string | undefined => json._links['svc:upcoming-modifications']?.href

  it('S incremental sync, 4.6: the last page leads to what is modified from the first page on, the others to the next page', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const first = (await demo.get(`${start}&pageSize=60`)).json
    expect(upcoming(first)).toBeUndefined()
    // On the first page already: must come again.
    const { data } = mock.space()
    const mailing = data.tables.mailings.get(ids.mailing.ready)!
    data.save({ mailings: [{ ...mailing, modificationDate: '2026-11-01T10:00:00.000Z' }] })
    const last = (await demo.get(first._links.next.href)).json
    expect(last._links.next).toBeUndefined()

    const changed = (await demo.get(upcoming(last)!)).json
    expect(items(changed).map(item => item.id)).toEqual([ids.ready])
    const quiet = (await demo.get(upcoming(changed)!)).json
    expect(items(quiet)).toEqual([])

    const made = await demo.post(synchronizationsPath, { customer: 'harbour-group', listId: 1001 })
    // They have dates of their own.
    await demo.post(synchronizationPath(ids.both, '/mailing-uploads'))
    await demo.post(synchronizationPath(ids.ready, '/sendings'))
    const both = (await demo.get(upcoming(quiet)!)).json
    expect(items(both).map(item => item.id)).toEqual([made.json.id])
  })

  it('S incremental sync: a change of the mailing modifies its synchronizations', async () => {
    const mock = await startMock()
    const { json } = await mock.as('demo').get(start)
    const { data } = mock.space()
    const mailing = data.tables.mailings.get(ids.mailing.ready)!
    data.save({ mailings: [{ ...mailing, modificationDate: '2026-11-01T10:00:00.000Z' }] })
    const changed = await mock.as('demo').get(upcoming(json)!)
    expect(items(changed.json).map(item => item.id)).toEqual([ids.ready])
    expect(items(changed.json)[0].modificationDate).toBe('2026-11-01T10:00:00.000Z')
  })

  it('S incremental rounds: sendings and mailing-uploads do not count, whatever moves the date', async () => {
    const mock = await startMock({ dials: { 'synchronization-modified-by': 'everything' } })
    const demo = mock.as('demo')
    const { json } = await demo.get(start)
    await demo.post(synchronizationPath(ids.ready, '/sendings'))
    await demo.post(synchronizationPath(ids.both, '/mailing-uploads'))
    expect(items((await demo.get(upcoming(json)!)).json)).toEqual([])
  })

  it('S sync token filters: every round keeps the filters of the one before, unless others are given', async () => {
    const mock = await startMock()
    const demo = mock.as('demo')
    const { data } = mock.space()
    const change = () => {
      const mailings = [ids.mailing.ready, ids.mailing.draftOnly].map(id => data.tables.mailings.get(id)!)
      data.save({ mailings: mailings.map(it => ({ ...it })) })
    }
    const round = async (address: string) => {
      const { json } = await demo.get(address)
      change()
      return json
    }
    const first = await round(
      `${start}&mailingIsApproved=true&mailingId=${ids.mailing.ready},${ids.mailing.draftOnly}`,
    )
    const second = await round(upcoming(first)!)
    const third = await round(upcoming(second)!)
    for (const it of [second, third]) {
      expect(items(it).length).toBeGreaterThan(0)
      expect(new Set(items(it).map(({ mailingId }) => mailingId))).toEqual(new Set([ids.mailing.ready]))
    }
    const other = await round(`${upcoming(third)}&mailingIsApproved=false`)
    const last = await round(upcoming(other)!)
    for (const it of [other, last])
      expect(new Set(items(it).map(({ mailingId }) => mailingId))).toEqual(new Set([ids.mailing.draftOnly]))
  })

  it('S sync token: a token from after changes that a removed private space lost is 410, not an empty round', async () => {
    const mock = await startMock()
    const copy = mock.as('demo+x')
    await copy.post(synchronizationPath(ids.ready, '/sendings'))
    const { json } = await copy.get(start)
    expect((await copy.get(upcoming(json)!)).status).toBe(200)
    await mock.spaces.remove('demo+x')
    expect((await copy.get(upcoming(json)!)).status).toBe(410)
  })

  it('S sync token: an unknown token is 410, and order cannot be asked for', async () => {
    const demo = (await startMock()).as('demo')
    expect((await demo.get(`${start}&syncToken=x`)).status).toBe(410)
    expect((await demo.get(`${start}&sortBy=creationDate`)).status).toBe(400)
    expect((await demo.get(`${start}&order=asc`)).status).toBe(400)
    expect((await demo.get(`${synchronizationsPath}?syncToken=x`)).status).toBe(400)
  })
})
