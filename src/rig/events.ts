import type { Entry } from './journal.ts'

export interface Event {
  readonly type: 'request' | 'clock' | 'scenario' | 'mailing' | 'reset' | 'space'
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
type Overhearer = (space: string, event: Event) => void

/** What happens in any space, told with the space's name. */
export class AllEvents {
  readonly #listeners = new Set<Overhearer>()

  /** @returns stops listening */
  listen(listener: Overhearer): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0
  }

  tell(space: string, event: Event): void {
    for (const listener of this.#listeners) listener(space, event)
  }
}

/** What happens in a space, told to whoever listens. Costs nothing while nobody does. */
export class Events {
  readonly #listeners = new Set<Listener>()
  readonly #space: string
  readonly #all: AllEvents

  /** @param all hears of everything as well */
  constructor(space: string, all: AllEvents) {
    this.#space = space
    this.#all = all
  }

  /** @returns stops listening */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  get isHeard(): boolean {
    return this.#listeners.size > 0 || this.#all.isHeard
  }

  tell(event: Event): void {
    for (const listener of this.#listeners) listener(event)
    this.#all.tell(this.#space, event)
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
