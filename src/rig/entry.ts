import type { Refusal } from '../service/problem.ts'
import type { BodyDigest } from './body-digest.ts'
import type { Hints } from './hints.ts'
import type { Decision, Selection } from './play.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { bytesAt, type Place } from './shelves.ts'
import { type Moment, type MomentName, moments, type Stamps } from './stamps.ts'

export type { Moment } from './stamps.ts'

/** Where a request came from, as far as the socket tells. */
export interface Origin {
  /** Counts connections of this server from 1; 0 for a request without a socket. */
  readonly connection: number
  /** Which request on its connection, from 1. */
  readonly position: number
  readonly remotePort: number | undefined
}

/** What is known of a request on arrival. Headers are as they came; whoever shows them takes the credentials out. */
export interface Asked extends Origin {
  readonly id: string
  readonly user: string
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The first delivery of this request, where our own `deliver: twice` makes this one. */
  readonly twinOf: string | undefined
}

/**
 * How an answer left. `handed`: whole, to the operating system, which is no proof that it was received. `cut`: a fault
 * left part of it out or broke the connection. `none`: a fault withheld it. `aborted`: the client left first.
 * `server-stopped`: the mock was stopped first.
 */
export type Delivered = 'open' | 'handed' | 'cut' | 'none' | 'aborted' | 'server-stopped'

/**
 * One request and what became of it. Opened on arrival, closed when its answer has left or never will. There is one for
 * every request, and it lives a while: it holds numbers where it can.
 */
export class Entry implements Asked {
  readonly id: string
  readonly user: string
  readonly method: string
  target: string
  headers: Asked['headers']
  readonly connection: number
  readonly position: number
  readonly remotePort: number | undefined
  readonly twinOf: string | undefined
  /** Counts the space's requests, from 1, also those that were dropped. */
  readonly number: number
  /** How often the clock had been moved by hand before it arrived. */
  readonly clockEpoch: number
  /** The body as it came, up to a limit. */
  place: Place | undefined = undefined
  bodyBytes = 0
  /** Of a body that is not kept whole: what could not be found out from its beginning. */
  digest: BodyDigest | undefined = undefined
  /** The scenario that was asked for a step; undefined where none was in force. */
  considered: { readonly scenario: Scenario; readonly by: Selection } | undefined = undefined
  decision: Decision | undefined = undefined
  /** The true answer; undefined where the service was never asked. */
  truth: Kept | undefined = undefined
  /** What was meant for the client, before a fault on the wire. */
  told: Kept | undefined = undefined
  /** What stood beside it for whoever is testing; undefined where nothing did. */
  hints: Hints | undefined = undefined
  delivered: Delivered = 'open'
  /** That left for the client, head included. */
  bytesSent = 0
  /** Set when it has been dropped to make room. */
  isDropped = false
  /** Bytes that it is counted with. */
  weight = 0

  private readonly page: number[]
  private readonly start: number

  constructor(asked: Asked, number: number, clockEpoch: number, stamps: Stamps) {
    this.id = asked.id
    this.user = asked.user
    this.method = asked.method
    this.target = asked.target
    this.headers = asked.headers
    this.connection = asked.connection
    this.position = asked.position
    this.remotePort = asked.remotePort
    this.twinOf = asked.twinOf
    this.number = number
    this.clockEpoch = clockEpoch
    this.page = stamps.page
    this.start = stamps.start
  }

  /** @param real milliseconds since 1970, as is `clock` */
  stamp(moment: MomentName, real: number, clock: number): void {
    const at = this.start + moments[moment]
    this.page[at] = real
    this.page[at + 1] = clock
  }

  has(moment: MomentName): boolean {
    return !Number.isNaN(this.page[this.start + moments[moment]]!)
  }

  get arrived(): Moment {
    return this.moment('arrived')!
  }

  /** When the last byte of its body was there. */
  get read(): Moment | undefined {
    return this.moment('read')
  }

  get ended(): Moment | undefined {
    return this.moment('ended')
  }

  /** When its client was seen to have left while it waited, which may be long before it ended. */
  get left(): Moment | undefined {
    return this.moment('left')
  }

  private moment(name: MomentName): Moment | undefined {
    if (!this.has(name)) return undefined
    const at = this.start + moments[name]
    return { real: this.page[at]!, clock: this.page[at + 1]! }
  }

  /** As it came, up to a limit. */
  get body(): Uint8Array | undefined {
    return this.place && bytesAt(this.place)
  }
}

/** An answer as it is kept: long bodies are cut. */
export class Kept implements Place {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly shelf: Buffer
  readonly start: number
  readonly end: number
  /** Length of the whole body in bytes. */
  readonly bodyBytes: number
  /** What it tells of, where that is a problem; the body may say less. */
  readonly problem: Refusal | undefined

  constructor(
    status: number,
    headers: Kept['headers'],
    { shelf, start, end }: Place,
    bodyBytes: number,
    problem: Refusal | undefined,
  ) {
    this.status = status
    this.headers = headers
    this.shelf = shelf
    this.start = start
    this.end = end
    this.bodyBytes = bodyBytes
    this.problem = problem
  }

  get body(): Buffer {
    return bytesAt(this)
  }

  /** As text: a shelf has the bodies of others beside this one. */
  toJSON(): object {
    const { status, headers, body, bodyBytes } = this
    return { status, headers, body: body.toString(), bodyBytes }
  }

  /** Whether the whole body is kept. */
  get isWhole(): boolean {
    return this.end - this.start === this.bodyBytes
  }
}
