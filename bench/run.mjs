/** Measures this project beside the bare framework, node:http and its peers: see docs/internals/performance.md. */
import { spawnSync } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { readFlags } from '../scripts/read-flags.mjs'
import { capsuleRows, measureCapsules } from './capsules.mjs'
import { writeDocs } from './docs.mjs'
import { explorations, measureExplorations } from './explore.mjs'
import { growths, measureGrowth } from './growth.mjs'
import { measureHanging } from './hanging.mjs'
import { measureHttps } from './https.mjs'
import { inProcess, measureInProcess } from './in-process.mjs'
import { Measurements } from './measurements.mjs'
import { comparison, summarize, table } from './report.mjs'
import { measureResets } from './resets.mjs'
import { otherRows } from './rows.mjs'
import { measureStarts } from './starts.mjs'
import { addBuild, cleanUp, isPeer, pairs, subjects, whyNot } from './subjects.mjs'
import { measureVerdicts } from './verdict.mjs'
import { work } from './work.mjs'
import { measureWork, Peers } from './work-rounds.mjs'
import { fewMailings } from './world.mjs'

const { values: options } = readFlags('bench', {
  options: {
    quick: { type: 'boolean', default: false },
    /** As short as can be: whether everything runs, not how fast it is. */
    smoke: { type: 'boolean', default: false },
    /** Writes the tables into docs/internals/performance.md. */
    docs: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    /** Comma-separated; the floor is always there. */
    subjects: { type: 'string' },
    'no-peers': { type: 'boolean', default: false },
    /** A built checkout of another commit: its subjects run in the same rounds, and a second table compares the two. */
    beside: { type: 'string' },
    /** Only rows whose name contains this; `growth` for what becomes dearer. */
    row: { type: 'string', default: '' },
    /** Where the figures go, as JSON. */
    out: { type: 'string' },
  },
})
const { quick, smoke, beside } = options
if (beside) addBuild(beside)
const rounds = whole(options.rounds, smoke ? 1 : 3)
// The run for the documents has a quarter of an hour for everything.
const seconds = quick ? 1 : options.docs ? 1.2 : 1.5
/** How long and how often each part is measured. */
const lengths = {
  rounds,
  seconds,
  // Until the compiler has done its work: whoever has more code to compile would look slower than it is.
  warmUp: quick ? 0.3 : 1.5,
  /** Requests in place of seconds. */
  amount: smoke ? 64 * 3 : undefined,
  starts: smoke || quick ? 1 : 2,
  resets: smoke ? 4 : 60,
  hanging: smoke ? 50 : 10_000,
  inProcessSeconds: smoke ? 0.05 : seconds,
  /** Requests of a capsule; spaces of a report, and requests of each. */
  capsules: smoke ? [20, 5, 4] : [1_000, 2_000, 100],
  /** Of the usual amount. */
  explorations: smoke ? 0.02 : quick ? 0.3 : 1,
}

const chosen = options.subjects?.split(',') ?? Object.keys(subjects).filter(isAsked)
const unknown = chosen.find(name => !subjects[name])
if (unknown) fail(`no subject "${unknown}"; there are ${Object.keys(subjects).join(', ')}`)
const notRun = {}
const names = ['floor', ...chosen].filter((name, at, all) => all.indexOf(name) === at && canRun(name))
const isWanted = name => name.includes(options.row)
const measurements = new Measurements()
const wantedWork = Object.keys(work).filter(key => isWanted(work[key].name))
const peers = new Peers(names.filter(isPeer), notRun)
const growth = []

try {
  for (let round = 0; round < rounds; round++) await measureRound(round)
  const kinds = isWanted('growth') && !smoke ? Object.keys(growths) : []
  const tell = line => process.stderr.write(`${line}\n`)
  for (const kind of kinds)
    await attempt(`growth by ${kind}`, async () => {
      growth.push(...(await measureGrowth([kind], { isQuick: quick, tell })))
    })
} finally {
  await peers.stop()
  await cleanUp()
}
await tellAll()

async function measureRound(round) {
  process.stderr.write(`round ${round + 1} of ${rounds}\n`)
  const general = names.filter(name => !subjects[name].rows && !notRun[name])
  if (isWanted(otherRows.start.name) || isWanted(otherRows.memory.name)) {
    const some = general.filter(name => !subjects[name].isArmed)
    // Ours with the fixture that it comes with; the others with as much.
    const mailings = name => (subjects[name].isOurs ? 0 : fewMailings)
    const how = { measurements, again: lengths.starts, mailings, notRun }
    await attempt('starts', () => measureStarts(some, how))
  }
  if (wantedWork.length > 0)
    await attempt('work', async () => {
      await peers.begin(lengths)
      const own = names.filter(name => !isPeer(name))
      await measureWork(own, peers, wantedWork, round, { ...lengths, measurements })
    })
  const isOfInterest = name => isWanted(name) && !(smoke && name.includes('20,000'))
  const resettable = general.filter(
    name =>
      ['floor', 'ours', 'ours-disk', 'before', 'before-disk'].includes(name) ||
      (subjects[name].reset && !notRun[name]),
  )
  await attempt('resets', () =>
    measureResets(resettable, isOfInterest, { measurements, again: lengths.resets }),
  )
  if (isWanted(otherRows.hanging.name)) {
    const some = general.filter(name => ['floor', 'raw', 'ours', 'before'].includes(name))
    await attempt('hanging', () => measureHanging(some, { measurements, count: lengths.hanging }))
  }
  const secure = ['tls', 'handshake', 'hanging-tls'].filter(key => isWanted(otherRows[key].name))
  if (secure.length > 0) await attempt('TLS', () => measureHttps(secure, { measurements, ...lengths }))
  if (isWanted(otherRows['in-process'].name)) {
    const some = inProcess.filter(name => name === 'msw' || names.includes(name))
    await attempt('in process', () =>
      measureInProcess(some, { measurements, seconds: lengths.inProcessSeconds, beside }),
    )
  }
  const explored = explorations.filter(key => isWanted(otherRows[key].name))
  if (round === 0 && explored.length > 0)
    await attempt('explorations', () =>
      measureExplorations(explored, { measurements, share: lengths.explorations }),
    )
  const kept = capsuleRows.filter(key => isWanted(otherRows[key].name))
  if (round === 0 && kept.length > 0)
    await attempt('capsules', () => measureCapsules(kept, { measurements, sizes: lengths.capsules }))
  if (round === 0 && !smoke && isWanted(otherRows['verdict-judged'].name))
    await attempt('verdict', () => measureVerdicts(measurements))
}

/** What fails leaves its figures out, and not those of all the rest. */
async function attempt(part, act) {
  try {
    await act()
  } catch (error) {
    process.stderr.write(`${part} could not be measured: ${error.stack}\n`)
    process.exitCode = 1
  }
}

async function tellAll() {
  const rows = summarize(measurements.all())
  const titleOf = name => subjects[name]?.title ?? 'MSW'
  process.stdout.write(`\n${table(rows, titleOf)}\n`)
  if (beside) process.stdout.write(`\n${comparison(measurements.all(), pairs, titleOf)}\n`)
  for (const [name, why] of Object.entries(notRun))
    process.stdout.write(`not run: ${titleOf(name)}: ${why}\n`)
  const result = { ...about(), ...lengths, rows, growth, notRun }
  const file = options.out ?? (await resultFile())
  await writeFile(file, `${JSON.stringify(result, null, 2)}\n`)
  if (options.docs) await writeDocs(result)
  for (const { row, wrong } of rows)
    for (const what of wrong) {
      process.stderr.write(`invalid: ${row}: ${what}\n`)
      process.exitCode = 1
    }
}

function about() {
  const { stdout } = spawnSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' })
  return {
    date: new Date().toISOString(),
    commit: stdout?.trim(),
    node: process.version,
    cores: cpus().length,
  }
}

async function resultFile() {
  const results = new URL('results/', import.meta.url)
  await mkdir(results, { recursive: true })
  return new URL(`${new Date().toISOString().replaceAll(/[:.]/g, '-')}.json`, results)
}

function isAsked(name) {
  return (
    !(options['no-peers'] && isPeer(name)) && !(smoke && !['floor', 'ours', 'ours-scenario'].includes(name))
  )
}

function canRun(name) {
  const why = whyNot(name)
  if (why) notRun[name] = why
  return why === undefined
}

function whole(text, initial) {
  if (text === undefined) return initial
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1) fail(`--rounds is "${text}"; expected a whole number from 1`)
  return value
}

function fail(sentence) {
  process.stderr.write(`bench: ${sentence}\n`)
  process.exit(2)
}
