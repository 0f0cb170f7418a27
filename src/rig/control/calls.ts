import { Hono } from 'hono'
import { halResponse } from '../../service/hal.ts'
import { problems } from '../../service/problem.ts'
import { checked } from './checked.ts'
import { incomingJson } from './incoming-json.ts'
import { type ControlCall, Incoming, type Tools } from './route.ts'
import { routes } from './routes.ts'

interface Bindings extends ControlCall {
  readonly page: () => Promise<Response | undefined>
}

export interface Calls {
  /** @param page asked where there is no control call at the address */
  answerCall(
    request: Request,
    call: ControlCall,
    page: () => Promise<Response | undefined>,
  ): Promise<Response>
}

/** All control calls: each checked by what its route states, then handled. */
export function createCalls(tools: Tools): Calls {
  const app = new Hono<{ Bindings: Bindings }>({ strict: false }).basePath('/_mock')
  for (const route of routes)
    app.on(route.method, honoPath(route.path), async c => {
      const { handle } = route
      const parts = {
        params: c.req.param(),
        query: route.query ? checked(route.query, c.req.query()) : undefined,
        body: route.body ? checked(route.body, await incomingJson(c.req.raw, route.longestBody)) : undefined,
      }
      const answer = await handle(new Incoming<unknown>(tools, c.req.raw, c.env, parts))
      // It may tell of what others have just put on record, and the disk may yet refuse that.
      await tools.spaces.opened(c.req.param('space') ?? '')?.data.pending
      if (answer instanceof Response) return answer
      return answer === undefined ? new Response(null, { status: 204 }) : halResponse(answer as object)
    })
  app.notFound(async c => {
    const { method, path } = c.req
    const allow = allowed(path)
    if (allow && method === 'OPTIONS') return c.body(null, 204, { Allow: allow })
    const page = method === 'GET' || method === 'HEAD' ? await c.env.page() : undefined
    if (page) return page
    if (allow) throw problems.methodNotAllowed(method, allow)
    throw problems.notFound(`control call or page at ${path}; GET /_mock lists what there is`)
  })
  app.onError(error => {
    throw error
  })
  return {
    answerCall: async (request, call, page) => app.fetch(request, { ...call, arrival: call.arrival, page }),
  }
}

const honoPath = (path: string) => path.replaceAll(/\{(\w+)\}/g, ':$1')

const forms = [...new Set(['/health', ...routes.map(({ path }) => path)])].map(path => ({
  path,
  form: new RegExp(`^/_mock${path === '/' ? '' : path.replaceAll(/\{\w+\}/g, '[^/]+')}/?$`),
}))

function allowed(path: string): string | undefined {
  const paths = forms.filter(({ form }) => form.test(path)).map(({ path }) => path)
  const methods = [
    ...(paths.includes('/health') ? ['GET'] : []),
    ...routes.filter(route => paths.includes(route.path)).map(({ method }) => method),
  ]
  if (methods.length === 0) return undefined
  const all = methods.flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method]))
  return [...new Set(all), 'OPTIONS'].join(', ')
}
