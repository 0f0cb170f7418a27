import type { VerdictView } from '../../rig/control/verdict-shape.ts'
import type { LedgerMailing, LedgerSending } from '../../rig/ledger-shape.ts'

export type Sending = VerdictView['sendings'][number]
export type Attempt = Sending['attempts'][number]
export type Finding = VerdictView['findings'][number]
export type Harm = VerdictView['harm']['findings'][number]

/** A moment on both clocks, in milliseconds since 1970. */
export interface Moment {
  readonly real: number
  readonly clock: number
}

/** By the machine's time, which nobody moves; the space's decides where that is the same. */
export const byTime = (one: Moment, other: Moment): number => one.real - other.real || one.clock - other.clock

/** A moment of the journal to the millisecond, as attempts have theirs: parts of one would decide an order. */
export const wholeMoment = ({ real, clock }: Moment): Moment => ({
  real: Math.floor(real),
  clock: Math.floor(clock),
})

interface Timed {
  /** Stands once in a lane, and stays this step's. */
  readonly id: string
  readonly begins: Moment
  /** Undefined while it is under way. */
  readonly ends: Moment | undefined
}

/** A request to create the sending. */
export interface AttemptStep extends Timed {
  readonly what: 'attempt'
  /** Which attempt of its sending, from 1. */
  readonly number: number
  readonly attempt: Attempt
  /** Stands for its transactionId where the sending has several, and it is another one than the attempt before had. */
  readonly letter: string | undefined
  /** Findings that cite it, one of each rule. */
  readonly findings: readonly Finding[]
  /** Platform mailings that it made. */
  readonly mailings: readonly LedgerMailing[]
  /** What it sent, at once or when its time has come. What went out after its end is a step of its own. */
  readonly sendings: readonly LedgerSending[]
}

/** The client looked what had become of it. */
export interface ReadStep extends Timed {
  readonly what: 'read'
  readonly requestId: string
  /** Whether it asked for all sendings of the synchronization. */
  readonly isList: boolean
  /** Undefined where no answer was made. */
  readonly status: number | undefined
  /** Of this sending, as it was told. */
  readonly state: string | undefined
  readonly delivered: Attempt['delivered']
}

/** The mailing went out when the attempt that brought it about was over for its client. */
export interface SentStep extends Timed {
  readonly what: 'sent'
  readonly sending: LedgerSending
}

/** Steps that are left out, because there are too many. */
export interface HiddenStep extends Timed {
  readonly what: 'hidden'
  readonly count: number
}

export type Step = AttemptStep | ReadStep | SentStep | HiddenStep

/** A sending that was meant, as it is drawn: what was done for it, in the order of time. */
export interface Lane {
  readonly id: string
  readonly sending: Sending
  /** Of the mailing that was to be sent, where it is still there. */
  readonly mailing: { readonly id: string; readonly name: string } | undefined
  readonly steps: readonly Step[]
  readonly findings: readonly Finding[]
  readonly harm: readonly Harm[]
  /** What went out for it before its first attempt on record: the ledger outlives a restart, the journal does not. */
  readonly before: readonly LedgerSending[]
  /** How many truly went out since, and how many will. */
  readonly sent: number
  readonly scheduled: number
}

/** Stands for a transactionId of a sending that has several. @param at its place among them, from 0 */
export const letterOf = (at: number): string => (at < 26 ? String.fromCharCode(65 + at) : String(at + 1))
