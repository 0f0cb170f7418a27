import { wantsPage } from '../control/accept.ts'
import { createControlApp } from '../control/app.ts'
import { problemLinks } from '../control/endpoint.ts'
import type { MockParts } from '../control/tools.ts'
import { createPages } from '../pages/page-table.ts'
import { inProcessArrival } from '../rig/arrival.ts'
import { credentialsHint } from '../rig/hints.ts'
import { readRequestBytes } from '../rig/request-body.ts'
import { type IncomingRequest, type Reply, RequestContext } from '../rig/request-context.ts'
import { problemOf, RequestHandler, type RequestHandlerOptions } from '../rig/request-handler.ts'
import { hintedHeaders } from '../rig/request-record.ts'
import { areAnswersHeard, publishAnswer } from '../rig/true-answers.ts'
import { Credentials, RateLimit } from '../service/access.ts'
import { defaultDials } from '../service/dials.ts'
import type { ServiceCall } from '../service/operation.ts'
import { problems } from '../service/problem.ts'
import { problemAnswer } from '../service/problem-answer.ts'
import { type Answer, toResponse } from '../service/response.ts'
import { createService } from '../service/service.ts'
import type { Account } from '../store/tenant-directory.ts'
import { Addressing, type AddressSettings, type BaseUrls } from './address.ts'
import type { App, AppResponse, ReceivedRequest } from './transport.ts'

export interface AppOptions
  extends Omit<MockParts, 'service' | 'reportHtml'>,
    Pick<RequestHandlerOptions, 'channels' | 'hints' | 'report'> {
  readonly address: AddressSettings
  /** Requests per minute for each space; 0 means no limit. */
  readonly rateLimit: number | undefined
  /** Maximum size of a request body to the service, in bytes. */
  readonly bodyLimit: number
  /** Where the service listens, for a control API with a port of its own. */
  readonly serviceUrl: () => string | undefined
}

/** What answers the requests of the service. */
export const createRequestHandler = (
  options: Pick<AppOptions, 'names' | 'scenarios' | 'rateLimit' | 'channels' | 'hints' | 'report'>,
): RequestHandler =>
  new RequestHandler({
    service: createService(options.names),
    scenario: name => options.scenarios.get(name),
    limit: new RateLimit(options.rateLimit),
    channels: options.channels,
    hints: options.hints,
    report: options.report,
  })

/** The pipeline: address, `/_mock` or the service, credentials, space, and then the handler of requests. */
export function createApp(options: AppOptions, requests = createRequestHandler(options)): App {
  const { spaces, rigs, address, bodyLimit, report, part } = options
  const addressing = new Addressing(address)
  const credentials = new Credentials(
    userName => spaces.directory.account(userName),
    () => spaces.directory.revision,
  )
  const control = createControlApp(
    {
      ...options,
      service: { publicUrl: address.publicUrl, pagesUrl: address.pagesUrl, url: options.serviceUrl },
      reportHtml: async (report, root) => (await import('../pages/run-report.tsx')).runHtml(report, root),
    },
    createPages,
    report,
  )

  function answer(
    request: Request,
    target: string,
    { base, cameBy }: BaseUrls,
    header: ServiceCall['header'],
    socket: ReceivedRequest | undefined,
  ): AppResponse | Promise<AppResponse> {
    const arrival = socket ?? inProcessArrival(request.signal)
    if (isControlPath(target)) return control(request, { base, cameBy, header, arrival })
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
      const reply = rejectLogin(incoming, credentials.findUser(authorization), error)
      return isNavigation(header) ? sandboxReply(reply) : reply
    }
    const incoming: IncomingRequest = { request, target, account, base, header, headers, arrival, body }
    const { spaceName } = account
    const mayWrite = account.user.rights.includes('write')
    const space = spaces.getOpen(spaceName)
    const rig = space && rigs.ready(space)
    const reply = rig
      ? requests.handle(rig, incoming)
      : openRig(spaceName, mayWrite).then(opened => requests.handle(opened, incoming))
    if (!isNavigation(header)) return reply
    return reply instanceof Promise ? reply.then(sandboxReply) : sandboxReply(reply)
  }

  const openRig = async (spaceName: string, mayEvict: boolean) =>
    rigs.of(await spaces.getOrOpen(spaceName, mayEvict))

  /**
   * A request that names a known user with wrong credentials is recorded and refused. Recording happens after the answer
   * has left, so neither the bytes nor the timing of the answer show whether the user exists.
   */
  function rejectLogin(
    incoming: Omit<IncomingRequest, 'account'>,
    { name, account }: ReturnType<Credentials['findUser']>,
    error: unknown,
  ) {
    const { base, target, request } = incoming
    const plain = failure(error, base)
    const noted = rigs.rejectedLogins.note(request.method, target, plain.problem?.detail ?? '', name, account)
    incoming.arrival.nameRecord?.(noted.id, account?.spaceName)
    const sentence = credentialsHint(noted.reason, spaces.directory.documentedUsers(), target)
    const hints = options.hints ? { scenario: undefined, sentence } : undefined
    const answer = { ...plain, headers: hintedHeaders(plain.headers, { id: noted.id, hints }) }
    publish(request, target, answer)
    const close: Reply['close'] = (delivered, bytesSent) => {
      rigs.events.emit(account?.spaceName ?? '', { type: 'space', data: { what: 'turned away' } })
      const space = account && spaces.getOpen(account.spaceName)
      const rig = space && rigs.ready(space)
      if (!rig) return
      const context = new RequestContext(rig, { ...incoming, account })
      context.setResponse(answer, true, false).close(delivered, bytesSent)
      noted.recordId = context.record.id
      context.record.refusalId = noted.id
    }
    return { answer, pendingFault: undefined, close }
  }

  /** An answer to a request that belongs to no space. */
  function publish({ method }: Request, target: string, answer: Answer): void {
    if (areAnswersHeard() && part !== 'control' && !isControlPath(target))
      publishAnswer({ method, target, answer, names: options.names, dials: defaultDials })
  }

  function failure(error: unknown, base: string): Answer {
    const problem = problemOf(error, report)
    const answer = problemAnswer(problem, problemLinks(base))
    if (!options.hints || problem.hint === undefined) return answer
    return { ...answer, headers: { ...answer.headers, 'X-Mock-Hint': problem.hint } }
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
      publish(request, target, answer)
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
