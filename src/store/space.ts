import type { SpaceData } from './space-data.ts'

/** The space's time. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number
}

/** The space's chance: every value follows from the seed, the space's name and what it is for. */
export interface Chance {
  /** @param number tells UUIDs of one kind apart; the cheapest is the next one after the last */
  uuid(kind: string, number?: number): string
  /** At least 0, below 1. */
  fraction(...purpose: (string | number)[]): number
  /** A secret of the space, such as what signs its cursors. */
  secret(purpose: string): string
}

/** A tenant: its data, its time, its chance. Nothing is shared between two of them but what never changes. */
export interface Space {
  readonly name: string
  readonly data: SpaceData
  readonly clock: Clock
  readonly chance: Chance
}
