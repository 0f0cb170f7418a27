/**
 * Measures the structure of the source: `npm run structure` prints the figures, `test/imports.test.ts` holds their limits.
 * A limit of lines leaves room for 100 to 200 lines, so that an addition such as a new endpoint fits. The others are what
 * was reached. A limit goes down with its figure.
 * If one fails: shorten something nearby. If nothing can be, set it by the same rule, and give the reason in the commit.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../src', import.meta.url))
const all = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .map(name => name.replaceAll('\\', '/'))
  .filter(name => statSync(join(root, name)).isFile())
const modules = all.filter(name => /\.tsx?$/.test(name))
const text = new Map(all.map(name => [name, readFileSync(join(root, name), 'utf8')]))
const documents = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, '../docs')).map(name => `docs/${name}`),
]
  .filter(name => name.endsWith('.md') && !/fidelity|scenarios/.test(name))
  .map(name => join(root, '..', name))
const linesOf = (/** @type {string} */ name) => text.get(name)?.match(/\n/g)?.length ?? 0

/** The modules that a module imports, types and lazy imports included. */
const importsOf = (/** @type {string} */ name) =>
  [...(text.get(name) ?? '').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, target]) =>
    normalize(join(dirname(name), target ?? '')).replace(/\.js$/, '.ts'),
  )

/** @type {Map<string, Set<string>>} */
const importers = new Map(modules.map(name => [name, new Set()]))
for (const name of modules) for (const target of importsOf(name)) importers.get(target)?.add(name)

/** How many modules name something as a whole word. */
const spread = (/** @type {string} */ word) =>
  modules.filter(name => new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(text.get(name) ?? '')).length

const core = modules.filter(name => /^(?:http|store|service|rig)\//.test(name))
const sum = (/** @type {readonly string[]} */ names) =>
  names.reduce((lines, name) => lines + linesOf(name), 0)
const translated =
  /(?<![-.])\b(?:So many|[Ww]hoever|[Nn]obody|[Ss]omebody|anew|is no more|[Hh]ears of|tells of|told of)\b(?!['/])/

/** Each figure with its limit. @type {Record<string, readonly [figure: number, limit: number]>} */
export const figures = {
  'files in src': [all.length, 289],
  'lines in src': [sum(all), 57_350],
  'files of http, store, service and rig': [core.length, 76],
  'lines of http, store, service and rig': [sum(core), 17_200],
  'modules under 40 lines': [modules.filter(name => linesOf(name) < 40).length, 8],
  'modules with one importer': [[...importers.values()].filter(({ size }) => size === 1).length, 79],
  'modules at the top of src': [modules.filter(name => !name.includes('/')).length, 2],
  'modules that name getCustomerList': [spread('getCustomerList'), 2],
  'modules that name approvedMailingName': [spread('approvedMailingName'), 3],
  'modules that name listUnsubscribeClicks': [spread('listUnsubscribeClicks'), 2],
  'modules that name target-of-unsent': [spread('target-of-unsent'), 3],
  'lines with words that read as translated': [
    modules.flatMap(name => text.get(name)?.split('\n') ?? []).filter(line => translated.test(line)).length,
    2,
  ],
  // fidelity.md quotes titles of tests, and scenarios.md the catalogue.
  'lines of the documentation that read as translated': [
    documents.flatMap(name => readFileSync(name, 'utf8').split('\n')).filter(line => translated.test(line))
      .length,
    2,
  ],
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [name, [figure, limit]] of Object.entries(figures))
    console.log(`${String(figure).padStart(7)}  at most ${String(limit).padStart(6)}  ${name}`)
