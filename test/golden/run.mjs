/**
 * Compares what the program does with what is recorded here, or records it with `--write`.
 * `npm run golden -- [--write] [section...]`
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { diffOf } from './diff.mjs'
import { parseEntries, textOf } from './entries.mjs'

/** @typedef {import('./entries.mjs').Entries} Entries */
/** @typedef {() => Promise<Record<string, Entries>>} Recorder gives the entries of each of its files */

/** Each section, by what records it. @type {Record<string, () => Promise<{ record: Recorder }>>} */
const sections = {
  documents: () => import('./documents.mjs'),
  help: () => import('./help.mjs'),
  mistakes: () => import('./mistakes.mjs'),
  tour: () => import('./tour.mjs'),
  dials: () => import('./dials.mjs'),
  faults: () => import('./faults.mjs'),
  control: () => import('./control.mjs'),
  pages: () => import('./pages.mjs'),
  verify: () => import('./verify.mjs'),
  clients: () => import('./clients.mjs'),
}

const args = process.argv.slice(2)
const isWriting = args.includes('--write')
const named = args.filter(arg => arg !== '--write')
const unknown = named.filter(name => !Object.hasOwn(sections, name))
if (unknown.length > 0) {
  console.error(
    `golden: unknown section ${unknown.join(', ')}; there are ${Object.keys(sections).join(', ')}`,
  )
  process.exit(2)
}

let differences = 0
for (const [name, load] of Object.entries(sections)) {
  if (named.length > 0 && !named.includes(name)) continue
  const started = performance.now()
  const { record } = await load()
  const files = await record()
  const seconds = ((performance.now() - started) / 1000).toFixed(1)
  let count = 0
  for (const [file, entries] of Object.entries(files)) {
    const path = new URL(`./recorded/${file}.txt`, import.meta.url)
    if (isWriting) writeFileSync(path, textOf(entries))
    else count += compare(file, readRecorded(path), parseEntries(textOf(entries)))
  }
  const result = isWriting ? 'recorded' : count === 0 ? 'agrees' : `${count} differing`
  console.log(`golden ${name}: ${result} (${seconds} s)`)
  differences += count
}
if (differences > 0) {
  console.log(`
${differences} entries differ from what is recorded in test/golden/recorded.
If that is intended, run "npm run golden -- --write", and say in the commit what changed and why.`)
}
// Mocks in this process may still hold timers.
process.exit(differences > 0 ? 1 : 0)

/** @param {URL} path @returns {Entries} */
function readRecorded(path) {
  try {
    return parseEntries(readFileSync(path, 'utf8'))
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw error
    return new Map()
  }
}

/**
 * Prints the entries that differ.
 * @param {string} file @param {Entries} recorded @param {Entries} seen
 * @returns {number} how many there are
 */
function compare(file, recorded, seen) {
  let count = 0
  for (const name of new Set([...recorded.keys(), ...seen.keys()])) {
    const before = recorded.get(name)
    const after = seen.get(name)
    if (before === after) continue
    count++
    console.log(`\n${file}: ${name}`)
    if (before === undefined) console.log('  is new')
    else if (after === undefined) console.log('  is missing')
    else console.log(diffOf(before, after))
  }
  return count
}
