import type { ClientOptions, Outcome } from '../client.d.ts'

export type State = 'PENDING' | 'CREATED' | 'FAILED' | 'INDETERMINATE_FAILURE'

/** One intention to send, as it is kept on the disk. Times are milliseconds of the client's clock. */
export interface Intent {
  readonly id: string
  readonly synchronizationId: string
  /** What every attempt sends, transaction ID aside. It never changes. */
  readonly payload: { readonly scheduleDate?: string }
  readonly transactionId: string
  /** How often a new transaction ID took the place of one that had FAILED. */
  readonly recreated: number
  /** Attempts with this transaction ID, counted before they are made. */
  readonly attempts: number
  /** How many of them got an answer; the others may still be on their way to the service. */
  readonly answered: number
  /** When this transaction ID was used for the first time. */
  readonly since: number
  /** When this transaction was first heard to be PENDING. */
  readonly pendingSince: number | null
  /** When the first transaction was heard to have FAILED. */
  readonly failedSince: number | null
  /** Once it is known, nothing is ever sent again. */
  readonly outcome: Outcome | null
}

export interface Memory {
  recall(): Intent | undefined
  /** @returns what is to be sent; not the given one where another worker has begun already */
  begin(intent: Intent): Intent
  keep(intent: Intent): Intent
}

/** What keeps other workers from the same intention. */
export interface Lock {
  /** From now on for so many milliseconds. @returns whether it was still held */
  extend(time: number): boolean
  release(): void
}

/** An answer that arrived whole and in time. */
export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Whether it is the answer to another request, made because of a redirect. */
  readonly isRedirected: boolean
}

/** How an answer is taken. */
export type Heard =
  | { readonly kind: 'state'; readonly state: State; readonly notBefore: number }
  /** A client error: repeating it as it is cannot help. */
  | { readonly kind: 'refused'; readonly status: number; readonly notBefore: number }
  /** No response, a server error, or an answer that must not be believed. */
  | { readonly kind: 'nothing'; readonly notBefore: number }

/** What comes next. Pauses are milliseconds. */
export type Next =
  | { readonly do: 'end'; readonly outcome: Outcome }
  /** The same transaction ID, the same payload. */
  | { readonly do: 'repeat'; readonly pause: number }
  /** A new transaction ID, the same payload. */
  | { readonly do: 'recreate'; readonly pause: number }
  /** Read whether there is a sending after all. */
  | { readonly do: 'look' }

export interface Asking {
  readonly method: string
  readonly path: string
  readonly body?: string
}

/** The decisions that a client makes, one function for each. */
export interface Policy {
  /** Waits for its turn. @param time milliseconds for which it is held at first @returns undefined if it does not come */
  claim(options: ClientOptions, time: number): Promise<Lock | undefined>
  memory(options: ClientOptions): Memory
  /** Whether the mailing can be sent; undefined where nobody says. */
  isReady(options: ClientOptions, policy: Policy): Promise<boolean | undefined>
  transactionId(intent: Pick<Intent, 'id' | 'synchronizationId' | 'recreated'>): string
  body(intent: Intent, options: ClientOptions): object
  /** The whole exchange within the time that is allowed for it; undefined is silence. */
  exchange(asking: Asking, options: ClientOptions): Promise<Answer | undefined>
  hear(answer: Answer | undefined, intent: Intent): Heard
  /** @param nth which pause since this transaction ID was first used, from 1 */
  pause(nth: number, heard: Heard, options: ClientOptions): number
  decide(heard: Heard, intent: Intent, options: ClientOptions, policy: Policy): Next | Promise<Next>
  /** What the collection of sendings tells about this transaction. */
  look(intent: Intent, options: ClientOptions, policy: Policy): Promise<Outcome>
}
