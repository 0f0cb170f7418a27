import type { ServiceCall } from '../service/operation.ts'
import type { Answer } from '../service/response.ts'
import type { Account } from '../store/tenant-directory.ts'
import type { FaultContext, WireFault } from './faults/fault.ts'
import { hintSentence, hintsFor, withHints } from './hints.ts'
import type { Delivered, Entry } from './journal.ts'
import { RequestFacts } from './request-facts.ts'
import type { Decision } from './scenarios/play.ts'
import type { Scenario } from './scenarios/scenario.ts'
import type { SpaceRig } from './space-rig.ts'

/** One request of a known user to the service. */
export interface IncomingRequest {
  readonly request: Request
  /** Path and query. */
  readonly target: string
  readonly account: Account
  /** Base of all links, without a slash at the end. */
  readonly base: string
  readonly header: ServiceCall['header']
  readonly headers: Entry['headers']
  readonly arrival: Arrival
  /** Reads the body. @throws Problem 413 over the limit, 400 when it ended early */
  readonly body: () => Promise<Uint8Array>
}

/** The result of a request: an answer, and the fault to apply to it on the wire. */
export interface Reply {
  readonly answer: Answer
  readonly pendingFault: PendingFault | undefined
  /** Records how the answer was delivered. */
  close(delivered: Delivered, bytesSent: number): void
}

/** A fault that acts on the connection. */
export interface PendingFault {
  readonly fault: WireFault
  readonly settings: unknown
  readonly context: FaultContext
  /** Called with internal errors. */
  readonly report: (error: unknown) => void
}

const none = new Uint8Array()
const noAnswer: Answer = { status: 0, headers: {}, body: '' }

/** One request in a space, from its arrival until its answer has been delivered. There is one per request, so it is small. */
export class RequestContext implements Reply {
  readonly rig: SpaceRig
  readonly incoming: IncomingRequest
  readonly record: Entry
  call: ServiceCall
  answer: Answer = noAnswer
  pendingFault: PendingFault | undefined = undefined
  /** The body; empty until it has been read. */
  body: Uint8Array = none
  /** Whether the body has been read, or there is none. */
  isBodyRead: boolean
  private knownFacts: RequestFacts | undefined = undefined
  private reading: Promise<Uint8Array> | undefined = undefined
  private hasLeft = false

  /** @param twinOf ID of the first delivery, if this is the second one of `deliver: twice` */
  constructor(rig: SpaceRig, incoming: IncomingRequest, twinOf?: string) {
    const { account, header, headers, target, arrival, request } = incoming
    const { method } = request
    const { connection, position, remotePort } = arrival
    const id = rig.nextId()
    const user = account.user.name
    const dials = rig.defaultDials
    this.rig = rig
    this.incoming = incoming
    this.isBodyRead = method === 'GET' || method === 'HEAD'
    rig.use.enter()
    this.record = rig.journal.open(
      { id, user, method, target, headers, connection, position, remotePort, twinOf },
      rig.clock.epoch,
    )
    this.call = {
      space: rig.space,
      rights: account.user.rights,
      links: rig.links(incoming.base, dials),
      cause: id,
      header,
      dials,
      body: () => (this.isBodyRead ? this.body : this.readBody()),
      plan: undefined,
    }
  }

  /** What the request says, as far as it has arrived. */
  get facts(): RequestFacts {
    const { method } = this.incoming.request
    const known = this.knownFacts
    this.knownFacts = known
      ? known.withBody(this.body)
      : new RequestFacts(method, this.incoming.target, this.body, this.rig.reader.segment)
    return this.knownFacts
  }

  /** Random value of the request: at least 0, below 1; equal for the same space, seed, request and purpose. */
  get fraction(): (purpose: string) => number {
    return purpose => this.rig.space.chance.fraction('scenario', this.record.id, purpose)
  }

  /** Applies a scenario that the request chose, with its dials, and the plan of a decision. */
  choose(scenario: Scenario | undefined, decision: Decision | undefined): void {
    const dials = scenario ? this.rig.dials(scenario) : this.rig.defaultDials
    const links = this.rig.links(this.incoming.base, dials)
    this.call = { ...this.call, dials, links, plan: decision?.plan }
  }

  /** The body, read once. @throws Problem 413 over the limit, 400 when it ended early */
  readBody(): Promise<Uint8Array> {
    this.reading ??= this.incoming.body().then(bytes => {
      this.body = bytes
      this.isBodyRead = true
      this.rig.journal.recordBody(this.record, bytes)
      return bytes
    })
    return this.reading
  }

  /** Records the answer of the service. */
  recordTrueAnswer(answer: Answer): void {
    this.rig.journal.recordTrueAnswer(this.record, answer)
  }

  /**
   * Sets the answer for the client.
   * @param isTrue whether the service gave this answer
   * @param scenario the scenario that was applied
   */
  setResponse(answer: Answer, isTrue: boolean, hasHints: boolean, scenario?: string): this {
    const { rig, record } = this
    const hints = hasHints
      ? hintsFor(answer, scenario, () => hintSentence(answer, rig.reader.facts(record), rig))
      : undefined
    rig.journal.recordResponse(record, answer, isTrue, hints)
    if (hints) {
      const { status, body, problem } = answer
      const headers = withHints(answer.headers, hints, record.id)
      this.answer = problem ? { status, headers, body, problem } : { status, headers, body }
    } else this.answer = answer
    return this
  }

  /** Watches the client of a held or delayed request: it may leave long before the work is done. */
  watchForDisconnect(): void {
    void this.incoming.arrival.clientLeft.then(() => {
      if (this.record.hasMoment('ended')) return
      this.rig.journal.recordDisconnect(this.record)
      this.leave()
    })
  }

  /** Only the first call counts: an abort and the answer may coincide. */
  close(delivered: Delivered, bytesSent: number): void {
    if (this.record.hasMoment('ended')) return
    this.rig.journal.close(this.record, delivered, bytesSent)
    this.leave()
  }

  /** The client waits no longer; the space no longer counts as used by it. */
  private leave(): void {
    if (this.hasLeft) return
    this.hasLeft = true
    this.rig.use.leave()
  }
}

/** The connection of a request, as far as the rig needs it. */
export interface Arrival {
  /** Number of the connection on this server, from 1; 0 for a request without a socket. */
  readonly connection: number
  /** Position of the request on its connection, from 1. */
  readonly position: number
  readonly remotePort: number | undefined
  /** Resolves when the client disconnects before its answer is complete. */
  readonly clientLeft: Promise<void>
}

/** The arrival of a request without a socket. @param signal aborts when its sender gives up */
export function inProcessArrival(signal: AbortSignal): Arrival {
  return {
    connection: 0,
    position: 1,
    remotePort: undefined,
    get clientLeft() {
      if (signal.aborted) return Promise.resolve()
      return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
}
