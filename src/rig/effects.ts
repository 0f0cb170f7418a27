import type { Tables } from '../store/content.ts'
import type { PlatformMailing, PlatformSending } from '../store/rows.ts'

/** What one request brought about on the platform, at once or later: by further attempts or by the clock. */
export interface Effects {
  readonly mailings: readonly PlatformMailing[]
  readonly sendings: readonly PlatformSending[]
}

const nothing: Effects = { mailings: [], sendings: [] }

/** What happened on the platform since the space began, by the request that caused it. Made once for each reading. */
export class EffectsByCause {
  readonly #effects = new Map<string, { mailings: PlatformMailing[]; sendings: PlatformSending[] }>()

  constructor({ platformMailings, platformSendings }: Tables) {
    for (const { row } of platformMailings.changes()) this.#of(row.cause).mailings.push(row)
    for (const { row } of platformSendings.changes()) this.#of(row.cause).sendings.push(row)
  }

  /** @param cause ID of the request */
  of(cause: string): Effects {
    return this.#effects.get(cause) ?? nothing
  }

  #of(cause: string) {
    let effects = this.#effects.get(cause)
    if (!effects) {
      effects = { mailings: [], sendings: [] }
      this.#effects.set(cause, effects)
    }
    return effects
  }
}
