import { realTime } from './journal.ts'

/** A request whose credentials were missing or wrong. */
export interface TurnedAwayRequest {
  /** As `X-Mock-Request-Id` tells it. */
  readonly id: string
  /** Milliseconds since 1970, real time. */
  readonly at: number
  readonly method: string
  /** Without the query. */
  readonly path: string
}

const maxKept = 10
const maxPathLength = 200

/** Requests with missing or wrong credentials. They belong to no space, so no journal can show all of them. */
export class TurnedAway {
  #count = 0
  #latest: readonly TurnedAwayRequest[] = []

  get count(): number {
    return this.#count
  }

  /** The latest ones, newest first. */
  get latest(): readonly TurnedAwayRequest[] {
    return this.#latest
  }

  /** Keeps a request. @param target its path and query @returns its ID */
  note(method: string, target: string): string {
    const id = `u-${++this.#count}`
    const path = target.replace(/\?.*/s, '').slice(0, maxPathLength)
    this.#latest = [{ id, at: realTime(), method, path }, ...this.#latest].slice(0, maxKept)
    return id
  }
}
