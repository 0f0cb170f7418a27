import { Problem, problemResponse, problems } from '../../service/problem.ts'
import { wantsPage } from './accept.ts'
import type { Pages, PageTools } from './pages.ts'
import { refuseForeignChange } from './protection.ts'
import type { ControlCall, Tools } from './route.ts'
import { isSignIn, signIn } from './sign-in.ts'
import { Token } from './token.ts'

export interface ControlOptions extends Omit<Tools, 'isProtected'> {
  /** The pages that a person looks at; read when one of them is first asked for. */
  readonly pages: (tools: PageTools) => Promise<Pages>
  /** Whether control calls are answered here; else only health and the pages are. They are unless told otherwise. */
  readonly hasCalls?: boolean
  /** Asked for on every control call but health, when given. */
  readonly token?: string | undefined
  /** Hears of errors that are ours, where a page tells a person of them. */
  readonly report: (error: unknown) => void
}

/** The tester's side, below `/_mock`. */
export interface Control {
  fetch(request: Request, call: ControlCall): Response | Promise<Response>
}

/**
 * The tester's side. It needs no credentials unless a token is given; a web page elsewhere must not be able to drive it.
 * All calls but health are read when the first of them is made, and so are the pages: they would make every start slower.
 */
export function createControl(options: ControlOptions): Control {
  const { pages: makePages, token: givenToken, hasCalls = true, report, ...given } = options
  const token = givenToken === undefined ? undefined : new Token(givenToken)
  const tools: PageTools = { ...given, isProtected: token !== undefined, hasCalls }
  const pages = once(() => makePages(tools))
  const calls = once(() => import('./calls.ts').then(it => it.createCalls(tools)))

  async function answer(request: Request, call: ControlCall, isForPerson: boolean): Promise<Response> {
    if (token && isSignIn(request)) return signIn(request, call, token, pages)
    if (token && !isOpen(request)) {
      if (isForPerson && !token.isCarriedBy(call)) return askToSignIn(request, call)
      token.check(call)
    }
    if (!hasCalls) return pageOnly(request, call)
    if (!isSafe(request.method)) refuseForeignChange(call)
    const page = isForPerson ? await (await pages()).page(request, call) : undefined
    if (page) return page
    const { answerCall } = await calls()
    return answerCall(request, call, async () => (await pages()).page(request, call))
  }

  async function pageOnly(request: Request, call: ControlCall): Promise<Response> {
    const page = isSafe(request.method) ? await (await pages()).page(request, call) : undefined
    if (!page) throw problems.notFound('such page here; the control API of this mock is on a port of its own')
    return page
  }

  async function askToSignIn(request: Request, call: ControlCall): Promise<Response> {
    const { pathname, search } = new URL(request.url)
    const prefix = new URL(call.cameBy).pathname.replace(/\/$/, '')
    return (await pages()).signIn(request, call, prefix + pathname + search, false)
  }

  /** A person reads of a problem what a program gets as JSON. */
  async function told(
    error: unknown,
    request: Request,
    call: ControlCall,
    isForPerson: boolean,
  ): Promise<Response> {
    if (!(error instanceof Problem) && !isForPerson) throw error
    if (!(error instanceof Problem)) report(error)
    const problem =
      error instanceof Problem
        ? error
        : problems.notProcessed('The page could not be made; nothing was changed')
    if (isForPerson) return (await pages()).problem(problem, request, call)
    return problemResponse(problem, { problem: name => `${call.base}/_mock/problems/${name}` })
  }

  return {
    fetch: (request, call) => {
      if (isHealth(request)) return health(request.method)
      const isForPerson = isRead(request.method) && wantsPage(call.header('accept'))
      return answer(request, call, isForPerson)
        .catch(error => told(error, request, call, isForPerson))
        .then(response => (isRead(request.method) ? varied(response) : response))
    },
  }
}

const isRead = (method: string) => method === 'GET' || method === 'HEAD'
const isSafe = (method: string) => isRead(method) || method === 'OPTIONS'

const isHealth = ({ method, url }: Request) =>
  isRead(method) && /^[a-z]+:\/\/[^/]*\/_mock\/health\/?(?:\?|$)/.test(url)

/**
 * What a token is not asked for: what links of the service's own answers explain, the same for everybody and nothing of a
 * space, and what pages are made with.
 */
const isOpen = ({ method, url }: Request) =>
  isSafe(method) && /^[a-z]+:\/\/[^/]*\/_mock\/(?:(?:relations|problems)(?:\/[\w-]*)?$|assets\/)/.test(url)

/** One address, a page for a person and JSON for a program: what is kept of one must not be given to the other. */
function varied(response: Response): Response {
  response.headers.append('Vary', 'Accept')
  return response
}

/** A body that never changes: whoever waits for the mock compares it. */
const health = (method: string) =>
  new Response(method === 'HEAD' ? null : '{"status":"ready"}', {
    headers: { 'Content-Type': 'application/json' },
  })

/** A promise made when it is first asked for. One that failed is made again. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= make().catch(error => {
      made = undefined
      throw error
    })
    return made
  }
}
