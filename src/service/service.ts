import { type DialValues, defaultDials } from './dials.ts'
import { applyFormDials, formDials } from './form-dials.ts'
import type { ServiceNames } from './links.ts'
import type { Operation, ServiceCall, ServiceContext } from './operation.ts'
import { operationIds, operations } from './operations.ts'
import { queryByDial } from './paging.ts'
import { Problem, problemAnswer, problems } from './problem.ts'
import { readBody, readQuery, requestPath } from './request-input.ts'
import { type Answer, mapMaybeAsync } from './response.ts'
import { methodsAt, recogniseOperation } from './router.ts'

export interface Service {
  /**
   * The answer to a request. HEAD is answered as GET, without the body.
   * @param target path and query
   * @throws Error for a defect of the mock; a problem becomes an answer
   */
  readonly answer: (method: string, target: string, call: ServiceCall) => Answer | Promise<Answer>
}

/** The imitated service: every operation at its paths, and a problem for everything else. */
export function createService({ platformSegment }: ServiceNames): Service {
  const handlers = Object.fromEntries(operationIds.map(id => [id, makeHandler(operations[id])]))

  function answer(method: string, target: string, env: ServiceCall): Answer | Promise<Answer> {
    const refuse = (error: unknown): Answer | Promise<Answer> => {
      if (!(error instanceof Problem)) throw error
      return applyDials(env, problemAnswer(error, env.links, env.dials))
    }
    try {
      const found = recogniseOperation(method, target, platformSegment)
      const given = found
        ? handlers[found.id]!({ env, target, params: found.params })
        : answerWithoutOperation(method, requestPath(target), platformSegment)
      return given instanceof Promise ? given.catch(refuse) : given
    } catch (error) {
      return refuse(error)
    }
  }
  return {
    answer: (method, target, call) =>
      method === 'HEAD'
        ? mapMaybeAsync(answer(method, target, call), withoutBody)
        : answer(method, target, call),
  }
}

/** The answer to HEAD: that to GET with its length, without its body. */
const withoutBody = (answer: Answer): Answer => ({
  ...answer,
  headers: { ...answer.headers, 'Content-Length': String(Buffer.byteLength(answer.body)) },
  body: '',
})

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
    let reading = known.get(dials)
    if (!reading) {
      reading = readerFor(dials)
      known.set(dials, reading)
    }
    const { schema, bare, read } = reading
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

/** The answer, in the form that the dials ask for. */
const applyDials = (call: ServiceCall, answer: Answer | Promise<Answer>): Answer | Promise<Answer> =>
  formDials.some(name => call.dials[name] !== defaultDials[name]) ? applyDialsLater(call, answer) : answer

const applyDialsLater = async (call: ServiceCall, answer: Answer | Promise<Answer>): Promise<Answer> =>
  applyFormDials(await answer, call)

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
