import { bodyOf } from '../../service/input.ts'
import type { Pages } from './pages.ts'
import { refuseForeignPage } from './protection.ts'
import { type ControlCall, rootOf } from './route.ts'
import type { Token } from './token.ts'

/** Bytes; a token and an address. */
const longest = 8 << 10

/**
 * A browser shows the token once, by the form of the sign-in page, and goes on to where it wanted.
 * @throws Problem 403 for a form of another site, 413
 */
export async function signIn(
  request: Request,
  call: ControlCall,
  token: Token,
  pages: () => Promise<Pages>,
): Promise<Response> {
  if (request.method !== 'POST') return (await pages()).signIn(request, call, rootOf(call), false)
  refuseForeignPage(call)
  const form = new URLSearchParams((await bodyOf(request, longest)).toString())
  const to = ownAddress(form.get('to'), call)
  if (!token.isRight(form.get('token') ?? '')) return (await pages()).signIn(request, call, to, true)
  return new Response(null, {
    status: 303,
    headers: { Location: to, 'Set-Cookie': token.cookie(call), 'Cache-Control': 'no-store' },
  })
}

/** A path of ours with its query: nobody is led elsewhere by what stands in a form. */
function ownAddress(to: string | null, call: ControlCall): string {
  const root = rootOf(call)
  if (to === null || !URL.canParse(to, call.cameBy)) return root
  const { origin, pathname, search } = new URL(to, call.cameBy)
  const isOurs = origin === new URL(call.cameBy).origin && `${pathname}/`.startsWith(`${root}/`)
  return isOurs ? pathname + search : root
}

export const isSignIn = ({ method, url }: Request) =>
  (method === 'GET' || method === 'HEAD' || method === 'POST') &&
  /^[a-z]+:\/\/[^/]*\/_mock\/sign-in\/?(?:\?|$)/.test(url)
