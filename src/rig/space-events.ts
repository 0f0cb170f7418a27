/** An event that the control API reports. */
export interface RigEvent {
  readonly type: 'request' | 'clock' | 'scenario' | 'mailing' | 'reset' | 'space'
  readonly data: unknown
}

/** A change to a mailing in the editor, and the mailing's new state. */
export interface MailingChange {
  readonly what: 'approved' | 'drafted' | 'edited' | 'deleted'
  readonly id: string
  readonly name: string
  readonly isApproved: boolean
  readonly hasDraft: boolean
}

class Listeners<Args extends unknown[]> {
  readonly listeners = new Set<(...args: Args) => void>()

  /** @returns removes the listener */
  listen(listener: (...args: Args) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  emit(...args: Args): void {
    for (const listener of this.listeners) listener(...args)
  }
}

/** Events of all spaces, with the name of the space. */
export class GlobalEvents extends Listeners<[space: string, event: RigEvent]> {}

/** Events of one space, which are events of all spaces as well. */
export class SpaceEvents extends Listeners<[event: RigEvent]> {
  readonly #space: string
  readonly #all: GlobalEvents

  constructor(space: string, all: GlobalEvents) {
    super()
    this.#space = space
    this.#all = all
  }

  get hasListeners(): boolean {
    return this.listeners.size > 0 || this.#all.listeners.size > 0
  }

  override emit(event: RigEvent): void {
    super.emit(event)
    this.#all.emit(this.#space, event)
  }

  emitMailing(change: MailingChange): void {
    this.emit({ type: 'mailing', data: change })
  }

  end(): void {
    this.emit({ type: 'reset', data: {} })
    this.listeners.clear()
  }
}
