import type { FixtureProblem } from './fixtures.ts'
import type { Fixture, Sending } from './rows.ts'

/**
 * Finds what the schema cannot check: references to missing rows, and values that must be unique but are not. Empty for a
 * consistent fixture.
 */
export function checkReferences(fixture: Fixture): FixtureProblem[] {
  const problems: FixtureProblem[] = []
  const report: Report = (path, problem) => problems.push({ path, problem })
  const rows = indexRows(fixture)
  checkCustomersAndLists(fixture, rows, report)
  checkMailings(fixture, report)
  checkSynchronizations(fixture, rows, report)
  checkSendings(fixture, rows, report)
  checkPlatform(fixture, rows, report)
  return problems
}

type Report = (path: string, problem: string) => void
type Rows = ReturnType<typeof indexRows>

/** What a member refers to: the table, and a row of it in words. */
const references = {
  customer: ['customers', 'customer'],
  mailingId: ['mailings', 'mailing'],
  synchronizationId: ['synchronizations', 'synchronization'],
  platformMailingId: ['platformMailings', 'platform mailing'],
  platformSendingId: ['platformSendings', 'platform sending'],
} as const satisfies Record<string, readonly [table: keyof Rows, noun: string]>

/** The rows that these members of a row name must exist. */
function checkMembers<Member extends keyof typeof references>(
  row: Readonly<Record<Member, string | number | null>>,
  members: readonly Member[],
  path: string,
  rows: Rows,
  report: Report,
): void {
  for (const member of members) {
    const [table, noun] = references[member]
    const id = row[member]
    if (id !== null)
      checkKnown(rows[table] as ReadonlyMap<string | number, unknown>, id, noun, `${path}.${member}`, report)
  }
}

const indexRows = (fixture: Fixture) => ({
  customers: new Map(fixture.customers.map(it => [it.name, it])),
  lists: byId(fixture.lists),
  mailings: byId(fixture.mailings),
  synchronizations: byId(fixture.synchronizations),
  platformMailings: byId(fixture.platformMailings),
  platformSendings: byId(fixture.platformSendings),
})

/** The first row with an ID is used; the others are reported as duplicates. */
function byId<Row extends { id: string | number }>(rows: readonly Row[]): ReadonlyMap<Row['id'], Row> {
  const first = new Map<Row['id'], Row>()
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row)
  return first
}

function checkCustomersAndLists(fixture: Fixture, rows: Rows, report: Report): void {
  checkUnique(fixture.users, 'users', 'name', report)
  checkUnique(fixture.customers, 'customers', 'name', report)
  checkUnique(fixture.lists, 'lists', 'id', report)
  for (const [i, list] of fixture.lists.entries()) {
    checkMembers(list, ['customer'], `lists[${i}]`, rows, report)
    checkUnique(list.testProfiles, `lists[${i}].testProfiles`, 'id', report)
    checkUnique(list.testMailGroups, `lists[${i}].testMailGroups`, 'id', report)
  }
  checkUnique(fixture.accessibleLists, 'accessibleLists', 'customer', report)
  for (const [i, configuration] of fixture.accessibleLists.entries()) {
    const path = `accessibleLists[${i}]`
    checkMembers(configuration, ['customer'], path, rows, report)
    // 4.16: permitAll ignores the permitted lists, so they are not checked.
    if (configuration.permitAll) continue
    for (const [j, id] of configuration.permittedLists.entries()) {
      checkListOfCustomer(rows, configuration.customer, id, `${path}.permittedLists[${j}]`, report)
    }
  }
}

function checkMailings({ mailings }: Fixture, report: Report): void {
  checkUnique(mailings, 'mailings', 'id', report)
  for (const [i, { draft, approved, earlier = [] }] of mailings.entries()) {
    if (draft && approved && draft.number <= approved.number) {
      report(
        `mailings[${i}].draft.number`,
        `${draft.number} does not come after the approved version's number ${approved.number}; ` +
          'a draft beside an approved version is the newer one',
      )
    }
    for (const [j, { number }] of earlier.entries()) {
      const next = earlier[j + 1]?.number ?? approved?.number ?? 0
      if (number >= next)
        report(
          `mailings[${i}].earlier[${j}].number`,
          `${number} does not come before ${next || 'an approved version'}; earlier versions stand oldest first, before the approved one`,
        )
    }
  }
}

function checkSynchronizations(fixture: Fixture, rows: Rows, report: Report): void {
  checkUnique(fixture.synchronizations, 'synchronizations', 'id', report)
  for (const [i, row] of fixture.synchronizations.entries()) {
    const path = `synchronizations[${i}]`
    checkMembers(row, ['mailingId', 'customer'], path, rows, report)
    checkListOfCustomer(rows, row.customer, row.listId, `${path}.listId`, report)
  }
  const tests = fixture.testSynchronizations ?? []
  checkUnique(tests, 'testSynchronizations', 'id', report)
  for (const [i, { id }] of tests.entries()) {
    checkKnown(rows.synchronizations, id, 'synchronization', `testSynchronizations[${i}].id`, report)
  }
  checkUnique(fixture.settings ?? [], 'settings', 'name', report)
  checkUnique(fixture.mailingUploads, 'mailingUploads', 'id', report)
  for (const [i, row] of fixture.mailingUploads.entries()) {
    checkMembers(row, ['synchronizationId', 'platformMailingId'], `mailingUploads[${i}]`, rows, report)
  }
}

function checkSendings(fixture: Fixture, rows: Rows, report: Report): void {
  checkUnique(fixture.sendings, 'sendings', 'id', report)
  const transactions = new Map<string, number>()
  for (const [i, row] of fixture.sendings.entries()) {
    const path = `sendings[${i}]`
    checkMembers(row, ['synchronizationId'], path, rows, report)
    if (row.transactionId !== null) {
      const key = `${row.synchronizationId} ${row.transactionId}`
      const before = transactions.get(key)
      transactions.set(key, i)
      if (before !== undefined && !isLater(row, fixture.sendings[before]!))
        report(
          `${path}.transactionId`,
          `"${row.transactionId}" is taken by sendings[${before}] of the same synchronization; ` +
            'a transaction ID is unique within its synchronization, or else a day and more apart',
        )
    }
    if (row.step >= row.plan.length) {
      report(
        `${path}.step`,
        `${row.step} is outside the plan, which has ${row.plan.length} step(s): expected 0 to ${row.plan.length - 1}`,
      )
    }
    checkMembers(row, ['platformMailingId', 'platformSendingId'], path, rows, report)
  }
}

/** A deployment may let transaction IDs expire, at the earliest after a day. Then the same ID makes another sending. */
const minTransactionLifetime = 24 * 3_600_000

const isLater = (row: Sending, before: Sending): boolean =>
  Date.parse(row.creationDate) - Date.parse(before.creationDate) >= minTransactionLifetime

function checkPlatform(fixture: Fixture, rows: Rows, report: Report): void {
  checkUnique(fixture.platformMailings, 'platformMailings', 'id', report)
  for (const [i, row] of fixture.platformMailings.entries()) {
    const path = `platformMailings[${i}]`
    checkMembers(row, ['customer'], path, rows, report)
    checkListOfCustomer(rows, row.customer, row.listId, `${path}.listId`, report)
    checkMembers(row, ['mailingId'], path, rows, report)
    // An older version may no longer be in the editor, but none can be newer than the newest.
    const mailing = rows.mailings.get(row.mailingId)
    const newest = mailing && Math.max(mailing.draft?.number ?? 0, mailing.approved?.number ?? 0)
    if (newest !== undefined && row.version > newest) {
      report(
        `${path}.version`,
        `${row.version} does not exist; the newest version of that mailing is ${newest}`,
      )
    }
  }
  checkUnique(fixture.platformSendings, 'platformSendings', 'id', report)
  for (const [i, row] of fixture.platformSendings.entries()) {
    checkMembers(row, ['platformMailingId'], `platformSendings[${i}]`, rows, report)
  }
}

function checkListOfCustomer(rows: Rows, customer: string, id: number, path: string, report: Report): void {
  const list = rows.lists.get(id)
  if (!list) checkKnown(rows.lists, id, 'list', path, report)
  // An unknown customer is reported at its own place.
  else if (list.customer !== customer && rows.customers.has(customer)) {
    report(path, `list ${id} belongs to customer "${list.customer}", not to "${customer}"`)
  }
}

function checkUnique<Key extends string>(
  rows: readonly Readonly<Record<Key, string | number>>[],
  table: string,
  key: Key,
  report: Report,
): void {
  const seen = new Map<string | number, number>()
  for (const [i, row] of rows.entries()) {
    const first = seen.get(row[key])
    if (first === undefined) seen.set(row[key], i)
    else
      report(`${table}[${i}].${key}`, `${quote(row[key])} is taken by ${table}[${first}]; expected each once`)
  }
}

function checkKnown<Id extends string | number>(
  rows: ReadonlyMap<Id, unknown>,
  id: Id,
  noun: string,
  path: string,
  report: Report,
): void {
  if (rows.has(id)) return
  const near = findNearestIds(id, [...rows.keys()])
  if (near.length === 0) {
    report(path, `no ${noun} ${quote(id)}; there is no ${noun} at all`)
    return
  }
  const hint =
    near.length === rows.size
      ? `there is ${near.map(quote).join(', ')}`
      : `the nearest of ${rows.size} are ${near.map(quote).join(', ')}`
  report(path, `no ${noun} ${quote(id)}; ${hint}`)
}

const quote = (id: string | number) => (typeof id === 'string' ? `"${id}"` : String(id))

const maxAlternatives = 3

/**
 * The candidates that share the longest beginning and end with the given ID. Unlike an edit distance this stays fast with
 * thousands of wrong references.
 */
function findNearestIds<Id extends string | number>(seen: Id, candidates: readonly Id[]): Id[] {
  const best: { candidate: Id; score: number }[] = []
  for (const candidate of candidates) {
    const score = countSharedEnds(String(seen), String(candidate))
    if (best.length === maxAlternatives && score <= best.at(-1)!.score) continue
    const place = best.findIndex(it => it.score < score)
    best.splice(place === -1 ? best.length : place, 0, { candidate, score })
    best.length = Math.min(best.length, maxAlternatives)
  }
  return best.map(it => it.candidate)
}

function countSharedEnds(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return start + end
}
