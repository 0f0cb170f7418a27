import { Hono, type Next } from 'hono'
import { problemOf } from '../rig/request-handler.ts'
import { toRouterPath } from '../service/operations.ts'
import { type Problem, problems, toProblem } from '../service/problem.ts'
import { problemResponse } from '../service/problem-answer.ts'
import { wantsPage } from './accept.ts'
import {
  type ControlCall,
  type ControlContext,
  type ControlEnv,
  controlRoot,
  type Endpoint,
  problemLinks,
} from './endpoint.ts'
import { nearestCall } from './nearest-call.ts'
import { openCalls, ownHeaders } from './open-calls.ts'
import {
  refuseForeignChange,
  refuseForeignPage,
  refuseForeignRead,
  type SignInForm,
  signIn,
  Token,
} from './sign-in.ts'
import { type ControlTools, createControlTools, lazy, type MockParts } from './tools.ts'

/** What persons get. It is handed in, since pages read the control API. */
export interface Pages {
  readonly endpoints: readonly Endpoint[]
  /** The page for a problem, which a program gets as JSON. */
  problem(problem: Problem, c: ControlContext): Promise<Response>
  /** Asks for the token. */
  signIn(form: SignInForm, c: ControlContext): Promise<Response>
}

/** Answers a request for `/_mock` or an address below it. */
export type ControlApp = (request: Request, call: ControlCall) => Response | Promise<Response>

/**
 * The control API and the pages. The calls are loaded with the first request that is not for an open call, since loading
 * them at the start would make it slower.
 * @param report called with internal errors that are shown on a page
 */
export function createControlApp(
  parts: MockParts,
  createPages: (tools: ControlTools) => Pages,
  report: (error: unknown) => void,
): ControlApp {
  const tools = createControlTools(parts)
  const pages = createPages(tools)
  const app = newApp()
  for (const { path, answer } of openCalls) app.get(path, c => answer(c, tools))
  app.use(addOwnHeaders)
  app.onError((error, c) => {
    if (isForPerson(c))
      return pages.problem(problemOf(error, report, 'The page could not be made; nothing was changed'), c)
    const problem = toProblem(error)
    if (!problem) throw error
    return problemResponse(problem, problemLinks(c.env.base))
  })
  app.use((c, next) => {
    if (isRead(c)) refuseForeignRead(c.env)
    return next()
  })
  if (parts.token !== undefined) requireToken(app, pages, new Token(parts.token))
  const endpoints = lazy(async () =>
    createEndpoints(pages, tools.hasCalls ? (await import('./call-table.ts')).createCalls(tools) : undefined),
  )
  app.all('*', async c => (await endpoints()).fetch(c.req.raw, c.env))
  return (request, call) => app.fetch(request, call)
}

const newApp = () => new Hono<ControlEnv>({ strict: false }).basePath('/_mock')

/** Lets a request pass that has the token, or is for an open endpoint. A person is asked to sign in. */
function requireToken(app: ReturnType<typeof newApp>, pages: Pages, token: Token): void {
  app.get('/sign-in', c => pages.signIn({ to: controlRoot(c.env), isWrong: false }, c))
  app.post('/sign-in', requireOwnPage, async c => {
    const result = await signIn(c.req.raw, c.env, token)
    return result instanceof Response ? result : pages.signIn(result, c)
  })
  for (const { path, isOpen } of pages.endpoints)
    if (isOpen)
      app.on(['GET', 'OPTIONS'], routerPath(path), (c, next) => {
        c.set('isOpen', true)
        return next()
      })
  app.use((c, next) => {
    if (c.get('isOpen')) return next()
    if (isForPerson(c) && !token.isPresent(c.env))
      return pages.signIn({ to: browserAddress(c), isWrong: false }, c)
    token.check(c.env)
    return next()
  })
}

/**
 * The app of all endpoints. If an address has a page and a call, a person gets the page and a program gets the call; an
 * address with one of them answers both.
 * @param calls undefined on the service's port if the control API has a port of its own
 */
function createEndpoints(pages: Pages, calls: readonly Endpoint[] | undefined) {
  const app = newApp()
  app.onError(error => {
    throw error
  })
  if (!calls) {
    for (const { path, isLinkedByService, answer } of pages.endpoints)
      if (isLinkedByService) app.get(routerPath(path), answer)
    app.notFound(() => {
      throw problems.notFound('such page here; the control API of this mock is on a port of its own')
    })
    return app
  }
  for (const { path, answer } of pages.endpoints)
    app.get(routerPath(path), (c, next) => (isForPerson(c) && !namesFormat(c) ? answer(c) : next()))
  for (const { method, path, isForOwnPages, answer } of calls) {
    if (method !== 'GET') app.on(method, routerPath(path), requireOwnChange)
    if (isForOwnPages) app.on(method, routerPath(path), requireOwnPage)
    app.on(method, routerPath(path), answer)
  }
  for (const { path, answer } of pages.endpoints) app.get(routerPath(path), answer)
  // Only a request that no endpoint has answered gets here.
  for (const { method, path } of [...openCalls, ...calls, ...pages.endpoints])
    app.all(routerPath(path), (c, next) => {
      c.set('methods', [...(c.get('methods') ?? []), method])
      return next()
    })
  app.notFound(c => answerOtherMethod(c, calls))
  return app
}

/** The path of an endpoint as Hono has it. `{document}.md` takes what ends like that, with the ending. */
const routerPath = (path: string) => toRouterPath(path).replace(/:(\w+)(\.\w+)$/, ':$1{[^/]+\\$2}')

/** Answers OPTIONS. @throws Problem 405, or 404 where there is no call */
function answerOtherMethod(c: ControlContext, calls: readonly Endpoint[]): Response {
  const { method, path } = c.req
  const methods = c.get('methods')
  if (methods === undefined) {
    const meant = nearestCall(method, path, [...openCalls, ...calls])
    throw problems.notFound(`control call or page at ${path}; ${meant}GET /_mock lists what there is`)
  }
  const withHead = methods.flatMap(it => (it === 'GET' ? ['GET', 'HEAD'] : [it]))
  const allow = [...new Set(withHead), 'OPTIONS'].join(', ')
  if (method !== 'OPTIONS') throw problems.methodNotAllowed(method, allow)
  return new Response(null, { status: 204, headers: { Allow: allow } })
}

/** @throws Problem 415 or 403 */
function requireOwnChange(c: ControlContext, next: Next): Promise<void> {
  refuseForeignChange(c.env, c.req.method)
  return next()
}

/** @throws Problem 403 */
function requireOwnPage(c: ControlContext, next: Next): Promise<void> {
  refuseForeignPage(c.env)
  return next()
}

/**
 * One address has a page for a person and JSON for a program: caches must keep them apart. JSON is not
 * cached, and pages of other origins cannot embed it.
 */
async function addOwnHeaders(c: ControlContext, next: Next): Promise<void> {
  await next()
  // Node adds the length of a body, but Hono takes the body away from an answer to HEAD.
  if (c.req.method === 'HEAD' && c.res.body)
    c.res.headers.set('Content-Length', String((await c.res.clone().arrayBuffer()).byteLength))
  const { headers } = c.res
  if (isRead(c)) headers.append('Vary', 'Accept')
  if (/json|^text\/plain/.test(headers.get('content-type') ?? ''))
    for (const [name, value] of Object.entries(ownHeaders)) headers.set(name, value)
}

const isRead = ({ req }: ControlContext) => req.method === 'GET' || req.method === 'HEAD'
const isForPerson = (c: ControlContext) => isRead(c) && wantsPage(c.env.header('accept'))

/** A format that is named explicitly is given to browsers as well. */
const namesFormat = ({ req }: ControlContext) => /^\w/.test(req.query('format') ?? '')

/** Path and query as a browser has them. */
function browserAddress({ req, env }: ControlContext): string {
  const { pathname, search } = new URL(req.url)
  return new URL(env.cameBy).pathname.replace(/\/$/, '') + pathname + search
}
