import type { DialName } from '../service/dials.ts'
import type { Exchange } from './exchange.ts'

/** What a look at one clause came to. What it weighs is decided by the clause's standing and by the dials. */
export type Outcome =
  | { readonly is: 'holds'; readonly note?: string }
  | Difference
  /** A choice that a dial turns: what the target does is one of its values. */
  | {
      readonly is: 'observed'
      readonly dial: DialName
      readonly value: string
      readonly expected: string
      readonly seen: string
      readonly evidence: readonly Exchange[]
    }
  /** Something that a setting of the mock turns, such as `publicUrl`. */
  | {
      readonly is: 'set'
      readonly setting: SettingName
      readonly value: string | number
      readonly expected: string
      readonly seen: string
      readonly evidence: readonly Exchange[]
    }
  /** This target has nothing to look at. */
  | { readonly is: 'untestable'; readonly reason: string }
  /** It comes to what another clause comes to. */
  | { readonly is: 'as'; readonly clause: string }

export interface Difference {
  readonly is: 'differs'
  readonly expected: string
  readonly seen: string
  readonly evidence: readonly Exchange[]
}

/** Settings of the mock that follow from what a target shows. */
export type SettingName = 'relationPrefix' | 'platformSegment' | 'publicUrl' | 'rateLimit'

export const holds = (note?: string): Outcome => ({ is: 'holds', ...(note !== undefined && { note }) })
export const differs = (
  expected: string,
  seen: string,
  ...evidence: readonly (Exchange | undefined)[]
): Difference => ({ is: 'differs', expected, seen, evidence: evidence.filter(it => it !== undefined) })
export const untestable = (reason: string): Outcome => ({ is: 'untestable', reason })
export const as = (clause: string): Outcome => ({ is: 'as', clause })

/** Thrown by what a check needs and this target does not have: the check then says so. */
export class Lacking extends Error {
  override readonly name = 'Lacking'
  readonly outcome: Outcome

  constructor(outcome: Outcome) {
    super(outcome.is)
    this.outcome = outcome
  }
}

/** @throws Lacking, always: there is nothing to look at */
export function lacking(reason: string): never {
  throw new Lacking(untestable(reason))
}

/** @throws Lacking, always: another clause tells why this one cannot be looked at */
export function tellsOther(clause: string): never {
  throw new Lacking(untestable(`${clause} does not hold, and this needs it`))
}
