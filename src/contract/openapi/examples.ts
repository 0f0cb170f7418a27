import type { ServiceNames } from '../../service/links.ts'
import type { OperationId } from '../../service/operations.ts'
import type { ServiceProblem } from '../../service/problem.ts'
import { recogniseOperation } from '../../service/router.ts'
import type { Json } from './json-schema.ts'

/** Examples by their place in the document; undefined where there are none. */
export interface Examples {
  answers(id: OperationId, status: number): Json | undefined
  problems(name: ServiceProblem): Json | undefined
  bodies(id: OperationId): Json | undefined
  /** A value that the parameter had in a successful request. */
  parameter(id: OperationId, name: string): string | number | undefined
}

export const noExamples: Examples = {
  answers: () => undefined,
  problems: () => undefined,
  bodies: () => undefined,
  parameter: () => undefined,
}

/** Examples from recorded requests and answers. */
export function examplesOf(exchanges: readonly ExampleExchange[]): Examples {
  const of = (id: OperationId) => exchanges.filter(it => it.operation === id && it.shows === undefined)
  return {
    answers: (id, status) =>
      toNamedExamples(
        of(id).filter(it => it.status === status && it.answer !== undefined),
        it => it.answer,
      ),
    problems: name =>
      toNamedExamples(
        exchanges.filter(it => it.shows === name && it.answer !== undefined),
        it => it.answer,
      ),
    bodies: id =>
      toNamedExamples(
        of(id).filter(it => it.status < 400 && it.body !== undefined),
        it => it.body,
      ),
    parameter: (id, name) => of(id).find(it => it.status < 400 && name in it.params)?.params[name],
  }
}

function toNamedExamples(
  exchanges: readonly ExampleExchange[],
  value: (it: ExampleExchange) => unknown,
): Json | undefined {
  if (exchanges.length === 0) return undefined
  const all = exchanges.map(it => [it.name, { summary: it.summary, value: value(it) }])
  return Object.fromEntries(all)
}

/** The base URL of the service in the examples. */
export const exampleBase = 'http://localhost:4025'

/** Sends a request to a service with the default fixture, its user demo, and its control API. */
export type AskService = (request: Request) => Promise<Response>

/** A request and its answer, as an example. */
export interface ExampleExchange {
  readonly operation: OperationId | undefined
  readonly name: string
  readonly summary: string
  readonly params: Readonly<Record<string, string | number>>
  /** The request body, if it was JSON. */
  readonly body: unknown
  readonly status: number
  /** The body of the answer; undefined without one. */
  readonly answer: unknown
  /** The problem that it is an example of, in every operation. */
  readonly shows: ServiceProblem | undefined
}

export interface ExampleRequest {
  readonly name: string
  readonly summary: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query, or a link that the service gave. */
  readonly at: string
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  readonly user?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly shows?: ServiceProblem
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's members, which this file knows
export type AnyJson = any

/** Sends requests to a service and records them with their answers. */
export class ExampleRecorder {
  readonly exchanges: ExampleExchange[] = []
  readonly names: ServiceNames
  readonly #ask: AskService

  constructor(record: AskService, names: ServiceNames) {
    this.#ask = record
    this.names = names
  }

  /** @param path below the platform's segment of integration paths */
  integration(path: string): string {
    return `/integrations/${this.names.platformSegment}${path}`
  }

  /** A relation with the service's prefix. */
  rel(name: string): string {
    return `${this.names.relationPrefix}:${name}`
  }

  /** Sends a request without recording it. */
  async request(
    asked: Pick<ExampleRequest, 'at'> & Partial<ExampleRequest>,
  ): Promise<{ status: number; answer: AnyJson }> {
    const { method = 'GET', at, body, user = 'demo', headers } = asked
    const isControl = at.startsWith('/_mock')
    const response = await this.#ask(
      new Request(at.startsWith('http') ? at : exampleBase + at, {
        method,
        headers: {
          ...(user !== '' && { Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` }),
          ...(body !== undefined && {
            'Content-Type': isControl ? 'application/json' : 'application/hal+json',
          }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const answer = text === '' ? undefined : isJson ? JSON.parse(text) : text
    return { status: response.status, answer }
  }

  /** Sends a request, records it, and returns the body of the answer. */
  async ask(asked: ExampleRequest): Promise<AnyJson> {
    const { status, answer } = await this.request(asked)
    const { pathname } = new URL(asked.at, exampleBase)
    const recognised = recogniseOperation(asked.method ?? 'GET', pathname, this.names.platformSegment)
    const { platform: _, listId, ...params } = recognised?.params ?? {}
    this.exchanges.push({
      operation: recognised?.id,
      name: asked.name,
      summary: asked.summary,
      params: listId === undefined ? params : { ...params, listId: Number(listId) },
      body: typeof asked.body === 'string' ? undefined : asked.body,
      status,
      answer,
      shows: asked.shows,
    })
    return answer
  }
}
