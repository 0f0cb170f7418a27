import type { Expectation } from '../../rig/scenarios/scenario.ts'
import type { Task } from '../end.ts'
import type { Belief, Ending } from './client.ts'

/** Why the exam stopped a client; undefined for one that ended itself. */
export type Stopped = 'late' | 'flood' | 'interrupted' | undefined

/** What came of a case, as far as it can be seen without rules of conduct. */
export interface Outcome {
  readonly task: Task
  readonly endings: readonly Ending[]
  readonly stopped: Stopped
  /** What the client was about when it was stopped. */
  readonly standstill: Standstill
  /** Real seconds after which a client is stopped. */
  readonly limit: number
  /** Requests that came to the case. */
  readonly requests: number
  /** Connections that met trouble before a request could come over them. */
  readonly brokenConnections: number
  /** IDs of the last requests. */
  readonly lastRequests: readonly string[]
  /** Attempts to create a sending, in the order of arrival. */
  readonly creations: readonly Creation[]
  /** What really went out of the synchronization that the client was to send, or will. */
  readonly sent: readonly Sent[]
  /** The request whose answer told the client CREATED, as far as that left. */
  readonly toldCreated: string | undefined
  /** Rules of conduct that the client has certainly broken. */
  readonly broken: ReadonlySet<string>
  readonly expect: Expectation | undefined
}

export interface Standstill {
  /** Requests that were waiting for their answers, each with the real seconds since it came. */
  readonly waiting: readonly { readonly id: string; readonly seconds: number }[]
  /** Connections that were waiting, over which no request could come. */
  readonly waitingConnections: number
  /** Real seconds since the last request came; undefined for none. */
  readonly sinceRequest: number | undefined
}

export interface Creation {
  readonly id: string
  readonly synchronizationId: string | null
  /** What the client was told, in words. */
  readonly told: string
  /** The state that it was told for sure; undefined for none. */
  readonly state: string | undefined
}

export interface Sent {
  /** ID of the request that brought it about. */
  readonly cause: string
  readonly startsAt: string
}

/** How many mailings the client was to send. */
export const intended = ({ expect }: Pick<Outcome, 'expect'>): number => Math.max(1, expect?.sent ?? 1)

/** What the client believes in all: sent only if each of its starts says so. */
export const beliefOf = (endings: readonly Ending[]): Belief =>
  endings.find(({ believes }) => believes !== 'sent')?.believes ?? 'sent'
