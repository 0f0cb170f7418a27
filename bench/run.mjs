/** Measures this project against the bare framework: see docs/performance.md. */
import { mkdir, writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { summarize, table } from './report.mjs'
import { start, subjects } from './subjects.mjs'
import { measureVerdict, verdictRows } from './verdict.mjs'
import { burst, once, work } from './work.mjs'

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    rounds: { type: 'string' },
    /** Comma-separated; the floor is always there. */
    subjects: { type: 'string' },
    /** Only rows whose name contains this. */
    row: { type: 'string', default: '' },
  },
})
const { quick } = options
const rounds = whole(options.rounds, quick ? 3 : 5)
const seconds = quick ? 2 : 4
const warmUp = quick ? 1 : 2
const startsPerRound = quick ? 2 : 4
const names = ['floor', ...(options.subjects?.split(',') ?? Object.keys(subjects))].filter(
  (name, at, all) => all.indexOf(name) === at,
)
for (const name of names)
  if (!subjects[name]) fail(`no subject "${name}"; there are ${Object.keys(subjects).join(', ')}`)

const isWanted = row => row.includes(options.row)
const wanted = work.filter(({ name }) => isWanted(name))
const measured = new Map()

for (let round = 0; round < rounds; round++) {
  if (isWanted('first answer')) await measureStarts()
  if (wanted.length > 0) await measureWork(round)
  if (Object.values(verdictRows).some(isWanted)) await measureVerdicts()
}

const rows = summarize([...measured.values()])
process.stdout.write(`\n${table(rows)}\n`)
const results = new URL('results/', import.meta.url)
await mkdir(results, { recursive: true })
const stamp = new Date().toISOString().replaceAll(/[:.]/g, '-')
const settings = { rounds, seconds, warmUp, node: process.version, cores: cpus().length }
await writeFile(new URL(`${stamp}.json`, results), `${JSON.stringify({ ...settings, rows }, null, 2)}\n`)
for (const { row, valid } of rows)
  if (!valid) {
    process.stderr.write(`invalid: ${row}: some answers had another status or size than expected\n`)
    process.exitCode = 1
  }

function record(row, unit, name, figures, more = {}) {
  const kept = measured.get(row) ?? { row, unit, valid: true, rounds: {}, ...more }
  kept.rounds[name] ??= []
  kept.rounds[name].push(figures)
  measured.set(row, kept)
  return kept
}

/** From the spawn of the process to its first answer, and the memory that it has then. */
async function measureStarts() {
  for (let again = 0; again < startsPerRound; again++)
    for (const name of names) {
      const subject = await start(name)
      const { status } = await once(subject.port, work[0])
      const took = performance.now() - subject.startedAt
      const kept = record('first answer', 'ms', name, { value: took }, { lessIsBetter: true })
      if (status !== work[0].status) kept.valid = false
      const memory = subject.memory()
      if (memory !== undefined)
        record('memory after it', 'MB', name, { value: memory }, { lessIsBetter: true })
      await subject.stop()
    }
}

/** Ours alone: the floor has nothing to judge. */
async function measureVerdicts() {
  const { first, later, judged, isWhole } = await measureVerdict()
  for (const [row, figures] of [
    [verdictRows.first, first],
    [verdictRows.later, later],
    [verdictRows.judged, judged],
  ]) {
    const kept = record(row, 'ms', 'ours-memory', figures, { lessIsBetter: true })
    if (!isWhole) kept.valid = false
    process.stderr.write(`${row}  ${Math.round(figures.value)} ms${isWhole ? '' : '  WRONG'}\n`)
  }
}

/** All subjects at once, each kind of work given to one after the other, so that all meet the same weather. */
async function measureWork(round) {
  const running = await Promise.all(names.map(name => start(name)))
  try {
    for (const item of wanted) {
      const lengths = []
      for (const subject of inTurn(running, round)) {
        if (item.prepare) await once(subject.port, item)
        lengths.push((await once(subject.port, item)).length)
        await burst(subject, item, warmUp)
      }
      for (const subject of inTurn(running, round)) {
        const { perSecond, cpuPerRequest, busy, wrong } = await burst(subject, item, seconds)
        const kept = record(item.name, '/s', subject.name, { value: perSecond, cpu: cpuPerRequest, busy })
        // The floor must have done the same amount of work.
        if (wrong > 0 || Math.max(...lengths) > 1.1 * Math.min(...lengths)) kept.valid = false
        process.stderr.write(
          `round ${round + 1}/${rounds}  ${item.name}  ${subject.name}  ${Math.round(perSecond)}/s${wrong ? `  ${wrong} WRONG` : ''}\n`,
        )
      }
    }
  } finally {
    await Promise.all(running.map(subject => subject.stop()))
  }
}

/** Another one is first in every round. */
function inTurn(all, round) {
  const first = round % all.length
  return [...all.slice(first), ...all.slice(0, first)]
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
