import type { Fetch } from '../../src/contract/verify/target.ts'

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

/** Not as JSON: one body is of megabytes. */
const keyOf = (url: string, { method, body, headers }: RequestInit): string =>
  `${method} ${url}\n${JSON.stringify(headers instanceof Headers ? [...headers] : headers)}\n${body}`

/** What is known of a target after some writes: answers to reads, and where each further write leads. */
class Known {
  readonly reads = new Map<string, Response>()
  readonly writes = new Map<string, { readonly response: Response; readonly after: Known }>()
}

/**
 * Many targets that begin alike, each of which answers as a fresh one does. What a target answers follows from the writes
 * that it has seen, so that each question is asked only once after the same writes, whichever run asks it.
 */
export class SharedTruth {
  readonly #begin: () => Promise<Fetch>
  readonly #start = new Known()

  /** @param begin starts a target whose answers follow from what was written to it, and not from the time */
  constructor(begin: () => Promise<Fetch>) {
    this.#begin = begin
  }

  /** A target in its beginning. */
  fresh(): Fetch {
    let known = this.#start
    let live: Promise<Fetch> | undefined
    const unseen: Parameters<Fetch>[] = []

    async function ask(begin: () => Promise<Fetch>, ...question: Parameters<Fetch>): Promise<Response> {
      // Of simultaneous questions, each waits for the writes that were not repeated yet.
      live = (live ?? begin()).then(async fetch => {
        for (const write of unseen.splice(0)) await (await fetch(...write)).text()
        return fetch
      })
      const fetch = await live
      const response = await fetch(...question)
      return answer(response.status, Object.fromEntries(response.headers), await response.text())
    }

    return async (url, init) => {
      const key = keyOf(url, init)
      if (init.method === 'GET' || init.method === 'HEAD') {
        const response = known.reads.get(key) ?? (await ask(this.#begin, url, init))
        known.reads.set(key, response)
        return response
      }
      let next = known.writes.get(key)
      if (next) unseen.push([url, init])
      else {
        next = { response: await ask(this.#begin, url, init), after: new Known() }
        known.writes.set(key, next)
      }
      known = next.after
      return next.response
    }
  }
}
