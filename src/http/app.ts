import type { MockParts } from '../control/tools.ts'
import { credentialsHint } from '../rig/hints.ts'
import { type IncomingRequest, inProcessArrival, type Reply, RequestContext } from '../rig/request-context.ts'
import { RequestHandler, type RequestHandlerOptions } from '../rig/request-handler.ts'
import { hintedHeaders } from '../rig/request-record.ts'
import type { Scenarios } from '../rig/scenarios/library.ts'
import { SidePorts } from '../rig/side-ports.ts'
import type { Rigs } from '../rig/space-rig.ts'
import { Credentials, RateLimit } from '../service/access.ts'
import type { ServiceNames } from '../service/links.ts'
import type { ServiceCall } from '../service/operation.ts'
import { problemAnswer, problems, toProblem } from '../service/problem.ts'
import { readRequestBytes } from '../service/request-input.ts'
import { type Answer, mapMaybeAsync, toResponse } from '../service/response.ts'
import { createService } from '../service/service.ts'
import type { Spaces } from '../store/spaces.ts'
import type { Account } from '../store/tenant-directory.ts'
import { Addressing, type AddressSettings, type BaseUrls, problemLinks } from './address.ts'
import { createMockPaths, wantsPage } from './mock-paths.ts'
import type { SocketRequest } from './socket-transport.ts'

export interface AppOptions extends Pick<RequestHandlerOptions, 'channels' | 'hints' | 'report'> {
  readonly spaces: Spaces
  readonly rigs: Rigs
  readonly scenarios: Scenarios
  readonly names: ServiceNames
  readonly address: AddressSettings
  /** Requests per minute for each space; 0 means no limit. */
  readonly rateLimit: number | undefined
  /** Maximum size of a request body to the service, in bytes. */
  readonly bodyLimit: number
  /** Where control calls open side ports. */
  readonly sidePorts?: SidePorts
  /** Which part answers here; `all` by default. */
  readonly part?: MockParts['part']
  /** Where the service listens, for a control API with a port of its own. */
  readonly serviceUrl?: () => string | undefined
  /** The certificate authority that clients have to trust, PEM. */
  readonly authority?: string | undefined
  /** Required on control calls when given. */
  readonly token?: string | undefined
}

/** A reply from a space, or a plain response that belongs to no space. */
export type AppResponse = Reply | Response

/** Answers a request; at once if nothing has to be awaited, since Node's adapter is faster without a promise. */
export type App = (request: Request, socket?: SocketRequest) => AppResponse | Promise<AppResponse>

/** The pipeline: address, `/_mock` or the service, credentials, space, and then the handler of requests. */
export function createApp(options: AppOptions): App {
  const { spaces, rigs, names, scenarios, address, rateLimit, bodyLimit, report, part = 'all' } = options
  const addressing = new Addressing(address)
  const credentials = new Credentials(
    userName => spaces.directory.account(userName),
    () => spaces.directory.revision,
  )
  const requests = new RequestHandler({
    service: createService(names),
    scenario: name => scenarios.get(name),
    limit: new RateLimit(rateLimit),
    channels: options.channels,
    hints: options.hints,
    report,
  })
  const mockPaths = createMockPaths({
    spaces,
    rigs,
    names,
    scenarios,
    report,
    token: options.token,
    part,
    sidePorts: options.sidePorts ?? new SidePorts(),
    service: { publicUrl: address.publicUrl, url: options.serviceUrl ?? (() => undefined) },
    authority: options.authority,
  })

  function answer(
    request: Request,
    target: string,
    { base, cameBy }: BaseUrls,
    header: ServiceCall['header'],
    socket: SocketRequest | undefined,
  ): AppResponse | Promise<AppResponse> {
    const arrival = socket ?? inProcessArrival(request.signal)
    if (isControlPath(target)) return mockPaths.fetch(request, { base, cameBy, header, arrival })
    if (isBrowserAtRoot(target, header)) return redirectToDashboard(cameBy)
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

  function failure(error: unknown, base: string): Answer {
    const known = toProblem(error)
    if (!known) report(error)
    const problem = known ?? problems.notProcessed('The request could not be processed; nothing was changed')
    return problemAnswer(problem, problemLinks(base))
  }

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

const redirectToDashboard = (cameBy: string) =>
  new Response(null, { status: 302, headers: { Location: `${cameBy}/_mock` } })

/** Browsers ask for it by themselves, so it is no request of a client. Pages have an icon in their head. */
const noIcon = () =>
  new Response(null, { status: 204, headers: { 'Cache-Control': 'public, max-age=86400' } })

/** Whether a path, with or without a query, belongs to the control API and its pages. */
const isControlPath = (path: string) =>
  path.startsWith('/_mock') && (path.length === 6 || path[6] === '/' || path[6] === '?')
