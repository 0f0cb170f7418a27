/**
 * Shows from both sides that an exploration finds mistakes and accuses no right client: `node test/judge/explore/prove.mjs`
 * after `npm run build`. It prints what docs/internals/exploration.md quotes. Parts: reference (complete to depth 2, 20,100
 * random plans of depth 3 to 5) and mutants; both by default. `commands` plays the clients in
 * Python, PHP and Java, warm, over sockets, complete to depth 2, which takes a quarter of an hour on a machine that does nothing else.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { runExam } from 'mailing-sync-mock'
import { clientOf, mutants } from '../../../examples/clients/mutants/registry.mjs'
import { send as reference } from '../../../examples/clients/reference/send.mjs'

/** @import { Send } from '../../../examples/clients/client.d.ts' */

/** @param {Send} send @returns {import('mailing-sync-mock').ClientFunction} */
const explored = send => call =>
  send({
    ...call,
    scheduleDate: /** @type {string} */ (call.scheduleDate),
    fetch: (address, init) => fetch(address, init),
    sleep: (milliseconds, signal) =>
      pause(Math.max(0, milliseconds), undefined, signal && { signal }).catch(() => {}),
    now: () => Date.now(),
  })

const real = performance.now.bind(performance)
const number = (/** @type {number} */ count) => count.toLocaleString('en')

/** @param {string} name @param {Send} send @param {object} options */
async function played(name, send, options) {
  const began = real()
  const result = await runExam({ client: explored(send), only: ['happy-path'], ...options })
  const seconds = (real() - began) / 1000
  console.log(
    `${name}: ${number(result.exploration?.runs ?? 0)} runs in ${seconds.toFixed(0)} s; ${(
      result.exploration?.levels ?? []
    )
      .map(
        it =>
          `depth ${it.depth} ${number(it.played)} of ${number(it.plans)}${it.isComplete ? ' (all, the others covered)' : ' (sample)'}`,
      )
      .join(
        ', ',
      )}; ${result.causes.length === 0 ? 'nothing found' : result.causes.map(it => `${it.severity} ${it.rule} in ${it.case.name}`).join(', ')}`,
  )
  return result
}

const wanted = process.argv.slice(2)
const isWanted = (/** @type {string} */ part) => wanted.length === 0 || wanted.includes(part)
let isProved = true
const claim = (/** @type {boolean} */ holds, /** @type {string} */ what) => {
  isProved &&= holds
  if (!holds) console.log(`NOT SHOWN: ${what}`)
}

if (isWanted('reference')) {
  const sample = Number(process.env.PLANS ?? 6_700)
  const result = await played('reference client', reference, { depth: 5, sample })
  claim(
    result.causes.length === 0 && result.exploration?.divergence === null,
    'the reference client survives',
  )
}
if (isWanted('mutants'))
  for (const mutant of mutants) {
    const { causes } = await played(mutant.id, clientOf(mutant), { depth: 1 })
    const isFound = causes.some(({ rule }) => mutant.rules.length === 0 || mutant.rules.includes(rule))
    claim(isFound, `${mutant.id} is found`)
  }
if (wanted.includes('commands')) {
  const root = fileURLToPath(new URL('../../..', import.meta.url))
  const classes = mkdtempSync(join(tmpdir(), 'client-'))
  spawnSync('javac', ['-d', classes, 'examples/clients/java/Client.java'], { cwd: root, stdio: 'inherit' })
  for (const command of [
    ['python3', 'examples/clients/python/send_mailing.py'],
    ['php', 'examples/clients/php/client.php'],
    ['java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', classes, 'Client'],
  ]) {
    const args = ['exam', '--warm', '--depth', '2', '--', ...command]
    const { status } = spawnSync(process.execPath, ['dist/main.js', ...args], { cwd: root, stdio: 'inherit' })
    claim(status === 0, `${command[0]} survives`)
  }
  rmSync(classes, { recursive: true })
}
console.log(isProved ? 'All of it is shown.' : 'Not all of it is shown.')
process.exitCode = isProved ? 0 : 1
