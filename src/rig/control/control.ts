import { Problem, problemResponse, problems } from '../../service/problem.ts'
import { refuseForeignChange, tokenCheck } from './protection.ts'
import type { ControlCall, Tools } from './route.ts'

export interface ControlOptions extends Omit<Tools, 'isProtected'> {
  /** Answers what is no control call: the pages that a person looks at. Undefined when there is no such page. */
  readonly pages: (request: Request, call: ControlCall) => Promise<Response | undefined>
  /** Whether control calls are answered here; else only health and the pages are. They are unless told otherwise. */
  readonly hasCalls?: boolean
  /** Asked for on every control call but health, when given. */
  readonly token?: string | undefined
}

/** The tester's side, below `/_mock`. */
export interface Control {
  fetch(request: Request, call: ControlCall): Response | Promise<Response>
}

/**
 * The tester's side. It needs no credentials unless a token is given; a web page elsewhere must not be able to drive it.
 * All calls but health are read when the first of them is made: they would make every start slower.
 */
export function createControl(options: ControlOptions): Control {
  const { pages, token, hasCalls = true, ...tools } = options
  const checkToken = tokenCheck(token)
  const calls = once(() =>
    import('./calls.ts').then(it => it.createCalls({ ...tools, isProtected: token !== undefined })),
  )

  async function answer(request: Request, call: ControlCall): Promise<Response> {
    if (!isExplanation(request)) checkToken(call)
    if (!hasCalls) return pageOnly(request, call)
    if (!isSafe(request.method)) refuseForeignChange(call)
    const { answerCall } = await calls()
    return answerCall(request, call, () => pages(request, call))
  }

  async function pageOnly(request: Request, call: ControlCall): Promise<Response> {
    const page = isSafe(request.method) ? await pages(request, call) : undefined
    if (!page) throw problems.notFound('such page here; the control API of this mock is on a port of its own')
    return page
  }

  return {
    fetch: (request, call) => {
      if (isHealth(request)) return health(request.method)
      return answer(request, call).catch(error => {
        if (!(error instanceof Problem)) throw error
        return problemResponse(error, { problem: name => `${call.base}/_mock/problems/${name}` })
      })
    },
  }
}

const safe = new Set(['GET', 'HEAD', 'OPTIONS'])
const isSafe = (method: string) => safe.has(method)

const isHealth = ({ method, url }: Request) =>
  (method === 'GET' || method === 'HEAD') && /^[a-z]+:\/\/[^/]*\/_mock\/health\/?(?:\?|$)/.test(url)

/** What links of the service's own answers explain: the same for everybody, and nothing of a space. */
const isExplanation = ({ method, url }: Request) =>
  isSafe(method) && /^[a-z]+:\/\/[^/]*\/_mock\/(?:relations|problems)(?:\/[\w-]*)?$/.test(url)

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
