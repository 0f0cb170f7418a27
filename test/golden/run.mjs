/**
 * `npm run golden -- [--write] [section...]` holds what the program does against what is recorded here, or records it.
 * `npm run golden -- --against <commit> [section...]` holds it against what another commit does.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readFlags } from '../../scripts/read-flags.mjs'
import { buildOfCommit } from './build-of-commit.mjs'
import { diffOf } from './diff.mjs'
import { parseEntries, textOf } from './entries.mjs'
import { listOf, sameChanges, textOfChange } from './same-changes.mjs'
import { play, recorded, sections } from './sections.mjs'

/** @typedef {import('./entries.mjs').Entries} Entries */

const here = fileURLToPath(new URL('../..', import.meta.url))

const { values, positionals } = readFlags('golden', {
  options: { write: { type: 'boolean' }, against: { type: 'string' } },
  allowPositionals: true,
})
const { write: isWriting, against } = values
const named = positionals.length > 0 ? positionals : against ? [...sections.keys()] : recorded

/** @param {string} sentence */
function refuse(sentence) {
  console.error(`golden: ${sentence}`)
  process.exit(2)
}
const unknown = named.filter(name => !sections.has(name))
if (unknown.length > 0)
  refuse(`unknown section ${unknown.join(', ')}; there are ${[...sections.keys()].join(', ')}`)
if (isWriting && against) refuse('--write records what this tree does: name no other commit')
const unrecorded = named.filter(name => !recorded.includes(name))
if (unrecorded.length > 0 && !against)
  refuse(`nothing is recorded of ${unrecorded.join(', ')}; compare with a commit, such as --against HEAD`)

// Mocks in this process may still hold timers.
process.exit(against ? await compareBuilds(against) : await compareRecorded())

/** @returns {Promise<number>} the exit code */
async function compareRecorded() {
  let differences = 0
  for (const name of named) {
    const seconds = stopwatch()
    const files = await play(name)
    let count = 0
    for (const [file, entries] of Object.entries(files)) {
      const path = new URL(`./recorded/${file}.txt`, import.meta.url)
      if (isWriting) writeFileSync(path, textOf(entries))
      else count += printDifferences(file, readRecorded(path), parseEntries(textOf(entries)))
    }
    const result = isWriting ? 'recorded' : count === 0 ? 'agrees' : `${count} differing`
    console.log(`golden ${name}: ${result} (${seconds()})`)
    differences += count
  }
  if (differences === 0) return 0
  console.log(`
${differences} entries differ from what is recorded in test/golden/recorded.
If that is intended, run "npm run golden -- --write", and say in the commit what changed and why.`)
  return 1
}

/**
 * Plays each section on both builds, with the programs that stand here.
 * @param {string} revision
 * @returns {Promise<number>} the exit code
 */
async function compareBuilds(revision) {
  const seconds = stopwatch()
  const { commit, root } = buildOfCommit(revision)
  console.log(`golden: ${commit} is built (${seconds()})`)
  let exitCode = 0
  for (const name of named) {
    const seconds = stopwatch()
    const [before, after] = await Promise.allSettled([played(name, root), played(name, here)])
    if (before.status === 'rejected' || after.status === 'rejected') {
      const failed =
        before.status === 'rejected'
          ? [commit, before.reason]
          : ['this tree', /** @type {PromiseRejectedResult} */ (after).reason]
      console.log(`\ngolden ${name}: cannot be played on ${failed.join(': ')}`)
      exitCode = 2
      continue
    }
    const count = printChanges(before.value, after.value)
    console.log(`golden ${name}: ${count === 0 ? 'agrees' : `${count} differing`} (${seconds()})`)
    if (count > 0) exitCode ||= 1
  }
  return exitCode
}

function stopwatch() {
  const start = performance.now()
  return () => `${((performance.now() - start) / 1000).toFixed(1)} s`
}

/**
 * What a build does in a section, played in a process of its own.
 * @param {string} section @param {string} root where the build is
 * @returns {Promise<Entries>}
 */
async function played(section, root) {
  const folder = mkdtempSync(join(tmpdir(), 'mailing-sync-golden-'))
  try {
    const file = join(folder, 'entries.json')
    const record = fileURLToPath(new URL('./record.mjs', import.meta.url))
    const child = spawn(process.execPath, [record, section, file], {
      env: { ...process.env, GOLDEN_ROOT: root },
      stdio: ['ignore', 'inherit', 'pipe'],
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', text => {
      errors += text
    })
    const code = await new Promise(resolve => child.once('close', resolve))
    if (code !== 0) throw errors.trim() || `its process ended with ${code}`
    return new Map(JSON.parse(readFileSync(file, 'utf8')))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** @param {Entries} before @param {Entries} after @returns {number} how many entries differ */
function printChanges(before, after) {
  const isDifferent = (/** @type {string} */ name) => before.get(name) !== after.get(name)
  const both = [...after.keys()].filter(name => before.has(name))
  const fresh = [...after.keys()].filter(name => !before.has(name))
  const missing = [...before.keys()].filter(name => !after.has(name))
  for (const change of sameChanges(before, after)) console.log(`\n${textOfChange(change)}`)
  if (fresh.length > 0) console.log(`\n${fresh.length} new: ${listOf(fresh)}`)
  if (missing.length > 0) console.log(`\n${missing.length} missing: ${listOf(missing)}`)
  return both.filter(isDifferent).length + fresh.length + missing.length
}

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
 * @param {string} file @param {Entries} recorded @param {Entries} seen
 * @returns {number} how many entries differ
 */
function printDifferences(file, recorded, seen) {
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
