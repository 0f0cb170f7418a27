import type { Names } from '../../service/links.ts'
import type { OperationId } from '../../service/operations.ts'
import { operationAt } from '../../service/recognise.ts'
import type { ServiceProblem } from './problems.ts'

/** Where the service of the examples is. */
export const exampleBase = 'http://localhost:4025'

/** A service with the default fixture, its user demo, and its control API. */
export type Ask = (request: Request) => Promise<Response>

/** A request and its answer, as an example. */
export interface Exchange {
  readonly operation: OperationId | undefined
  readonly name: string
  readonly summary: string
  readonly params: Readonly<Record<string, string | number>>
  /** What was sent, if it was JSON. */
  readonly body: unknown
  readonly status: number
  /** The body of the answer; undefined where it had none. */
  readonly answer: unknown
  /** What it stands for wherever that is told, not only by its operation. */
  readonly shows: ServiceProblem | undefined
}

export interface Asked {
  readonly name: string
  readonly summary: string
  readonly method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** Path and query, or a link that the service gave. */
  readonly at: string
  /** As JSON, or as it stands if it is text. */
  readonly body?: unknown
  readonly user?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly shows?: ServiceProblem
}

// biome-ignore lint/suspicious/noExplicitAny: what a client finds in an answer, by members that this file knows
export type Found = any

/** Asks a service and keeps what was asked and answered. */
export class Interview {
  readonly exchanges: Exchange[] = []
  readonly names: Names
  readonly #ask: Ask

  constructor(ask: Ask, names: Names) {
    this.#ask = ask
    this.names = names
  }

  /** @param path below the platform's segment of integration paths */
  integration(path: string): string {
    return `/integrations/${this.names.platformSegment}${path}`
  }

  /** Relation of the service with its prefix. */
  rel(name: string): string {
    return `${this.names.relationPrefix}:${name}`
  }

  /** Asks without keeping it. */
  async look(asked: Pick<Asked, 'at'> & Partial<Asked>): Promise<{ status: number; answer: Found }> {
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

  /** Asks, keeps it, and gives the body of the answer. */
  async ask(asked: Asked): Promise<Found> {
    const { status, answer } = await this.look(asked)
    const { pathname } = new URL(asked.at, exampleBase)
    const recognised = operationAt(asked.method ?? 'GET', pathname, this.names.platformSegment)
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
