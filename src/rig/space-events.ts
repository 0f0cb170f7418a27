import type { RecordChange } from './journal.ts'
import type { RequestRecord } from './request-record.ts'

export interface RigEvent {
  readonly type: 'request' | 'clock' | 'scenario' | 'mailing' | 'reset' | 'space'
  readonly data: unknown
}

/** A change to a mailing in the editor, and the mailing's new state. */
export interface MailingChange {
  readonly what: 'approved' | 'drafted' | 'edited'
  readonly id: string
  readonly name: string
  readonly isApproved: boolean
  readonly hasDraft: boolean
}

type Listener = (event: RigEvent) => void
type GlobalListener = (space: string, event: RigEvent) => void

/** Events of all spaces, with the name of the space. */
export class GlobalEvents {
  readonly #listeners = new Set<GlobalListener>()

  /** @returns removes the listener */
  listen(listener: GlobalListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  emit(space: string, event: RigEvent): void {
    for (const listener of this.#listeners) listener(space, event)
  }
}

/** Events of one space. Free of cost without listeners. */
export class SpaceEvents {
  readonly #listeners = new Set<Listener>()
  readonly #space: string
  readonly #all: GlobalEvents

  /** @param all receives every event as well */
  constructor(space: string, all: GlobalEvents) {
    this.#space = space
    this.#all = all
  }

  /** @returns removes the listener */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get hasListeners(): boolean {
    return this.#listeners.size > 0 || this.#all.hasListeners
  }

  emit(event: RigEvent): void {
    for (const listener of this.#listeners) listener(event)
    this.#all.emit(this.#space, event)
  }

  emitRequest(record: RequestRecord, what: RecordChange): void {
    if (this.hasListeners && what !== 'read') this.emit({ type: 'request', data: { what, record } })
  }

  emitMailing(change: MailingChange): void {
    this.emit({ type: 'mailing', data: change })
  }

  end(): void {
    this.emit({ type: 'reset', data: {} })
    this.#listeners.clear()
  }
}
