import type { ServiceNames } from '../../service/links.ts'
import type { OperationId } from '../../service/operations.ts'
import type { ServiceProblem } from '../../service/problem.ts'
import { type Example, requestOf } from '../examples/example.ts'
import { examples } from '../examples/examples.ts'
import type { Json } from './json-schema.ts'

/** Examples by their place in the document; undefined where there are none. */
export type Examples = ReturnType<typeof examplesOf>

export function examplesOf(exchanges: readonly ExampleExchange[]) {
  const named = (
    shown: 'answer' | 'body',
    isWanted: (exchange: ExampleExchange) => boolean,
  ): Json | undefined => {
    const wanted = exchanges.filter(exchange => isWanted(exchange) && exchange[shown] !== undefined)
    if (wanted.length === 0) return undefined
    return Object.fromEntries(wanted.map(({ name, summary, [shown]: value }) => [name, { summary, value }]))
  }
  const isSuccess = (exchange: ExampleExchange, id: OperationId) =>
    exchange.of === id && exchange.status < 400
  return {
    answers: (id: OperationId, status: number) => named('answer', it => it.of === id && it.status === status),
    problems: (name: ServiceProblem) => named('answer', ({ of }) => of === name),
    bodies: (id: OperationId) => named('body', it => isSuccess(it, id)),
    /** A value that the parameter had in a successful request. */
    parameter: (id: OperationId, name: string) =>
      exchanges.find(it => isSuccess(it, id) && it.at?.[name] !== undefined)?.at?.[name],
  }
}

export const noExamples = examplesOf([])

export const exampleBase = 'http://localhost:4025'

/** Sends a request to a service with the default fixture, its user demo, and its control API. */
export type AskService = (request: Request) => Promise<Response>

/** An example with its answer. */
export interface ExampleExchange extends Pick<Example, 'name' | 'summary' | 'at'> {
  /** The operation, or the problem that it is an example of in every operation. */
  readonly of: OperationId | ServiceProblem
  /** The request body, if it was JSON. */
  readonly body: unknown
  readonly status: number
  /** The body of the answer; undefined without one. */
  readonly answer: unknown
}

interface RefusedRequest {
  readonly name: string
  readonly summary: string
  /** Path and query. */
  readonly target?: string
  readonly method?: string
  readonly body?: string
  /** Without credentials if empty. */
  readonly user?: string
  readonly headers?: Readonly<Record<string, string>>
}

/** Requests for the problems that all operations have in common, by the problem. */
const refusedRequests = (segment: string): readonly (readonly [ServiceProblem, RefusedRequest])[] => {
  const sendings = requestOf('createSending', { ...examples.createSending[0]!, body: {} }, segment)
  const create = { method: sendings.method, target: sendings.target, body: '{}' }
  return [
    ['unauthorized', { name: 'missing', summary: 'No credentials', user: '' }],
    ['unauthorized', { name: 'wrong', summary: 'Wrong credentials', user: 'nobody' }],
    [
      'missing-right',
      { ...create, name: 'readOnly', summary: 'A user who may only read', user: 'demo-viewer' },
    ],
    ['not-acceptable', { name: 'html', summary: 'HTML only', headers: { Accept: 'text/html' } }],
    [
      'unsupported-media-type',
      { ...create, name: 'text', summary: 'Plain text', headers: { 'Content-Type': 'text/plain' } },
    ],
    [
      'body-too-large',
      { ...create, name: 'large', summary: 'More than 1 MiB', body: ' '.repeat((1 << 20) + 1) },
    ],
    [
      'not-processed',
      {
        ...create,
        name: 'lost',
        summary: 'Nothing was done',
        headers: { 'X-Mock-Scenario': 'error-500-before' },
      },
    ],
    [
      'misdirected-request',
      { name: 'host', summary: 'A host that is not allowed', headers: { Host: 'mailings.example.com' } },
    ],
    ['not-found', { name: 'path', summary: 'No such path', target: '/mailing' }],
    ['method-not-allowed', { name: 'method', summary: 'DELETE', method: 'DELETE' }],
  ]
}

/** Sends requests to a service and records them with their answers. */
class ExampleRecorder {
  readonly exchanges: ExampleExchange[] = []
  readonly #ask: AskService

  constructor(ask: AskService) {
    this.#ask = ask
  }

  /** Sends a request and returns the body of its answer. */
  async send({
    target = '/mailings',
    method = 'GET',
    body,
    user = 'demo',
    headers,
  }: Omit<RefusedRequest, 'name' | 'summary'>): Promise<Pick<ExampleExchange, 'status' | 'answer'>> {
    const type = target.startsWith('/_mock') ? 'application/json' : 'application/hal+json'
    const response = await this.#ask(
      new Request(exampleBase + target, {
        method,
        headers: {
          ...(user !== '' && { Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` }),
          ...(body !== undefined && { 'Content-Type': type }),
          ...headers,
        },
        ...(body !== undefined && { body }),
      }),
    )
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    return { status: response.status, answer: text === '' ? undefined : isJson ? JSON.parse(text) : text }
  }

  async play(id: OperationId, example: Example, segment: string): Promise<void> {
    const { name, summary, at, body } = example
    const answer = await this.send(requestOf(id, example, segment))
    const sent = typeof body === 'string' ? undefined : body
    this.exchanges.push({ of: id, name, summary, ...(at && { at }), body: sent, ...answer })
  }

  async refuse(of: ServiceProblem, request: RefusedRequest): Promise<void> {
    const { name, summary } = request
    this.exchanges.push({ of, name, summary, body: undefined, ...(await this.send(request)) })
  }

  async exceedRateLimit(): Promise<void> {
    const turn = (dials: object) =>
      this.send({ target: '/_mock/spaces/demo/dials', method: 'PUT', body: JSON.stringify(dials) })
    await turn({ 'rate-limit': '60' })
    for (let n = 0; n < 60; n++) await this.send({ target: '/mailings?pageSize=1' })
    await this.refuse('too-many-requests', { name: 'limit', summary: 'The 61st' })
    await turn({})
  }
}

/** Sends all requests that the document shows as examples, always in the same order. */
export async function recordExamples(
  ask: AskService,
  { platformSegment }: ServiceNames,
): Promise<readonly ExampleExchange[]> {
  const recorder = new ExampleRecorder(ask)
  for (const [id, ofOperation] of Object.entries(examples))
    for (const example of ofOperation) await recorder.play(id as OperationId, example, platformSegment)
  for (const [problem, request] of refusedRequests(platformSegment)) await recorder.refuse(problem, request)
  await recorder.exceedRateLimit()
  return recorder.exchanges
}
