import type { Answer } from '../service/answer.ts'
import type { Call } from '../service/call.ts'
import type { DialValues } from '../service/dials.ts'
import type { Links } from '../service/links.ts'
import type { Account } from '../store/homes.ts'
import type { Arrival } from './arrival.ts'
import type { FaultContext, WireFault } from './faults/fault.ts'
import { hint, hintsTo, withHints } from './hints.ts'
import type { Delivered, Entry } from './journal.ts'
import type { RequestFacts } from './request-facts.ts'
import type { SpaceRig } from './space-rig.ts'

/** One request of a known user to the service. */
export interface Visit {
  readonly request: Request
  /** Path and query. */
  readonly target: string
  readonly account: Account
  /** Base of all links, without a slash at the end. */
  readonly base: string
  readonly header: Call['header']
  readonly headers: Entry['headers']
  readonly arrival: Arrival
  /** Reads the body. @throws Problem 413 over the limit, 400 when it ended early */
  readonly body: () => Promise<Uint8Array>
}

/** What goes out from a space: an answer, and what is to happen to it on the wire. */
export interface Reply {
  readonly answer: Answer
  readonly strike: Strike | undefined
  /** To be told how the answer left. */
  close(delivered: Delivered, bytesSent: number): void
}

/** A fault that acts on the connection. */
export interface Strike {
  readonly fault: WireFault
  readonly settings: unknown
  readonly context: FaultContext
  /** Hears of errors that are ours, not a client's. */
  readonly report: (error: unknown) => void
}

const none = new Uint8Array()
const noBody = () => none
const nothingTold: Answer = { status: 0, headers: {}, body: '' }

/** A request on its way through a space, from its arrival to the reply. There is one for every request, so it is lean. */
export class Passage implements Reply {
  readonly rig: SpaceRig
  readonly visit: Visit
  readonly entry: Entry
  call: Call
  answer: Answer = nothingTold
  strike: Strike | undefined = undefined
  /** What it says of itself, once that has been asked. */
  facts: RequestFacts | undefined = undefined
  private bytes: Uint8Array | undefined = undefined
  private reading: Promise<Uint8Array> | undefined = undefined

  /** @param twinOf ID of the request that is delivered once more as this one */
  constructor(rig: SpaceRig, visit: Visit, twinOf?: string) {
    const { account, header, arrival, request } = visit
    const { method } = request
    const id = rig.nextId()
    const dials = rig.usualDials
    this.rig = rig
    this.visit = visit
    this.entry = rig.open({
      id,
      user: account.user.name,
      method,
      target: visit.target,
      headers: visit.headers,
      connection: arrival.connection,
      position: arrival.position,
      remotePort: arrival.remotePort,
      twinOf,
    })
    this.call = {
      space: rig.space,
      rights: account.user.rights,
      links: rig.links(visit.base, dials),
      cause: id,
      header,
      dials,
      body: method === 'GET' || method === 'HEAD' ? noBody : () => this.bytes ?? this.read(),
      plan: undefined,
    }
  }

  /** The service is to work by these. Member by member: what is made by spreading makes everything that reads it dear. */
  turn(dials: DialValues, links: Links, plan: Call['plan']): void {
    const { space, rights, cause, header, body } = this.call
    this.call = { space, rights, links, cause, header, dials, body, plan }
  }

  /** The body, read once. @throws Problem 413 over the limit, 400 when it ended early */
  read(): Promise<Uint8Array> {
    this.reading ??= this.visit.body().then(bytes => {
      this.bytes = bytes
      this.rig.journal.read(this.entry, bytes)
      return bytes
    })
    return this.reading
  }

  /** The service has answered. */
  answered(answer: Answer): void {
    this.rig.journal.answered(this.entry, answer)
  }

  /**
   * Settles what the client is to be told.
   * @param isTrue whether it is what the service answered
   * @param scenario the one that struck
   */
  tell(answer: Answer, isTrue: boolean, hasHints: boolean, scenario?: string): this {
    const { rig, entry } = this
    const hints = hasHints
      ? hintsTo(answer, scenario, () => hint(answer, rig.reader.facts(entry), rig))
      : undefined
    rig.journal.tell(entry, answer, isTrue, hints)
    if (hints) {
      const { status, body, problem } = answer
      const headers = withHints(answer.headers, hints, entry.id)
      this.answer = problem ? { status, headers, body, problem } : { status, headers, body }
    } else this.answer = answer
    return this
  }

  /** It is kept waiting: its client may leave long before the work is done, and the answer tried. */
  waits(): void {
    void this.visit.arrival.left.then(() => this.rig.abandon(this.entry))
  }

  close(delivered: Delivered, bytesSent: number): void {
    this.rig.close(this.entry, delivered, bytesSent)
  }
}

/** Chance of a request: at least 0, below 1; the same for the same space, seed, request and purpose. */
export const fractionOf =
  ({ rig, entry }: Passage) =>
  (purpose: string): number =>
    rig.space.chance.fraction('scenario', entry.id, purpose)
