import { Hono } from 'hono'
import { toRouterPath } from '../service/operations.ts'
import type { ControlCall, Route } from './route.ts'

export interface RoutedRequest {
  readonly request: Request
  readonly call: ControlCall
  /** Without a slash at the end. */
  readonly path: string
  readonly params: Record<string, string>
  readonly query: Record<string, string>
}

/** Answers a request; undefined when no entry has its address and method. */
export type Router = (request: Request, call: ControlCall) => Promise<Response | undefined>

/** A parameter with an ending, as in `{document}.md`, takes what ends like that, with the ending. */
const withEnding = (path: string) => path.replace(/:(\w+)(\.\w+)$/, ':$1{[^/]+\\$2}')

/** A router of entries in this order, which are control calls or pages. HEAD is answered as GET, without the body. */
export function createRouter<Entry extends Pick<Route, 'method' | 'path'>>(
  entries: readonly Entry[],
  answer: (entry: Entry, request: RoutedRequest) => Response | Promise<Response>,
): Router {
  interface Bindings {
    readonly call: ControlCall
    isFound: boolean
  }
  const app = new Hono<{ Bindings: Bindings }>({ strict: false }).basePath('/_mock')
  for (const entry of entries)
    app.on(entry.method, withEnding(toRouterPath(entry.path)), c => {
      const { raw, path } = c.req
      return answer(entry, {
        request: raw,
        call: c.env.call,
        path,
        params: c.req.param(),
        query: c.req.query(),
      })
    })
  app.notFound(c => {
    c.env.isFound = false
    return c.body(null, 404)
  })
  app.onError(error => {
    throw error
  })
  return async (request, call) => {
    const bindings = { call, isFound: true }
    const response = await app.fetch(request, bindings)
    return bindings.isFound ? response : undefined
  }
}
