import type { Outcome } from './outcome.ts'
import type { Workshop } from './workshop.ts'
import type { World } from './world.ts'

/** How a clause is answered for. */
export type Entry = Check | Follower | Outside

/** A look at one clause from outside. */
export interface Check {
  readonly clause: string
  /** What it looks at, for people. */
  readonly looksAt: string
  readonly needsWrites: boolean
  /** @param workshop there when writes are allowed */
  readonly look: (world: World, workshop: Workshop | undefined) => Promise<Outcome>
}

/** A clause that says what other clauses say in detail: it holds when they do, and a difference is told once, there. */
export interface Follower {
  readonly clause: string
  readonly follows: readonly string[]
}

/** A clause that nobody can see from outside. */
export interface Outside {
  readonly clause: string
  readonly outside: string
}

type Look = (world: World, workshop: Workshop | undefined) => Promise<Outcome> | Outcome
type WritingLook = (workshop: Workshop, world: World) => Promise<Outcome>

/** A check that only reads; it may look at what was created besides, where that is allowed. */
export const reading = (clause: string, looksAt: string, look: Look): Check => ({
  clause,
  looksAt,
  needsWrites: false,
  look: async (world, workshop) => look(world, workshop),
})

/** A check that has to create or change something. */
export const writing = (clause: string, looksAt: string, look: WritingLook): Check => ({
  clause,
  looksAt,
  needsWrites: true,
  look: (world, workshop) => look(workshop!, world),
})

export const follows = (clause: string, ...others: readonly string[]): Follower => ({
  clause,
  follows: others,
})

export const outside = (clause: string, reason: string): Outside => ({ clause, outside: reason })
