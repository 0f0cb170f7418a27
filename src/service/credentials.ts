import { createHash, timingSafeEqual } from 'node:crypto'
import type { Account } from '../store/homes.ts'
import { problems } from './problem.ts'

/** So many header values are remembered with their account, so that a known one costs one look-up. */
const rememberedHeaders = 10_000

const utf8 = new TextDecoder('utf-8', { fatal: true })
const digest = (text: string) => createHash('sha256').update(text).digest()
/** What an unknown user's password is compared with: it takes the same path as a wrong one, step by step. */
const nobody = 'nobody'

/** Spec section 5: HTTP Basic on every request. Missing, malformed and wrong credentials are all 401. */
export class Credentials {
  readonly #account: (userName: string) => Account | undefined
  readonly #edition: () => number
  readonly #known = new Map<string, Account>()
  #knownOf = 0

  /** @param edition another number whenever users have come or gone: what is remembered of before is void */
  constructor(account: (userName: string) => Account | undefined, edition: () => number = () => 0) {
    this.#account = account
    this.#edition = edition
  }

  /**
   * Whom an `Authorization` header speaks for.
   * @throws Problem 401; its text never repeats what was sent
   */
  check(authorization: string | undefined): Account {
    const edition = this.#edition()
    if (edition !== this.#knownOf) this.#known.clear()
    this.#knownOf = edition
    const known = authorization === undefined ? undefined : this.#known.get(authorization)
    if (known) return known
    const { user, password } = parse(authorization)
    const account = this.#account(user)
    const isRight = timingSafeEqual(digest(password), digest(account?.user.password ?? nobody))
    if (!account || !isRight) throw problems.unauthorized('User or password is wrong')
    if (this.#known.size >= rememberedHeaders) this.#known.clear()
    this.#known.set(authorization!, account)
    return account
  }

  /** Whom a header names, whether or not it may speak for them. */
  named(authorization: string | undefined): Account | undefined {
    try {
      return this.#account(parse(authorization).user)
    } catch {
      return undefined
    }
  }
}

function parse(authorization: string | undefined): { user: string; password: string } {
  if (authorization === undefined)
    throw problems.unauthorized(
      'The Authorization header is missing; expected "Basic" and the base64 of USER:PASSWORD',
    )
  const [, encoded] = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(authorization) ?? []
  const pair = encoded && decoded(encoded)
  const colon = pair ? pair.indexOf(':') : -1
  if (!pair || colon < 0)
    throw problems.unauthorized(
      'The Authorization header is malformed; expected "Basic" and the base64 of USER:PASSWORD',
    )
  return { user: pair.slice(0, colon), password: pair.slice(colon + 1) }
}

function decoded(base64: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(base64, 'base64'))
  } catch {
    return undefined
  }
}
