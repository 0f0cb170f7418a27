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
import { parseEntries, textOf } from './entries.mjs'
import { listOf, sameChanges, textOfChange } from './same-changes.mjs'
import { play, recorded, sections, timed } from './sections.mjs'

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
      else {
        const builds = { before: readRecorded(path), after: parseEntries(textOf(entries)) }
        printChanges(builds)
        count += differing(builds).length
      }
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
    let builds = await playedOnBoth(name, root, commit)
    if (timed.includes(name) && builds && differing(builds).length > 0)
      builds = withoutChance(builds, await playedOnBoth(name, root, commit))
    if (!builds) {
      exitCode = 2
      continue
    }
    printChanges(builds)
    const count = differing(builds).length
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

/** @typedef {{ before: Entries, after: Entries }} Builds what two builds did in a section, of which one may be recorded */

/** @param {string} section @param {string} root @param {string} commit @returns {Promise<Builds | undefined>} */
async function playedOnBoth(section, root, commit) {
  const [before, after] = await Promise.allSettled([played(section, root), played(section, here)])
  for (const [build, outcome] of /** @type {const} */ ([
    [commit, before],
    ['this tree', after],
  ]))
    if (outcome.status === 'rejected')
      console.log(`\ngolden ${section}: cannot be played on ${build}: ${outcome.reason}`)
  if (before.status === 'rejected' || after.status === 'rejected') return undefined
  return { before: before.value, after: after.value }
}

/** @param {Builds} builds @returns {string[]} the names of entries that differ */
function differing({ before, after }) {
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    name => before.get(name) !== after.get(name),
  )
}

/** The entries that differ in a second play, too. @param {Builds} builds @param {Builds | undefined} again */
function withoutChance(builds, again) {
  if (!again) return undefined
  const both = new Set(differing(again))
  const only = (/** @type {Entries} */ entries) => new Map([...entries].filter(([name]) => both.has(name)))
  return { before: only(builds.before), after: only(builds.after) }
}

/** @param {Builds} builds */
function printChanges({ before, after }) {
  const fresh = [...after.keys()].filter(name => !before.has(name))
  const missing = [...before.keys()].filter(name => !after.has(name))
  for (const change of sameChanges(before, after)) console.log(`\n${textOfChange(change)}`)
  if (fresh.length > 0) console.log(`\n${fresh.length} new: ${listOf(fresh)}`)
  if (missing.length > 0) console.log(`\n${missing.length} missing: ${listOf(missing)}`)
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
