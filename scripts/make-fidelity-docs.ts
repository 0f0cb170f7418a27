import { type Clause, clauses } from '../src/contract/clauses.ts'
import type { Standing } from '../src/service/claim.ts'
import { type Dial, dials } from '../src/service/dials.ts'

/** A table. The texts are Markdown already. */
function markdownTable(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const line = (texts: readonly string[]) => `| ${texts.join(' | ')} |\n`
  return [head, head.map(() => '---'), ...lines].map(line).join('')
}

/** Text with Markdown characters escaped, also for tables. */
function escapeMarkdown(text: string): string {
  return text
    .replace(/[\\`*_[\]|~]/g, '\\$&')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(/\s+/g, ' ')
}

/** A test that passed: its own title without those of its suites, and its file relative to the project. */
export interface PassedTest {
  readonly title: string
  readonly file: string
}

/** A clause and the tests that prove it. */
interface RegisterRow {
  readonly clause: Clause
  readonly tests: readonly PassedTest[]
}

/** All promises and their proofs. */
export interface Register {
  readonly rows: readonly RegisterRow[]
  /** IDs of clauses that no passed test cites. */
  readonly unproved: readonly string[]
  /** Cited IDs that do not exist: a mistake in a title. */
  readonly unknown: readonly string[]
}

/** The form of an ID: a section with a rule's number or a name, or `S` with a name; no comma, no colon. */
export const clauseId = /^(?:[1-9](?:\.[1-9]\d?)?(?:\/[1-9]\d?| [^\s,:/][^,:]*)?|S [^\s,:/][^,:]*)$/

/**
 * The clauses that a test's title cites: the part before its first `: `, if it starts like a clause. Later
 * IDs of another form count as cited as well, so that mistakes are found.
 * @example citedBy('4.1/5, 7 200: a repeat answers 200') // ['4.1/5', '7 200']
 */
export function citedBy(title: string): string[] {
  const end = title.indexOf(': ')
  if (end < 0) return []
  const cited = title
    .slice(0, end)
    .split(',')
    .map(id => id.trim())
  return clauseId.test(cited[0]!) ? [...new Set(cited)] : []
}

/** Assigns passed tests to the clauses that they cite. */
export function makeRegister(clauses: readonly Clause[], passedTests: readonly PassedTest[]): Register {
  const proofs = new Map<string, PassedTest[]>(clauses.map(({ id }) => [id, []]))
  const unknown = new Set<string>()
  for (const test of passedTests.toSorted(byFileAndTitle)) {
    for (const id of citedBy(test.title)) {
      const tests = proofs.get(id)
      if (tests) tests.push(test)
      else unknown.add(id)
    }
  }
  const rows = clauses.map(clause => ({ clause, tests: proofs.get(clause.id)! }))
  return {
    rows,
    unproved: rows.filter(row => row.tests.length === 0).map(row => row.clause.id),
    unknown: [...unknown].toSorted(),
  }
}

function byFileAndTitle(a: PassedTest, b: PassedTest): number {
  return compareByCodeUnit(a.file, b.file) || compareByCodeUnit(a.title, b.title)
}

// By code unit, not by language: the page must be the same on every machine.
function compareByCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const standingMeanings: Record<Standing, string> = {
  specified: 'The API document says so.',
  documented: 'The API document leaves it open; public documentation of such a service says so.',
  'house style': 'Seen in a sibling API of the same shape.',
  assumed: 'Our best inference. A client should not depend on it.',
}

const fidelityIntro = `# Fidelity

What the mock promises, how sure we are of each promise, and the tests that prove it. Numbers are sections of
the API document: \`4.1/5\` is the fifth rule of section 4.1, \`2.3 state\` a field, \`S …\` goes beyond the document.
A *dial* is a setting that changes a choice of the mock to what another deployment may do.

This page is written by \`npm run fidelity\` from the clauses in \`src/contract/clauses.ts\`, the definitions in
\`src/service/\` and the titles of the tests that passed. Do not edit it: a full test run fails when a clause has no
test, when a title cites a clause that does not exist, and when this page is not what would be written now.
`

/** The register as Markdown: docs/fidelity.md. `headings` has the names of chapters and sections. */
export function registerPage({ rows }: Register, headings: Readonly<Record<string, string>>): string {
  const page = [fidelityIntro, standingsTable(rows)]
  let chapter = ''
  for (const section of new Set(rows.map(row => sectionOf(row.clause.id)))) {
    const its = section.split('.')[0]!
    if (its !== chapter) page.push(sectionHeading('##', its, headings))
    if (its !== section) page.push(sectionHeading('###', section, headings))
    chapter = its
    const inside = rows.filter(row => sectionOf(row.clause.id) === section)
    page.push(markdownTable(['Clause', 'Says', 'Standing', 'Dial', 'Proved by'], inside.map(clauseCells)))
  }
  return page.join('\n')
}

function standingsTable(rows: readonly RegisterRow[]): string {
  const count = (standing: Standing) => rows.filter(row => row.clause.standing === standing).length
  const lines = (Object.keys(standingMeanings) as Standing[]).map(it => [
    it,
    standingMeanings[it],
    String(count(it)),
  ])
  return markdownTable(['Standing', 'Means', 'Clauses'], [...lines, ['', 'in all', String(rows.length)]])
}

function sectionHeading(level: string, section: string, headings: Readonly<Record<string, string>>): string {
  return `${level} ${section === 'S' ? '' : `${section} `}${escapeMarkdown(headings[section] ?? '')}`
    .trimEnd()
    .concat('\n')
}

/** `4.1` of `4.1/5` and of `4.1 name`, `S` of `S accept`. */
function sectionOf(id: string): string {
  return id.split(/[ /]/, 1)[0]!
}

function clauseCells({ clause, tests }: RegisterRow): string[] {
  const dial = clause.dial === undefined ? '' : `\`${clause.dial}\``
  return [escapeMarkdown(clause.id), escapeMarkdown(clause.says), clause.standing, dial, provingTests(tests)]
}

/** Maximum number of tests shown for a clause; a clause about all operations has a test for each of them. */
const maxShownTests = 3

function provingTests(tests: readonly PassedTest[]): string {
  if (tests.length === 0) return '**none**'
  const named = tests
    .slice(0, maxShownTests)
    .map(test => `${escapeMarkdown(withoutCitations(test.title))} (\`${test.file}\`)`)
  const rest = tests.length - named.length
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join('<br>')
}

/** The title without the clauses that it cites, which the row already has. */
function withoutCitations(title: string): string {
  return title.slice(title.indexOf(': ') + 2)
}

const dialsIntro = `# Dials

Where the API document is silent, real deployments may differ, and a client must not depend on our guess. Each such
point is a dial: it has a default, which the [fidelity register](fidelity.md) describes, and the alternatives that we
find plausible. Turn them one by one, or all at once from a seed, and see whether your client still works.

This page is written from \`src/service/dials.ts\` by \`DIALS=write npx vitest run test/contract/dials-page.test.ts\`.
Do not edit it.
`

/** All dials as Markdown: docs/dials.md. */
export function dialsPage(): string {
  const all: [string, Dial][] = Object.entries(dials)
  return [dialsIntro, ...all.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(dialSection)].join('\n')
}

function dialSection([name, { description, values, default: usual }]: [string, Dial]): string {
  const turned = clauses.filter(clause => clause.dial === name).map(({ id }) => escapeMarkdown(id))
  const others = Object.keys(values).filter(value => value !== usual)
  const lines = [usual, ...others].map(value => [
    value === usual ? `\`${value}\` (default)` : `\`${value}\``,
    escapeMarkdown(values[value]!),
  ])
  return `## ${name}\n\n${escapeMarkdown(description)} Turns: ${turned.join(', ')}.\n\n${markdownTable(['Value', 'Means'], lines)}`
}
