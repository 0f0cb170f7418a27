import type { IncomingMessage } from 'node:http'
import { Addressing, type AddressSettings, type Bases } from './address.ts'
import { type Arrival, inProcess } from './rig/arrival.ts'
import { createControl } from './rig/control/control.ts'
import type { Scenarios } from './rig/control/route.ts'
import type { ExamDesk } from './rig/exam-desk.ts'
import { Exchange } from './rig/exchange.ts'
import { incomingBody } from './rig/incoming-body.ts'
import { Passage, type Reply, type Visit } from './rig/passage.ts'
import type { Rigs } from './rig/rigs.ts'
import type { Scenario } from './rig/scenarios/scenario.ts'
import { SidePorts } from './rig/side-ports.ts'
import { andThen } from './service/and-then.ts'
import { type Answer, respond } from './service/answer.ts'
import type { Call } from './service/call.ts'
import { Credentials } from './service/credentials.ts'
import { bodyOf } from './service/input.ts'
import type { Names } from './service/links.ts'
import { Problem, problemAnswer, problems } from './service/problem.ts'
import { RateLimit } from './service/rate-limit.ts'
import { createService } from './service/service.ts'
import type { ServiceDescriptions } from './service-description.ts'
import type { Account } from './store/homes.ts'
import type { Space } from './store/space.ts'
import type { Spaces } from './store/spaces.ts'

export interface AppOptions {
  readonly spaces: Spaces
  readonly rigs: Rigs
  /** @throws an error whose message lists the names there are */
  readonly scenario: (name: string) => Scenario | Promise<Scenario>
  readonly names: Names
  readonly address: AddressSettings
  /** Requests a minute for each space; 0 is no limit. */
  readonly rateLimit: number
  /** Bytes of a request's body to the service. */
  readonly bodyLimit: number
  /** Whether answers carry X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint. */
  readonly hints: boolean
  /** Hears of errors that are ours, not a client's. */
  readonly report: (error: unknown) => void
  /** What the control API tells of scenarios; without it, it knows those that it is asked for by name. */
  readonly scenarios?: Pick<Scenarios, 'names' | 'problems'>
  /** Where control calls open side ports; without it, nowhere. */
  readonly sidePorts?: SidePorts
  /**
   * What is answered here: everything unless told. Where the control API has a port of its own, `service` leaves of
   * `/_mock` the pages that the service's answers link to, and `control` is everything below `/_mock` and nothing else.
   */
  readonly part?: 'all' | 'service' | 'control'
  /** The port of the service, for a control API that has its own; without it, none. */
  readonly servicePort?: () => number | undefined
  /** Asked for on control calls, when given. */
  readonly token?: string | undefined
}

/** A request as it came over a socket. */
export interface OverSocket {
  readonly incoming: IncomingMessage
  readonly arrival: Arrival
}

/** A reply from a space, or a plain response from outside of all spaces. */
export type Outgoing = Reply | Response

/** Takes a request, and gives what is to go out for it. */
export type App = (request: Request, socket?: OverSocket) => Outgoing | Promise<Outgoing>

/** The pipeline: where from, `/_mock` or the service, who, which space, and then the exchange in that space. */
export function createApp(options: AppOptions): App {
  const { spaces, rigs, names, address, rateLimit, bodyLimit, report } = options
  const addressing = new Addressing(address)
  const credentials = new Credentials(
    userName => spaces.account(userName),
    () => spaces.edition,
  )
  const exchange = new Exchange({
    service: createService(names),
    scenario: options.scenario,
    limit: new RateLimit(rateLimit),
    platformSegment: names.platformSegment,
    hints: options.hints,
    report,
  })
  const scenarios: Scenarios = {
    get: options.scenario,
    names: () => options.scenarios?.names() ?? [],
    problems: () => options.scenarios?.problems() ?? [],
  }
  let desk: Promise<ExamDesk> | undefined
  let descriptions: Promise<ServiceDescriptions> | undefined
  const control = createControl({
    spaces,
    rigs,
    names,
    pages: async tools => (await import('./pages/pages.ts')).createPages(tools),
    report,
    token: options.token,
    hasCalls: options.part !== 'service',
    sidePorts: options.sidePorts ?? new SidePorts(),
    verdict: async (...of) => (await import('./judge/document.ts')).verdictOf(...of),
    isAlone: options.part === 'control',
    service: { publicUrl: address.publicUrl, port: options.servicePort ?? (() => undefined) },
    exams: () => {
      desk ??= import('./judge/exam/desk.ts').then(it => new it.Desk({ spaces, rigs, scenarios }))
      return desk
    },
    serviceDescription: async (...of) => {
      descriptions ??= import('./service-description.ts').then(it => new it.ServiceDescriptions(names))
      return (await descriptions).json(...of)
    },
    scenarios,
  })

  function enter(space: Space, visit: Visit): Reply | Promise<Reply> {
    return andThen(rigs.of(space), rig => exchange.enter(rig, visit))
  }

  function answer(
    request: Request,
    target: string,
    { base, cameBy }: Bases,
    header: Call['header'],
    socket: OverSocket | undefined,
  ): Outgoing | Promise<Outgoing> {
    const arrival = socket ? socket.arrival : inProcess(request.signal)
    if (isControl(target)) return control.fetch(request, { base, cameBy, header, arrival })
    if (isDoorstep(target, header)) return toDashboard(cameBy)
    if (options.part === 'control')
      throw problems.notFound('service on this port, only the control API below /_mock')
    const headers = socket ? socket.incoming.headers : Object.fromEntries(request.headers)
    const body = () =>
      socket ? incomingBody(socket.incoming, request, bodyLimit) : bodyOf(request, bodyLimit)
    const authorization = header('authorization')
    let account: Account
    try {
      account = credentials.check(authorization)
    } catch (error) {
      const named = credentials.named(authorization)
      const visit = named && { request, target, account: named, base, header, headers, arrival, body }
      return turnAway(visit, error, base)
    }
    const visit: Visit = { request, target, account, base, header, headers, arrival, body }
    const open = spaces.opened(account.spaceName)
    return open ? enter(open, visit) : spaces.space(account.spaceName).then(space => enter(space, visit))
  }

  /**
   * A request that names a user without being let in is put on record, and gets no further. The answer is the one that
   * everybody gets, and what makes a difference is done when it has left: neither its bytes nor its time show that there
   * is such a user.
   */
  function turnAway(visit: Visit | undefined, error: unknown, base: string): Reply {
    const answer = failure(error, base)
    return {
      answer,
      strike: undefined,
      close(delivered, bytesSent) {
        const space = visit && spaces.opened(visit.account.spaceName)
        const rig = space && rigs.of(space)
        if (!rig || rig instanceof Promise) return
        new Passage(rig, visit!).tell(answer, true, false).close(delivered, bytesSent)
      },
    }
  }

  const failed = (error: unknown, base: string) => respond(failure(error, base))

  function failure(error: unknown, base: string): Answer {
    const isKnown = error instanceof Problem
    if (!isKnown) report(error)
    const problem = isKnown
      ? error
      : problems.notProcessed('The request could not be processed; nothing was changed')
    return problemAnswer(problem, { problem: name => `${base}/_mock/problems/${name}` })
  }

  return (request, socket) => {
    const { url } = request
    const hostAt = url.indexOf('//') + 2
    const pathAt = url.indexOf('/', hostAt)
    const header: Call['header'] = name =>
      socket
        ? (socket.incoming.headers[name] as string | undefined)
        : (request.headers.get(name) ?? undefined)
    const target = targetOf(url, pathAt, socket)
    // A test may put the mock in the place of the real address. A page may not drive it so: `/_mock` is checked all the same.
    const isOurs = socket === undefined && !isControl(target)
    let base = ''
    try {
      const bases = addressing.bases(url.slice(0, hostAt - 3), header, url.slice(hostAt, pathAt), isOurs)
      base = bases.base
      const reply = answer(request, target, bases, header, socket)
      return reply instanceof Promise ? reply.catch(error => failed(error, base)) : reply
    } catch (error) {
      return failed(error, base)
    }
  }
}

/** Path and query. The socket's own text where it is the same: a part of the whole address would keep all of that. */
function targetOf(url: string, pathAt: number, socket: OverSocket | undefined): string {
  const target = url.slice(pathAt)
  const sent = socket?.incoming.url
  return sent === target ? sent : target
}

/** A browser at the bare address: somebody who wants to look around. No client of the service asks for this. */
const isDoorstep = (target: string, header: Call['header']) =>
  target === '/' && header('accept')?.includes('text/html') === true

const toDashboard = (cameBy: string) =>
  new Response(null, { status: 302, headers: { Location: `${cameBy}/_mock` } })

/** Whether a path, perhaps with a query, is the tester's side. */
const isControl = (path: string) =>
  path.startsWith('/_mock') && (path.length === 6 || path[6] === '/' || path[6] === '?')
