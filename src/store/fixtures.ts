import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { z } from 'zod'
import { Content, tableNames } from './content.ts'
import { expected } from './expected.ts'
import type { Fixture } from './rows.ts'
import { reason } from './storage-error.ts'

/** A fixture that cannot be used. The message names file and place, what was seen and what is possible. */
export class FixtureError extends Error {
  /** The same one by one, where it is the content that is wrong. */
  readonly found: readonly FixtureProblem[]

  constructor(message: string, found: readonly FixtureProblem[] = []) {
    super(message)
    this.found = found
  }
}

export interface FixtureProblem {
  /** Such as `lists[0].id`; empty for the whole. */
  readonly path: string
  readonly problem: string
}

/** The fixture that comes with the package: space `demo`. */
export const defaultFixture = fileURLToPath(new URL('../../fixtures/default.json', import.meta.url))

/**
 * The fixtures at a path: one file, or every `.json` file of a directory but schemas.
 * @throws FixtureError
 */
export async function readFixtures(path: string): Promise<Fixture[]> {
  const files = fixtureFiles(path)
  return Promise.all(files.map(readFixture))
}

function fixtureFiles(path: string): string[] {
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
    throw new FixtureError(`${file}, line ${lineOf(text)} is not JSON: ${reason(error)}`)
  }
  // The packaged fixture is checked by the tests; checking it at every start would only cost time.
  return file === defaultFixture ? (value as Fixture) : checkFixture(value, file)
}

/**
 * A fixture as a value, checked.
 * @param place what the messages call it
 * @throws FixtureError naming every problem, up to five
 */
export async function checkFixture(value: unknown, place: string): Promise<Fixture> {
  const [{ fixture }, { checkReferences }] = await Promise.all([
    import('./rows.ts'),
    import('./references.ts'),
  ])
  const result = await readByRow(fixture, value)
  const found = 'fixture' in result ? checkReferences(result.fixture) : problemsIn(result.issues, value)
  if (found.length === 0) return (result as { fixture: Fixture }).fixture
  const shown = found.slice(0, 5)
  const sentences = shown.map(({ path, problem }) => `${path || 'the file'}: ${problem}`)
  const more = found.length > shown.length ? `and ${found.length - shown.length} more` : ''
  throw new FixtureError(
    `${place} is not a fixture: ${[...sentences, more].filter(Boolean).join('; ')}`,
    more === '' ? shown : [...shown, { path: '', problem: `${more} mistakes` }],
  )
}

/** Keys that do not exist stand first: what is said to be missing may be there under a name that is misspelt. */
function problemsIn(issues: Issues, value: unknown): FixtureProblem[] {
  const isOfKeys = ({ code }: z.core.$ZodIssue) => code === 'unrecognized_keys'
  const sorted = [...issues.filter(isOfKeys), ...issues.filter(issue => !isOfKeys(issue))]
  return sorted.flatMap(issue => {
    const path = jsonPath(issue.path)
    // A line for each key.
    if (isOfKeys(issue)) return issue.message.split('\n').map(problem => ({ path, problem }))
    return [{ path, problem: `${expected(issue)}${seen(value, issue.path)}` }]
  })
}

/** So many problems are looked for; a file of a million broken rows has told enough by then. */
const mostIssues = 20
/** After so many rows everybody else gets a turn. */
const rowsInOneGo = 500

type Issues = readonly z.core.$ZodIssue[]

/** Reads a fixture row by row: a large one must not hold up the process, nor a broken one fill it with complaints. */
async function readByRow(
  schema: typeof import('./rows.ts').fixture,
  value: unknown,
): Promise<{ readonly fixture: Fixture } | { readonly issues: Issues }> {
  if (typeof value !== 'object' || value === null) return { issues: schema.safeParse(value).error!.issues }
  const given = value as Record<string, unknown>
  const large = tableNames.filter(name => Array.isArray(given[name]))
  const frame = schema.safeParse({ ...given, ...Object.fromEntries(large.map(name => [name, []])) })
  const issues = [...(frame.error?.issues ?? [])]
  const tables: Record<string, unknown[]> = {}
  let looked = 0
  for (const name of large) {
    const rows: unknown[] = []
    tables[name] = rows
    for (const [at, row] of (given[name] as unknown[]).entries()) {
      if (issues.length >= mostIssues) return { issues }
      const read = rowSchema(schema, name).safeParse(row)
      if (read.success) rows.push(read.data)
      else for (const issue of read.error.issues) issues.push({ ...issue, path: [name, at, ...issue.path] })
      if (++looked % rowsInOneGo === 0) await new Promise(setImmediate)
    }
  }
  if (!frame.success || issues.length > 0) return { issues }
  return { fixture: { ...frame.data, ...tables } as Fixture }
}

/** What the rows of a table must be. */
function rowSchema(schema: typeof import('./rows.ts').fixture, name: (typeof tableNames)[number]): z.ZodType {
  const table: z.ZodType = schema.shape[name]
  const array = (table.def.type === 'optional' ? (table as z.ZodOptional).unwrap() : table) as z.ZodArray
  return array.element as z.ZodType
}

/** A fixture made ready to be shared by spaces. */
export const toContents = (fixtures: readonly Fixture[]): Content[] =>
  fixtures.map(fixture => new Content(fixture))

const jsonPath = (path: readonly PropertyKey[]) =>
  path
    .map(part => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')

function seen(value: unknown, path: readonly PropertyKey[]): string {
  const at = path.reduce<unknown>(
    (parent, key) => (parent as Record<PropertyKey, unknown> | null)?.[key],
    value,
  )
  if (at === undefined) return ' (it is missing)'
  const text = JSON.stringify(at)
  return text.length > 60 ? '' : ` (seen: ${text})`
}

/**
 * The line where text stops being JSON. Not every message of the parser tells a position, but whether a beginning
 * could still become JSON can be asked of any beginning, so the place is found by halving.
 */
function lineOf(text: string): number {
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
