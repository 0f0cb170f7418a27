import type { Calls } from './calls.ts'
import type { ArmedFault, FaultRule, Faults } from './shapes.ts'

/** The one-shot faults of a space: each is used up by the requests that it strikes, and goes before every scenario. */
export class FaultsControl {
  readonly #calls: Calls
  readonly #space: string

  constructor(calls: Calls, space: string) {
    this.#calls = calls
    this.#space = space
  }

  /** Arms one. Keep its `id` to see later whether it struck. */
  arm(rule: FaultRule): Promise<ArmedFault> {
    return this.#calls.ask('POST /spaces/{space}/faults', {
      params: { space: this.#space },
      body: rule as Record<string, unknown>,
    })
  }

  /** All of them, those that are used up included; `neverStruck` counts those that did nothing. */
  list(): Promise<Faults> {
    return this.#calls.ask('GET /spaces/{space}/faults', { params: { space: this.#space } })
  }

  /** One of them. */
  get(id: string): Promise<ArmedFault> {
    return this.#calls.ask('GET /spaces/{space}/faults/{id}', { params: { space: this.#space, id } })
  }

  /** Disarms one, or all. */
  async disarm(id?: string): Promise<void> {
    const params = { space: this.#space }
    await (id === undefined
      ? this.#calls.ask('DELETE /spaces/{space}/faults', { params })
      : this.#calls.ask('DELETE /spaces/{space}/faults/{id}', { params: { ...params, id } }))
  }
}
