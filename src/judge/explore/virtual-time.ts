import { AsyncLocalStorage, AsyncResource } from 'node:async_hooks'
import crypto from 'node:crypto'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { setImmediate as realTurn } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { Chance } from '../../store/space-data.ts'

type Callback = (...args: unknown[]) => void

/** A start of a client, which ends when the signal aborts. */
interface ClientStart {
  readonly signal: AbortSignal
  /** Whether its requests are given up when it ends. */
  readonly isKillable: boolean
}

/** A timer of virtual time. It has the methods of Node's own. */
class VirtualTimer {
  due: number
  readonly #time: VirtualTime
  readonly #after: number
  readonly act: () => void
  readonly repeats: boolean
  /** The start of a client that set it; undefined for timers of the mock. */
  readonly owner: ClientStart | undefined

  constructor(
    time: VirtualTime,
    after: number,
    act: () => void,
    repeats: boolean,
    owner: ClientStart | undefined,
  ) {
    this.#time = time
    // As Node does: a delay that is no number, or too long for a timer, is 1.
    this.#after = after >= 1 && after < 2 ** 31 ? Math.trunc(after) : 1
    this.act = act
    this.repeats = repeats
    this.owner = owner
    this.due = time.now + this.#after
  }

  refresh(): this {
    this.#time.remove(this)
    this.due = this.#time.now + this.#after
    this.#time.add(this)
    return this
  }

  close(): this {
    this.#time.remove(this)
    return this
  }

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }

  [Symbol.toPrimitive](): number {
    return this.#time.numberOf(this)
  }

  [Symbol.dispose](): void {
    this.close()
  }
}

/** Turns of the event loop without any timer or request after which all work waits for time. */
const quietTurns = 4
/** Whether a file is read, written or closed, or a name is looked up. */
const isRequestUnderWay = () => process.getActiveResourcesInfo().some(it => it.includes('Req'))
/** Real milliseconds given to work that Node does not show, such as a digest in a thread, if no client waits for a timer. */
const hiddenWork = 50

export type LetTimePass = <Value>(work: () => Promise<Value>) => Promise<Value>

/** What a client uses of the machine, besides time. */
export interface Surroundings {
  /** Answers the client's requests. */
  readonly fetch: typeof fetch
  /** Source of everything random. */
  readonly chance: Chance
}

/** No code waits for the end of a timer as a resource, and noticing it would take longer than the timer. */
const placeOptions = { requireManualDestroy: true }
const modules = createRequire(import.meta.url)
const timersModule = modules('node:timers')
const timerPromises = modules('node:timers/promises')

/**
 * Time that jumps to the next timer as soon as all work waits for it. While it is installed, the timers, the
 * clocks and the random numbers of this thread are its own, and `fetch` reaches only the mock; so an unmodified client
 * waits for fifteen minutes in no time, and does the same in each run. Only one can be installed in a thread.
 */
export class VirtualTime {
  /** Milliseconds since 1970. */
  now: number
  /** In the order of their due times. */
  #timers: VirtualTimer[] = []
  #activity = 0
  #numbers = 0
  readonly #byNumber = new Map<number, VirtualTimer>()
  readonly #start: number
  /** The start of a client to which the running code belongs. */
  readonly #owner = new AsyncLocalStorage<ClientStart>()
  #draws = 0
  /** Number of starts of clients that have not ended. */
  #running = 0
  /** Resolves when the time is moved by itself again; undefined while it is. */
  #byHand: Promise<unknown> | undefined

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.now = start
    this.#start = start
  }

  add(timer: VirtualTimer): void {
    this.#activity++
    if (timer.owner?.signal.aborted) return
    let at = this.#timers.length
    while (at > 0 && this.#timers[at - 1]!.due > timer.due) at--
    this.#timers.splice(at, 0, timer)
  }

  remove(timer: VirtualTimer): void {
    const at = this.#timers.indexOf(timer)
    if (at >= 0) this.#timers.splice(at, 1)
  }

  numberOf(timer: VirtualTimer): number {
    this.#byNumber.set(++this.#numbers, timer)
    return this.#numbers
  }

  /** Back to the beginning, with the same random numbers to come. Timers of earlier work are dropped. */
  restart(): void {
    this.now = this.#start
    this.#timers = []
    this.#byNumber.clear()
    this.#draws = 0
  }

  /**
   * Runs a client that can be killed: when the signal aborts, none of its timers fires any more and no answer reaches it.
   * @param isKillable whether that is to be expected; its requests are then given up, too
   */
  runClient<Value>(signal: AbortSignal, isKillable: boolean, work: () => Promise<Value>): Promise<Value> {
    const owner = { signal, isKillable }
    this.#running++
    signal.addEventListener(
      'abort',
      () => {
        this.#timers = this.#timers.filter(it => it.owner !== owner)
      },
      { once: true },
    )
    return this.#owner.run(owner, work).finally(() => {
      this.#running--
    })
  }

  /**
   * Lets time pass until the work has come to its end.
   * @param mayWait whether it may also wait for more than time, files and the mock
   * @throws the error of the work, or one that says that it waits for something that never comes
   */
  async during<Value>(work: Promise<Value>, mayWait = false): Promise<Value> {
    let isOver = false
    const end = () => {
      isOver = true
    }
    work.then(end, end)
    for (;;) {
      await this.#settle(() => isOver)
      if (isOver) return work
      if (this.#byHand) {
        await this.#byHand
        continue
      }
      const [next] = this.#timers
      if (!next && mayWait) continue
      if (!next) throw new Error('it waits for something that never comes')
      this.now = Math.max(this.now, next.due)
      this.#fire()
    }
  }

  /** Lets time pass only as the work says, with `settle` and `moveTo`. */
  async byHand<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = work()
    this.#byHand = done.catch(() => {})
    return await done.finally(() => {
      this.#byHand = undefined
    })
  }

  /** When the next timer fires, in milliseconds since 1970; undefined for none. */
  get due(): number | undefined {
    return this.#timers[0]?.due
  }

  /** Moves the time, and fires what is due by then. @param mayFire false leaves that for another call */
  moveTo(now: number, mayFire = true): void {
    this.now = Math.max(this.now, now)
    if (mayFire) this.#fire()
  }

  /**
   * Waits until nothing happens any more without time, or without an answer to what is asked of others.
   * @param isWaiting whether something is asked of others, so that a client without a timer does not compute in secret
   */
  async settle(isWaiting: () => boolean = () => false): Promise<void> {
    await this.#settle(() => false, isWaiting)
  }

  /** Waits until nothing happens any more without time. */
  async #settle(isOver: () => boolean, isWaiting: () => boolean = () => false): Promise<void> {
    for (let activity = -1; activity !== this.#activity && !isOver(); ) {
      activity = this.#activity
      for (let turn = 0; turn < quietTurns && !isOver(); turn++) await realTurn()
      if (activity !== this.#activity) continue
      // Work in the threads of Node takes many turns on a busy machine. Files are visible; a digest, for example, is not.
      for (; !isOver() && isRequestUnderWay(); activity = -1) await realTurn()
      // What waited for it goes on now.
      if (activity === -1) continue
      const isHidden = () =>
        this.#running > 0 &&
        !isOver() &&
        !isWaiting() &&
        activity === this.#activity &&
        !this.#timers.some(({ owner }) => owner)
      for (const until = realNow() + hiddenWork; isHidden() && realNow() < until; ) await realTurn()
    }
  }

  #fire(): void {
    for (let [next] = this.#timers; next && next.due <= this.now; [next] = this.#timers) {
      this.#timers.shift()
      if (next.repeats) next.refresh()
      next.act()
    }
  }

  #set(act: Callback, after: unknown, args: unknown[], repeats = false): VirtualTimer {
    const owner = this.#owner.getStore()
    const place = new AsyncResource('VirtualTimer', placeOptions)
    const bound = () => place.runInAsyncScope(act, undefined, ...args)
    const timer = new VirtualTimer(this, Number(after), bound, repeats, owner)
    this.add(timer)
    return timer
  }

  #clear(handle: unknown): void {
    const timer = handle instanceof VirtualTimer ? handle : this.#byNumber.get(Number(handle))
    if (timer) this.remove(timer)
  }

  /** Resolves after a time, or rejects when the signal aborts, as that of `node:timers/promises`. */
  #pause(after: unknown, value: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.remove(timer)
        reject(
          Object.assign(new Error('The operation was aborted', { cause: signal?.reason }), {
            name: 'AbortError',
            code: 'ABORT_ERR',
          }),
        )
      }
      const timer = this.#set(
        () => {
          signal?.removeEventListener('abort', abort)
          resolve(value)
        },
        after,
        [],
      )
      if (signal?.aborted) abort()
      else signal?.addEventListener('abort', abort, { once: true })
    })
  }

  /** A request by a client: without a socket, with redirects followed as the client asked. */
  async #fetch(answer: typeof fetch, input: Request | string | URL, init?: RequestInit): Promise<Response> {
    const owner = this.#owner.getStore()
    this.#activity++
    const { signal: initSignal, ...rest } = init ?? {}
    const isSignal = initSignal instanceof AbortSignal
    const request = new Request(input, isSignal ? rest : init)
    const ownSignal = isSignal ? initSignal : request.signal
    const signal = owner?.isKillable ? AbortSignal.any([ownSignal, owner.signal]) : ownSignal
    try {
      return await followed(answer, withSignal(request, signal))
    } finally {
      this.#activity++
      // Its client was killed.
      if (owner?.signal.aborted) await new Promise(() => {})
    }
  }

  /** Replaces time, chance and `fetch` of this thread. @returns brings them back */
  install({ fetch: answer, chance }: Surroundings): () => void {
    const fraction = () => chance.fraction('drawn', ++this.#draws)
    const set = (act: Callback, after?: unknown, ...args: unknown[]) => this.#set(act, after, args)
    const repeat = (act: Callback, after?: unknown, ...args: unknown[]) => this.#set(act, after, args, true)
    const clear = (timer: unknown) => this.#clear(timer)
    const pause: Pause = (after, value, options) => this.#pause(after, value, options?.signal)
    Object.assign(set, { [promisify.custom]: pause })
    const timers = { setTimeout: set, clearTimeout: clear, setInterval: repeat, clearInterval: clear }
    const uuid = () => chance.uuid('drawn', ++this.#draws)
    const fill = <Bytes extends ArrayBufferView>(bytes: Bytes): Bytes => {
      const view = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
      for (const at of view.keys()) view[at] = fraction() * 256
      return bytes
    }
    const RealDate = Date
    const start = realNow()
    const elapsed = () => start + this.now - this.#start
    const restore = [
      replaced(globalThis, {
        ...timers,
        fetch: (it: string, init?: RequestInit) => this.#fetch(answer, it, init),
      }),
      replaced(globalThis, { Date: this.#dateFrom(RealDate) }),
      replaced(RealDate, { now: () => this.now }),
      replaced(performance, { now: elapsed }),
      replaced(Math, { random: fraction }),
      replaced(AbortSignal, { timeout: (after: number) => this.#timeout(after) }),
      replaced(timersModule, timers),
      replaced(timerPromises, { setTimeout: pause, setInterval: pausesWith(pause, () => this.now) }),
      replaced(timerPromises.scheduler, {
        wait: (after: number, options?: PauseOptions) => pause(after, undefined, options),
      }),
      replaced(process, { hrtime: hrtimeFrom(elapsed) }),
      replaced(crypto, { randomUUID: uuid, randomBytes: (count: number) => fill(Buffer.alloc(count)) }),
      replaced(globalThis.crypto, { randomUUID: uuid, getRandomValues: fill }),
    ]
    syncBuiltinESMExports()
    return () => {
      for (const back of restore.reverse()) back()
      syncBuiltinESMExports()
    }
  }

  #dateFrom(RealDate: DateConstructor): DateConstructor {
    return new Proxy(RealDate, {
      construct: (target, args, newTarget) =>
        Reflect.construct(target, args.length === 0 ? [this.now] : args, newTarget),
      apply: () => new RealDate(this.now).toString(),
    })
  }

  #timeout(after: number): AbortSignal {
    const late = new AbortController()
    this.#set(
      () => late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
      after,
      [],
    )
    return late.signal
  }
}

interface PauseOptions {
  readonly signal?: AbortSignal
}

type Pause = (after?: unknown, value?: unknown, options?: PauseOptions) => Promise<unknown>

/** The `setInterval` of `node:timers/promises`. */
const pausesWith = (pause: Pause, now: () => number) =>
  async function* (after = 1, value?: unknown, options?: PauseOptions) {
    for (let due = now() + after; ; due += after) yield pause(due - now(), value, options)
  }

/** `process.hrtime` that follows a clock. @param now milliseconds */
function hrtimeFrom(now: () => number) {
  const bigint = () => BigInt(Math.round(now() * 1e6))
  const hrtime = ([seconds, rest] = [0, 0]) => {
    const difference = bigint() - BigInt(seconds) * 1_000_000_000n - BigInt(rest)
    return [Number(difference / 1_000_000_000n), Number(difference % 1_000_000_000n)]
  }
  return Object.assign(hrtime, { bigint })
}

/** The machine's time, also while virtual time is installed; milliseconds. */
export const realNow: () => number = performance.now.bind(performance)

/** Replaces members of an object. @returns brings the earlier ones back */
function replaced(target: object, members: Readonly<Record<string, unknown>>): () => void {
  const before = Object.keys(members).map(
    name => [name, Object.getOwnPropertyDescriptor(target, name)] as const,
  )
  for (const [name, value] of Object.entries(members))
    Object.defineProperty(target, name, { value, configurable: true, writable: true, enumerable: true })
  return () => {
    for (const [name, descriptor] of before)
      if (descriptor) Object.defineProperty(target, name, descriptor)
      else Reflect.deleteProperty(target, name)
  }
}

const maxRedirects = 20

/** A `Request` that is made with a signal makes one of its own that follows it, which takes longer than all the rest. */
const withSignal = (request: Request, signal: AbortSignal): Request =>
  Object.defineProperty(request, 'signal', { value: signal })

async function followed(answer: typeof fetch, request: Request, count = 0): Promise<Response> {
  const copy = request.redirect === 'follow' && request.body ? request.clone() : undefined
  const response = await answer(request)
  const location = response.headers.get('location')
  const { status } = response
  if (location === null || ![301, 302, 303, 307, 308].includes(status) || request.redirect === 'manual')
    return response
  if (request.redirect === 'error' || count === maxRedirects)
    throw new TypeError('fetch failed', { cause: new Error('unexpected redirect') })
  const becomesGet = status === 303 || (status < 303 && request.method === 'POST')
  const target = new URL(location, request.url)
  const headers = new Headers(request.headers)
  if (target.origin !== new URL(request.url).origin) headers.delete('authorization')
  if (becomesGet) for (const name of ['content-type', 'content-length']) headers.delete(name)
  const next = new Request(target, {
    method: becomesGet ? 'GET' : request.method,
    headers,
    ...(!becomesGet && copy && { body: await copy.arrayBuffer() }),
  })
  const last = await followed(answer, withSignal(next, request.signal), count + 1)
  return Object.defineProperty(last, 'redirected', { value: true })
}
