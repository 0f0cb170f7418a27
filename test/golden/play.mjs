/**
 * Plays cases to clients in this process, on virtual time, and hands back what the judge says of them. It runs in a process
 * of its own: the time and the IDs of the whole process are made the same for every run.
 */
import crypto from 'node:crypto'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import zlib from 'node:zlib'
import { root } from './mock.mjs'

/** @import { ClientOptions, Outcome, Send } from '../../examples/clients/client.d.ts' */
/** @typedef {{ name: string, synchronizationId: string, scenario?: import('../../src/lib/control-types.ts').ScenarioName, scheduleIn?: number, killedAfter?: number, mailings?: number }} Trial */
/** @typedef {{ name: string, beliefs: string[], verdict: any }} Played */

const start = Date.parse('2026-11-01T10:00:00Z')
/** Time of this process. @type {{ now(): number }} */
let time = { now: () => start }
performance.now = () => time.now() - start
Date.now = () => time.now()

let drawn = 0
crypto.randomUUID = () => `00000000-0000-4000-8000-${String(++drawn).padStart(12, '0')}`
globalThis.crypto.randomUUID = crypto.randomUUID
/** Bodies that are being unpacked. @type {Set<zlib.Gunzip>} */
const unpacking = new Set()
/** @type {any} */
const gunzip = zlib.Gunzip.prototype
for (const method of ['write', 'end', 'flush']) {
  const inherited = gunzip[method]
  /** @this {zlib.Gunzip} @param {any[]} args */
  gunzip[method] = function (...args) {
    unpacking.add(this)
    return Reflect.apply(inherited, this, args)
  }
}
syncBuiltinESMExports()

// These read time and IDs as they stand now.
/** @type {typeof import('mailing-sync-mock')} */
const { createMock, ManualClock } = await import(pathToFileURL(join(root, 'dist/index.js')).href)
const { clientOf, mutants } = await import('../../examples/clients/mutants/registry.mjs')
const { send: reference } = await import('../../examples/clients/reference/send.mjs')

/** Turns of the event loop after which a client that does not wait for time has come to rest. */
const turnsToRest = 30
/** While a request is under way, the clock goes on in steps of this many milliseconds. */
const stride = 1_000

/** Files and gzip are worked on in threads, which take many turns on a busy machine. */
const isThreadBusy = () =>
  process.getActiveResourcesInfo().some(it => /^(FSReq|CloseReq)/.test(it)) ||
  [...unpacking].some(it => !it.destroyed && (it.writableLength > 0 || it.writableEnded))

/** @param {() => boolean} hasEnded */
async function rest(hasEnded = () => false) {
  for (let turn = 0; turn < turnsToRest && !hasEnded(); turn++) {
    await new Promise(setImmediate)
    if (isThreadBusy()) turn = 0
  }
}

/** A client that waits for something that never comes. */
class NeverEnds extends Error {}

/** Moves a clock on while a client sleeps on it or waits for an answer. */
class VirtualTime {
  #clock
  /** @type {Set<{ due: number, isLimit: boolean, wake: () => void }>} */
  #sleepers = new Set()

  /** @param {InstanceType<typeof ManualClock>} clock */
  constructor(clock) {
    this.#clock = clock
  }

  now = () => this.#clock.now()

  /** @param {number} milliseconds @param {AbortSignal} [signal] @returns {Promise<void>} */
  sleep = (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const sleeper = {
        // Whole milliseconds, as those of a real clock: sums of them do not depend on what was played before.
        due: this.#clock.now() + Math.ceil(milliseconds),
        isLimit: signal !== undefined,
        wake: () => {
          this.#sleepers.delete(sleeper)
          signal?.removeEventListener('abort', sleeper.wake)
          resolve()
        },
      }
      this.#sleepers.add(sleeper)
      signal?.addEventListener('abort', sleeper.wake)
    })

  /** @template Value @param {Promise<Value>} work @returns {Promise<Value>} */
  async during(work) {
    let hasEnded = false
    const noted = work.finally(() => {
      hasEnded = true
    })
    noted.catch(() => {})
    const lastly = this.#clock.now() + 24 * 3_600_000
    for (;;) {
      await rest(() => hasEnded)
      if (hasEnded) return noted
      if (this.#sleepers.size === 0 || this.#clock.now() > lastly) throw new NeverEnds()
      this.#goOn()
    }
  }

  #goOn() {
    const now = this.#clock.now()
    const sleepers = [...this.#sleepers]
    const next = Math.min(...sleepers.map(({ due }) => due))
    const most = sleepers.some(({ isLimit }) => isLimit) ? stride : Infinity
    this.#clock.advance(Math.max(0, Math.min(most, next - now)))
    for (const { due, wake } of [...this.#sleepers]) if (due <= this.#clock.now()) wake()
  }
}

const clock = new ManualClock(start)
time = clock
const mock = await createMock({
  clock,
  hints: false,
  logLevel: 'error',
  spaceIdle: 10 * 365 * 24 * 3_600_000,
})
// All scenarios are read now, and none while a client waits.
await mock.control.scenarios()

const fastest = existsSync('/dev/shm') ? '/dev/shm' : tmpdir()

/** @param {Send} send @param {Trial} trial @returns {Promise<Played>} */
async function played(send, { name, synchronizationId, scenario, scheduleIn, killedAfter, mailings = 1 }) {
  drawn = 0
  unpacking.clear()
  const space = mock.space(`demo+${name}`)
  await space.begin({ clock: { now: new Date(start).toISOString() } })
  if (scenario !== undefined) await space.arm(scenario)
  let seed = [...name].reduce((sum, it) => (sum * 31 + it.charCodeAt(0)) >>> 0, 7)
  const random = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0
    return seed / 2 ** 32
  }
  /** @type {string[]} */
  const beliefs = []
  for (let nth = 0; nth < mailings; nth++) {
    const state = mkdtempSync(join(fastest, 'mailing-sync-golden-'))
    const scheduleDate =
      scheduleIn === undefined ? {} : { scheduleDate: new Date(start + scheduleIn).toISOString() }
    /** @param {VirtualTime} virtual @returns {ClientOptions} */
    const options = virtual => ({
      fetch: followed,
      sleep: virtual.sleep,
      now: virtual.now,
      url: 'http://localhost:4025',
      user: space.user,
      password: space.password,
      synchronizationId,
      state,
      random,
      ...scheduleDate,
    })
    try {
      if (killedAfter !== undefined) await killed(send, options, new VirtualTime(clock), killedAfter)
      const virtual = new VirtualTime(clock)
      beliefs.push(await virtual.during(send(options(virtual))))
    } catch (error) {
      beliefs.push(error instanceof NeverEnds ? 'never ends' : `throws ${error}`)
    } finally {
      rmSync(state, { recursive: true, force: true })
    }
    // What is still under way comes to its end.
    clock.advance(10 * 60_000)
    await rest()
  }
  await space.platform()
  const last = beliefs.at(-1) ?? ''
  const believes = /** @type {Outcome} */ (['sent', 'not-sent'].includes(last) ? last : 'unknown')
  const verdict = await space.verdict({ believes, expected: mailings })
  await space.remove()
  return { name, beliefs, verdict }
}

/**
 * Runs a client until it has sent as many creates; from then on nothing reaches it, and no time passes for it.
 * @param {Send} send @param {(virtual: VirtualTime) => ClientOptions} optionsFor @param {VirtualTime} virtual @param {number} left
 */
async function killed(send, optionsFor, virtual, left) {
  const options = optionsFor(virtual)
  await virtual.during(
    new Promise(die => {
      /** @type {ClientOptions['fetch']} */
      const fetch = async (url, init) => {
        const answer = options.fetch(url, init)
        if (init.method !== 'POST' || --left > 0) return answer
        await answer.catch(() => {})
        die(undefined)
        return new Promise(() => {})
      }
      send({ ...options, fetch }).catch(() => {})
    }),
  )
}

/**
 * Follows redirects, where it is asked to, as the global `fetch` does.
 * @param {string} url @param {RequestInit} init
 * @returns {Promise<Response>}
 */
async function followed(url, init) {
  const response = await mock.fetch(new Request(url, init))
  const location = response.headers.get('location')
  if (init.redirect !== 'follow' || location === null || response.status < 300 || response.status > 399)
    return response
  const { body: _, method: __, ...rest } = init
  const next = [301, 302, 303].includes(response.status) ? { ...rest, method: 'GET' } : init
  const last = await followed(new URL(location, url).href, next)
  return Object.defineProperty(last, 'redirected', { value: true })
}

/**
 * Plays without looking: modules that are loaded when they are first needed take turns that no later play needs.
 * @param {readonly Trial[]} trials
 */
async function warmUp(trials) {
  for (const trial of trials) await played(reference, trial)
}

/** @type {Promise<void> | undefined} */
let isWarm

process.on('message', async (/** @type {{ client: string, trials: Trial[], first: Trial[] }} */ job) => {
  isWarm ??= warmUp(job.first)
  await isWarm
  const mutant = mutants.find(({ id }) => id === job.client)
  const send = mutant ? clientOf(mutant) : reference
  /** @type {Played[]} */
  const all = []
  for (const trial of job.trials) all.push(await played(send, trial))
  process.send?.(all)
})
