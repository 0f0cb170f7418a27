import type { Entry } from './journal.ts'

export interface Event {
  readonly type: 'request' | 'clock' | 'scenario' | 'mailing' | 'reset'
  readonly data: unknown
}

/** What somebody did with a mailing in the editor, and how the mailing stands now. */
export interface MailingChange {
  readonly what: 'approved' | 'drafted' | 'edited'
  readonly id: string
  readonly name: string
  readonly isApproved: boolean
  readonly hasDraft: boolean
}

type Listener = (event: Event) => void

/** What happens in a space, told to whoever listens. Costs nothing while nobody does. */
export class Events {
  readonly #listeners = new Set<Listener>()

  /** @returns stops listening */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  tell(event: Event): void {
    for (const listener of this.#listeners) listener(event)
  }

  request(entry: Entry, what: 'opened' | 'answered' | 'closed'): void {
    if (this.isHeard) this.tell({ type: 'request', data: { what, entry } })
  }

  mailing(change: MailingChange): void {
    this.tell({ type: 'mailing', data: change })
  }

  end(): void {
    this.tell({ type: 'reset', data: {} })
    this.#listeners.clear()
  }
}
