/**
 * Instructions for each request, counted by valgrind, of this build and of another one: see docs/internals/performance.md. What
 * else the machine does changes nothing, so they tell more where times differ by more than the builds do.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { readFlags } from '../scripts/read-flags.mjs'
import { ask } from './ask.mjs'
import { emptyDirectory, launch, removed } from './process.mjs'
import { scenario } from './scenario.mjs'
import { cleanUp, fixtureFile, main } from './subjects.mjs'
import { Talk } from './talk.mjs'
import { burst, work } from './work.mjs'
import { manyMailings } from './world.mjs'

const { values: options } = readFlags('instructions', {
  options: {
    /** A built checkout of another commit. */
    beside: { type: 'string' },
    /** Only rows whose key contains this. */
    row: { type: 'string', default: '' },
  },
})

const inMemory = ['--in-memory']

/** Seconds that an answer may take under valgrind, beside other work. */
const timeout = 600

/** @param {keyof typeof work} key */
const requests = key => async (/** @type {number} */ port, /** @type {number} */ amount) => {
  if (key === 'fault') await ask(port, 'PUT', '/_mock/spaces/demo/scenario', scenario)
  if (work[key].prepare) await burst({ port, cpu: () => undefined }, work[key], { amount: 1, timeout })
  const { wrong } = await burst({ port, cpu: () => undefined }, work[key], { amount, timeout })
  if (wrong > 0) throw new Error(`${key}: ${wrong} answers were wrong`)
}

/** Each after the other, on one connection. */
const each =
  (/** @type {(number: number) => object[]} */ items) =>
  async (/** @type {number} */ port, /** @type {number} */ amount) => {
    const talk = await Talk.to(port)
    for (let number = 0; number < amount; number++)
      for (const item of items(number)) {
        const { status } = await talk.ask(item)
        if (status >= 300) throw new Error(`a request was answered ${status}`)
      }
    talk.end()
  }
const userOf = number => `Basic ${Buffer.from(`demo+${number}:demo`).toString('base64')}`
const resetCall = {
  method: 'POST',
  path: '/_mock/spaces/demo/reset',
  headers: { 'Content-Type': 'application/json' },
}

/** The compiler's functions, by their names in the program. */
const isOfCompiler = /compiler|baseline|maglev|turboshaft|Bytecode/i

/** What is counted from `from` requests to `to`: until then the compiler has done most of its work. */
const rows = {
  start: {
    name: 'start to first answer, with what it comes with',
    from: 0,
    to: 1,
    isStart: true,
    play: each(() => [{ path: '/mailings' }]),
  },
  ...Object.fromEntries(
    Object.keys(work).map(key => [
      key,
      { name: work[key].name, from: 10_000, to: 60_000, play: requests(key) },
    ]),
  ),
  'create-disk': {
    name: `${work.create.name}, on disk`,
    from: 10_000,
    to: 60_000,
    isOnDisk: true,
    play: requests('create'),
  },
  reset: {
    name: 'create and reset',
    from: 100,
    to: 1_500,
    play: each(number => [
      { ...work.create, body: JSON.stringify({ transactionId: `reset-${number}` }) },
      resetCall,
    ]),
  },
  space: {
    name: 'new private space',
    from: 100,
    to: 600,
    play: each(number => [{ ...work.read, headers: { Authorization: userOf(number) } }]),
  },
}

if (spawnSync('valgrind', ['--version']).status !== 0) {
  console.error('instructions: valgrind is not installed')
  process.exit(2)
}
const programs = [main, ...(options.beside ? [join(resolve(options.beside), 'dist', 'main.js')] : [])]
console.log('| Row | Instructions | Before | Before / now |\n|---|---:|---:|---:|')
try {
  for (const [key, row] of Object.entries(rows).filter(([name]) => name.includes(options.row))) {
    // Both at once: what else the machine does changes nothing.
    const counts = await Promise.all(programs.map(program => perRequest(program, row)))
    const [now, before] = counts.map(count => `${(count / 1000).toFixed(1)} k`)
    const ratio = counts[1] === undefined ? '' : (counts[1] / counts[0]).toFixed(3)
    console.log(`| ${row.name ?? key} | ${now} | ${before ?? ''} | ${ratio} |`)
  }
} finally {
  await cleanUp()
}

async function perRequest(program, row) {
  const short = row.from === 0 ? 0 : await count(program, row, row.from)
  const long = await count(program, row, row.to)
  return (long - short) / (row.to - row.from)
}

/** Of a whole run, without those of V8's compiler, which works in one run sooner and in another later. */
async function count(program, { play, isOnDisk, isStart }, amount) {
  const directory = await emptyDirectory()
  try {
    const file = join(directory, 'counted')
    const place = isOnDisk ? ['--data', join(directory, 'data')] : inMemory
    const fixtures = isStart ? [] : ['--fixtures', await fixtureFile(manyMailings)]
    const running = await launch('valgrind', [
      '--tool=cachegrind',
      '--cache-sim=no',
      '--smc-check=all-non-file',
      `--cachegrind-out-file=${file}`,
      process.execPath,
      '--single-threaded',
      // It collects garbage when time has passed.
      '--no-memory-reducer',
      program,
      ...['--quiet', '--port', '0', ...fixtures, ...place],
    ])
    await play(running.port, amount).finally(() => running.stop())
    return sumOf(readFileSync(file, 'utf8'), isStart ? /^$/ : isOfCompiler)
  } finally {
    await removed(directory)
  }
}

/**
 * @param {string} text `fn=NAME`, then a line with a place and a number for each place in it
 * @param {RegExp} without functions that are left out
 */
function sumOf(text, without) {
  let sum = 0
  let isCounted = true
  for (const line of text.split('\n'))
    if (line.startsWith('fn=')) isCounted = !without.test(line)
    else if (isCounted && /^\d/.test(line)) sum += Number(line.split(' ')[1])
  return sum
}
