import { type Context, Hono } from 'hono'
import { halType } from '../service/hal.ts'
import type { Names } from '../service/links.ts'
import { type Operation, operationIds, operations } from '../service/operations.ts'
import { Problem, problemResponse, problems } from '../service/problem.ts'
import type { Spaces } from '../store/spaces.ts'

/** What the control API is told of a request. */
export interface ControlCall {
  /** Base of all links, without a slash at the end. */
  readonly base: string
  readonly header: (name: string) => string | undefined
}

type ControlContext = Context<{ Bindings: ControlCall }>

export interface ControlOptions {
  readonly spaces: Spaces
  readonly names: Names
  /** Answers what is no control call: the pages that a person looks at. Undefined when there is no such page. */
  readonly pages: (request: Request, call: ControlCall) => Promise<Response | undefined>
}

/** The tester's side, below `/_mock`. It needs no credentials; a web page elsewhere must not be able to drive it. */
export function createControl({ spaces, names, pages }: ControlOptions): Hono<{ Bindings: ControlCall }> {
  const app = new Hono<{ Bindings: ControlCall }>({ strict: false }).basePath('/_mock')

  app.get('/health', c => c.json({ status: 'ready' }))

  app.get('/', c => {
    const link = (path: string) => ({ href: `${c.env.base}/_mock${path}` })
    return hal(c, {
      _links: {
        self: link(''),
        health: link('/health'),
        operations: link('/operations'),
        reset: link('/reset'),
      },
    })
  })

  app.get('/operations', c =>
    hal(c, {
      _embedded: {
        operations: operationIds.map(id => ({ operationId: id, ...described(operations[id], names) })),
      },
      _links: { self: { href: `${c.env.base}/_mock/operations` } },
    }),
  )

  app.post('/reset', async c => {
    refuseForeign(c)
    await spaces.reset()
    return c.body(null, 204)
  })

  app.notFound(async c => {
    const { method, path } = c.req
    const allow = allowed(app.routes, path)
    if (allow && method === 'OPTIONS') return c.body(null, 204, { Allow: allow })
    if (allow) throw problems.methodNotAllowed(method, allow)
    const page = method === 'GET' || method === 'HEAD' ? await pages(c.req.raw, c.env) : undefined
    if (page) return page
    throw problems.notFound(`control call or page at ${path}; GET /_mock lists what there is`)
  })
  app.onError((error, c) => {
    if (!(error instanceof Problem)) throw error
    return problemResponse(error, { problem: name => `${c.env.base}/_mock/problems/${name}` })
  })
  return app
}

const hal = (c: ControlContext, document: object) =>
  c.body(JSON.stringify(document), 200, { 'Content-Type': halType })

function described(operation: Operation, names: Names) {
  const { method, section, right } = operation
  const path = operation.path.replace(':platform', names.platformSegment).replaceAll(/:(\w+)/g, '{$1}')
  return { method, path, section: section === 'S' ? null : section, right }
}

function allowed(routes: readonly { method: string; path: string }[], path: string): string | undefined {
  const methods = routes
    .filter(route => route.path === path && route.method !== 'ALL')
    .map(({ method }) => method)
  if (methods.length === 0) return undefined
  return [
    ...new Set(methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))),
    'OPTIONS',
  ].join(', ')
}

/**
 * A change must come from a program or from our own pages. A page elsewhere can send a simple request here without
 * being asked, but not with this content type; and its browser says where it comes from.
 * @throws Problem 415 or 403
 */
function refuseForeign(c: ControlContext): void {
  const { header, base } = c.env
  const mediaType = header('content-type')?.split(';')[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json')
    throw problems.unsupportedControlType(mediaType === undefined ? 'missing' : `"${mediaType}"`)
  const origin = header('origin')
  if (origin !== undefined && origin !== new URL(base).origin)
    throw problems.foreignOrigin(`Origin "${origin}"`)
  const site = header('sec-fetch-site')
  if (site !== undefined && site !== 'same-origin' && site !== 'none')
    throw problems.foreignOrigin(`Sec-Fetch-Site "${site}"`)
}
