import type { OperationId } from '../service/operations.ts'
import type { Step } from './scenarios/scenario.ts'

/** A request as scenarios look at it. What costs something to find out is found out when it is asked for. */
export interface Attempt {
  readonly operation: OperationId
  /** Milliseconds on the space's clock. */
  readonly now: number
  readonly user: string
  readonly path: string
  readonly synchronizationId: string | undefined
  readonly transactionId: string | undefined
  readonly header: (name: string) => string | undefined
  readonly query: (name: string) => string | undefined
  /** A member of the body, where that is a JSON object. */
  readonly body: (member: string) => unknown
  /** The same for requests with the same operation, path and payload, transactionId aside. */
  readonly payloadKey: () => string
  /** At least 0, below 1; the same for the same space, request and purpose. */
  readonly fraction: (purpose: string) => number
  /** Whether the step can strike here: some need a connection that has been used before. */
  readonly canStrike: (step: Step) => boolean
}
