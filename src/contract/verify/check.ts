import { CannotCheck, type Outcome } from './outcome.ts'
import type { TargetReader } from './target-reader.ts'
import type { TestData } from './test-data.ts'

export type ClauseEntry = Check | Follower | Outside

export interface Check {
  readonly clause: string
  /** What it looks at, for reports. */
  readonly looksAt: string
  readonly needsWrites: boolean
  /** @param testData present if writes are allowed */
  readonly look: (reader: TargetReader, testData: TestData | undefined) => Promise<Outcome>
}

/** A clause that other clauses say in detail. It holds if they do; a difference is reported once, there. */
export interface Follower {
  readonly clause: string
  readonly follows: readonly string[]
}

/** A clause that cannot be seen from outside. */
export interface Outside {
  readonly clause: string
  readonly outside: string
}

/*
 * A look always says its outcome: that a clause holds comes from a comparison (`must`, `compareEach`), never from nothing. It may
 * also end with a CannotCheck, as the functions of outcome.ts throw it.
 */
type ReadingLook = (reader: TargetReader, testData: TestData | undefined) => Promise<Outcome> | Outcome
type WritingLook = (testData: TestData, reader: TargetReader) => Promise<Outcome>

async function outcomeOf(look: () => Promise<Outcome> | Outcome): Promise<Outcome> {
  try {
    return await look()
  } catch (error) {
    if (error instanceof CannotCheck) return error.outcome
    throw error
  }
}

/** A check that only reads. It may also look at what other checks have created, if writes are allowed. */
export const reading = (clause: string, looksAt: string, look: ReadingLook): Check => ({
  clause,
  looksAt,
  needsWrites: false,
  look: (reader, testData) => outcomeOf(() => look(reader, testData)),
})

/** A check that has to create or change something. */
export const writing = (clause: string, looksAt: string, look: WritingLook): Check => ({
  clause,
  looksAt,
  needsWrites: true,
  look: (reader, testData) => outcomeOf(() => look(testData!, reader)),
})

export const follows = (clause: string, ...others: readonly string[]): Follower => ({
  clause,
  follows: others,
})

export const outside = (clause: string, reason: string): Outside => ({ clause, outside: reason })
