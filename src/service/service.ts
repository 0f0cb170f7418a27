import { Hono } from 'hono'
import { applyDials } from './answer-form.ts'
import type { DialValues } from './dials.ts'
import type { ServiceNames } from './links.ts'
import type { Operation, ServiceCall, ServiceContext } from './operation.ts'
import { methodsAt, operations, pathsOf } from './operations.ts'
import { queryByDial } from './paging.ts'
import { PathRouter } from './path-router.ts'
import { Problem, problems } from './problem.ts'
import { problemAnswer } from './problem-answer.ts'
import { QueryReader, readBody, requestPath } from './request-input.ts'
import { type Answer, withoutBody } from './response.ts'

/**
 * Answers a request before it returns. HEAD is answered as GET, without the body.
 * @param request its method and path; everything else comes with the call
 * @throws Error for a defect of the mock; a problem becomes an answer
 */
export type Service = (request: Request, call: ServiceCall) => Answer

/** The imitated service: a Hono app with every operation at its paths, and a problem for everything else. */
export function createService({ platformSegment }: ServiceNames): Service {
  const app = new Hono<{ Bindings: ServiceCall }>({
    router: new PathRouter(),
    getPath: (_, options) => requestPath(options!.env!.target),
  })
  // The rig needs an answer as plain values, at once. So handlers put it here, and Hono gets a response that says no more
  // than that.
  let answer: Answer | undefined
  let defect: unknown
  const answered = new Response(null)
  const put = (given: Answer): Response => {
    answer = given
    return answered
  }

  for (const operation of Object.values(operations)) {
    const handle = makeHandler(operation)
    app.on(operation.method, pathsOf(operation, platformSegment), c => put(handle(c)))
  }
  app.onError((error, { env }) => {
    if (error instanceof Problem) return put(applyDials(env, problemAnswer(error, env.links, env.dials)))
    defect = error
    return answered
  })
  app.notFound(({ env, req: { method } }) => put(applyDials(env, answerWithoutOperation(method, env))))

  /** Answers a known path with another method, or an unknown path. */
  function answerWithoutOperation(method: string, { target, links, dials }: ServiceCall): Answer {
    const path = requestPath(target)
    const methods = methodsAt(path, platformSegment)
    if (methods.size === 0) return problemAnswer(problems.notFound(`resource at ${path}`), links, dials)
    if (methods.has('GET')) methods.add('HEAD')
    const allow = [...methods, 'OPTIONS'].join(', ')
    if (method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: '' }
    return problemAnswer(problems.methodNotAllowed(method, allow), links, dials)
  }

  return (request, call) => {
    answer = undefined
    defect = undefined
    void app.fetch(request, call)
    if (answer === undefined) throw defect ?? new Error('Hono did not run the handler at once')
    return request.method === 'HEAD' ? withoutBody(answer) : answer
  }
}

/** What all operations have in common: the user's right, the answer's media type, the request's input. */
function makeHandler(operation: Operation): (c: ServiceContext) => Answer {
  const { right, query, body: requestBody, handle } = operation
  const makeReader = (dials: DialValues) => new QueryReader(queryByDial(operation, dials['page-size-limit'])!)
  return c => {
    const { env } = c
    if (!env.rights.includes(right)) throw problems.missingRight(right)
    refuseUnacceptable(env.header('accept'))
    const input = {
      query: query && env.prepared.derive(makeReader).read(env),
      body: requestBody && readBody(c, requestBody),
    }
    return applyDials(env, handle(c, input))
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
