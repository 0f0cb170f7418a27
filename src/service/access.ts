import { createHash, timingSafeEqual } from 'node:crypto'
import type { Space } from '../store/space-data.ts'
import type { Account } from '../store/tenant-directory.ts'
import type { DialValues } from './dials.ts'
import { problems } from './problem.ts'

/** Maximum number of `Authorization` values that are cached with their account. */
const maxCachedHeaders = 10_000

const utf8 = new TextDecoder('utf-8', { fatal: true })
const digest = (text: string) => createHash('sha256').update(text).digest()
/** Compared with the password of an unknown user, so that this takes the same steps as a wrong password. */
const unknownPassword = 'nobody'

/** Spec section 5: HTTP Basic on every request. Missing, malformed and wrong credentials are all 401. */
export class Credentials {
  readonly #lookUp: (userName: string) => Account | undefined
  readonly #edition: () => number
  readonly #accounts = new Map<string, Account>()
  #accountsEdition = 0

  /** @param edition changes whenever users are added or removed; the cache is then cleared */
  constructor(account: (userName: string) => Account | undefined, edition: () => number = () => 0) {
    this.#lookUp = account
    this.#edition = edition
  }

  /** The account that an `Authorization` header proves. @throws Problem 401; its text never repeats what was sent */
  check(authorization: string | undefined): Account {
    const edition = this.#edition()
    if (edition !== this.#accountsEdition) this.#accounts.clear()
    this.#accountsEdition = edition
    const known = authorization === undefined ? undefined : this.#accounts.get(authorization)
    if (known) return known
    const { user, password } = parseBasic(authorization)
    const account = this.#lookUp(user)
    const isRight = timingSafeEqual(digest(password), digest(account?.user.password ?? unknownPassword))
    if (!account || !isRight)
      throw problems.unauthorized(/[\r\n]$/.test(password) ? endsLine : 'User or password is wrong')
    if (this.#accounts.size >= maxCachedHeaders) this.#accounts.clear()
    this.#accounts.set(authorization!, account)
    return account
  }

  /** The user name in a header and its account, if any, whether or not the password is right. */
  findUser(authorization: string | undefined): { name?: string; account?: Account | undefined } {
    try {
      const { user: name } = parseBasic(authorization)
      return { name, account: this.#lookUp(name) }
    } catch {
      return {}
    }
  }
}

const endsLine =
  'The credentials end with a line end, which is taken for a part of the password: encode them with printf, since echo adds one'

/** @throws Problem 401 that says what is wrong with the form, and never repeats what may be secret */
function parseBasic(authorization: string | undefined): { user: string; password: string } {
  const malformed = (why: string) =>
    problems.unauthorized(`The Authorization header ${why}; expected "Basic" and the base64 of USER:PASSWORD`)
  if (authorization === undefined) throw malformed('is missing')
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  if (encoded === undefined) throw malformed(describeForm(authorization))
  const pair = decodeBase64(encoded)
  if (pair === undefined) throw malformed('is not UTF-8 when it is decoded')
  const colon = pair.indexOf(':')
  if (colon < 0) throw malformed('has no colon when it is decoded')
  return { user: pair.slice(0, colon), password: pair.slice(colon + 1) }
}

/** Only of these it is known that they are no secret. */
const otherScheme = /^(bearer|digest|negotiate|ntlm|token|apikey|oauth)(?: |$)/i

function describeForm(authorization: string): string {
  const [, scheme] = otherScheme.exec(authorization) ?? []
  if (scheme !== undefined) return `has the scheme ${scheme}`
  if (authorization.includes(',')) return 'has more than one value'
  const [, value] = /^basic +(.*)$/i.exec(authorization) ?? []
  if (value?.includes(':')) return 'is not encoded'
  if (value !== undefined && /^[\w-]+=*$/.test(value)) return 'is in the base64 of URLs, with - and _'
  return 'is malformed'
}

function decodeBase64(base64: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}

const windowLength = 60_000

/**
 * Limits the requests of each space in one minute, counted from the first request of a minute on the space's
 * clock. The headers with the limit are on every answer (house style), if there is one.
 */
export class RateLimit {
  readonly #setting: number | undefined
  readonly #windows = new WeakMap<Space, { ends: number; left: number; limit: number }>()

  /** @param setting requests per minute, with priority over the dial; 0 is no limit */
  constructor(setting: number | undefined) {
    this.#setting = setting
  }

  /** Counts a request. @returns undefined without a limit @throws Problem 429 with the same headers */
  take(space: Space, dials: DialValues): Record<string, string> | undefined {
    const dial = dials['rate-limit']
    const limit = this.#setting ?? (dial === 'off' ? 0 : Number(dial))
    if (limit === 0) return undefined
    const now = space.clock.now()
    let current = this.#windows.get(space)
    if (!current || now >= current.ends || now < current.ends - windowLength || current.limit !== limit) {
      current = { ends: now + windowLength, left: limit, limit }
      this.#windows.set(space, current)
    }
    const { ends } = current
    const headers = (left: number) => ({
      'X-RateLimit-Limit': String(limit),
      'X-RateLimit-Remaining': String(left),
      'X-RateLimit-Reset': String(Math.ceil((ends - now) / 1000)),
    })
    if (current.left === 0) throw problems.tooManyRequests(limit, headers(0))
    return headers(--current.left)
  }
}
