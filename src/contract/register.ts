import type { Clause, Standing } from './clauses.ts'
import { escaped, table } from './markdown.ts'

/** A test that passed: its own title, without those around it, and its file relative to the project. */
export interface PassedTest {
  readonly title: string
  readonly file: string
}

/** A clause and the tests that prove it. */
export interface Row {
  readonly clause: Clause
  readonly tests: readonly PassedTest[]
}

/** What is promised and what of it is proved. */
export interface Register {
  readonly rows: readonly Row[]
  /** IDs of clauses that no passed test cites. */
  readonly unproved: readonly string[]
  /** Cited IDs that are no clause: a slip in a title. */
  readonly unknown: readonly string[]
}

/** What an ID looks like: a section with a rule's number or a name, or `S` with a name; no comma, no colon. */
export const clauseId = /^(?:[1-9](?:\.[1-9]\d?)?(?:\/[1-9]\d?| [^\s,:/][^,:]*)?|S [^\s,:/][^,:]*)$/

/**
 * The clauses that a test's title cites: what stands before its first `: `, if it starts like a clause. A later
 * part that looks like none is cited all the same, so that a slip is found and not passed over.
 *
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

/** Brings together what is promised and which tests prove it. */
export function register(clauses: readonly Clause[], passedTests: readonly PassedTest[]): Register {
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
  return compare(a.file, b.file) || compare(a.title, b.title)
}

// By code unit, not by language: the page must not depend on where it is written.
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

const meanings: Record<Standing, string> = {
  specified: 'The API document says so.',
  documented: 'The API document leaves it open; public documentation of such a service says so.',
  'house style': 'Seen in a sibling API of the same shape.',
  assumed: 'Our best inference. A client should not depend on it.',
}

const intro = `# Fidelity

What the mock promises, how sure we are of each promise, and the tests that prove it. Numbers are sections of
the API document: \`4.1/5\` is the fifth rule of section 4.1, \`2.3 state\` a field, \`S …\` goes beyond the document.
A *dial* is the name of a setting that turns the choice to what another deployment may do.

This page is written by \`npm run fidelity\` from the clauses in \`src/contract/clauses/\` and the titles of the tests
that passed. Do not edit it: a full test run fails when a clause has no test, when a title cites a clause that
does not exist, and when this page is not what would be written now.
`

/** The register as a page for people: docs/fidelity.md. `headings` names chapters and sections by their number. */
export function toMarkdown({ rows }: Register, headings: Readonly<Record<string, string>>): string {
  const page = [intro, standings(rows)]
  let chapter = ''
  for (const section of new Set(rows.map(row => sectionOf(row.clause.id)))) {
    const its = section.split('.')[0]!
    if (its !== chapter) page.push(heading('##', its, headings))
    if (its !== section) page.push(heading('###', section, headings))
    chapter = its
    const inside = rows.filter(row => sectionOf(row.clause.id) === section)
    page.push(table(['Clause', 'Says', 'Standing', 'Dial', 'Proved by'], inside.map(cells)))
  }
  return page.join('\n')
}

function standings(rows: readonly Row[]): string {
  const count = (standing: Standing) => rows.filter(row => row.clause.standing === standing).length
  const lines = (Object.keys(meanings) as Standing[]).map(it => [it, meanings[it], String(count(it))])
  return table(['Standing', 'Means', 'Clauses'], [...lines, ['', 'in all', String(rows.length)]])
}

function heading(level: string, section: string, headings: Readonly<Record<string, string>>): string {
  return `${level} ${section === 'S' ? '' : `${section} `}${escaped(headings[section] ?? '')}`
    .trimEnd()
    .concat('\n')
}

/** `4.1` of `4.1/5` and of `4.1 name`, `S` of `S accept`. */
function sectionOf(id: string): string {
  return id.split(/[ /]/, 1)[0]!
}

function cells({ clause, tests }: Row): string[] {
  const dial = clause.dial === undefined ? '' : `\`${clause.dial}\``
  return [escaped(clause.id), escaped(clause.says), clause.standing, dial, proofs(tests)]
}

/** As many tests as a reader looks at; a promise that holds everywhere is proved by a test for every operation. */
const shown = 3

function proofs(tests: readonly PassedTest[]): string {
  if (tests.length === 0) return '**none**'
  const named = tests.slice(0, shown).map(test => `${escaped(sentence(test.title))} (\`${test.file}\`)`)
  const rest = tests.length - named.length
  return [...named, ...(rest > 0 ? [`and ${rest} more`] : [])].join('<br>')
}

/** The title without what it cites: the row says that already. */
function sentence(title: string): string {
  return title.slice(title.indexOf(': ') + 2)
}
