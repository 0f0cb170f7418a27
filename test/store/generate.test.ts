import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeDefaultFixture } from '../../scripts/make-default-fixture.ts'
import { generate, parseCounts } from '../../src/lib/generate.ts'
import { checkReferences } from '../../src/store/fixtures.ts'
import { type Fixture, fixture as fixtureSchema } from '../../src/store/rows.ts'

const base = makeDefaultFixture()
const few = {
  customers: 2,
  lists: 3,
  mailings: 20,
  synchronizations: 8,
  'mailing-uploads': 6,
  sendings: 25,
} as const

const empty: Fixture = {
  ...base,
  space: 'empty',
  testSynchronizations: [],
  customers: [],
  lists: [],
  accessibleLists: [],
  mailings: [],
  synchronizations: [],
  mailingUploads: [],
  sendings: [],
  platformMailings: [],
  platformSendings: [],
}

const tablesOf = (fixture: Fixture) => ({
  customers: fixture.customers,
  lists: fixture.lists,
  mailings: fixture.mailings,
  synchronizations: fixture.synchronizations,
  'mailing-uploads': fixture.mailingUploads,
  sendings: fixture.sendings,
})

const datesOf = (fixture: Fixture) => ({
  mailings: fixture.mailings.map(it => it.creationDate),
  synchronizations: fixture.synchronizations.map(it => it.creationDate),
  uploads: fixture.mailingUploads.map(it => it.creationDate),
  sendings: fixture.sendings.map(it => it.creationDate),
  platformMailings: fixture.platformMailings.map(it => it.createdAt),
  platformSendings: fixture.platformSendings.map(it => it.requestedAt),
})

function expectSound(fixture: Fixture): void {
  expect(fixtureSchema.safeParse(fixture).error).toBeUndefined()
  expect(checkReferences(fixture)).toEqual([])
  for (const dates of Object.values(datesOf(fixture))) expect(dates).toEqual(dates.toSorted())
}

describe('generated content', () => {
  test('generated content adds exactly as many rows as asked, behind those of the base', async () => {
    const made = tablesOf(await generate(base, few, 1))
    for (const [table, rows] of Object.entries(tablesOf(base))) {
      const all = made[table as keyof typeof few]
      expect(all).toHaveLength(rows.length + few[table as keyof typeof few])
      expect(all.slice(0, rows.length)).toEqual(rows)
    }
  })

  test('fits the schema, its references and the order of time, whatever is asked', async () => {
    const count = fc.integer({ min: 0, max: 12 })
    const counts = fc.record({
      customers: count,
      lists: count,
      mailings: count,
      synchronizations: count,
      'mailing-uploads': count,
      sendings: count,
    })
    await fc.assert(
      fc.asyncProperty(counts, fc.nat(), async (wanted, seed) => {
        expectSound(await generate(base, wanted, seed))
      }),
      { numRuns: 15 },
    )
  })

  test('generated content is the same for the same seed', async () => {
    expect(JSON.stringify(await generate(base, few, 7))).toBe(JSON.stringify(await generate(base, few, 7)))
  })

  test.each([8, 7 + 2 ** 32])('generated content is another for another seed (7 and %d)', async seed => {
    const ids = async (it: number) => (await generate(base, few, it)).mailings.slice(30).map(row => row.id)
    expect(await ids(seed)).not.toEqual(await ids(7))
  })

  test('of one table stays the same when another count changes', async () => {
    const alone = await generate(base, { mailings: 5 }, 1)
    const together = await generate(base, { ...few, mailings: 5 }, 1)
    expect(together.mailings).toEqual(alone.mailings)
  })

  test('generated content can be generated upon, even with the same seed', async () => {
    expectSound(await generate(await generate(base, few, 1), few, 1))
  })

  test('generated content leaves the base as it was', async () => {
    const before = structuredClone(base)
    await generate(base, { sendings: 5, 'mailing-uploads': 5 }, 1)
    expect(base).toEqual(before)
  })

  test('generated content is all past: nothing lies behind the reference date', async () => {
    const made = await generate(base, few, 1)
    for (const dates of Object.values(datesOf(made))) expect(dates.at(-1)! < '2026-10-01').toBe(true)
  })

  test('generated content stays close behind a base that is newer than the reference date', async () => {
    const newer = structuredClone(base) as { mailings: { modificationDate: string }[] } & Fixture
    newer.mailings[0]!.modificationDate = '2027-02-03T04:05:06.789Z'
    const made = await generate(newer, few, 1)
    expectSound(made)
    expect(made.sendings.at(-1)!.creationDate <= '2027-02-03T04:06:06.790Z').toBe(true)
  })

  test('generated content fills an empty space from nothing', async () => {
    const made = await generate(empty, few, 1)
    expectSound(made)
    expect(made.sendings).toHaveLength(few.sendings)
  })

  test('with one row of each is enough for a sending', async () => {
    const one = { customers: 1, lists: 1, mailings: 1, synchronizations: 1, sendings: 1 }
    for (const seed of [1, 2, 3, 4, 5]) expectSound(await generate(empty, one, seed))
  })

  test('generated content sends approved mailings only, each to its whole list', async () => {
    const made = await generate(base, few, 1)
    for (const row of made.sendings.slice(base.sendings.length)) {
      const synchronization = made.synchronizations.find(it => it.id === row.synchronizationId)!
      const approved = made.mailings.find(it => it.id === synchronization.mailingId)!.approved!
      expect(made.platformMailings.find(it => it.id === row.platformMailingId)).toMatchObject({
        name: row.name ?? approved.name,
        version: approved.number,
        approvedAt: row.creationDate,
      })
      expect(made.platformSendings.find(it => it.id === row.platformSendingId)).toMatchObject({
        recipients: made.lists.find(it => it.id === synchronization.listId)!.recipients,
        startsAt: row.scheduleDate ?? row.creationDate,
      })
    }
  })

  test('generated content is counted in by the synchronizations it was sent and uploaded with', async () => {
    const made = await generate(base, { sendings: 25, 'mailing-uploads': 10 }, 1)
    for (const row of made.synchronizations) {
      const sendings = made.sendings.filter(it => it.synchronizationId === row.id)
      const uploads = made.mailingUploads.filter(it => it.synchronizationId === row.id)
      const sent = sendings.map(it => it.creationDate).toSorted()
      const uploaded = uploads.map(it => it.modificationDate).toSorted()
      expect(row.sendingsModificationDate).toBe(sent.at(-1) ?? null)
      expect(row.mailingUploadsModificationDate).toBe(uploaded.at(-1) ?? null)
      expect(row.modificationDate >= [row.creationDate, ...sent, ...uploaded].toSorted().at(-1)!).toBe(true)
    }
  })

  test('generated content leaves the published synchronizations alone while there are generated ones', async () => {
    const made = await generate(base, few, 1)
    expect(made.synchronizations.slice(0, base.synchronizations.length)).toEqual(base.synchronizations)
  })

  test('generated content keeps to the lists that the space may use', async () => {
    const made = await generate(base, { synchronizations: 100 }, 1)
    expect(made.synchronizations.map(it => it.listId)).not.toContain(2002)
  })

  test('generated content is compact: a thousand mailings take less than three megabytes', async () => {
    const made = await generate(empty, { mailings: 1000 }, 1)
    expect(JSON.stringify(made).length).toBeLessThan(3_000_000)
  })

  test.each([
    [{ lists: 2 }, 'lists=2 needs a customer, and space "empty" has none: add customers=1 or more'],
    [
      { synchronizations: 5 },
      'synchronizations=5 needs a list, and space "empty" has none: add lists=1 or more',
    ],
    [
      { customers: 1, lists: 1, synchronizations: 5 },
      'synchronizations=5 needs a mailing, and space "empty" has none: add mailings=1 or more',
    ],
    [
      { 'mailing-uploads': 1 },
      'mailing-uploads=1 needs a synchronization, and space "empty" has none: add synchronizations=1 or more',
    ],
    [
      { mailings: 1, sendings: 1 },
      'sendings=1 needs a synchronization whose mailing is approved, and space "empty" has none: add mailings=1,synchronizations=1 or more',
    ],
  ])('%j is refused where its ground is missing', async (counts, message) => {
    await expect(generate(empty, counts, 1)).rejects.toThrow(new Error(message))
  })

  test('generated content refuses counts that were not read from text, by the same rules', async () => {
    const unknown = { templates: 3 } as unknown as { mailings: number }
    await expect(generate(base, unknown, 1)).rejects.toThrow('there is no table "templates" to fill')
    await expect(generate(base, { mailings: 1.5 }, 1)).rejects.toThrow('the count of mailings is 1.5')
  })
})

describe('counts', () => {
  test('counts are read table by table', () => {
    expect(parseCounts('mailings=10000,synchronizations=2000')).toEqual({
      mailings: 10_000,
      synchronizations: 2000,
    })
  })

  test('counts may have spaces around them', () => {
    expect(parseCounts(' mailing-uploads = 3 , lists=0 ')).toEqual({ 'mailing-uploads': 3, lists: 0 })
  })

  const wrong = (table: string, seen: string) =>
    `the count of ${table} is ${seen}: expected a whole number from 0 to 1000000`
  test.each([
    ['mailing=3', 'there is no table "mailing" to fill: expected one of customers, lists, mailings, '],
    ['constructor=3', 'there is no table "constructor" to fill'],
    ['mailings', 'cannot read "mailings": expected table=count, such as mailings=10000'],
    ['', 'cannot read "": expected table=count, such as mailings=10000'],
    ['mailings=3,', 'cannot read "": expected table=count, such as mailings=10000'],
    ['mailings=3=4', 'cannot read "mailings=3=4": expected table=count'],
    ['mailings=3,mailings=4', '"mailings" is given twice: expected each table once'],
    ['mailings=', wrong('mailings', '""')],
    ['mailings=many', wrong('mailings', '"many"')],
    ['lists=2.5', wrong('lists', '"2.5"')],
    ['lists=1e3', wrong('lists', '"1e3"')],
    ['sendings=-1', wrong('sendings', '-1')],
    ['sendings=1000001', wrong('sendings', '1000001')],
  ])('%j is refused with what was seen and what is possible', (text, message) => {
    expect(() => parseCounts(text)).toThrow(message)
  })
})
