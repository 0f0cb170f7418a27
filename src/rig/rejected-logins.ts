import type { Account } from '../store/tenant-directory.ts'
import { realTime } from './clock.ts'

/** A request whose credentials were missing or wrong. */
export interface RejectedLogin {
  /** As `X-Mock-Request-Id` tells it. The number in a space would show that the user exists. */
  readonly id: string
  /** Milliseconds since 1970, real time. */
  readonly at: number
  readonly method: string
  /** Without the query. */
  readonly path: string
  readonly reason: string
  /** The beginning of the user name that it sent; undefined where it sent none that can be read. */
  readonly userName: string | undefined
  /** The user that it names, if there is one. */
  readonly account: Account | undefined
  /** Its ID in the journal of that user's space, once it is there. */
  recordId?: string
  /** Whether that user's space was reset, removed or evicted since. */
  isPast?: boolean
}

export const maxRejectedLogins = 10
const maxPathLength = 200
const maxNameLength = 60

/** Requests with missing or wrong credentials. They belong to no space, so no journal can show all of them. */
export class RejectedLogins {
  count = 0
  /** The latest ones, newest first. */
  latest: readonly RejectedLogin[] = []

  note(
    method: string,
    target: string,
    reason: string,
    name: string | undefined,
    account: Account | undefined,
  ): RejectedLogin {
    const path = target.replace(/\?.*/s, '').slice(0, maxPathLength)
    const userName = name?.slice(0, maxNameLength)
    const login = { id: `u-${++this.count}`, at: realTime(), method, path, reason, userName, account }
    this.latest = [login, ...this.latest].slice(0, maxRejectedLogins)
    return login
  }

  /** The space with this name was reset, removed or evicted. */
  detach(spaceName: string): void {
    for (const it of this.latest) if (it.account?.spaceName === spaceName) it.isPast = true
  }
}
