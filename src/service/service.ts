import { Hono } from 'hono'
import type { Result, Router } from 'hono/router'
import { getOrMake } from '../store/maps.ts'
import type { DialValues } from './dials.ts'
import type { ServiceNames } from './links.ts'
import type { Operation, ServiceCall, ServiceContext } from './operation.ts'
import { methodsAt, operations, type RecognisedOperation, recogniseOperation } from './operations.ts'
import { queryByDial } from './paging.ts'
import { Problem, problemAnswer, problems } from './problem.ts'
import { readBody, readQuery, requestPath } from './request-input.ts'
import { type Answer, applyDials, mapMaybeAsync, withoutBody } from './response.ts'

/**
 * Answers a request. HEAD is answered as GET, without the body.
 * @param target path and query
 * @throws Error for a defect of the mock; a problem becomes an answer
 */
export type Service = (method: string, target: string, call: ServiceCall) => Answer | Promise<Answer>

/** Hono's router of the service: `recogniseOperation` decides, as it does for scenarios and the journal. */
class OperationRouter<Handler> implements Router<Handler> {
  readonly name = 'OperationRouter'
  readonly #segment: string
  /** By path as the operation's definition has it, and method. */
  readonly #handlers = new Map<string, Handler>()
  readonly #results = new WeakMap<RecognisedOperation, Result<Handler>>()

  constructor(segment: string) {
    this.#segment = segment
  }

  add(method: string, path: string, handler: Handler): void {
    this.#handlers.set(`${method} ${path}`, handler)
  }

  match(method: string, path: string): Result<Handler> {
    const found = recogniseOperation(method, path, this.#segment)
    return found ? getOrMake(this.#results, found, this.#toResult) : [[]]
  }

  readonly #toResult = ({ id, params }: RecognisedOperation): Result<Handler> => {
    const { method, path } = operations[id]
    // Hono decodes what has a percent sign, and these are decoded already.
    const encoded = Object.entries(params).map(([name, text]) => [name, text.replaceAll('%', '%25')])
    return [[[this.#handlers.get(`${method} ${path}`)!, Object.fromEntries(encoded)]]]
  }
}

/** Hono passes on whatever a handler returns. The rig needs the answer as plain values, not a Response. */
const asHonoResponse = (answer: Answer | Promise<Answer>) => answer as unknown as Response | Promise<Response>

/** The imitated service: a Hono app with every operation at its paths, and a problem for everything else. */
export function createService({ platformSegment }: ServiceNames): Service {
  const app = new Hono<{ Bindings: ServiceCall }>({
    router: new OperationRouter(platformSegment),
    getPath: ({ url }) => requestPath(url),
  })
  for (const operation of Object.values(operations)) {
    const handle = makeHandler(operation)
    app.on(operation.method, operation.path, c =>
      asHonoResponse(handle({ env: c.env, target: c.req.url, params: c.req.param() })),
    )
  }
  app.notFound(c => {
    const answer = answerWithoutOperation(c.req.method, requestPath(c.req.url), platformSegment)
    return asHonoResponse(applyDials(c.env, answer))
  })
  app.onError((error, { env }) => {
    if (!(error instanceof Problem)) throw error
    return asHonoResponse(applyDials(env, problemAnswer(error, env.links, env.dials)))
  })

  // Hono looks at method and address only: headers and body come with the call.
  const answer: Service = (method, target, call) =>
    app.fetch({ method, url: target } as Request, call) as unknown as Answer | Promise<Answer>
  return (method, target, call) =>
    method === 'HEAD' ? mapMaybeAsync(answer('GET', target, call), withoutBody) : answer(method, target, call)
}

/** What all operations have in common: the user's right, the answer's media type, the request's input. */
function makeHandler(operation: Operation): (c: ServiceContext) => Answer | Promise<Answer> {
  const { right, body: requestBody, handle } = operation
  const queryOf = operation.query && makeQueryReader(operation)
  return c => {
    if (!c.env.rights.includes(right)) throw problems.missingRight(right)
    refuseUnacceptable(c.env.header('accept'))
    const query = queryOf?.(c)
    if (!requestBody) return applyDials(c.env, handle(c, { query, body: undefined }))
    return mapMaybeAsync(c.env.body(), bytes =>
      applyDials(c.env, handle(c, { query, body: readBody(c, requestBody, bytes) })),
    )
  }
}

/** Maximum number of cached queries, and their maximum length. */
const maxCachedQueries = 200
const maxCachedQueryLength = 300

/** Reads the query as the dials say. An address without a query is not parsed. */
function makeQueryReader(operation: Operation): (c: ServiceContext) => unknown {
  const readerFor = (dials: DialValues) => {
    const schema = queryByDial(operation, dials['page-size-limit'])!
    return { schema, bare: schema.parse({}), read: new Map<string, unknown>() }
  }
  const known = new WeakMap<DialValues, ReturnType<typeof readerFor>>()
  return c => {
    const { dials } = c.env
    const { schema, bare, read } = getOrMake(known, dials, readerFor)
    const start = c.target.indexOf('?')
    if (start < 0) return bare
    const text = c.target.slice(start)
    const before = read.get(text)
    if (before !== undefined) return before
    const query = readQuery(c, schema)
    if (read.size >= maxCachedQueries) read.clear()
    if (text.length <= maxCachedQueryLength) read.set(text, query)
    return query
  }
}

const jsonRange = /^(?:\*\/\*|application\/\*|application\/(?:[\w.!#$&^-]+\+)?json)$/

/** 406 only if Accept excludes every JSON type. */
function refuseUnacceptable(accept: string | undefined): void {
  if (!accept || accept === '*/*') return
  const isJson = accept.split(',').some(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    return jsonRange.test(type) && !parameters.some(parameter => /^q=0(?:\.0*)?$/.test(parameter))
  })
  if (!isJson) throw problems.notAcceptable(accept)
}

/** Answers a known path with another method, or an unknown path. */
function answerWithoutOperation(method: string, path: string, segment: string): Answer {
  const methods = methodsAt(path, segment)
  if (methods.size === 0) throw problems.notFound(`resource at ${path}`)
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: '' }
  throw problems.methodNotAllowed(method, allow)
}
