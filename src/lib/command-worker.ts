import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ClientCall, ClientTime, Ending, WarmCommand } from '../judge/exam/client.ts'
import type { RunningProcesses } from '../judge/exam/client-processes.ts'
import { warmClient } from '../judge/exam/warm-client.ts'
import { realNow } from '../judge/explore/virtual-time.ts'
import { OrderDivergence } from '../judge/orders/search.ts'
import type { AnswerPart, WorkerWord } from '../judge/orders/stage.ts'
import type { WatchedWorker } from './thread-worker.ts'

/** A warm command that asks for its waits. */
export interface WarmWorkerData extends WarmCommand {
  /** How many times as fast as real time its time limits pass. */
  readonly speed: number
  /** Milliseconds of the service's clock after which it gives a request up; undefined for never. */
  readonly patience: number | undefined
}

/** Real milliseconds within which a client asks for something, or says what it believes. */
const silenceLimit = 20_000
/** Real milliseconds by which it may be late. */
const delayLimit = 5_000
// Those of this thread are virtual later.
const { setTimeout: setRealTimeout, clearTimeout: clearRealTimeout } = globalThis

interface OpenRequest {
  readonly number: number
  readonly response: ServerResponse
  /** When its client gives it up, in milliseconds since 1970. */
  readonly limit: number | undefined
  /** When it came, in real milliseconds. */
  readonly arrived: number
}

/** One run of a client. */
class Run {
  readonly killing = new AbortController()
  readonly open = new Map<number, OpenRequest>()
  wait: { readonly due: number; readonly end: (now: number) => void } | undefined
  hasEnded = false
  /** Requests whose time limit passed in real time before it did so in the run. */
  readonly leftEarly = new Set<number>()
}

/**
 * A worker that is a warm command in a process of its own. Its requests come to a port of its own, and wait there; it asks for its waits. It
 * stands still while it has asked for something: what it does in between, as with its store, is part of the step before.
 */
class CommandWorker implements WatchedWorker {
  readonly isBlocked = false
  readonly isStoreSeen = false
  // It is ended when it says nothing for too long.
  readonly isBusy = false
  readonly saidCount = 0
  readonly #data: WarmWorkerData
  readonly #client: ReturnType<typeof warmClient>
  readonly #server = createServer((request, response) => void this.#take(request, response))
  #url = ''
  #run = new Run()
  #ended: Promise<unknown> = Promise.resolve()
  #words: WorkerWord[] = []
  #now = 0
  #requests = 0
  /** Called whenever something has happened. */
  #notice: () => void = () => {}

  constructor(data: WarmWorkerData, running: RunningProcesses) {
    this.#data = data
    this.#client = warmClient(data.command, data.environment, running)
  }

  async listen(): Promise<this> {
    // A client keeps its connection as long as it wants to.
    this.#server.keepAliveTimeout = 0
    await once(this.#server.listen(0, '127.0.0.1'), 'listening')
    this.#url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
    return this
  }

  get due(): number | undefined {
    const { wait, open } = this.#run
    const all = [wait?.due, ...[...open.values()].map(({ limit }) => limit)].filter(it => it !== undefined)
    return all.length === 0 ? undefined : Math.min(...all)
  }

  async begin(call: Omit<ClientCall, 'signal'>, now: number): Promise<readonly WorkerWord[]> {
    const run = new Run()
    this.#run = run
    this.#now = now
    this.#words = []
    this.#requests = 0
    const time: ClientTime = {
      isFollowed: true,
      wait: milliseconds =>
        // A look at the clock is no wait.
        milliseconds === 0
          ? Promise.resolve(this.#now)
          : new Promise(end => {
              run.wait = { due: this.#now + milliseconds, end }
              this.#notice()
            }),
    }
    const { signal } = run.killing
    const { speed } = this.#data
    this.#ended = this.#client
      .run({ ...call, url: this.#url, speed, signal }, true, time)
      .then(ending => this.#end(run, ending))
    return await this.#still()
  }

  async wake(now: number): Promise<readonly WorkerWord[]> {
    this.#now = now
    const { wait, open } = this.#run
    if (wait && wait.due <= now) {
      this.#run.wait = undefined
      wait.end(now)
      return await this.#still()
    }
    const late = [...open.values()].filter(({ limit }) => limit !== undefined && limit <= now)
    const hasLeft = () => late.every(({ number }) => !open.has(number))
    const { patience = 0, speed } = this.#data
    if (!(await this.#until(hasLeft, (patience / speed) * 2 + delayLimit)))
      throw new OrderDivergence('a request that its client gives up elsewhere was not given up')
    return await this.#still()
  }

  /**
   * Half of a time limit passes in real time before anything else can begin at its end. Otherwise what the other worker asks then would
   * reach its own limit at almost the same moment.
   */
  async approach(at: number): Promise<void> {
    const { patience = 0, speed } = this.#data
    const ends = [...this.#run.open.values()].filter(({ limit }) => limit !== undefined && limit <= at)
    const until = Math.max(...ends.map(({ arrived }) => arrived + patience / speed / 2))
    const left = until - realNow()
    if (left > 0) await new Promise(resolve => setRealTimeout(resolve, left))
  }

  async deliver(number: number, parts: readonly AnswerPart[], now: number): Promise<readonly WorkerWord[]> {
    this.#now = now
    const request = this.#run.open.get(number)
    const isWhole = ['end', 'error'].includes(parts.at(-1)!.kind)
    if (isWhole) this.#run.open.delete(number)
    let isLeft = !request || this.#run.leftEarly.has(number)
    for (const part of parts) isLeft ||= !(await write(request!.response, part))
    if (isLeft)
      throw new OrderDivergence('the time limit of a request passed in real time, before its answer came')
    return isWhole ? await this.#still() : this.#takeWords()
  }

  async pass(): Promise<readonly WorkerWord[]> {
    return []
  }

  async kill(): Promise<void> {
    this.#run.killing.abort()
    await this.#ended
    // What it has sent before may still arrive.
    this.#server.closeAllConnections()
  }

  #end(run: Run, ending: Ending): void {
    run.hasEnded = true
    if (run.killing.signal.aborted) return
    this.#words.push({ kind: 'end', ending })
    this.#notice()
  }

  async #take(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const run = this.#run
    const chunks: Buffer[] = []
    try {
      for await (const chunk of message) chunks.push(chunk)
    } catch {
      return
    }
    if (run !== this.#run || run.hasEnded) return void response.destroy()
    const number = ++this.#requests
    const { patience } = this.#data
    const limit = patience === undefined ? undefined : this.#now + patience
    run.open.set(number, { number, response, limit, arrived: realNow() })
    response.once('close', () => {
      const request = run.open.get(number)
      if (!request || run.killing.signal.aborted) return
      if (limit === undefined || limit > this.#now) run.leftEarly.add(number)
      run.open.delete(number)
      this.#words.push({ kind: 'abandon', request: number })
      this.#notice()
    })
    this.#words.push({
      kind: 'request',
      request: {
        number,
        method: message.method!,
        // What is answered goes by the header Host.
        url: `http://localhost${message.url}`,
        headers: headersOf(message),
        body: chunks.length > 0 ? Buffer.concat(chunks) : undefined,
      },
    })
    this.#notice()
  }

  /** Waits until it has asked for something or ended. @returns what it did */
  async #still(): Promise<readonly WorkerWord[]> {
    const run = this.#run
    const isStill = () => run.hasEnded || run.wait !== undefined || run.open.size > 0
    if (!(await this.#until(isStill, silenceLimit))) {
      run.killing.abort()
      await this.#ended
      const error = `it neither asked for anything nor said what it believes for ${silenceLimit / 1000} s`
      this.#words.push({ kind: 'end', ending: { believes: 'unknown', signal: 'SIGKILL', error, output: '' } })
    }
    return this.#takeWords()
  }

  #takeWords(): readonly WorkerWord[] {
    const words = this.#words
    this.#words = []
    return words
  }

  /** @param limit real milliseconds @returns whether it has come so far by then */
  #until(isMet: () => boolean, limit: number): Promise<boolean> {
    if (isMet()) return Promise.resolve(true)
    return new Promise(resolve => {
      const end = (isInTime: boolean) => {
        clearRealTimeout(timer)
        this.#notice = () => {}
        resolve(isInTime)
      }
      const timer = setRealTimeout(() => end(false), limit)
      this.#notice = () => isMet() && end(true)
    })
  }
}

/** A worker of a warm command. */
export const startCommandWorker = (data: WarmWorkerData, running: RunningProcesses): Promise<WatchedWorker> =>
  new CommandWorker(data, running).listen()

const ownHeaders: ReadonlySet<string> = new Set([
  ...['connection', 'content-length', 'expect', 'keep-alive', 'transfer-encoding', 'upgrade'],
])

/** Those that are for the service. */
const headersOf = ({ rawHeaders }: IncomingMessage): [string, string][] =>
  rawHeaders.flatMap((name, at): [string, string][] =>
    at % 2 === 0 && !ownHeaders.has(name.toLowerCase()) ? [[name, rawHeaders[at + 1]!]] : [],
  )

/** Passes a part of an answer on. @returns, when it has left, whether the client was still there */
async function write(response: ServerResponse, part: AnswerPart): Promise<boolean> {
  if (response.destroyed) return false
  if (part.kind === 'head') {
    response.writeHead(part.status, part.statusText, part.headers.flat())
    response.flushHeaders()
  } else if (part.kind === 'error') {
    if (part.cause?.code === 'ECONNRESET') response.socket?.resetAndDestroy()
    else response.destroy()
  }
  // Once the connection is closed, Node never calls the callback of `end`.
  else
    return await new Promise(resolve => {
      response.once('close', () => resolve(response.writableFinished))
      const done = (error?: Error | null) => resolve(!error)
      if (part.kind === 'bytes') response.write(part.bytes, done)
      else response.end(done)
    })
  return true
}
