import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { tableNames } from './content.ts'
import { reason } from './disk.ts'
import type { Fixture, Sending } from './rows.ts'
import { positionOf } from './text-position.ts'
import { UserError } from './user-error.ts'
import { describeExpected, pathText, quote, valueAt } from './validation-messages.ts'

/** A fixture that cannot be used. The message names file and place, what was seen and what is possible. */
export class FixtureError extends UserError {
  /** The problems one by one, if the content is wrong. */
  readonly found: readonly FixtureProblem[]

  constructor(message: string, found: readonly FixtureProblem[] = []) {
    super(message)
    this.found = found
  }
}

export interface FixtureProblem {
  /** Such as `lists[0].id`; empty for the whole file. */
  readonly path: string
  readonly problem: string
}

/** The packaged fixture: space `demo`. */
export const defaultFixture = fileURLToPath(new URL('../../fixtures/default.json', import.meta.url))

/** The fixtures at a path: one file, or every `.json` file of a directory except schemas. @throws FixtureError */
export async function readFixtures(path: string): Promise<Fixture[]> {
  return Promise.all(listFixtureFiles(path).map(readFixture))
}

function listFixtureFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const files = readdirSync(path)
      // What begins with a dot belongs to a system or an editor: `._demo.json`, `.#demo.json`.
      .filter(name => /^[^.].*\.json$/.test(name) && !name.endsWith('.schema.json'))
      .sort()
      .map(name => join(path, name))
    if (files.length > 0) return files
  } catch (error) {
    throw new FixtureError(`cannot read fixtures at ${path}: ${reason(error)}`)
  }
  throw new FixtureError(`no fixtures at ${path}: expected files ending with .json`)
}

async function readFixture(file: string): Promise<Fixture> {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(readFileSync(file))
  } catch (error) {
    throw new FixtureError(`cannot read ${file}: ${reason(error)}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // Versions of Node say the place in different ways.
    const mistake = reason(error).replace(/ in JSON at position \d+.*$/, '')
    throw new FixtureError(`${file}, line ${findBrokenLine(text)} is not JSON: ${mistake}`)
  }
  // The packaged fixture is checked by the tests, not at every start.
  return file === defaultFixture ? (value as Fixture) : checkFixture(value, file)
}

/** Checks a fixture. @param place its name in messages @throws FixtureError listing the problems, up to five */
export async function checkFixture(value: unknown, place: string): Promise<Fixture> {
  const { fixture } = await import('./rows.ts')
  const result = await parseByRow(fixture, value)
  const found = 'fixture' in result ? checkReferences(result.fixture) : toProblems(result.issues, value)
  if (found.length === 0) return (result as { fixture: Fixture }).fixture
  const shown = found.slice(0, 5)
  const sentences = shown.map(({ path, problem }) => `${path || 'the file'}: ${problem}`)
  const more = found.length > shown.length ? `and ${found.length - shown.length} more` : ''
  throw new FixtureError(
    `${place} is not a fixture: ${[...sentences, more].filter(Boolean).join('; ')}`,
    more === '' ? shown : [...shown, { path: '', problem: `${more} mistakes` }],
  )
}

/** Unknown keys come first, since a key reported as missing may be misspelt. */
function toProblems(issues: Issues, value: unknown): FixtureProblem[] {
  const isOfKeys = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys'
  const sorted = [...issues.filter(isOfKeys), ...issues.filter(issue => !isOfKeys(issue))]
  return sorted.flatMap(issue => {
    const path = pathText(issue.path)
    // The message has a line for each key.
    if (isOfKeys(issue)) return issue.message.split('\n').map(problem => ({ path, problem }))
    const seen = JSON.stringify(valueAt(value, issue.path)) ?? 'nothing'
    return [{ path, problem: describeExpected(issue) + (seen.length > 60 ? '' : `, got ${seen}`) }]
  })
}

/** Stop after this number of problems, in case a file has a million broken rows. */
const maxIssues = 20
/** Maximum number of entries or members of anything but a table. */
export const maxPartLength = 10_000

/** The path of an array or object with more entries than `maxPartLength`, if there is one. */
export function findLongPart(value: unknown, path = ''): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const size = Array.isArray(value) ? value.length : Object.keys(value).length
  if (size > maxPartLength) return path || 'the whole'
  for (const [name, inner] of Object.entries(value)) {
    const long = findLongPart(inner, path === '' ? name : `${path}.${name}`)
    if (long !== undefined) return long
  }
  return undefined
}

const rowsPerTurn = 500

type Issues = readonly z.core.$ZodIssue[]

/** Reads a fixture row by row, so that a large one does not block the process and a broken one does not fill its memory. */
async function parseByRow(
  schema: typeof import('./rows.ts').fixture,
  value: unknown,
): Promise<{ readonly fixture: Fixture } | { readonly issues: Issues }> {
  if (typeof value !== 'object' || value === null) return { issues: schema.safeParse(value).error!.issues }
  const given = value as Record<string, unknown>
  const large = tableNames.filter(name => Array.isArray(given[name]))
  const withoutRows = { ...given, ...Object.fromEntries(large.map(name => [name, []])) }
  const long = findLongPart(withoutRows)
  if (long !== undefined) return { issues: [tooLong([long])] }
  const frame = schema.safeParse(withoutRows)
  const issues = [...(frame.error?.issues ?? [])]
  const tables: Record<string, unknown[]> = {}
  let looked = 0
  for (const name of large) {
    const rows: unknown[] = []
    tables[name] = rows
    for (const [at, row] of (given[name] as unknown[]).entries()) {
      if (issues.length >= maxIssues) return { issues }
      const long = findLongPart(row)
      if (long !== undefined) return { issues: [tooLong([name, at, long]), ...issues] }
      const read = rowSchema(schema, name).safeParse(row)
      if (read.success) rows.push(read.data)
      else for (const issue of read.error.issues) issues.push({ ...issue, path: [name, at, ...issue.path] })
      if (++looked % rowsPerTurn === 0) await new Promise(setImmediate)
    }
  }
  if (!frame.success || issues.length > 0) return { issues }
  return { fixture: { ...frame.data, ...tables } as Fixture }
}

const tooLong = (path: (string | number)[]): z.core.$ZodIssue => ({
  code: 'custom',
  path,
  message: `expected at most ${maxPartLength} entries or members`,
  input: undefined,
})

function rowSchema(schema: typeof import('./rows.ts').fixture, name: (typeof tableNames)[number]): z.ZodType {
  const table = schema.shape[name]
  return table.type === 'optional' ? table.unwrap().element : table.element
}

/** Dates of what is planned. All others tell what has happened. */
const plannedDates: ReadonlySet<string> = new Set(['scheduleDate', 'startsAt'])
const instantPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

const isDate = (value: unknown): value is string => typeof value === 'string' && instantPattern.test(value)

/** The time of the latest thing that has happened in a fixture, in milliseconds since 1970. */
export function latestDateOf(fixture: Fixture): number {
  let latest = ''
  for (const name of tableNames)
    for (const row of fixture[name] ?? [])
      for (const [member, value] of Object.entries(row))
        if (isDate(value) && value > latest && !plannedDates.has(member)) latest = value
  return latest === '' ? Number.NEGATIVE_INFINITY : Date.parse(latest)
}

/** The fixture, its dates moved back by whole days if anything in it has happened after `time`, in milliseconds. */
export function endFixtureBefore(fixture: Fixture, time: number): Fixture {
  const day = 86_400_000
  const days = Math.ceil((latestDateOf(fixture) - time) / day)
  if (!(days > 0)) return fixture
  const moveBack = (value: unknown) =>
    isDate(value) ? new Date(Date.parse(value) - days * day).toISOString() : value
  const moveRow = (row: object) =>
    Object.fromEntries(Object.entries(row).map(([member, value]) => [member, moveBack(value)]))
  const moved = tableNames.map(name => [name, fixture[name]?.map(moveRow)])
  return { ...fixture, ...Object.fromEntries(moved) }
}

/** The line where text stops being JSON, by bisection: not every message has a position, but a prefix can be checked. */
function findBrokenLine(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (couldBecomeJson(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return positionOf(text, good).line
}

function couldBecomeJson(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return true
  } catch (error) {
    const message = reason(error)
    const position = /at position (\d+)/.exec(message)?.[1]
    return /^Unexpected end|^Unterminated/.test(message) || Number(position) === beginning.length
  }
}

/** What the schema cannot check: references to missing rows, and values that must be unique but are not. */
export function checkReferences(fixture: Fixture): FixtureProblem[] {
  const problems: FixtureProblem[] = []
  const report = (path: string, problem: string) => void problems.push({ path, problem })
  const customers = byKey(fixture.customers, 'name')
  const lists = byKey(fixture.lists, 'id')
  const mailings = byKey(fixture.mailings, 'id')
  /** What a member refers to: a row in words, and the rows by the member's value. */
  const referred = {
    customer: ['customer', customers],
    listId: ['list', lists],
    mailingId: ['mailing', mailings],
    synchronizationId: ['synchronization', byKey(fixture.synchronizations, 'id')],
    platformMailingId: ['platform mailing', byKey(fixture.platformMailings, 'id')],
    platformSendingId: ['platform sending', byKey(fixture.platformSendings, 'id')],
  } as const
  type Reference = keyof typeof referred

  function checkKnown(member: Reference, id: string | number | null, path: string): void {
    const [noun, rows]: readonly [string, ReadonlyMap<string | number, unknown>] = referred[member]
    if (id === null || rows.has(id)) return
    const near = findNearestIds(id, [...rows.keys()])
    const ids = near.map(id => quote(id)).join(', ')
    const some = near.length === rows.size ? `there is ${ids}` : `the nearest of ${rows.size} are ${ids}`
    const hint = near.length === 0 ? `there is no ${noun} at all` : some
    report(path, `no ${noun} ${quote(id)}; ${hint}`)
  }

  /** The rows that these members of a row name must exist. */
  function checkMembers<Member extends Reference>(
    row: Readonly<Record<Member, string | number | null>>,
    path: string,
    ...members: Member[]
  ): void {
    for (const member of members) checkKnown(member, row[member], `${path}.${member}`)
  }

  function checkListOfCustomer(customer: string, id: number, path: string): void {
    checkKnown('listId', id, path)
    const list = lists.get(id)
    // An unknown customer is reported at its own place.
    if (list && list.customer !== customer && customers.has(customer))
      report(path, `list ${id} belongs to customer "${list.customer}", not to "${customer}"`)
  }

  /** Checks that no two rows have the same key. @returns the rows, each with its path */
  function withPaths<Key extends string, Row extends Readonly<Record<Key, string | number>>>(
    table: string,
    rows: readonly Row[],
    key: Key,
  ): (readonly [row: Row, path: string])[] {
    const first = new Map<string | number, string>()
    const found = rows.map((row, at) => [row, `${table}[${at}]`] as const)
    for (const [{ [key]: value }, path] of found) {
      const before = first.get(value)
      if (before === undefined) first.set(value, path)
      else report(`${path}.${key}`, `${quote(value)} is taken by ${before}; expected each once`)
    }
    return found
  }

  withPaths('users', fixture.users, 'name')
  withPaths('customers', fixture.customers, 'name')
  for (const [list, path] of withPaths('lists', fixture.lists, 'id')) {
    checkMembers(list, path, 'customer')
    withPaths(`${path}.testProfiles`, list.testProfiles, 'id')
    withPaths(`${path}.testMailGroups`, list.testMailGroups, 'id')
  }
  for (const [row, path] of withPaths('accessibleLists', fixture.accessibleLists, 'customer')) {
    checkMembers(row, path, 'customer')
    // 4.16: permitAll ignores the permitted lists, so they are not checked.
    for (const [at, id] of row.permitAll ? [] : row.permittedLists.entries())
      checkListOfCustomer(row.customer, id, `${path}.permittedLists[${at}]`)
  }

  for (const [{ draft, approved, earlier = [] }, path] of withPaths('mailings', fixture.mailings, 'id')) {
    if (draft && approved && draft.number <= approved.number)
      report(
        `${path}.draft.number`,
        `${draft.number} does not come after the approved version's number ${approved.number}; a draft beside an approved version is the newer one`,
      )
    for (const [at, { number }] of earlier.entries()) {
      const next = earlier[at + 1]?.number ?? approved?.number ?? 0
      if (number >= next)
        report(
          `${path}.earlier[${at}].number`,
          `${number} does not come before ${next || 'an approved version'}; earlier versions stand oldest first, before the approved one`,
        )
    }
  }

  for (const [row, path] of withPaths('synchronizations', fixture.synchronizations, 'id')) {
    checkMembers(row, path, 'mailingId', 'customer')
    checkListOfCustomer(row.customer, row.listId, `${path}.listId`)
  }
  for (const [{ id }, path] of withPaths('testSynchronizations', fixture.testSynchronizations ?? [], 'id'))
    checkKnown('synchronizationId', id, `${path}.id`)
  withPaths('settings', fixture.settings ?? [], 'name')
  for (const [row, path] of withPaths('mailingUploads', fixture.mailingUploads, 'id'))
    checkMembers(row, path, 'synchronizationId', 'platformMailingId')

  const transactions = new Map<string, readonly [Sending, path: string]>()
  for (const [row, path] of withPaths('sendings', fixture.sendings, 'id')) {
    checkMembers(row, path, 'synchronizationId')
    if (row.transactionId !== null) {
      const key = `${row.synchronizationId} ${row.transactionId}`
      const before = transactions.get(key)
      transactions.set(key, [row, path])
      if (before && !isLater(row, before[0]))
        report(
          `${path}.transactionId`,
          `"${row.transactionId}" is taken by ${before[1]} of the same synchronization; a transaction ID is unique within its synchronization, or else a day and more apart`,
        )
    }
    if (row.step >= row.plan.length)
      report(
        `${path}.step`,
        `${row.step} is outside the plan, which has ${row.plan.length} step(s): expected 0 to ${row.plan.length - 1}`,
      )
    checkMembers(row, path, 'platformMailingId', 'platformSendingId')
  }

  for (const [row, path] of withPaths('platformMailings', fixture.platformMailings, 'id')) {
    checkMembers(row, path, 'customer')
    checkListOfCustomer(row.customer, row.listId, `${path}.listId`)
    checkMembers(row, path, 'mailingId')
    // An older version may no longer be in the editor, but none can be newer than the newest.
    const mailing = mailings.get(row.mailingId)
    const newest = Math.max(mailing?.draft?.number ?? 0, mailing?.approved?.number ?? 0)
    if (mailing && row.version > newest)
      report(
        `${path}.version`,
        `${row.version} does not exist; the newest version of that mailing is ${newest}`,
      )
  }
  for (const [row, path] of withPaths('platformSendings', fixture.platformSendings, 'id'))
    checkMembers(row, path, 'platformMailingId')
  return problems
}

/** The first row with a key is used; the others are reported as duplicates. */
function byKey<Key extends string, Row extends Readonly<Record<Key, string | number>>>(
  rows: readonly Row[],
  key: Key,
): ReadonlyMap<Row[Key], Row> {
  const first = new Map<Row[Key], Row>()
  for (const row of rows) if (!first.has(row[key])) first.set(row[key], row)
  return first
}

/** A deployment may let transaction IDs expire, at the earliest after a day. Then the same ID makes another sending. */
const minTransactionLifetime = 24 * 3_600_000

const isLater = (row: Sending, before: Sending): boolean =>
  Date.parse(row.creationDate) - Date.parse(before.creationDate) >= minTransactionLifetime

const maxAlternatives = 3

/** Those that share the longest beginning and end. Unlike an edit distance, fast with thousands of wrong references. */
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
