import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { Content, tableNames } from './content.ts'
import { reason } from './disk.ts'
import type { Fixture } from './rows.ts'
import { UserError } from './user-error.ts'
import { describeExpected, pathText, valueAt } from './validation-messages.ts'

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
  const files = listFixtureFiles(path)
  return Promise.all(files.map(readFixture))
}

function listFixtureFiles(path: string): string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const files = readdirSync(path)
      .filter(name => name.endsWith('.json') && !name.endsWith('.schema.json'))
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

/**
 * Checks a fixture.
 * @param place its name in messages
 * @throws FixtureError listing the problems, up to five
 */
export async function checkFixture(value: unknown, place: string): Promise<Fixture> {
  const [{ fixture }, { checkReferences }] = await Promise.all([
    import('./rows.ts'),
    import('./references.ts'),
  ])
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
    return [{ path, problem: `${describeExpected(issue)}${describeSeen(value, issue.path)}` }]
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
  const long = findLongPart({ ...given, ...Object.fromEntries(large.map(name => [name, undefined])) })
  if (long !== undefined) return { issues: [tooLong([long])] }
  const frame = schema.safeParse({ ...given, ...Object.fromEntries(large.map(name => [name, []])) })
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
  const table: z.ZodType = schema.shape[name]
  const array = (table.def.type === 'optional' ? (table as z.ZodOptional).unwrap() : table) as z.ZodArray
  return array.element as z.ZodType
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

/**
 * The fixture with all its dates moved back by whole days, so that nothing in it has happened after this time. The same
 * fixture if nothing has.
 * @param time milliseconds since 1970
 */
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

/** Fixtures prepared for sharing between spaces. */
export const toContents = (fixtures: readonly Fixture[]): Content[] =>
  fixtures.map(fixture => new Content(fixture))

function describeSeen(value: unknown, path: readonly PropertyKey[]): string {
  const at = valueAt(value, path)
  if (at === undefined) return ', got nothing'
  const text = JSON.stringify(at)
  return text.length > 60 ? '' : `, got ${text}`
}

/**
 * The line where text stops being JSON. Not every message of the parser has a position, but any prefix can be checked for
 * whether it could become JSON, so the place is found by bisection.
 */
function findBrokenLine(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = (good + bad) >> 1
    if (couldBecomeJson(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return text.slice(0, good).split('\n').length
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
