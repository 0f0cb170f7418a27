import type { Fixture, Sending } from './rows.ts'

/** Something in a fixture that does not fit together, with the place as a JSON path. */
export type ReferenceProblem = Readonly<{ path: string; problem: string }>

/**
 * Finds what the schema cannot see: rows that point at rows that are not there, and values that must be unique but
 * are not. Empty when the fixture fits together.
 */
export function checkReferences(fixture: Fixture): ReferenceProblem[] {
  const problems: ReferenceProblem[] = []
  const report: Report = (path, problem) => problems.push({ path, problem })
  const rows = indexed(fixture)
  checkWorld(fixture, rows, report)
  checkMailings(fixture, report)
  checkSynchronizations(fixture, rows, report)
  checkSendings(fixture, rows, report)
  checkPlatform(fixture, rows, report)
  return problems
}

type Report = (path: string, problem: string) => void
type Rows = ReturnType<typeof indexed>

const indexed = (fixture: Fixture) => ({
  customers: new Map(fixture.customers.map(it => [it.name, it])),
  lists: byId(fixture.lists),
  mailings: byId(fixture.mailings),
  synchronizations: byId(fixture.synchronizations),
  platformMailings: byId(fixture.platformMailings),
  platformSendings: byId(fixture.platformSendings),
})

/** Of rows with the same ID the first one counts; the others are reported as duplicates. */
function byId<Row extends { id: string | number }>(rows: readonly Row[]): ReadonlyMap<Row['id'], Row> {
  const first = new Map<Row['id'], Row>()
  for (const row of rows) if (!first.has(row.id)) first.set(row.id, row)
  return first
}

function checkWorld(fixture: Fixture, rows: Rows, report: Report): void {
  unique(fixture.users, 'users', 'name', report)
  unique(fixture.customers, 'customers', 'name', report)
  unique(fixture.lists, 'lists', 'id', report)
  for (const [i, list] of fixture.lists.entries()) {
    known(rows.customers, list.customer, 'customer', `lists[${i}].customer`, report)
    unique(list.testProfiles, `lists[${i}].testProfiles`, 'id', report)
    unique(list.testMailGroups, `lists[${i}].testMailGroups`, 'id', report)
  }
  unique(fixture.accessibleLists, 'accessibleLists', 'customer', report)
  for (const [i, configuration] of fixture.accessibleLists.entries()) {
    const path = `accessibleLists[${i}]`
    known(rows.customers, configuration.customer, 'customer', `${path}.customer`, report)
    // 4.16: with permitAll the permitted lists are ignored, so they may name anything.
    if (configuration.permitAll) continue
    for (const [j, id] of configuration.permittedLists.entries()) {
      listOfCustomer(rows, configuration.customer, id, `${path}.permittedLists[${j}]`, report)
    }
  }
}

function checkMailings({ mailings }: Fixture, report: Report): void {
  unique(mailings, 'mailings', 'id', report)
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
  unique(fixture.synchronizations, 'synchronizations', 'id', report)
  for (const [i, row] of fixture.synchronizations.entries()) {
    const path = `synchronizations[${i}]`
    known(rows.mailings, row.mailingId, 'mailing', `${path}.mailingId`, report)
    known(rows.customers, row.customer, 'customer', `${path}.customer`, report)
    listOfCustomer(rows, row.customer, row.listId, `${path}.listId`, report)
  }
  const tests = fixture.testSynchronizations ?? []
  unique(tests, 'testSynchronizations', 'id', report)
  for (const [i, { id }] of tests.entries()) {
    known(rows.synchronizations, id, 'synchronization', `testSynchronizations[${i}].id`, report)
  }
  unique(fixture.settings ?? [], 'settings', 'name', report)
  unique(fixture.mailingUploads, 'mailingUploads', 'id', report)
  for (const [i, row] of fixture.mailingUploads.entries()) {
    const path = `mailingUploads[${i}]`
    known(
      rows.synchronizations,
      row.synchronizationId,
      'synchronization',
      `${path}.synchronizationId`,
      report,
    )
    known(
      rows.platformMailings,
      row.platformMailingId,
      'platform mailing',
      `${path}.platformMailingId`,
      report,
    )
  }
}

function checkSendings(fixture: Fixture, rows: Rows, report: Report): void {
  unique(fixture.sendings, 'sendings', 'id', report)
  const transactions = new Map<string, number>()
  for (const [i, row] of fixture.sendings.entries()) {
    const path = `sendings[${i}]`
    known(
      rows.synchronizations,
      row.synchronizationId,
      'synchronization',
      `${path}.synchronizationId`,
      report,
    )
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
    if (row.platformMailingId !== null) {
      known(
        rows.platformMailings,
        row.platformMailingId,
        'platform mailing',
        `${path}.platformMailingId`,
        report,
      )
    }
    if (row.platformSendingId !== null) {
      known(
        rows.platformSendings,
        row.platformSendingId,
        'platform sending',
        `${path}.platformSendingId`,
        report,
      )
    }
  }
}

/** A deployment may forget transaction IDs, the soonest after a day: then the same one makes another sending. */
const soonestForgotten = 24 * 3_600_000

const isLater = (row: Sending, before: Sending): boolean =>
  Date.parse(row.creationDate) - Date.parse(before.creationDate) >= soonestForgotten

function checkPlatform(fixture: Fixture, rows: Rows, report: Report): void {
  unique(fixture.platformMailings, 'platformMailings', 'id', report)
  for (const [i, row] of fixture.platformMailings.entries()) {
    const path = `platformMailings[${i}]`
    known(rows.customers, row.customer, 'customer', `${path}.customer`, report)
    listOfCustomer(rows, row.customer, row.listId, `${path}.listId`, report)
    known(rows.mailings, row.mailingId, 'mailing', `${path}.mailingId`, report)
    // An older version may be gone from the editor by now, but none can be newer than the newest.
    const mailing = rows.mailings.get(row.mailingId)
    const newest = mailing && Math.max(mailing.draft?.number ?? 0, mailing.approved?.number ?? 0)
    if (newest !== undefined && row.version > newest) {
      report(
        `${path}.version`,
        `${row.version} does not exist; the newest version of that mailing is ${newest}`,
      )
    }
  }
  unique(fixture.platformSendings, 'platformSendings', 'id', report)
  for (const [i, row] of fixture.platformSendings.entries()) {
    const path = `platformSendings[${i}].platformMailingId`
    known(rows.platformMailings, row.platformMailingId, 'platform mailing', path, report)
  }
}

/** A list must exist and be one of that customer's. */
function listOfCustomer(rows: Rows, customer: string, id: number, path: string, report: Report): void {
  const list = rows.lists.get(id)
  if (!list) known(rows.lists, id, 'list', path, report)
  // An unknown customer is reported where it stands; repeating it here would only hide that.
  else if (list.customer !== customer && rows.customers.has(customer)) {
    report(path, `list ${id} belongs to customer "${list.customer}", not to "${customer}"`)
  }
}

function unique<Key extends string>(
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
      report(
        `${table}[${i}].${key}`,
        `${quoted(row[key])} is taken by ${table}[${first}]; expected each once`,
      )
  }
}

function known<Id extends string | number>(
  rows: ReadonlyMap<Id, unknown>,
  id: Id,
  noun: string,
  path: string,
  report: Report,
): void {
  if (rows.has(id)) return
  const near = nearest(id, [...rows.keys()])
  const hint =
    near.length === 0
      ? `there is no ${noun} at all`
      : near.length === rows.size
        ? `there is ${near.map(quoted).join(', ')}`
        : `the nearest of ${rows.size} are ${near.map(quoted).join(', ')}`
  report(path, `no ${noun} ${quoted(id)}; ${hint}`)
}

const quoted = (id: string | number) => (typeof id === 'string' ? `"${id}"` : String(id))

const alternatives = 3

/**
 * The candidates that share most of their beginning and end with what was seen. A typo leaves both, and unlike an
 * edit distance this stays quick when thousands of references are wrong at once.
 */
function nearest<Id extends string | number>(seen: Id, candidates: readonly Id[]): Id[] {
  const best: { candidate: Id; score: number }[] = []
  for (const candidate of candidates) {
    const score = sharedEnds(String(seen), String(candidate))
    if (best.length === alternatives && score <= best.at(-1)!.score) continue
    const place = best.findIndex(it => it.score < score)
    best.splice(place === -1 ? best.length : place, 0, { candidate, score })
    best.length = Math.min(best.length, alternatives)
  }
  return best.map(it => it.candidate)
}

function sharedEnds(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length)
  let start = 0
  while (start < shorter && one[start] === other[start]) start++
  let end = 0
  while (end < shorter - start && one.at(-1 - end) === other.at(-1 - end)) end++
  return start + end
}
