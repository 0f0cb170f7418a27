import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { readRequestBytes } from '../rig/request-body.ts'
import { problems } from '../service/problem.ts'
import { type ControlCall, controlRoot } from './endpoint.ts'

type CallOrigin = Pick<ControlCall, 'base' | 'cameBy' | 'header'>

/**
 * A change must come from a program or from our own pages. A page of another site can send a simple request here
 * without permission, but not with this content type or by another method than POST; and its browser sends the origin.
 * @throws Problem 415 or 403
 */
export function refuseForeignChange(call: CallOrigin, method: string): void {
  const mediaType = call.header('content-type')?.split(';')[0]?.trim().toLowerCase()
  const isNeeded = mediaType || method === 'POST' || hasBody(call)
  if (isNeeded && mediaType !== 'application/json')
    throw problems.unsupportedControlType(mediaType === undefined ? 'missing' : `"${mediaType}"`)
  refuseForeignPage(call)
}

const hasBody = ({ header }: Pick<CallOrigin, 'header'>): boolean =>
  header('transfer-encoding') !== undefined || Number(header('content-length') ?? 0) !== 0

/**
 * A browser sends the origin of a request; only our own pages may change something or listen to events. Their origin is
 * the address by which the request came, whose host is an allowed one, or the public URL.
 * @throws Problem 403
 */
export function refuseForeignPage({ base, cameBy, header }: CallOrigin): void {
  const origin = header('origin')
  if (origin !== undefined && origin !== new URL(cameBy).origin && origin !== new URL(base).origin)
    throw problems.foreignOrigin(`Origin "${origin}"`)
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw problems.foreignOrigin(`Sec-Fetch-Site "${site}"`)
}

/**
 * A page of another site cannot read what it asks for here, but it can make the mock work. It may still lead a person here.
 * @throws Problem 403
 */
export function refuseForeignRead({ header }: Pick<CallOrigin, 'header'>): void {
  if (header('sec-fetch-site') === 'cross-site' && header('sec-fetch-mode') !== 'navigate')
    throw problems.foreignOrigin('Sec-Fetch-Site "cross-site"')
}

/** Maximum number of bytes of the form, which has a token and an address. */
const maxForm = 8 << 10

export interface SignInForm {
  /** Where to go afterwards: path and query. */
  readonly to: string
  /** Whether a wrong token was given. */
  readonly isWrong: boolean
}

/** Takes the sign-in form. @returns a redirect, or the form to show again @throws Problem 413 */
export async function signIn(
  request: Request,
  call: ControlCall,
  token: Token,
): Promise<Response | SignInForm> {
  const form = new URLSearchParams((await readRequestBytes(request, maxForm)).toString())
  const to = ownAddress(form.get('to'), call)
  if (!token.isRight(form.get('token') ?? '')) return { to, isWrong: true }
  return new Response(null, {
    status: 303,
    headers: { Location: to, 'Set-Cookie': token.cookie(call), 'Cache-Control': 'no-store' },
  })
}

/** A path below `/_mock` with its query: a form must not redirect to another site. */
function ownAddress(to: string | null, call: ControlCall): string {
  const root = controlRoot(call)
  if (to === null || !URL.canParse(to, call.cameBy)) return root
  const { origin, pathname, search } = new URL(to, call.cameBy)
  const isOurs = origin === new URL(call.cameBy).origin && `${pathname}/`.startsWith(`${root}/`)
  return isOurs ? pathname + search : root
}

type TokenCarrier = Pick<ControlCall, 'cameBy' | 'header'>

/**
 * The token that the mock was started with. A program sends it in a header. A browser, which cannot, sends it once and
 * gets a cookie, from which the token cannot be derived. It is never part of an address, because logs would keep it.
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

  /** @throws Problem 401 for a request without the token */
  check(call: TokenCarrier): void {
    if (this.isPresent(call)) return
    throw problems.tokenRequired(
      tokenIn(call) === undefined
        ? 'This control call needs the token of the mock: Authorization: Bearer <token>, or X-Mock-Token: <token>'
        : 'The token is not that of this mock; it is what --token was given at its start',
    )
  }

  isPresent(call: TokenCarrier): boolean {
    const given = tokenIn(call)
    return given === undefined ? this.#isSignedIn(call) : this.isRight(given)
  }

  /** The cookie, which a browser keeps until it is closed: for our pages only, and not readable by scripts. */
  cookie(call: Pick<ControlCall, 'cameBy'>): string {
    const secure = call.cameBy.startsWith('https:') ? '; Secure' : ''
    return `${cookieName(call)}=${this.#cookie}; Path=${controlRoot(call)}; HttpOnly; SameSite=Strict${secure}`
  }

  #isSignedIn({ cameBy, header }: TokenCarrier): boolean {
    const name = cookieName({ cameBy })
    for (const part of header('cookie')?.split(';') ?? []) {
      const [given, value = ''] = part.trim().split('=')
      if (given === name && isEqual(digestOf(value), this.#cookieDigest)) return true
    }
    return false
  }
}

const tokenIn = ({ header }: TokenCarrier) =>
  header('x-mock-token') ?? /^Bearer +(\S+) *$/i.exec(header('authorization') ?? '')?.[1]

/** Cookies ignore ports, so two mocks on one machine need different names. */
const cookieName = ({ cameBy }: Pick<ControlCall, 'cameBy'>) =>
  `mailing-sync-mock-${new URL(cameBy).port || 'default'}`

const digestOf = (text: string) => createHash('sha256').update(text).digest()

/** Digests have equal lengths, and comparing them takes constant time. */
const isEqual = (a: Buffer, b: Buffer) => timingSafeEqual(a, b)
