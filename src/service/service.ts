import { Hono } from 'hono'
import type { z } from 'zod'
import { andThen } from './and-then.ts'
import { type Answer, answerOf } from './answer.ts'
import type { Call, ServiceContext } from './call.ts'
import * as customers from './customers.ts'
import { type DialValues, defaultDials } from './dials.ts'
import { readBody, readQuery } from './input.ts'
import type { Names } from './links.ts'
import * as mailings from './mailings.ts'
import { type Input, type Operation, type OperationId, operationIds, operations } from './operations.ts'
import { getPreview } from './preview.ts'
import { Problem, problemAnswer, problems, type Refusal, refusalOf } from './problem.ts'
import { methodsAt, pathsOf } from './recognise.ts'
import { pathOf, RememberingRouter } from './remembering-router.ts'
import { isRetold, retold } from './retold.ts'
import { pageLimited } from './schemas.ts'
import * as sendings from './sendings/routes.ts'
import * as synchronizations from './synchronizations.ts'
import * as testRecipients from './test-recipients.ts'
import { createTestSending } from './test-sendings.ts'
import * as uploads from './uploads.ts'

type Handlers = { [Id in OperationId]: (c: ServiceContext, input: Input<Id>) => Answer | Promise<Answer> }

const handlers: Handlers = {
  createSending: sendings.createSending,
  getSending: sendings.getSending,
  listSendings: sendings.listSendings,
  getSendingStatistics: sendings.getSendingStatistics,
  getMailingSynchronization: synchronizations.getMailingSynchronization,
  createMailingSynchronization: synchronizations.createMailingSynchronization,
  listMailingSynchronizations: synchronizations.listMailingSynchronizations,
  getPreview,
  listTestProfiles: testRecipients.listTestProfiles,
  listTestMailGroups: testRecipients.listTestMailGroups,
  createMailingUpload: uploads.createMailingUpload,
  getMailingUpload: uploads.getMailingUpload,
  createTestSending,
  listMailings: mailings.listMailings,
  getMailing: mailings.getMailing,
  listAccessibleCustomers: customers.listAccessibleCustomers,
  getAccessibleCustomer: customers.getAccessibleCustomer,
  listCustomerLists: customers.listCustomerLists,
  getCustomerList: customers.getCustomerList,
  putAccessibleLists: customers.putAccessibleLists,
  getAccessibleLists: customers.getAccessibleLists,
}

export interface Service {
  readonly answer: (request: Request, call: Call) => Answer | Promise<Answer>
}

/**
 * The framework passes on what a handler gives it, so that can be an answer: a response would be made for nobody, since
 * what goes out is made when the rig has looked at it.
 */
const passed = (answer: Answer | Promise<Answer>) => answer as unknown as Response | Promise<Response>

/** The imitated service: every operation of the table at its paths, and a problem for everything else. */
export function createService(names: Names): Service {
  const app = new Hono<{ Bindings: Call }>({ router: new RememberingRouter(), getPath: pathOf })
  const ofHeads = new WeakMap<Call, Refusal>()
  for (const id of operationIds) {
    const operation: Operation = operations[id]
    const handle = handler(id)
    for (const path of pathsOf(operation, names.platformSegment))
      app.on(operation.method, path, c => passed(handle(c)))
  }
  app.notFound(c => passed(elsewhere(c, names)))
  app.onError((error, c) => {
    if (!(error instanceof Problem)) throw error
    if (c.req.method === 'HEAD') ofHeads.set(c.env, refusalOf(error))
    return passed(told(c, problemAnswer(error, c.env.links, c.env.dials)))
  })

  const asked = (request: Request, call: Call) => app.fetch(request, call)

  /** The framework makes a response of its own of what a HEAD is answered, which forgets what it tells of. */
  async function head(request: Request, call: Call): Promise<Answer> {
    return { ...(await answerOf(await asked(request, call))), problem: ofHeads.get(call) }
  }
  return {
    answer: (request, call) =>
      request.method === 'HEAD'
        ? head(request, call)
        : (asked(request, call) as unknown as Answer | Promise<Answer>),
  }
}

/** What every operation has in common: the user's right, the answer's media type, the request's input. */
function handler<Id extends OperationId>(id: Id): (c: ServiceContext) => Answer | Promise<Answer> {
  const { right, query: querySchema, body: bodySchema }: Operation = operations[id]
  const handle = handlers[id] as (
    c: ServiceContext,
    input: { query: unknown; body: unknown },
  ) => Answer | Promise<Answer>
  const queryOf = querySchema && queryReader(querySchema)
  return c => {
    if (!c.env.rights.includes(right)) throw problems.missingRight(right)
    refuseUnacceptable(c.env.header('accept'))
    const query = queryOf?.(c)
    if (!bodySchema) return told(c, handle(c, { query, body: undefined }))
    return andThen(c.env.body(), bytes => told(c, handle(c, { query, body: readBody(c, bodySchema, bytes) })))
  }
}

/** So many queries are remembered, if they are not longer than this: clients ask for the same again and again. */
const remembered = 200
const longest = 300

/** Reads the query by the limit that the dials set to a page; a bare address needs no reading. */
function queryReader(ours: z.ZodType): (c: ServiceContext) => unknown {
  const limited = (limit: DialValues['page-size-limit']) => {
    const schema = pageLimited(ours, limit)
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
    if (read.size >= remembered) read.clear()
    if (text.length <= longest) read.set(text, query)
    return query
  }
}

/** The answer as it is, or in the form that the dials ask for. */
function told(c: ServiceContext, response: Answer | Promise<Answer>): Answer | Promise<Answer> {
  return isRetold(c.env.dials) ? toldAnew(c, response) : response
}

async function toldAnew(c: ServiceContext, answer: Answer | Promise<Answer>): Promise<Answer> {
  return retold(await answer, c.env)
}

const jsonRange = /^(?:\*\/\*|application\/\*|application\/(?:[\w.!#$&^-]+\+)?json)$/

/** 406 only for an Accept that leaves out every JSON type. */
function refuseUnacceptable(accept: string | undefined): void {
  if (!accept || accept === '*/*') return
  const isJson = accept.split(',').some(range => {
    const [type = '', ...parameters] = range.split(';').map(part => part.trim().toLowerCase())
    return jsonRange.test(type) && !parameters.some(parameter => /^q=0(?:\.0*)?$/.test(parameter))
  })
  if (!isJson) throw problems.notAcceptable(accept)
}

/** A known path with another method, or no known path at all. */
function elsewhere(c: ServiceContext, names: Names): Answer {
  const methods = methodsAt(c.req.path, names.platformSegment)
  if (methods.size === 0) throw problems.notFound(`resource at ${c.req.path}`)
  if (methods.has('GET')) methods.add('HEAD')
  const allow = [...methods, 'OPTIONS'].join(', ')
  if (c.req.method === 'OPTIONS') return { status: 204, headers: { Allow: allow }, body: '' }
  throw problems.methodNotAllowed(c.req.method, allow)
}
