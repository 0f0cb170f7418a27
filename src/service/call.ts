import type { Context } from 'hono'
import type { PlanStep, Right } from '../store/rows.ts'
import type { Space } from '../store/spaces.ts'
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
  /** The states that a sending created by this request passes through; undisturbed it is CREATED at once. */
  readonly plan?: readonly PlanStep[]
}

export type ServiceContext = Context<{ Bindings: Call }>
