import type { ControlCall } from '../control/route.ts'
import { isSignIn, refuseForeignChange, type SignInForm, signIn, Token } from '../control/sign-in.ts'
import { createControlTools, lazy, type MockParts } from '../control/tools.ts'
import { credentialsHint } from '../rig/hints.ts'
import { type IncomingRequest, inProcessArrival, type Reply, RequestContext } from '../rig/request-context.ts'
import { problemOf, RequestHandler, type RequestHandlerOptions } from '../rig/request-handler.ts'
import { hintedHeaders } from '../rig/request-record.ts'
import { Credentials, RateLimit } from '../service/access.ts'
import type { ServiceCall } from '../service/operation.ts'
import { problemAnswer, problemResponse, problems, toProblem } from '../service/problem.ts'
import { readRequestBytes } from '../service/request-input.ts'
import { type Answer, mapMaybeAsync, toResponse } from '../service/response.ts'
import { createService } from '../service/service.ts'
import type { Account } from '../store/tenant-directory.ts'
import { Addressing, type AddressSettings, type BaseUrls, problemLinks } from './address.ts'
import type { SocketRequest } from './socket-transport.ts'

export interface AppOptions
  extends Omit<MockParts, 'service'>,
    Pick<RequestHandlerOptions, 'channels' | 'hints' | 'report'> {
  readonly address: AddressSettings
  /** Requests per minute for each space; 0 means no limit. */
  readonly rateLimit: number | undefined
  /** Maximum size of a request body to the service, in bytes. */
  readonly bodyLimit: number
  /** Where the service listens, for a control API with a port of its own. */
  readonly serviceUrl: () => string | undefined
}

/** A reply from a space, or a plain response that belongs to no space. */
export type AppResponse = Reply | Response

/** Answers a request; at once if nothing has to be awaited, since Node's adapter is faster without a promise. */
export type App = (request: Request, socket?: SocketRequest) => AppResponse | Promise<AppResponse>

/** The pipeline: address, `/_mock` or the service, credentials, space, and then the handler of requests. */
export function createApp(options: AppOptions): App {
  const { spaces, rigs, address, bodyLimit, report, part } = options
  const addressing = new Addressing(address)
  const credentials = new Credentials(
    userName => spaces.directory.account(userName),
    () => spaces.directory.revision,
  )
  const requests = new RequestHandler({
    service: createService(options.names),
    scenario: name => options.scenarios.get(name),
    limit: new RateLimit(options.rateLimit),
    channels: options.channels,
    hints: options.hints,
    report,
  })
  const answerMockPath = createMockPaths(
    { ...options, service: { publicUrl: address.publicUrl, url: options.serviceUrl } },
    report,
  )

  function answer(
    request: Request,
    target: string,
    { base, cameBy }: BaseUrls,
    header: ServiceCall['header'],
    socket: SocketRequest | undefined,
  ): AppResponse | Promise<AppResponse> {
    const arrival = socket ?? inProcessArrival(request.signal)
    if (isControlPath(target)) return answerMockPath(request, { base, cameBy, header, arrival })
    if (isBrowserAtRoot(target, header)) return redirectToDashboard(cameBy)
    if (socket && isProbeAtRoot(target, request.method, header)) return readySentence()
    if (target === '/favicon.ico' && request.method === 'GET') return noIcon()
    if (part === 'control') throw problems.notFound('service on this port, only the control API below /_mock')
    const headers = socket ? socket.incoming.headers : Object.fromEntries(request.headers)
    const body = () =>
      socket ? socket.readBody(request, bodyLimit, rigs.budget) : readRequestBytes(request, bodyLimit)
    const authorization = header('authorization')
    let account: Account
    try {
      account = credentials.check(authorization)
    } catch (error) {
      const incoming = { request, target, base, header, headers, arrival, body }
      const reply = turnAway(incoming, credentials.findUser(authorization), error)
      return isNavigation(header) ? sandboxReply(reply) : reply
    }
    const incoming: IncomingRequest = { request, target, account, base, header, headers, arrival, body }
    const { spaceName } = account
    const mayWrite = account.user.rights.includes('write')
    const open = spaces.getOpen(spaceName) ?? spaces.getOrOpen(spaceName, mayWrite)
    const rig = mapMaybeAsync(open, space => rigs.of(space))
    const reply = mapMaybeAsync(rig, it => requests.handle(it, incoming))
    return isNavigation(header) ? mapMaybeAsync(reply, sandboxReply) : reply
  }

  /**
   * A request that names a known user with wrong credentials is recorded and refused. Recording happens after the answer
   * has left, so neither the bytes nor the timing of the answer show whether the user exists.
   */
  function turnAway(
    incoming: Omit<IncomingRequest, 'account'>,
    { name, account }: ReturnType<Credentials['findUser']>,
    error: unknown,
  ) {
    const { base, target, request } = incoming
    const plain = failure(error, base)
    const noted = rigs.turnedAway.note(request.method, target, plain.problem?.detail ?? '', name, account)
    const sentence = credentialsHint(noted.reason, spaces.directory.documentedUsers(), target)
    const hints = options.hints ? { scenario: undefined, sentence } : undefined
    const answer = { ...plain, headers: hintedHeaders(plain.headers, { id: noted.id, hints }) }
    const close: Reply['close'] = (delivered, bytesSent) => {
      rigs.events.emit(account?.spaceName ?? '', { type: 'space', data: { what: 'turned away' } })
      const space = account && spaces.getOpen(account.spaceName)
      const rig = space && rigs.of(space)
      if (!rig || rig instanceof Promise) return
      const context = new RequestContext(rig, { ...incoming, account })
      context.setResponse(answer, true, false).close(delivered, bytesSent)
      noted.recordId = context.record.id
      context.record.refusalId = noted.id
    }
    return { answer, pendingFault: undefined, close }
  }

  const failure = (error: unknown, base: string) =>
    problemAnswer(problemOf(error, report), problemLinks(base))

  return (request, socket) => {
    const { url } = request
    const hostAt = url.indexOf('//') + 2
    const pathAt = url.indexOf('/', hostAt)
    const header: ServiceCall['header'] = name =>
      socket
        ? (socket.incoming.headers[name] as string | undefined)
        : (request.headers.get(name) ?? undefined)
    const target = url.slice(pathAt)
    // In-process requests may use any host, so that a test can put the mock in place of the real address. `/_mock` is
    // checked in any case.
    const isOurs = socket === undefined && !isControlPath(target)
    let base = ''
    const refuse = (error: unknown) => {
      const answer = failure(error, base)
      return toResponse(isNavigation(header) ? sandboxAnswer(answer) : answer)
    }
    try {
      const bases = addressing.resolve(url.slice(0, hostAt - 3), header, url.slice(hostAt, pathAt), isOurs)
      base = bases.base
      const reply = answer(request, target, bases, header, socket)
      return reply instanceof Promise ? reply.catch(refuse) : reply
    } catch (error) {
      return refuse(error)
    }
  }
}

/**
 * Whether a browser shows the answer as a document. Scripts in it must not run, since the control API has the same origin.
 * Programs send neither header; their answers do not change.
 */
function isNavigation(header: ServiceCall['header']): boolean {
  const destination = header('sec-fetch-dest')
  if (destination !== undefined) return documentDestinations.has(destination)
  const accept = header('accept')
  return accept?.includes('text/html') === true && wantsPage(accept)
}

const documentDestinations: ReadonlySet<string> = new Set(['document', 'iframe', 'frame', 'object', 'embed'])

const sandboxAnswer = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'Content-Security-Policy': 'sandbox', 'X-Content-Type-Options': 'nosniff' },
})

function sandboxReply(reply: Reply): Reply {
  reply.answer = sandboxAnswer(reply.answer)
  return reply
}

/** Whether a browser opens the bare address. No client of the service requests it. */
const isBrowserAtRoot = (target: string, header: ServiceCall['header']) =>
  target === '/' && header('accept')?.includes('text/html') === true

/**
 * Whether a tool waits for the bare address to answer well, as wait-on does. Clients of the service send credentials, and in
 * a process, where the mock may stand for any address, nobody waits for it.
 */
const isProbeAtRoot = (target: string, method: string, header: ServiceCall['header']) =>
  target === '/' && (method === 'GET' || method === 'HEAD') && header('authorization') === undefined

const readySentence = () =>
  new Response('mailing-sync-mock is ready. GET /_mock/health says more; /_mock is for a browser.\n', {
    headers: { 'Content-Type': 'text/plain; charset=utf-8' },
  })

const redirectToDashboard = (cameBy: string) =>
  new Response(null, { status: 302, headers: { Location: `${cameBy}/_mock` } })

/** Browsers ask for it by themselves, so it is no request of a client. Pages have an icon in their head. */
const noIcon = () =>
  new Response(null, { status: 204, headers: { 'Cache-Control': 'public, max-age=86400' } })

/** Whether a path, with or without a query, belongs to the control API and its pages. */
const isControlPath = (path: string) =>
  path.startsWith('/_mock') && (path.length === 6 || path[6] === '/' || path[6] === '?')

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

/**
 * The control API and the pages. No credentials are needed unless there is a token; pages of other sites must not be
 * able to use it. All calls except health are loaded with the first of them, and so are the pages: loading them at the
 * start would make it slower.
 * @param report called with internal errors that are shown on a page
 */
function createMockPaths(parts: MockParts, report: AppOptions['report']) {
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
    if (!tools.hasCalls) {
      const page = await findPage(request, call)
      if (page) return page
      throw problems.notFound('such page here; the control API of this mock is on a port of its own')
    }
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
    if (isForPerson) {
      const problem = problemOf(error, report, 'The page could not be made; nothing was changed')
      return (await pages()).problem(problem, request, call)
    }
    const problem = toProblem(error)
    if (!problem) throw error
    return problemResponse(problem, problemLinks(call.base))
  }

  return (request: Request, call: ControlCall): Response | Promise<Response> => {
    if (isHealth(request)) return health(request.method, tools.rigs.budget.use().isFull)
    if (isAuthority(request)) return authority(request.method, parts.authority, call.base)
    const isForPerson = isRead(request.method) && wantsPage(call.header('accept'))
    return answer(request, call, isForPerson)
      .catch(error => describeError(error, request, call, isForPerson))
      .then(response => withOwnHeaders(response, isRead(request.method)))
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
