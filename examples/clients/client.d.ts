/** What a client believes at its end. */
export type Outcome = 'sent' | 'not-sent' | 'unknown'

/** Everything that a client needs from outside, so that a test can run it on a clock of its own. */
export interface ClientOptions {
  readonly fetch: (url: string, init: RequestInit) => Promise<Response>
  /** Waits so many milliseconds; ends early, without an error, when the signal aborts. */
  readonly sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  /** Milliseconds; only differences count. */
  readonly now: () => number
  /** From 0 to below 1; Math.random unless given. */
  readonly random?: () => number
  /** Base URL of the service. */
  readonly url: string
  readonly user: string
  readonly password: string
  readonly synchronizationId: string
  /** A directory that outlives a restart of the client. One directory is one intention to send. */
  readonly state: string
  /** When the mailing is to go out, as a date-time with a zone; at once unless given. */
  readonly scheduleDate?: string
}

/** Sends one mailing of one synchronization, and tells what it believes came of it. */
export type Send = (options: ClientOptions) => Promise<Outcome>
