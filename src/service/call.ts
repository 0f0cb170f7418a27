import type { Context } from 'hono'
import type { PlanStep, Right } from '../store/rows.ts'
import type { Space } from '../store/space.ts'
import type { DialValues } from './dials.ts'
import type { Links } from './links.ts'

/** What the service is told of a request besides the request itself. Plain values: it asks nobody for more. */
export interface Call {
  readonly space: Space
  readonly rights: readonly Right[]
  readonly links: Links
  /** ID of the request: what every effect on the platform names as its cause. */
  readonly cause: string
  /** A request header by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** What this space does where the document is silent. */
  readonly dials: DialValues
  /**
   * The request body, read once however often it is asked for; at once where that has been done.
   * @throws Problem 413 over the limit, 400 when the client left in the middle of it
   */
  readonly body: () => Uint8Array | Promise<Uint8Array>
  /** The states that a sending created by this request passes through; undisturbed it is CREATED at once. */
  readonly plan: readonly PlanStep[] | undefined
}

export type ServiceContext = Context<{ Bindings: Call }>
