import type { Fetch } from '../../src/verify/target.ts'

/** An answer as whoever verifies reads it, without the cost of a `Response` and its streams: it is made ten thousands of times. */
export const answer = (status: number, headers: Record<string, string>, text: string): Response =>
  ({
    status,
    headers: new Headers(headers),
    body: text === '' ? null : [Buffer.from(text)],
    text: async () => text,
  }) as unknown as Response

/**
 * What a target answered, to be answered again. The mock is deterministic, so asking another one set alike the same in the
 * same order comes to the same and costs more.
 */
export class Recording {
  readonly #truth: Fetch
  readonly #answers = new Map<string, Response[]>()

  constructor(truth: Fetch) {
    this.#truth = truth
  }

  /** Asks the target, and keeps what it answers. */
  readonly fetch: Fetch = async (url, init) => {
    const response = await this.#truth(url, init)
    const kept = answer(response.status, Object.fromEntries(response.headers), await response.text())
    const key = keyOf(url, init)
    this.#answers.set(key, [...(this.#answers.get(key) ?? []), kept])
    return kept
  }

  /** Answers each question as it was answered, one time after the other; what was not asked so often is asked now. */
  again(): Fetch {
    const asked = new Map<string, number>()
    return async (url, init) => {
      const key = keyOf(url, init)
      const times = asked.get(key) ?? 0
      asked.set(key, times + 1)
      return this.#answers.get(key)?.[times] ?? this.#truth(url, init)
    }
  }
}

const keyOf = (url: string, { method, body, headers }: RequestInit): string =>
  JSON.stringify([method, url, body, headers])
