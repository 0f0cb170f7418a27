import { Hono } from 'hono'
import { type DialValues, defaultDials } from './dials.ts'
import { applyFormDials, needsFormDials } from './form-dials.ts'
import type { ServiceNames } from './links.ts'
import type { Operation, ServiceCall, ServiceContext } from './operation.ts'
import { operations } from './operations.ts'
import { queryByDial } from './paging.ts'
import { Problem, problemAnswer, problems, type Refusal, toRefusal } from './problem.ts'
import { readBody, readQuery } from './request-input.ts'
import { type Answer, mapMaybeAsync, readAnswer } from './response.ts'
import { CachingRouter, methodsAt, pathsOf, requestPath } from './router.ts'

export interface Service {
  readonly answer: (request: Request, call: ServiceCall) => Answer | Promise<Answer>
}

/** Hono passes on whatever a handler returns, so it can be an answer. The rig needs the answer, not a Response. */
const asHonoResponse = (answer: Answer | Promise<Answer>) => answer as unknown as Response | Promise<Response>

/** The imitated service: every operation at its paths, and a problem for everything else. */
export function createService(names: ServiceNames): Service {
  const app = new Hono<{ Bindings: ServiceCall }>({ router: new CachingRouter(), getPath: requestPath })
  const ofHeads = new WeakMap<ServiceCall, Refusal>()
  for (const operation of Object.values(operations)) {
    const handle = makeHandler(operation)
    for (const path of pathsOf(operation, names.platformSegment))
      app.on(operation.method, path, c => asHonoResponse(handle(c)))
  }
  app.notFound(c => asHonoResponse(answerWithoutOperation(c, names)))
  app.onError((error, c) => {
    if (!(error instanceof Problem)) throw error
    if (c.req.method === 'HEAD') ofHeads.set(c.env, toRefusal(error))
    return asHonoResponse(applyDials(c, problemAnswer(error, c.env.links, c.env.dials)))
  })

  const asked = (request: Request, call: ServiceCall) => app.fetch(request, call)

  /** Hono makes a Response of its own for HEAD, which loses the problem. */
  async function head(request: Request, call: ServiceCall): Promise<Answer> {
    return { ...(await readAnswer(await asked(request, call))), problem: ofHeads.get(call) }
  }
  return {
    answer: (request, call) =>
      request.method === 'HEAD'
        ? head(request, call)
        : (asked(request, call) as unknown as Answer | Promise<Answer>),
  }
}

/** What all operations have in common: the user's right, the answer's media type, the request's input. */
function makeHandler(operation: Operation): (c: ServiceContext) => Answer | Promise<Answer> {
  const { right, body: requestBody, handle } = operation
  const queryOf = operation.query && makeQueryReader(operation)
  return c => {
    if (!c.env.rights.includes(right)) throw problems.missingRight(right)
    refuseUnacceptable(c.env.header('accept'))
    const query = queryOf?.(c)
    if (!requestBody) return applyDials(c, handle(c, { query, body: undefined }))
    return mapMaybeAsync(c.env.body(), bytes =>
      applyDials(c, handle(c, { query, body: readBody(c, requestBody.schema, bytes) })),
    )
  }
}

/** Maximum number of cached queries, and their maximum length. */
const maxCachedQueries = 200
const maxCachedQueryLength = 300

/** Reads the query with the page size that the dials allow. An address without a query is not parsed. */
function makeQueryReader(operation: Operation): (c: ServiceContext) => unknown {
  const limited = (limit: DialValues['page-size-limit']) => {
    const schema = queryByDial(operation, limit)!
    return { schema, bare: schema.parse({}), read: new Map<string, unknown>() }
  }
  const known = new Map([[defaultDials['page-size-limit'], limited(defaultDials['page-size-limit'])]])
  return c => {
    const limit = c.env.dials['page-size-limit']
    let reading = known.get(limit)
    if (!reading) {
      reading = limited(limit)
      known.set(limit, reading)
    }
    const { schema, bare, read } = reading
    const start = c.req.url.indexOf('?')
    if (start < 0) return bare
    const text = c.req.url.slice(start)
    const before = read.get(text)
    if (before !== undefined) return before
    const query = readQuery(c, schema)
    if (read.size >= maxCachedQueries) read.clear()
    if (text.length <= maxCachedQueryLength) read.set(text, query)
    return query
  }
}

/** The answer, in the form that the dials ask for. */
function applyDials(c: ServiceContext, response: Answer | Promise<Answer>): Answer | Promise<Answer> {
  return needsFormDials(c.env.dials) ? applyDialsLater(c, response) : response
}

async function applyDialsLater(c: ServiceContext, answer: Answer | Promise<Answer>): Promise<Answer> {
  return applyFormDials(await answer, c.env)
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
function answerWithoutOperation(c: ServiceContext, names: ServiceNames): Answer {
  const methods = methodsAt(c.req.path, names.platformSegment)
  if (methods.size === 0) throw problems.notFound(`resource at ${c.req.path}`)
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (c.req.method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: '' }
  throw problems.methodNotAllowed(c.req.method, allow)
}
