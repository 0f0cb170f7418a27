import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { problems } from '../../service/problem.ts'
import { type ControlCall, rootOf } from './route.ts'

type Seen = Pick<ControlCall, 'cameBy' | 'header'>

/**
 * The token that the mock was started with. A program carries it in a header; a browser, which cannot, shows it once and
 * gets a cookie, from which nobody can tell what the token is. It never stands in an address, where logs would keep it.
 */
export class Token {
  readonly #digest: Buffer
  readonly #cookieDigest: Buffer
  readonly #cookie: string

  constructor(token: string) {
    this.#digest = digestOf(token)
    this.#cookie = createHmac('sha256', token).update('pages of the mock').digest('base64url')
    this.#cookieDigest = digestOf(this.#cookie)
  }

  isRight(given: string): boolean {
    return isEqual(digestOf(given), this.#digest)
  }

  /** @throws Problem 401 for a request that does not carry the token */
  check(call: Seen): void {
    const given = tokenIn(call)
    if (given === undefined) {
      if (this.#isSignedIn(call)) return
      throw problems.tokenRequired(
        'This control call needs the token of the mock: Authorization: Bearer <token>, or X-Mock-Token: <token>',
      )
    }
    if (!this.isRight(given))
      throw problems.tokenRequired(
        'The token is not that of this mock; it is what --token was given at its start',
      )
  }

  isCarriedBy(call: Seen): boolean {
    const given = tokenIn(call)
    return given === undefined ? this.#isSignedIn(call) : this.isRight(given)
  }

  /** What a browser keeps until it is closed: for our pages only, and out of reach of any script. */
  cookie(call: Pick<ControlCall, 'cameBy'>): string {
    const secure = call.cameBy.startsWith('https:') ? '; Secure' : ''
    return `${cookieName(call)}=${this.#cookie}; Path=${rootOf(call)}; HttpOnly; SameSite=Strict${secure}`
  }

  #isSignedIn({ cameBy, header }: Seen): boolean {
    const name = cookieName({ cameBy })
    for (const part of header('cookie')?.split(';') ?? []) {
      const [given, value = ''] = part.trim().split('=')
      if (given === name && isEqual(digestOf(value), this.#cookieDigest)) return true
    }
    return false
  }
}

const tokenIn = ({ header }: Seen) =>
  header('x-mock-token') ?? /^Bearer +(\S+) *$/i.exec(header('authorization') ?? '')?.[1]

/** Two mocks on one machine share their cookies, which know no ports. */
const cookieName = ({ cameBy }: Pick<ControlCall, 'cameBy'>) =>
  `mailing-sync-mock-${new URL(cameBy).port || 'default'}`

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Digests are of one length, and comparing them takes the same time wherever they differ. */
const isEqual = (a: Buffer, b: Buffer) => timingSafeEqual(a, b)
