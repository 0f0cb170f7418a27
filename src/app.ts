import type { IncomingMessage } from 'node:http'
import { Addressing, type AddressSettings } from './address.ts'
import { type ControlCall, createControl } from './rig/control.ts'
import type { Call } from './service/call.ts'
import { Credentials } from './service/credentials.ts'
import { type DialValues, defaultDials } from './service/dials.ts'
import { bodyOf } from './service/input.ts'
import { Links, type Names } from './service/links.ts'
import { Problem, problemResponse, problems } from './service/problem.ts'
import { RateLimit, type RateLimitHeaders } from './service/rate-limit.ts'
import { createService } from './service/service.ts'
import type { Account, Space, Spaces } from './store/spaces.ts'

export interface AppOptions {
  readonly spaces: Spaces
  readonly names: Names
  readonly address: AddressSettings
  /** Requests a minute for each space; 0 leaves it to the dial, which sets no limit unless it is turned. */
  readonly rateLimit: number
  /** What a space does where the document is silent; without it every dial stands at its default. */
  readonly dialsOf?: (space: Space) => DialValues
  /** Hears of errors that are ours, not a client's. */
  readonly report: (error: unknown) => void
}

/** Answers a request. `incoming` is the request as Node has it, where it came over a socket. */
export type Fetch = (request: Request, incoming?: IncomingMessage) => Response | Promise<Response>

/** The pipeline: where from, `/_mock` or the service, who, which space, and then the service's own answer. */
export function createApp(options: AppOptions): Fetch {
  const { spaces, names, address, rateLimit, report, dialsOf = () => defaultDials } = options
  const addressing = new Addressing(address)
  const credentials = new Credentials(userName => spaces.account(userName))
  const service = createService(names)
  const linksOf = linkKeeper(names)
  const causeOf = causeCounter()
  const limit = new RateLimit(rateLimit)

  const pages = async (...args: [Request, ControlCall]) =>
    (await import('./pages/pages.ts')).page(spaces, names, ...args)
  const control = createControl({ spaces, names, pages })

  function enter(request: Request, space: Space, { user }: Account, base: string, header: Call['header']) {
    const dials = dialsOf(space)
    const links = linksOf(space, base, dials)
    const body = bodyOf(request, header)
    const call: Call = { space, rights: user.rights, links, cause: causeOf(space), header, dials, body }
    const headers = limit.take(space, dials)
    return headers ? limited(headers, service.fetch(request, call)) : service.fetch(request, call)
  }

  function answer(
    request: Request,
    base: string,
    path: string,
    header: Call['header'],
  ): Response | Promise<Response> {
    if (isControl(path)) return control.fetch(request, { base, header })
    const account = credentials.check(header('authorization'))
    const open = spaces.opened(account.spaceName)
    if (open) return enter(request, open, account, base, header)
    return spaces.space(account.spaceName).then(space => enter(request, space, account, base, header))
  }

  function failed(error: unknown, base: string): Response {
    const isKnown = error instanceof Problem
    if (!isKnown) report(error)
    const problem = isKnown
      ? error
      : problems.notProcessed('The request could not be processed; nothing was changed')
    return problemResponse(problem, { problem: name => `${base}/_mock/problems/${name}` })
  }

  return (request, incoming) => {
    const { url } = request
    const hostAt = url.indexOf('//') + 2
    const pathAt = url.indexOf('/', hostAt)
    const header = (name: string) =>
      incoming ? (incoming.headers[name] as string | undefined) : (request.headers.get(name) ?? undefined)
    let base = ''
    try {
      base = addressing.base(url.slice(0, hostAt - 3), header, url.slice(hostAt, pathAt))
      const response = answer(request, base, url.slice(pathAt), header)
      return response instanceof Promise ? response.catch(error => failed(error, base)) : response
    } catch (error) {
      return failed(error, base)
    }
  }
}

/** Whether a path, perhaps with a query, is the tester's side. */
const isControl = (path: string) =>
  path.startsWith('/_mock') && (path.length === 6 || path[6] === '/' || path[6] === '?')

async function limited(headers: RateLimitHeaders, answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value)
  return response
}

/** Links per space, base and dials: they keep the bytes of what was answered, so they live as long as the space. */
function linkKeeper(names: Names): (space: Space, base: string, dials: DialValues) => Links {
  const kept = new WeakMap<Space, Map<string, Links>>()
  const basesPerSpace = 16
  return (space, base, dials) => {
    const ofSpace = kept.get(space) ?? new Map<string, Links>()
    kept.set(space, ofSpace)
    const known = ofSpace.get(base)
    if (known?.dials === dials) return known
    if (ofSpace.size >= basesPerSpace) ofSpace.clear()
    const links = new Links(base, names, space.name, dials)
    ofSpace.set(base, links)
    return links
  }
}

/** IDs for requests. The number of changes in front keeps them apart from those before a restart. */
function causeCounter(): (space: Space) => string {
  const counts = new WeakMap<Space, number>()
  return space => {
    const count = (counts.get(space) ?? 0) + 1
    counts.set(space, count)
    return `r${space.data.age}-${count}`
  }
}
