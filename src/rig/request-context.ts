import { BodyNeeded, type ServiceCall } from '../service/operation.ts'
import type { Answer } from '../service/response.ts'
import { textFactor } from '../store/memory-budget.ts'
import type { Account } from '../store/tenant-directory.ts'
import type { Arrival } from './arrival.ts'
import type { FaultContext, ToldResponse, WireFault } from './faults/fault.ts'
import { hintSentence, madeRoomHint, successHint } from './hints.ts'
import { RequestFacts } from './request-facts.ts'
import {
  type Delivery,
  hintedHeaders,
  type RequestRecord,
  recordBody,
  traceparentOf,
} from './request-record.ts'
import type { Decision, Scenario } from './scenarios/scenario.ts'
import type { SpaceRig } from './space-rig.ts'
import { areAnswersHeard, publishAnswer } from './true-answers.ts'

/** One request of a known user to the service. */
export interface IncomingRequest {
  readonly request: Request
  /** Path and query. */
  readonly target: string
  readonly account: Account
  /** Base of all links, without a slash at the end. */
  readonly base: string
  readonly header: ServiceCall['header']
  readonly headers: RequestRecord['headers']
  readonly arrival: Arrival
  /** Reads the body. @throws Problem 413 over the limit, 400 when it ended early */
  readonly body: () => Promise<Uint8Array>
}

/** The result of a request: an answer, and the fault to apply to it on the wire. */
export interface Reply {
  answer: ToldResponse
  readonly pendingFault: PendingFault | undefined
  /** Records how the answer was delivered. */
  close(delivered: Delivery, bytesSent: number): void
  /** @returns records that the client has not read the whole answer; keeps nothing else of the request in memory */
  unreadNote?(): () => void
}

/** A fault that acts on the connection. */
export interface PendingFault {
  readonly fault: WireFault
  readonly settings: unknown
  readonly context: FaultContext
  /** Called with internal errors. */
  readonly report: (error: unknown) => void
}

/** Bytes of a request in progress without its bodies, with its connection; roughly. */
const requestBytes = 4_000

const noHints = { scenario: undefined, sentence: undefined }
const noBody = Buffer.alloc(0)
const noAnswer: Answer = { status: 0, headers: {}, body: '' }

/** One request in a space, from its arrival until its answer has been delivered. It owns and writes its record. */
export class RequestContext implements Reply {
  readonly rig: SpaceRig
  readonly incoming: IncomingRequest
  readonly record: RequestRecord
  call: ServiceCall
  answer: ToldResponse = noAnswer
  pendingFault: PendingFault | undefined = undefined
  /** When its latest step was, on the space's clock; see `SpaceHistory`. */
  stepAt: number | undefined = undefined
  /** What the request says, as far as it has arrived. */
  readonly facts: RequestFacts
  /** Whether the body has been read, or there is none. */
  isBodyRead: boolean
  #reading: Promise<void> | undefined = undefined
  /** With what reading the body failed. */
  #bodyError: unknown = undefined
  #bytes = 0

  /** @param twinOf ID of the first delivery, if this is the second one of `deliver: twice` */
  constructor(rig: SpaceRig, incoming: IncomingRequest, twinOf?: string) {
    const { account, header, headers, target, arrival, request } = incoming
    const { method } = request
    const number = rig.journal.count + 1
    const id = `r${rig.space.data.age}-${number}`
    this.rig = rig
    this.incoming = incoming
    this.facts = new RequestFacts(method, target, noBody, rig.reader.segment)
    this.isBodyRead = method === 'GET' || method === 'HEAD'
    rig.use.enter(account.user.rights.includes('write'))
    this.record = {
      id,
      number,
      user: account.user.name,
      method,
      target,
      base: incoming.base,
      headers,
      connection: rig.connectionNumber(arrival),
      position: arrival.position,
      remotePort: arrival.remotePort,
      unfitTls: arrival.unfitTls,
      twinOf,
      clockEpoch: rig.clockEpoch,
      arrived: rig.now(),
      read: undefined,
      ended: undefined,
      left: undefined,
      isUnread: false,
      body: undefined,
      bodyBytes: 0,
      digest: undefined,
      applicableScenario: undefined,
      decision: undefined,
      truth: undefined,
      response: undefined,
      hints: undefined,
      delivered: 'open',
      bytesSent: 0,
      chargedBytes: undefined,
    }
    this.#takeMemory(requestBytes)
    rig.journal.history.note('opened', number, this.record.arrived.clock)
    rig.journal.open(this.record)
    if (twinOf === undefined) arrival.nameRecord?.(id, rig.space.name)
    const prepared = rig.preparedDials(rig.scenarios.active?.scenario)
    const rendered = rig.rendered(incoming.base, prepared)
    this.call = {
      space: rig.space,
      rights: account.user.rights,
      target,
      links: rendered.links,
      rendered,
      // Contains the number of changes, so that IDs differ from those before a restart.
      cause: id,
      header,
      dials: prepared.values,
      prepared,
      hidesTestSynchronizations: rig.hidesTestSynchronizations,
      body: () => this.#requireBody(),
      json: () => this.facts.requireJson(),
      plan: undefined,
    }
  }

  /** Random value of the request: at least 0, below 1; equal for the same space, seed, request and purpose. */
  get fraction(): (purpose: string) => number {
    return purpose => this.rig.space.chance.fraction('scenario', this.record.id, purpose)
  }

  /** Applies a scenario that the request chose, with its dials, and the plan of a decision. */
  choose(scenario: Scenario | undefined, decision: Decision | undefined): void {
    const { rig, incoming } = this
    const prepared = rig.preparedDials(scenario ?? rig.scenarios.active?.scenario)
    const rendered = rig.rendered(incoming.base, prepared)
    const { links } = rendered
    this.call = { ...this.call, links, rendered, dials: prepared.values, prepared, plan: decision?.plan }
  }

  /** Applies the dials of another request. */
  useDialsOf({ call: { links, rendered, dials, prepared } }: RequestContext): void {
    this.call = { ...this.call, links, rendered, dials, prepared }
  }

  /**
   * Reads the body, once. Of one that is incomplete or too long there is none; the service refuses the request when it asks
   * for it.
   */
  readBody(): Promise<void> {
    this.#reading ??= this.incoming.body().then(
      body => this.#takeBody(body),
      error => {
        this.#bodyError = error
      },
    )
    return this.#reading
  }

  #takeBody(body: Uint8Array): void {
    const { record, rig } = this
    this.facts.body = body
    this.isBodyRead = true
    this.#takeMemory(textFactor * body.length)
    record.read = rig.now()
    rig.journal.history.note('read', record.number, record.read.clock)
    recordBody(record, body)
    rig.journal.changed(record, 'read')
  }

  /** @throws Problem with which reading the body failed; BodyNeeded if it was not read */
  #requireBody(): Uint8Array {
    if (!this.isBodyRead) throw this.#bodyError ?? new BodyNeeded()
    return this.facts.body
  }

  /** Records the answer of the service, and returns it. */
  recordTrueAnswer(answer: Answer): Answer {
    this.record.truth = this.rig.journal.recorded(answer)
    if (areAnswersHeard()) this.#publish(answer)
    return answer
  }

  #publish(answer: Answer): void {
    const { record, call } = this
    const { method, target } = record
    publishAnswer({ method, target, answer, names: call.links.names, dials: call.dials })
  }

  /**
   * Sets the answer for the client.
   * @param isTrue whether the service gave this answer
   * @param scenario the scenario that was applied. Its name is not sent where it would tell what INDETERMINATE_FAILURE
   * leaves open
   */
  setResponse(answer: ToldResponse, isTrue: boolean, hasHints: boolean, scenario?: string): this {
    const { rig, record } = this
    const isOutcomeOpen = this.call.plan?.some(({ state }) => state === 'INDETERMINATE_FAILURE')
    record.response = isTrue && record.truth ? record.truth : rig.journal.recorded(answer)
    if (hasHints) {
      const isRefusal = answer.status >= 400 && answer.status < 500
      const { facts } = this
      const ofAnswer =
        answer.problem?.hint ??
        (isRefusal ? hintSentence(answer, facts, rig) : successHint(facts, record.headers))
      const isFirst = record.number === 1 && rig.hasLostRecord
      const sentence = isFirst ? madeRoomHint(rig.continues, ofAnswer) : ofAnswer
      const named = isOutcomeOpen ? undefined : scenario
      const trace = traceparentOf(record)
      const hasNone = named === undefined && sentence === undefined && trace === undefined
      record.hints = hasNone ? noHints : { scenario: named, sentence, trace }
    }
    this.#takeMemory(typeof answer.body === 'string' ? 2 * answer.body.length : answer.body.length)
    rig.journal.changed(record, 'answered')
    const { status, body, problem, informational } = answer
    this.answer = { status, headers: hintedHeaders(answer.headers, record), body, problem, informational }
    if (isTrue && areAnswersHeard()) this.#publish(this.answer)
    return this
  }

  /** Watches the client of a held or delayed request: it may leave long before the work is done. */
  watchForDisconnect(): void {
    void this.incoming.arrival.clientLeft.then(() => {
      if (this.record.ended) return
      this.record.left = this.rig.now()
      this.rig.journal.history.note('left', this.record.number, this.record.left.clock)
      this.rig.use.leave(this.record.left.real)
      this.rig.keptJournal?.note(this.record, false)
    })
  }

  /** Only the first call counts: an abort and the answer may coincide. */
  close(delivered: Delivery, bytesSent: number): void {
    const { record, rig } = this
    if (record.ended) return
    record.delivered = delivered
    record.bytesSent = bytesSent
    record.ended = rig.now()
    rig.journal.history.note('closed', record.number, record.ended.clock)
    if (!record.left) rig.use.leave(record.ended.real)
    this.#takeMemory(-this.#bytes)
    rig.journal.changed(record, 'closed')
  }

  /** Counts what it holds until it is closed. */
  #takeMemory(bytes: number): void {
    if (this.record.ended && bytes > 0) return
    this.#bytes += bytes
    this.rig.requestMemory.add(bytes)
  }

  unreadNote(): () => void {
    const { record, rig } = this
    return () => {
      if (record.delivered !== 'handed') return
      record.isUnread = true
      rig.journal.changed(record, 'closed')
    }
  }
}
