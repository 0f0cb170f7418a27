import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseAst } from 'rolldown/parseAst'
import { type Clause, clauses, headings } from '../src/contract/clauses.ts'
import { idOf, type Standing } from '../src/service/claim.ts'
import { dials } from '../src/service/dials.ts'
import type { Operation } from '../src/service/operation.ts'
import { operations } from '../src/service/operations.ts'
import { escapeMarkdown, markdownTable } from './markdown.ts'

/** Which clauses the titles in each test file cite, by its path. */
export type Citations = ReadonlyMap<string, ReadonlySet<string>>

/** A clause and the files with tests that prove it. */
interface RegisterRow {
  readonly clause: Clause
  readonly files: readonly string[]
}

/** All promises and their proofs. */
export interface Register {
  readonly rows: readonly RegisterRow[]
  /** IDs of clauses that no title cites. */
  readonly unproved: readonly string[]
  /** Cited IDs that do not exist, with the file: a mistake in a title. */
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

const clauseIds = new Set(clauses.map(({ id }) => id))

/** A node of a syntax tree, as far as titles need it. */
interface Node {
  readonly type: string
  readonly [member: string]: unknown
}

/**
 * The clauses that the titles of a test file cite. Where a title begins with the name of its row, such as `%s: it is there`,
 * the names of rows count: keys of objects, and first texts of arrays. Rows that stand elsewhere may be any of the file.
 */
export function citationsOf(source: string): ReadonlySet<string> {
  const file = parseAst(source, { lang: 'ts' }).body
  const cited = new Set<string>()
  visit(file, node => {
    if (node.type !== 'CallExpression' || !isTest(node.callee)) return
    const title = titleOf((node.arguments as readonly Node[])[0])
    for (const id of citedBy(title)) cited.add(id)
    if (!title.startsWith('%s: ')) return
    const [rows] = ((node.callee as Node).arguments ?? []) as readonly Node[]
    visit(rows?.type === 'ArrayExpression' ? rows : file, row => {
      const name = rowName(row)
      // A number alone is rather a number.
      if (/[ /.]/.test(name) && clauseIds.has(name)) cited.add(name)
    })
  })
  return cited
}

/** Calls a function with each node of a syntax tree. */
function visit(value: unknown, use: (node: Node) => void): void {
  if (typeof value !== 'object' || value === null) return
  use(value as Node)
  for (const child of Object.values(value)) visit(child, use)
}

/** Whether a called function is `it`, `test`, or one of their forms such as `it.each(rows)`. */
function isTest(callee: unknown): boolean {
  let node = callee as Node
  while (node.type !== 'Identifier') {
    const inner = node.type === 'MemberExpression' ? node.object : (node.callee ?? node.tag)
    if (inner === undefined) return false
    node = inner as Node
  }
  return node.name === 'it' || node.name === 'test'
}

/** What a row of a table is named: the key of a property, or the first text of an array. */
function rowName(node: Node): string {
  const first = node.type === 'ArrayExpression' ? (node.elements as readonly Node[])[0] : node.key
  return String((first as Node | undefined)?.value ?? '')
}

/** The text of a title, up to the first value that is put into it. */
function titleOf(node: Node | undefined): string {
  if (node?.type === 'Literal') return String(node.value)
  if (node?.type !== 'TemplateLiteral') return ''
  const [first] = node.quasis as readonly { readonly value: { readonly cooked: string } }[]
  return first!.value.cooked
}

/** Its rows are named by dials, and their titles cite the clauses of these. */
const dialsTest = 'test/service/dials.test.ts'

const citedByDials = (source: string): readonly string[] =>
  Object.entries(dials).flatMap(([name, { clause }]) =>
    new RegExp(`^  '?${name}'?: \\{$`, 'm').test(source) ? [clause] : [],
  )

/** Its table has a row for each variable of the path of each operation, and its titles cite the clauses of these. */
const variablesTest = 'test/service/clauses.test.ts'

const citedByVariables = (): readonly string[] =>
  Object.values<Operation>(operations).flatMap(({ path, parameters }) =>
    [...path.matchAll(/:(?!platform)(\w+)/g)].flatMap(([, name]) => parameters[name!]!.map(idOf)),
  )

/** What the tests of `npm test` cite. Slow tests prove no clause. */
export function readCitations(root: string): Citations {
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map(file => `test/${file.replaceAll('\\', '/')}`)
    .filter(file => file.endsWith('.test.ts') && !file.endsWith('.slow.test.ts'))
  return new Map(
    files.map(file => {
      const source = readFileSync(join(root, file), 'utf8')
      const ofTable =
        file === dialsTest ? citedByDials(source) : file === variablesTest ? citedByVariables() : []
      return [file, new Set([...citationsOf(source), ...ofTable])]
    }),
  )
}

/** Assigns test files to the clauses that they cite. */
export function makeRegister(all: readonly Clause[], citations: Citations): Register {
  const known = new Set(all.map(({ id }) => id))
  const files = [...citations.keys()].toSorted()
  const rows = all.map(clause => ({
    clause,
    files: files.filter(file => citations.get(file)?.has(clause.id)),
  }))
  return {
    rows,
    unproved: rows.filter(row => row.files.length === 0).map(({ clause }) => clause.id),
    unknown: files.flatMap(file =>
      [...citations.get(file)!].filter(id => !known.has(id)).map(id => `${id} (${file})`),
    ),
  }
}

const standingMeanings: Record<Standing, string> = {
  specified: 'The API document says so.',
  documented: 'The API document leaves it open; public documentation of such a service says so.',
  'house style': 'Seen in a sibling API of the same shape.',
  assumed: 'Our best inference. A client should not depend on it.',
}

const fidelityIntro = `# Fidelity

Can you rely on it that the real service does what the mock does? Here is what the mock promises, how sure we are of each promise, and the tests
that prove it. Numbers are sections of the API document: \`4.1/5\` is the fifth rule of section 4.1, \`2.3 state\` a field, \`S …\` goes beyond
the document. A *dial* is a setting that changes a choice of the mock to what another deployment may do.

This page is written by \`npm run generate\` from the clauses in \`src/contract/clauses.ts\`, the definitions in
\`src/service/\` and the titles of the tests, which begin with the clauses that they prove. Do not edit it: a test fails when
a clause has no test, when a title cites a clause that does not exist, and when this page is not what would be written now.
`

/** The page of the clauses and tests as they are: docs/fidelity.md. */
export const makeFidelityDocs = (root: string): string =>
  registerPage(makeRegister(clauses, readCitations(root)), headings)

/** A register as Markdown. `headings` has the names of chapters and sections. */
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

function clauseCells({ clause, files }: RegisterRow): string[] {
  const dial = clause.dial === undefined ? '' : `\`${clause.dial}\``
  return [escapeMarkdown(clause.id), escapeMarkdown(clause.says), clause.standing, dial, provingFiles(files)]
}

/** Maximum number of files shown for a clause. */
const maxShownFiles = 3

function provingFiles(files: readonly string[]): string {
  if (files.length === 0) return '**none**'
  const rest = files.length - maxShownFiles
  return [
    ...files.slice(0, maxShownFiles).map(file => `\`${file}\``),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ].join('<br>')
}
