import type { Calls } from './calls.ts'
import type { Edit, EditorMailing, ListedMailing } from './shapes.ts'

/** The mailings of a space in the editor, where a person approves and changes them: the service has no call for it. */
export class MailingsControl {
  readonly #calls: Calls
  readonly #space: string

  constructor(calls: Calls, space: string) {
    this.#calls = calls
    this.#space = space
  }

  /** All that match, in the order in which they came. */
  async list(
    filter: { readonly isApproved?: boolean; readonly hasDraft?: boolean; readonly name?: string } = {},
  ): Promise<ListedMailing[]> {
    const found: ListedMailing[] = []
    for (;;) {
      const after = found.at(-1)?.id
      const { isApproved, hasDraft, name } = filter
      const page = await this.#calls.ask('GET /spaces/{space}/mailings', {
        params: { space: this.#space },
        query: { isApproved: flag(isApproved), hasDraft: flag(hasDraft), name, after, limit: '1000' },
      })
      found.push(...page._embedded.mailings)
      if (!page._links.next) return found
    }
  }

  /** One of them, with the synchronizations that hang on it. */
  get(id: string): Promise<EditorMailing> {
    return this.#calls.ask('GET /spaces/{space}/mailings/{id}', { params: this.#params(id) })
  }

  /** The draft becomes the approved version, which sendings take from now on; there is no way back but a reset. */
  approve(id: string): Promise<EditorMailing> {
    return this.#calls.ask('POST /spaces/{space}/mailings/{id}/approve', { params: this.#params(id) })
  }

  /** Makes a new draft from the approved version. What is left out stays as it is. */
  draft(id: string, changes: Edit = {}): Promise<EditorMailing> {
    return this.#calls.ask('POST /spaces/{space}/mailings/{id}/draft', {
      params: this.#params(id),
      body: changes,
    })
  }

  /** Changes the draft, or makes one that is changed. */
  edit(id: string, changes: Edit): Promise<EditorMailing> {
    return this.#calls.ask('POST /spaces/{space}/mailings/{id}/edit', {
      params: this.#params(id),
      body: changes,
    })
  }

  #params(id: string): { readonly space: string; readonly id: string } {
    return { space: this.#space, id }
  }
}

const flag = (given: boolean | undefined) => (given === undefined ? undefined : given ? 'true' : 'false')
