import type { ServiceNames } from '../../service/links.ts'
import type { OperationId } from '../../service/operations.ts'
import { recogniseOperation } from '../../service/operations.ts'
import type { ServiceProblem } from '../../service/problem.ts'
import type { Json } from './json-schema.ts'

/** Examples by their place in the document; undefined where there are none. */
export type Examples = ReturnType<typeof examplesOf>

export function examplesOf(exchanges: readonly ExampleExchange[]) {
  const isOf = (it: ExampleExchange, id: OperationId) => it.operation === id && it.shows === undefined
  const named = (shown: 'answer' | 'body', isWanted: (it: ExampleExchange) => boolean): Json | undefined => {
    const all = exchanges.filter(it => isWanted(it) && it[shown] !== undefined)
    if (all.length === 0) return undefined
    return Object.fromEntries(all.map(it => [it.name, { summary: it.summary, value: it[shown] }]))
  }
  return {
    answers: (id: OperationId, status: number) => named('answer', it => isOf(it, id) && it.status === status),
    problems: (name: ServiceProblem) => named('answer', it => it.shows === name),
    bodies: (id: OperationId) => named('body', it => isOf(it, id) && it.status < 400),
    /** A value that the parameter had in a successful request. */
    parameter: (id: OperationId, name: string) =>
      exchanges.find(it => isOf(it, id) && it.status < 400 && name in it.params)?.params[name],
  }
}

export const noExamples = examplesOf([])

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

export interface ExampleOptions {
  /** GET by default. */
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  readonly user?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly shows?: ServiceProblem
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's members, which this file knows
export type AnyJson = any

/** Sends requests to a service and records them with their answers. */
export class ExampleRecorder {
  readonly exchanges: ExampleExchange[] = []
  readonly #names: ServiceNames
  readonly #ask: AskService

  constructor(ask: AskService, names: ServiceNames) {
    this.#ask = ask
    this.#names = names
  }

  /** @param path below the platform's segment of integration paths */
  integration(path: string): string {
    return `/integrations/${this.#names.platformSegment}${path}`
  }

  /** Sends a request without recording it. @param at path and query */
  async request(at: string, asked: ExampleOptions = {}): Promise<{ status: number; answer: AnyJson }> {
    const { method = 'GET', body, user = 'demo', headers } = asked
    const type = at.startsWith('/_mock') ? 'application/json' : 'application/hal+json'
    const response = await this.#ask(
      new Request(exampleBase + at, {
        method,
        headers: {
          ...(user !== '' && { Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` }),
          ...(body !== undefined && { 'Content-Type': type }),
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
  async ask(at: string, name: string, summary: string, asked: ExampleOptions = {}): Promise<AnyJson> {
    const { status, answer } = await this.request(at, asked)
    const { pathname } = new URL(at, exampleBase)
    const recognised = recogniseOperation(asked.method ?? 'GET', pathname, this.#names.platformSegment)
    const { platform: _, listId, ...params } = recognised?.params ?? {}
    this.exchanges.push({
      operation: recognised?.id,
      name,
      summary,
      params: listId === undefined ? params : { ...params, listId: Number(listId) },
      body: typeof asked.body === 'string' ? undefined : asked.body,
      status,
      answer,
      shows: asked.shows,
    })
    return answer
  }

  /** As `ask`, with a body. */
  post(
    at: string,
    body: unknown,
    name: string,
    summary: string,
    more: ExampleOptions = {},
  ): Promise<AnyJson> {
    return this.ask(at, name, summary, { ...more, method: 'POST', body })
  }

  put(at: string, body: unknown, name: string, summary: string): Promise<AnyJson> {
    return this.ask(at, name, summary, { method: 'PUT', body })
  }
}
