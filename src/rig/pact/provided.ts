import type { Values } from './provider-state.ts'

/** States that a verifier has set up in a space, for the interaction that is to come. */
export interface Provided {
  /** How many requests the space had seen by then: another one means that the interaction is over. */
  readonly requests: number
  readonly values: Values
}
