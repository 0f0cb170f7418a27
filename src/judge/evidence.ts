import type { Delivered, Moment } from '../rig/entry.ts'
import type { EntryReader } from '../rig/entry-reader.ts'
import { realTime } from '../rig/journal.ts'
import { ledgerOf } from '../rig/ledger.ts'
import type { Ledger } from '../rig/ledger-shape.ts'
import { type SendingMade, sendingsMade } from '../rig/sendings-made.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import type { SendingState } from '../store/rows.ts'
import { attemptOf } from './attempt.ts'
import { type Unstruck, unstruckIn } from './unstruck.ts'

export type Operation = NonNullable<ReturnType<EntryReader['operation']>>

/** Everything that the judge looks at: one space from its beginning until now, as plain data. */
export interface Evidence {
  readonly space: string
  readonly at: Moment
  /** Seconds of the space's clock for each real one; 0 is frozen. */
  readonly rate: number
  /** Every request on record, in the order of arrival. */
  readonly attempts: readonly Attempt[]
  /** What truly happened on the platform. */
  readonly ledger: Ledger
  readonly sendings: readonly SendingMade[]
  /** What was armed and did nothing: a test whose fault never struck proves nothing. */
  readonly unstruck: readonly Unstruck[]
  /** Requests that are no longer on record, because they had to make room. */
  readonly dropped: number
  /** Requests that somebody removed from the record on purpose. */
  readonly forgotten: number
}

/** One request, and what became of it. */
export interface Attempt {
  /** ID of the request. */
  readonly id: string
  readonly number: number
  readonly user: string
  readonly operation: Operation | undefined
  readonly method: string
  /** Path and query, without credentials. */
  readonly target: string
  readonly synchronizationId: string | undefined
  /** Of a sending that was to be created. */
  readonly transactionId: string | undefined
  readonly asked: Asked
  /** 0 for a request without a socket. */
  readonly connection: number
  /** Which request on its connection, from 1. */
  readonly position: number
  readonly userAgent: string | undefined
  readonly arrived: Moment
  /** When it was over for its client: the answer had left, or was never going to, or the client was seen to leave. */
  readonly ended: Moment | undefined
  /** How often the space's clock had been moved by hand before it arrived. */
  readonly epoch: number
  readonly told: Told | undefined
  readonly truth: { readonly status: number; readonly state: SendingState | undefined } | undefined
  readonly delivered: Delivered
  readonly decision: Struck | undefined
  /** The request that our own `deliver: twice` delivered again as this one. */
  readonly twinOf: string | undefined
}

/** What a request carried. */
export interface Asked {
  /** Whether it came to its end: a body that was never read tells neither payload nor transaction. */
  readonly isWhole: boolean
  /** Equal for equal bytes; undefined for none. */
  readonly bytes: string | undefined
  /** Of a sending that was to be created, where its body is a JSON object and on record as a whole. */
  readonly payload: Payload | undefined
}

/** What a sending was to be created with. Null and absent are the same. */
export interface Payload {
  /** Undefined: none. A value that is no string is given as JSON. */
  readonly transactionId: string | undefined
  /** Whether its transactionId keeps to the form that the document gives. */
  readonly isIdWellFormed: boolean
  /** As UTC with milliseconds where it can be read as a date-time, so that equal times are equal texts. */
  readonly scheduleDate: string | undefined
  readonly name: string | undefined
  readonly subject: string | undefined
  /** Members that the document does not know, as JSON; empty for none. */
  readonly others: string
}

/** What the client was meant to be told. */
export interface Told {
  readonly status: number
  readonly mediaType: string | undefined
  /** Of the sending in it, if it is the one that was asked about, told as the document says. */
  readonly state: SendingState | undefined
  /** Whatever stands there as a state. */
  readonly stateText: string | undefined
  /** By which member the sending in it is another one than the one that was asked about; undefined where it is that one. */
  readonly foreignBy: 'transactionId' | 'mailingSynchronizationId' | undefined
  readonly sendingId: string | undefined
  readonly retryAfter: string | undefined
  /** Name of the problem in it, where it is one of the service's. */
  readonly problem: string | undefined
  /** Other sendings in it, of a request that reads. Undefined where that is not known. */
  readonly sightings: readonly Sighting[] | undefined
}

/** A sending as a client read it. */
export interface Sighting {
  readonly sendingId: string
  readonly transactionId: string | undefined
  readonly state: SendingState
}

/** What a scenario or a one-shot fault did to a request. */
export interface Struck {
  readonly scenario: string
  /** From 1. */
  readonly rule: number
  /** From 1. */
  readonly step: number
  readonly phase: 'before' | 'bound' | 'partial' | 'after'
  readonly fault: string | undefined
  readonly isTwice: boolean
}

/** The evidence of a space, once everything is on record that its platform has done by now. */
export async function evidenceOf(rig: SpaceRig): Promise<Evidence> {
  await rig.settle()
  const { journal, clock, space, reader } = rig
  const entries = journal.entries()
  return {
    space: space.name,
    at: { real: realTime(), clock: clock.now() },
    rate: clock.rate,
    attempts: entries.map(entry => reader.once(entry, attemptOf)),
    ledger: ledgerOf(rig),
    sendings: sendingsMade(rig),
    unstruck: unstruckIn(rig),
    dropped: journal.dropped,
    forgotten: journal.count - journal.dropped - entries.length,
  }
}
