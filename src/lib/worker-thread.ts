/** The program of a thread in which one of several workers of a client runs, step by step. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { type Client, type ClientCall, functionClient } from '../judge/exam/client.ts'
import { VirtualTime } from '../judge/explore/virtual-time.ts'
import { type FileCall, FileGate, type Gatekeeper } from '../judge/orders/file-gate.ts'
import type { AnswerPart, WorkerWord } from '../judge/orders/stage.ts'
import { seededChance } from '../rig/chance.ts'
import { importClient } from './client-module.ts'
import { gateValues, shared, type ThreadWord, type WorkerData, type WorkerOrder } from './worker-messages.ts'

/** What a call of a client that is killed throws. A client that catches it reaches nothing any more. */
class Killed extends Error {
  override readonly name = 'Killed'
}

const hasNoBody = (status: number) => status === 204 || status === 304

/** The answer to a request as it comes, part by part. */
class PendingAnswer {
  readonly response: Promise<Response>
  #resolve!: (response: Response) => void
  #reject!: (error: unknown) => void
  #body: ReadableStreamDefaultController<Uint8Array> | undefined

  constructor() {
    this.response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.response.catch(() => {})
  }

  take(parts: readonly AnswerPart[]): void {
    const [head] = parts
    if (head?.kind === 'head' && parts.at(-1)?.kind === 'end') {
      const bytes = Buffer.concat(parts.flatMap(it => (it.kind === 'bytes' ? it.bytes : [])))
      this.#resolve(new Response(hasNoBody(head.status) ? null : bytes, head))
      return
    }
    for (const part of parts) this.#takePart(part)
  }

  #takePart(part: AnswerPart): void {
    if (part.kind === 'head') {
      const start = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        this.#body = controller
      }
      this.#resolve(new Response(hasNoBody(part.status) ? null : new ReadableStream({ start }), part))
    } else if (part.kind === 'bytes') this.#body?.enqueue(part.bytes)
    else if (part.kind === 'end') this.#body?.close()
    else {
      const { message, code } = part.cause ?? {}
      const cause =
        message === undefined ? {} : { cause: Object.assign(new Error(message), code && { code }) }
      this.fail(new TypeError(part.message, cause))
    }
  }

  fail(error: unknown): void {
    if (this.#body) this.#body.error(error)
    else this.#reject(error)
  }
}

/** One run of the client. */
class Run {
  readonly killing = new AbortController()
  readonly answers = new Map<number, PendingAnswer>()
  /** Asynchronous calls of `node:fs` that wait until they may pass. */
  readonly files = new Map<number, () => void>()
  requestCount = 0
  fileCount = 0
  hasEnded = false

  get isKilled(): boolean {
    return this.killing.signal.aborted
  }

  /** Whether it waits for others. */
  get isWaiting(): boolean {
    return this.hasEnded || this.answers.size + this.files.size > 0
  }
}

/** Runs a client again and again, each time as far as it is told to go. */
class SteppedClient implements Gatekeeper {
  readonly #tell: (word: ThreadWord) => void
  readonly #numbers: Int32Array
  readonly #time: VirtualTime
  readonly #gate = new FileGate(this)
  /** The run to which the running code belongs: what one that was killed still does is none of the next one. */
  readonly #ofCode = new AsyncLocalStorage<Run>()
  /** The run of which orders are. */
  #run = new Run()

  /** What it has done since it last told. */
  #words: WorkerWord[] = []

  constructor(time: VirtualTime, numbers: Int32Array, tell: (word: ThreadWord) => void) {
    this.#time = time
    this.#numbers = numbers
    this.#tell = tell
  }

  #say(word: WorkerWord): void {
    this.#words.push(word)
  }

  /** Tells that it waits for others or for time. */
  rest(isBlocked = false): void {
    const words = this.#words
    this.#words = []
    this.#tell({ words, due: this.#time.due, isBlocked })
  }

  holdFiles(): void {
    this.#gate.install()
  }

  get #own(): Run {
    return this.#ofCode.getStore() ?? this.#run
  }

  pass(call: FileCall): void {
    const run = this.#own
    if (run.isKilled) throw new Killed()
    const { closed, killed } = gateValues
    const { door } = shared
    Atomics.store(this.#numbers, door, closed)
    this.#say({ kind: 'file', file: ++run.fileCount, call })
    this.rest(true)
    // What was meant for the call before may wake it.
    while (Atomics.load(this.#numbers, door) === closed) Atomics.wait(this.#numbers, door, closed)
    if (Atomics.load(this.#numbers, door) !== killed) return
    run.killing.abort()
    throw new Killed()
  }

  passLater(call: FileCall): Promise<void> {
    const run = this.#own
    if (run.isKilled) return new Promise(() => {})
    const file = ++run.fileCount
    this.#say({ kind: 'file', file, call })
    return new Promise(resolve => run.files.set(file, resolve))
  }

  note(call: FileCall, outcome: string): void {
    if (!this.#own.isKilled) this.#say({ kind: 'done', call, outcome })
  }

  /** Answers the client's requests, as `fetch` does. */
  readonly answer = async (input: string | URL | Request): Promise<Response> => {
    const request = input as Request
    const { signal, method, url } = request
    const run = this.#own
    signal.throwIfAborted()
    const body = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    if (run.isKilled) return await new Promise(() => {})
    const pending = new PendingAnswer()
    const number = ++run.requestCount
    run.answers.set(number, pending)
    const leave = () => {
      if (run.answers.delete(number) && !run.isKilled) this.#say({ kind: 'abandon', request: number })
      pending.fail(signal.reason)
    }
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    this.#say({ kind: 'request', request: { number, method, url, headers: [...request.headers], body } })
    return await pending.response
  }

  /** Does what it is told, and says so when nothing more happens by itself. */
  async obey(order: WorkerOrder, client: Client): Promise<void> {
    if (order.kind === 'begin') this.#begin(order.call, order.now, client)
    const run = this.#run
    if (order.kind === 'wake') this.#time.moveTo(order.now)
    if (order.kind === 'kill') run.killing.abort()
    if (order.kind === 'pass') {
      run.files.get(order.file)?.()
      run.files.delete(order.file)
    }
    if (order.kind === 'deliver') {
      this.#time.moveTo(order.now, false)
      const pending = run.answers.get(order.request)
      if (['end', 'error'].includes(order.parts.at(-1)!.kind)) run.answers.delete(order.request)
      pending?.take(order.parts)
    }
    await this.#time.settle(() => run.isWaiting)
    this.rest()
  }

  #begin(call: Omit<ClientCall, 'signal'>, now: number, client: Client): void {
    this.#run.killing.abort()
    const run = new Run()
    this.#run = run
    this.#time.restart()
    this.#time.moveTo(now)
    this.#gate.watch(call.state)
    const { signal } = run.killing
    void this.#time
      .runClient(signal, true, () => this.#ofCode.run(run, () => client.run({ ...call, signal })))
      .then(ending => {
        if (run.isKilled) return
        run.hasEnded = true
        this.#say({ kind: 'end', ending })
      })
  }
}

const { module, seed, number, start, gate, port }: WorkerData = workerData
const numbers = new Int32Array(gate)
const tell = (word: ThreadWord) => {
  port.postMessage(word)
  Atomics.add(numbers, shared.said, 1)
  Atomics.notify(numbers, shared.said)
}
const time = new VirtualTime(start)
const worker = new SteppedClient(time, numbers, tell)
const restore = time.install({ fetch: worker.answer, chance: seededChance(seed, `worker ${number}`) })
try {
  const client = functionClient(await time.during(importClient(module), true))
  worker.holdFiles()
  parentPort!.on('message', (order: WorkerOrder) => void worker.obey(order, client))
  worker.rest()
} catch (error) {
  restore()
  tell({ refusal: (error as Error).message })
}
