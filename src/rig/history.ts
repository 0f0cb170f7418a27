import type { RequestRecord } from './request-record.ts'

/** What happens to a space, in the order in which it happens. The number is that of the request, or of the change. */
export const stepKinds = [
  /** A request has arrived. */
  'opened',
  /** Its body has been read. */
  'read',
  /** With its body, it is decided whether anything may apply to it. */
  'decided',
  /** It has been held against what is armed. */
  'claimed',
  /** The service has been asked. A read that nothing disturbs is answered when it arrives, and has no such step. */
  'asked',
  /** Its answer has left, or never will. */
  'closed',
  /** Its client has left while it waited. */
  'left',
  /** A control call begins to change the space. */
  'change',
  /** It has been answered. */
  'changed',
  /** What was due on the platform has been recorded, for somebody who reads. */
  'platform',
] as const
export type StepKind = (typeof stepKinds)[number]

/** One step of a history. */
export interface HistoryStep {
  readonly kind: StepKind
  readonly number: number
  /** The time of the space, milliseconds since 1970. */
  readonly clock: number
}

/** A control call that changed a space. */
export interface ControlChange {
  /** From 1. */
  readonly number: number
  readonly method: string
  /** Below the space, with its query: `/clock`. */
  readonly path: string
  readonly body: object | undefined
  /** Who made it: the page, or the program as it calls itself. */
  readonly by: string
  readonly real: number
  readonly clock: number
  /** Number of the last request that had arrived before. */
  readonly after: number
  /** Number of saves before it, see `SpaceData.age`. */
  readonly age: number
  /** Of its answer; undefined while there is none. */
  status: number | undefined
}

/** At most so many changes, and characters of their bodies, are kept in one space. */
const maxChanges = 1_000
const maxChangedText = 1 << 20

/**
 * All that a space needs to be played again: in which order requests and control calls came, and at which times the service
 * saw them. It is whole or it is given up: a history with a gap leads to no state.
 */
export class SpaceHistory {
  /** For each step its kind and number as one small integer, so that a step is no object that the garbage collector moves. */
  #steps: number[] = []
  #times: number[] = []
  #changes: ControlChange[] = []
  #text = 0
  #lost: string | undefined
  /** Milliseconds since 1970 on the space's clock, when the space began. */
  readonly began: number

  /** @param lost why it is not whole from the beginning */
  constructor(began: number, lost?: string) {
    this.began = began
    this.#lost = lost
  }

  /** Why the space cannot be played again; undefined if it can. */
  get lost(): string | undefined {
    return this.#lost
  }

  get changes(): readonly ControlChange[] {
    return this.#changes
  }

  get steps(): HistoryStep[] {
    return this.#steps.map((code, at) => ({
      kind: stepKinds[code & kindMask]!,
      number: code >> kindBits,
      clock: this.#times[at]!,
    }))
  }

  note(kind: keyof typeof codes, number: number, clock: number): void {
    if (this.#lost !== undefined) return
    this.#steps.push((number << kindBits) | codes[kind])
    this.#times.push(clock)
  }

  /** A control call begins to change the space. @returns the record of it, to be given to `endChange` */
  beginChange(change: Omit<ControlChange, 'number' | 'status'>): ControlChange {
    const made = { ...change, number: this.#changes.length + 1, status: undefined }
    if (this.#lost !== undefined) return made
    this.#text += change.body === undefined ? 0 : JSON.stringify(change.body).length
    if (made.number > maxChanges || this.#text > maxChangedText) {
      this.lose('more was changed by control calls than is kept')
      return made
    }
    this.#changes.push(made)
    this.note('change', made.number, change.clock)
    return made
  }

  /** @param status of the answer */
  endChange(change: ControlChange, status: number, clock: number): void {
    change.status = status
    // Such as one whose disk was full: it was not refused, and did not happen.
    if (status >= 500) this.lose('a control call could not be carried out')
    this.note('changed', change.number, clock)
  }

  /** Gives the steps up. The changes stay, to be read. @param why as a clause: "requests were dropped to make room" */
  lose(why: string): void {
    this.#lost ??= why
    this.#steps = []
    this.#times = []
  }
}

const kindBits = 4
const kindMask = (1 << kindBits) - 1
const codes = Object.fromEntries(stepKinds.map((kind, code) => [kind, code])) as Record<StepKind, number>

/** A history for its readers. */
export type ReadableHistory = Pick<SpaceHistory, 'began' | 'lost' | 'changes' | 'steps'>

/** The steps before which a request waits for its turn, since what it does next depends on what others have done. */
export type GatedStep = 'decided' | 'claimed' | 'asked' | 'repeated'

/** Lets a space that is played again wait until it is the turn of each step. */
export interface Replay {
  /** Resolves when the step of this request is the next one. */
  turn(record: RequestRecord, kind: GatedStep): Promise<void>
}
