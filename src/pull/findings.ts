/** What a service told of itself, as it told it. */
export interface Findings {
  /** Of its relations. */
  readonly prefix: string
  readonly mailings: readonly unknown[]
  readonly customers: readonly CustomerFound[]
  readonly synchronizations: readonly SynchronizationFound[]
  /** By the ID of the mailing. */
  readonly versions: ReadonlyMap<string, Versions>
  /** By customer and ID of the list, as `listKeyOf` writes them. */
  readonly recipients: ReadonlyMap<
    string,
    { readonly profiles: readonly unknown[]; readonly groups: readonly unknown[] }
  >
}

export interface CustomerFound {
  readonly value: unknown
  readonly lists: readonly unknown[]
  /** Undefined where there is none. */
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
