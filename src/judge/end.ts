/**
 * What only those know who ran the client: that it ended, and what it believes. Without it, questions about the end stay
 * open, and so does what hangs on guesses about who meant what.
 */
export interface ClientEnd {
  readonly believes: 'sent' | 'not-sent' | 'unknown'
  /** How many mailings it was to send in this space, 0 for none; 1 unless told. */
  readonly expected?: number
  /** What it was to send, where that is known. */
  readonly task?: Task
  /** How many workers it had at a time; 1 unless told. What one of them was told, another may not know. */
  readonly workers?: number
  /** When it was killed and started again, in milliseconds of the machine's time, as the journal stamps it. */
  readonly restarts?: readonly number[]
  /** Whether it did not end by itself, but was stopped: then it gave nothing up. */
  readonly stopped?: boolean
  /** Hosts other than the service's to which it sent the credentials. */
  readonly leakedTo?: readonly string[]
}

/** What a client was told to send: whatever goes elsewhere, or at another time, was not meant. */
export interface Task {
  readonly synchronizationId: string
  /** A date-time; undefined where the client could choose. */
  readonly scheduleDate: string | undefined
}
