/** Everything that was read from a service, unchanged. */
export interface Findings {
  readonly prefix: string
  readonly mailings: readonly unknown[]
  readonly customers: readonly CustomerFound[]
  readonly synchronizations: readonly SynchronizationFound[]
  /** By ID of the mailing. */
  readonly versions: ReadonlyMap<string, Versions>
  /** By customer and ID of the list, as written by `listKeyOf`. */
  readonly recipients: ReadonlyMap<
    string,
    { readonly profiles: readonly unknown[]; readonly groups: readonly unknown[] }
  >
}

export interface CustomerFound {
  readonly value: unknown
  readonly lists: readonly unknown[]
  /** Undefined if there is none. */
  readonly configuration: unknown
}

export interface SynchronizationFound {
  readonly value: unknown
  readonly sendings: readonly SendingFound[]
  /** The latest mailing-upload, if there is one. */
  readonly upload: unknown
}

export interface SendingFound {
  readonly value: unknown
  readonly statistics: unknown
}

/** Previews of the versions that a mailing has. */
export interface Versions {
  readonly draft: unknown
  readonly approved: unknown
  readonly approvedName: string | undefined
}

/** What a fixture could not take over unchanged: each note once, with its count. */
export class Notes {
  readonly #counts = new Map<string, number>()

  add(sentence: string): void {
    this.#counts.set(sentence, (this.#counts.get(sentence) ?? 0) + 1)
  }

  lines(): string[] {
    return [...this.#counts].map(([sentence, count]) =>
      count === 1 ? sentence : `${sentence} (${count} times)`,
    )
  }
}
