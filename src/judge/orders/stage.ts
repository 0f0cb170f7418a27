import { once } from 'node:events'
import type { ClientCall, Ending } from '../exam/client.ts'
import type { VirtualTime } from '../explore/virtual-time.ts'
import type { FileCall } from './file-gate.ts'
import type { Choose, Step } from './search.ts'

/** What comes of a request, in the order in which it comes. */
export type AnswerPart =
  | {
      readonly kind: 'head'
      readonly status: number
      readonly statusText: string
      readonly headers: [string, string][]
    }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'end' }
  | {
      readonly kind: 'error'
      readonly message: string
      readonly cause: { readonly message: string; readonly code?: string } | undefined
    }

export interface AskedRequest {
  /** Unique among those of the worker. */
  readonly number: number
  readonly method: string
  readonly url: string
  readonly headers: [string, string][]
  readonly body: Uint8Array | undefined
}

/** What a worker does until it waits for others or for time. */
export type WorkerWord =
  | { readonly kind: 'request'; readonly request: AskedRequest }
  | { readonly kind: 'abandon'; readonly request: number }
  | { readonly kind: 'file'; readonly file: number; readonly call: FileCall }
  | { readonly kind: 'done'; readonly call: FileCall; readonly outcome: string }
  | { readonly kind: 'end'; readonly ending: Ending }

/** A worker of a client, which goes on only when it is told to. Each method resolves, with what it did, when it waits again. */
export interface Worker {
  /** When its next wait ends; undefined for none. */
  readonly due: number | undefined
  /** Whether it waits in a synchronous call, so that nothing else reaches it. */
  readonly isBlocked: boolean
  /** Whether each call to its store is a step. If not, all that it does in one step may touch everything there. */
  readonly isStoreSeen: boolean
  begin(call: Omit<ClientCall, 'signal'>, now: number): Promise<readonly WorkerWord[]>
  /** Its waits that are over by now end. */
  wake(now: number): Promise<readonly WorkerWord[]>
  deliver(request: number, parts: readonly AnswerPart[], now: number): Promise<readonly WorkerWord[]>
  /** Time is about to pass to this moment: what of it the worker can only wait for in real time begins. */
  approach?(at: number): Promise<void>
  /** Lets a call of `node:fs` pass. */
  pass(file: number): Promise<readonly WorkerWord[]>
  /** Nothing that it does from now on reaches anybody. */
  kill(): Promise<unknown>
}

/** Answers requests without time passing by itself. */
export interface Service {
  readonly time: VirtualTime
  /** @param take gets each part of the answer when it comes */
  ask(request: AskedRequest, take: (part: AnswerPart) => void, signal: AbortSignal): void
  /** ID of the latest request on record. */
  latest(): string | undefined
}

/** Something that a worker does, or that happens to it. */
export type LaneEvent =
  | { readonly kind: 'start' | 'wake' | 'kill' }
  | { readonly kind: 'file'; readonly call: FileCall; outcome: string }
  | { readonly kind: 'ask'; readonly request: AskedRequest }
  | { readonly kind: 'process' | 'answer' | 'abandon'; readonly request: string }
  | { readonly kind: 'end'; readonly ending: Ending }

export interface LaneEntry {
  /** 1 or 2. */
  readonly worker: number
  /** In milliseconds since 1970. */
  readonly at: number
  readonly event: LaneEvent
}

interface OpenRequest {
  readonly asked: AskedRequest
  /** ID on record, once it is processed. */
  id: string | undefined
  readonly parts: AnswerPart[]
  readonly leaving: AbortController
  /** Whether nobody waits for the answer any more. */
  isLeft: boolean
}

/** A worker with what it waits for. */
class Lane {
  readonly number: number
  readonly worker: Worker
  readonly requests = new Map<number, OpenRequest>()
  readonly files = new Map<number, FileCall>()
  state: 'waiting' | 'running' | 'ended' | 'killed' = 'waiting'
  ending: Ending | undefined
  wakes = 0

  constructor(number: number, worker: Worker) {
    this.number = number
    this.worker = worker
  }

  get isRunning(): boolean {
    return this.state === 'running'
  }

  /** Requests whose answer it waits for. */
  get isAsking(): boolean {
    return [...this.requests.values()].some(({ isLeft }) => !isLeft)
  }
}

/** What disturbs a run: at most once. */
export interface Disturbance {
  /** Whether a worker may be killed. */
  readonly mayKill: boolean
  /** Whether a wait of one worker may end while the other one waits for an answer that no trouble makes late. */
  readonly mayOvertake: boolean
  /** Lets the service disturb the attempt that it processes next; undefined if it never does. */
  readonly strike: (() => void) | undefined
}

/** What two workers did. */
export interface JointRun {
  readonly entries: readonly LaneEntry[]
  /** Of each worker; undefined for one that was killed or never ended. */
  readonly endings: readonly (Ending | undefined)[]
  readonly wasDisturbed: boolean
}

interface PossibleStep extends Step {
  readonly take: () => Promise<void>
}

/** What a worker may change in its store while it goes on, where that is no step of its own. */
const storeOf = ({ worker }: Lane): readonly string[] => (worker.isStoreSeen ? [] : ['/store/'])

const asksForSending = ({ method, url }: AskedRequest) =>
  method === 'POST' && new URL(url).pathname.endsWith('/sendings')

/**
 * Two workers of a client, one store and one service. A run is a sequence of steps: a request is processed, its answer is delivered, a call of
 * `node:fs` passes, waits end, a worker begins or is killed. In between nothing goes on, and time passes only when all else has been done.
 */
export class Stage {
  readonly #lanes: readonly Lane[]
  readonly #service: Service
  readonly #choose: Choose
  readonly #disturbance: Disturbance
  readonly #entries: LaneEntry[] = []
  /** The worker that took the last step: by default it goes on. */
  #last: Lane
  #wasDisturbed = false

  constructor(workers: readonly Worker[], service: Service, disturbance: Disturbance, choose: Choose) {
    this.#lanes = workers.map((it, at) => new Lane(at + 1, it))
    this.#last = this.#lanes[0]!
    this.#service = service
    this.#disturbance = disturbance
    this.#choose = choose
  }

  /**
   * Plays a run to its end, or until the signal aborts.
   * @returns undefined if it was broken off, since what would follow is known
   */
  async play(call: Omit<ClientCall, 'signal'>, signal: AbortSignal): Promise<JointRun | undefined> {
    const aborted = once(signal, 'abort')
    aborted.catch(() => {})
    await this.#begin(this.#last, call)
    try {
      while (!signal.aborted) {
        const possible = this.#possible(call)
        if (possible.length === 0) break
        const label = this.#choose(possible)?.label
        if (label === undefined) return undefined
        await possible.find(it => it.label === label)!.take()
      }
    } finally {
      for (const lane of this.#lanes) {
        if (lane.isRunning) await lane.worker.kill()
        for (const { leaving } of lane.requests.values()) leaving.abort()
      }
      await this.#service.time.settle()
    }
    return {
      entries: this.#entries,
      endings: this.#lanes.map(({ ending }) => ending),
      wasDisturbed: this.#wasDisturbed,
    }
  }

  /** All that can come next. The first one is what happens if workers do not hinder each other, one after the other. */
  #possible(call: Omit<ClientCall, 'signal'>): PossibleStep[] {
    const [one, two] = this.#lanes as [Lane, Lane]
    const inOrder = this.#last === one ? [one, two] : [two, one]
    const steps = inOrder.flatMap(lane => [...this.#stepsOf(lane)])
    const tick = steps.length === 0 ? this.#tick() : this.#mayOvertake ? this.#earlyTick(steps) : undefined
    const start: PossibleStep = {
      label: 'start',
      reads: this.#flightsBeside(two),
      writes: ['/worker2', ...storeOf(two)],
      take: () => this.#begin(two, call),
    }
    const kills = inOrder.flatMap(lane =>
      this.#disturbance.mayKill && !this.#wasDisturbed && lane.isRunning ? [this.#kill(lane)] : [],
    )
    const possible = [
      ...steps,
      ...(tick ? [tick] : []),
      ...(two.state === 'waiting' ? [start] : []),
      ...kills,
    ]
    // A run does not end with a kill that is possible and need not be.
    return possible.every(it => it.isOptional) ? [] : possible
  }

  *#stepsOf(lane: Lane): Iterable<PossibleStep> {
    const { number, worker, requests, files } = lane
    const own = `/worker${number}`
    const beside = this.#flightsBeside(lane)
    for (const [id, request] of requests) {
      const label = `${number}.${id}`
      const answer = `/answer${label}`
      if (request.id === undefined) {
        const isRead = request.asked.method === 'GET' || request.asked.method === 'HEAD'
        const service = ['/service']
        const step = {
          reads: isRead ? service : [],
          writes: [...(isRead ? [] : service), answer, ...this.#flightOf(lane)],
        }
        yield { ...step, label: `s${label}`, take: () => this.#process(lane, request) }
        if (this.#disturbance.strike && !this.#wasDisturbed && asksForSending(request.asked))
          yield {
            ...{ ...step, label: `x${label}`, isOptional: true },
            take: () => {
              this.#wasDisturbed = true
              this.#disturbance.strike!()
              return this.#process(lane, request)
            },
          }
      } else if (request.parts.length > 0 && !worker.isBlocked && lane.isRunning)
        yield {
          ...{ label: `a${label}`, reads: beside },
          writes: [own, answer, ...storeOf(lane), ...this.#flightOf(lane)],
          take: () => this.#deliver(lane, id, request),
        }
    }
    if (!lane.isRunning) return
    // In a synchronous call a worker does nothing else.
    for (const [id, call] of worker.isBlocked ? [...files].slice(-1) : files)
      yield {
        label: `f${number}.${id}`,
        reads: [...beside, ...call.reads.map(path => `/store${path}`)],
        writes: [own, ...call.writes.map(path => `/store${path}`)],
        take: () => this.#pass(lane, id, call),
      }
    if (!worker.isBlocked && worker.due !== undefined && worker.due <= this.#now)
      yield {
        ...{ label: `t${number}.${lane.wakes}`, reads: beside, writes: [own, ...storeOf(lane)] },
        take: () => this.#wake(lane),
      }
  }

  /**
   * What a step changes that brings a request further. While a wait may end before an answer, it matters how far the other worker is at
   * that moment: whether time may pass then depends on both.
   */
  #flightOf({ number }: Lane): readonly string[] {
    return this.#mayOvertake ? [`/flight${number}`] : []
  }

  /** The same of the other worker, which a step of this one has to come before or after. */
  #flightsBeside(lane: Lane): readonly string[] {
    return this.#lanes.flatMap(it => (it === lane ? [] : this.#flightOf(it)))
  }

  get #mayOvertake(): boolean {
    return this.#disturbance.mayOvertake && !this.#wasDisturbed
  }

  get #now(): number {
    return this.#service.time.now
  }

  /** When time would pass to, and whose wait ends then. */
  #nextDue(): { readonly at: number; readonly lane: Lane | undefined } | undefined {
    const lanes = this.#lanes.filter(({ isRunning }) => isRunning)
    const dues = [undefined, ...lanes].flatMap(lane => {
      const at = (lane?.worker ?? this.#service.time).due
      return at === undefined ? [] : [{ at, lane }]
    })
    return dues.sort((one, other) => one.at - other.at)[0]
  }

  /** Time passes, since nothing else can happen without it. */
  #tick(): PossibleStep | undefined {
    const next = this.#nextDue()
    if (!next || !this.#lanes.some(({ isRunning }) => isRunning)) return undefined
    return { label: 'tick', reads: [], writes: ['/'], isLast: true, take: () => this.#moveTo(next.at) }
  }

  /** Time passes while an answer is under way, so that a wait of the other worker ends before it. */
  #earlyTick(steps: readonly Step[]): PossibleStep | undefined {
    const next = this.#nextDue()
    if (!next?.lane || next.lane.isAsking || !steps.every(({ label }) => /^[sxa]/.test(label)))
      return undefined
    return {
      ...{ label: 'early', reads: [], writes: ['/'], isOptional: true },
      take: () => {
        this.#wasDisturbed = true
        return this.#moveTo(next.at)
      },
    }
  }

  #kill(lane: Lane): PossibleStep {
    return {
      label: `k${lane.number}`,
      reads: [],
      writes: [`/worker${lane.number}`, '/kill'],
      isOptional: true,
      take: async () => {
        this.#wasDisturbed = true
        lane.state = 'killed'
        this.#note(lane, { kind: 'kill' })
        this.#last = this.#lanes.find(it => it !== lane)!
        await lane.worker.kill()
      },
    }
  }

  async #begin(lane: Lane, call: Omit<ClientCall, 'signal'>): Promise<void> {
    lane.state = 'running'
    this.#note(lane, { kind: 'start' })
    await this.#follow(lane, lane.worker.begin(call, this.#now))
  }

  async #process(lane: Lane, request: OpenRequest): Promise<void> {
    const { time } = this.#service
    this.#service.ask(
      request.asked,
      part => {
        if (!request.isLeft && lane.isRunning) request.parts.push(part)
      },
      request.leaving.signal,
    )
    await time.settle()
    request.id = this.#service.latest() ?? ''
    this.#note(lane, { kind: 'process', request: request.id })
    this.#last = lane
    if (request.isLeft || !lane.isRunning) lane.requests.delete(request.asked.number)
  }

  async #deliver(lane: Lane, id: number, { parts, id: name }: OpenRequest): Promise<void> {
    const all = parts.splice(0)
    if (['end', 'error'].includes(all.at(-1)!.kind)) lane.requests.delete(id)
    this.#note(lane, { kind: 'answer', request: name! })
    await this.#follow(lane, lane.worker.deliver(id, all, this.#now))
  }

  async #pass(lane: Lane, id: number, call: FileCall): Promise<void> {
    lane.files.delete(id)
    this.#note(lane, { kind: 'file', call, outcome: '' })
    await this.#follow(lane, lane.worker.pass(id))
  }

  async #wake(lane: Lane): Promise<void> {
    lane.wakes++
    this.#note(lane, { kind: 'wake' })
    await this.#follow(lane, lane.worker.wake(this.#now))
  }

  async #moveTo(at: number): Promise<void> {
    const { time } = this.#service
    await Promise.all(this.#lanes.map(({ worker, isRunning }) => isRunning && worker.approach?.(at)))
    time.moveTo(at)
    await time.settle()
  }

  async #follow(lane: Lane, step: Promise<readonly WorkerWord[]>): Promise<void> {
    this.#last = lane
    for (const word of await step) {
      if (word.kind === 'request') {
        const { request } = word
        lane.requests.set(request.number, {
          ...{ asked: request, id: undefined, parts: [], leaving: new AbortController(), isLeft: false },
        })
        this.#note(lane, { kind: 'ask', request })
      } else if (word.kind === 'abandon') this.#abandon(lane, word.request)
      else if (word.kind === 'file') lane.files.set(word.file, word.call)
      else if (word.kind === 'done') this.#noteOutcome(lane, word.call, word.outcome)
      else {
        lane.state = 'ended'
        lane.ending = word.ending
        this.#note(lane, { kind: 'end', ending: word.ending })
      }
    }
    // What a client that has ended was still asking for comes to its end without it.
    if (lane.state === 'ended') for (const id of lane.requests.keys()) this.#abandon(lane, id)
  }

  /** The client has given a request up. One that the service has not got yet never arrives. */
  #abandon(lane: Lane, id: number): void {
    const request = lane.requests.get(id)
    if (!request) return
    request.isLeft = true
    request.leaving.abort()
    lane.requests.delete(id)
    this.#note(lane, { kind: 'abandon', request: request.id ?? '' })
  }

  #note(lane: Lane, event: LaneEvent): void {
    this.#entries.push({ worker: lane.number, at: this.#now, event })
  }

  #noteOutcome(lane: Lane, call: FileCall, outcome: string): void {
    const entry = this.#entries.findLast(
      ({ worker, event }) => worker === lane.number && event.kind === 'file' && event.call.name === call.name,
    )
    if (entry?.event.kind === 'file' && entry.event.outcome === '') entry.event.outcome = outcome
  }
}
