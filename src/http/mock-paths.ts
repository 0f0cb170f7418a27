import type { ControlCall } from '../control/route.ts'
import { isSignIn, refuseForeignChange, type SignInForm, signIn, Token } from '../control/sign-in.ts'
import { createControlTools, lazy, type MockParts } from '../control/tools.ts'
import { problemResponse, problems, toProblem } from '../service/problem.ts'
import { problemLinks } from './address.ts'

/**
 * Whether the request comes from a person: a browser that opens an address prefers text/html, and so does htmx. A
 * program asks for JSON, for anything, or has no Accept header.
 */
export function wantsPage(accept: string | undefined): boolean {
  if (accept === undefined) return false
  const types = accept.split(',').map(parseMediaRange)
  // The default of Java's HttpURLConnection, which is a program.
  if (types.some(({ type }) => type === 'image/gif')) return false
  const best = (isOne: (type: string) => boolean) =>
    Math.max(0, ...types.filter(({ type }) => isOne(type)).map(({ weight }) => weight))
  const page = best(type => type === 'text/html')
  return page > 0 && page >= best(type => /json$/.test(type))
}

function parseMediaRange(part: string): { type: string; weight: number } {
  const [type = '', ...parameters] = part.split(';').map(it => it.trim().toLowerCase())
  const weight = parameters.find(it => it.startsWith('q='))?.slice(2)
  return { type, weight: weight === undefined ? 1 : Number(weight) || 0 }
}

interface MockPathsOptions extends MockParts {
  /** Called with internal errors that are shown on a page. */
  readonly report: (error: unknown) => void
}

/**
 * The control API and the pages. No credentials are needed unless there is a token; pages of other sites must not be
 * able to use it. All calls except health are loaded with the first of them, and so are the pages: loading them at the
 * start would make it slower.
 */
export function createMockPaths({ report, ...parts }: MockPathsOptions) {
  const tools = createControlTools(parts)
  const token = parts.token === undefined ? undefined : new Token(parts.token)
  const pages = lazy(async () => (await import('../pages/pages.ts')).createPages(tools))
  const calls = lazy(async () => (await import('../control/routes.ts')).createCalls(tools))

  async function answer(request: Request, call: ControlCall, isForPerson: boolean): Promise<Response> {
    if (token && isSignIn(request)) {
      const result = await signIn(request, call, token)
      return result instanceof Response ? result : askToSignIn(request, call, result)
    }
    if (token && !isOpen(request)) {
      if (isForPerson && !token.isPresent(call)) return askToSignIn(request, call)
      token.check(call)
    }
    if (!tools.hasCalls) return pageOnly(request, call)
    if (!isSafe(request.method))
      try {
        refuseForeignChange(call)
      } catch (error) {
        const { has, refuse } = await calls()
        // What is no call at all needs no content type.
        if (!has(request)) return refuse(request)
        throw error
      }
    // A format that is named explicitly is given to browsers as well.
    const page = isForPerson && !/[?&]format=\w/.test(request.url) ? await findPage(request, call) : undefined
    if (page) return page
    const { answer, refuse } = await calls()
    return (await answer(request, call)) ?? (await findPage(request, call)) ?? refuse(request)
  }

  async function findPage(request: Request, call: ControlCall): Promise<Response | undefined> {
    return isRead(request.method) ? (await pages()).page(request, call) : undefined
  }

  async function pageOnly(request: Request, call: ControlCall): Promise<Response> {
    const page = await findPage(request, call)
    if (!page) throw problems.notFound('such page here; the control API of this mock is on a port of its own')
    return page
  }

  /** @param form by default leads to the requested page */
  async function askToSignIn(
    request: Request,
    call: ControlCall,
    form: SignInForm = { to: browserAddress(request, call), isWrong: false },
  ): Promise<Response> {
    return (await pages()).signIn(request, call, form)
  }

  /** A person gets a page for a problem, a program gets JSON. */
  async function describeError(
    error: unknown,
    request: Request,
    call: ControlCall,
    isForPerson: boolean,
  ): Promise<Response> {
    const known = toProblem(error)
    if (!known && !isForPerson) throw error
    if (!known) report(error)
    const problem = known ?? problems.notProcessed('The page could not be made; nothing was changed')
    if (isForPerson) return (await pages()).problem(problem, request, call)
    return problemResponse(problem, problemLinks(call.base))
  }

  return {
    fetch(request: Request, call: ControlCall): Response | Promise<Response> {
      if (isHealth(request)) return health(request.method, tools.rigs.budget.use().isFull)
      if (isAuthority(request)) return authority(request.method, parts.authority, call.base)
      const isForPerson = isRead(request.method) && wantsPage(call.header('accept'))
      return answer(request, call, isForPerson)
        .catch(error => describeError(error, request, call, isForPerson))
        .then(response => withOwnHeaders(response, isRead(request.method)))
    },
  }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'
const isSafe = (method: string) => isRead(method) || method === 'OPTIONS'

const isHealth = ({ method, url }: Request) =>
  isRead(method) && /^[a-z]+:\/\/[^/]*\/_mock\/health\/?(?:\?|$)/.test(url)

/** Before it is trusted, a client cannot send a token. */
const isAuthority = ({ method, url }: Request) =>
  isRead(method) && /^[a-z]+:\/\/[^/]*\/_mock\/ca\.pem(?:\?|$)/.test(url)

/**
 * Requests that need no token: pages that links of the service's answers lead to, which are the same for everybody and
 * show nothing of a space, and assets.
 */
const isOpen = ({ method, url }: Request) =>
  isSafe(method) && /^[a-z]+:\/\/[^/]*\/_mock\/(?:(?:relations|problems)(?:\/[\w-]*)?$|assets\/)/.test(url)

/**
 * One address has a page for a person and JSON for a program: caches must keep them apart. JSON is not
 * cached, and pages of other origins cannot embed it.
 */
function withOwnHeaders(response: Response, isRead: boolean): Response {
  const { headers } = response
  if (isRead) headers.append('Vary', 'Accept')
  if (/json|^text\/plain/.test(headers.get('content-type') ?? ''))
    for (const [name, value] of Object.entries(ownHeaders)) headers.set(name, value)
  return response
}

const ownHeaders = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Cross-Origin-Resource-Policy': 'same-origin',
}

/** A constant body while there is memory, so that scripts which wait for the mock can compare it. */
const health = (method: string, isFull: boolean) =>
  new Response(method === 'HEAD' ? null : `{"status":"ready"${isFull ? ',"memory":"full"' : ''}}`, {
    headers: { 'Content-Type': 'application/json', ...ownHeaders },
  })

function authority(method: string, pem: string | undefined, base: string): Response {
  if (pem === undefined) {
    const problem = problems.notFound('certificate authority: --tls makes one, unless --tls-cert is given')
    return problemResponse(problem, problemLinks(base))
  }
  return new Response(method === 'HEAD' ? null : pem, {
    headers: { 'Content-Type': 'application/x-pem-file', ...ownHeaders },
  })
}

/** Path and query as a browser has them. */
function browserAddress(request: Request, call: ControlCall): string {
  const { pathname, search } = new URL(request.url)
  return new URL(call.cameBy).pathname.replace(/\/$/, '') + pathname + search
}
