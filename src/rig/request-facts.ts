import { hash } from 'node:crypto'
import { type OperationId, type RecognisedOperation, recogniseOperation } from '../service/operations.ts'
import { parseJson } from '../service/request-input.ts'

/** The JSON object in a body, or why there is none. */
function parseBody(body: Uint8Array): Record<string, unknown> | Error {
  try {
    return parseJson(body)
  } catch (error) {
    return error as Error
  }
}

/** Facts about a request, read from its URL and body on demand. */
export class RequestFacts {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Empty until it has arrived. */
  body: Uint8Array
  readonly #segment: string
  #recognised: RecognisedOperation | undefined | null
  #parsed: Record<string, unknown> | Error | undefined

  /** @param segment the platform segment of integration paths */
  constructor(method: string, target: string, body: Uint8Array, segment: string) {
    this.method = method
    this.target = target
    this.body = body
    this.#segment = segment
  }

  get path(): string {
    const end = this.target.indexOf('?')
    return end < 0 ? this.target : this.target.slice(0, end)
  }

  /** The operation of this method and path. Undefined if the service has none. */
  get operation(): RecognisedOperation | undefined {
    if (this.#recognised === undefined)
      this.#recognised = recogniseOperation(this.method, this.target, this.#segment) ?? null
    return this.#recognised ?? undefined
  }

  get synchronizationId(): string | undefined {
    return this.operation?.params.syncId
  }

  /** The body if it is a JSON object within the limits of the service, which refuses all others. */
  get json(): Record<string, unknown> | undefined {
    if (this.body.length === 0) return undefined
    this.#parsed ??= parseBody(this.body)
    return this.#parsed instanceof Error ? undefined : this.#parsed
  }

  /** As `json`. @throws Problem 400 if the body is anything else */
  requireJson(): Record<string, unknown> {
    this.#parsed ??= parseBody(this.body)
    if (this.#parsed instanceof Error) throw this.#parsed
    return this.#parsed
  }

  get transactionId(): string | undefined {
    const id = this.operation?.id === 'createSending' ? this.json?.transactionId : undefined
    return typeof id === 'string' ? id : undefined
  }

  query(name: string): string | undefined {
    const start = this.target.indexOf('?')
    return start < 0 ? undefined : (new URLSearchParams(this.target.slice(start)).get(name) ?? undefined)
  }

  /**
   * Equal for requests with the same operation, path and payload, whatever their transactionId. Members are sorted, so the
   * order in which a client writes them does not matter.
   */
  payloadKey(): string {
    const { transactionId: _, ...rest } = this.json ?? {}
    const payload = this.json ? canonicalJson(rest) : Buffer.from(this.body).toString('latin1')
    return hash('sha256', `${this.method} ${this.target}\n${payload}`)
  }

  /** A member of the body, where that is a JSON object. */
  member(name: string): unknown {
    return this.json && Object.hasOwn(this.json, name) ? this.json[name] : undefined
  }
}

/** JSON with sorted members, so that equal values have equal texts. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonicalJson(inner)}`).join(',')}}`
}

/** What tells one request body from another, without the body. */
export interface BodyDigest {
  /** SHA-256 of the bytes as they came, in hexadecimal. */
  readonly sha256: string
  /**
   * SHA-256 of the payload: the JSON object with its members in one order and without white space, its transactionId
   * left out. Undefined for a body that is no JSON object.
   */
  readonly payloadSha256: string | undefined
  readonly transactionId: string | undefined
}

export function digestOf(body: Uint8Array): BodyDigest {
  const value = parseBody(body)
  const json = value instanceof Error ? undefined : value
  const { transactionId, ...payload } = json ?? {}
  return {
    sha256: hash('sha256', body),
    payloadSha256: json && hash('sha256', canonicalJson(payload)),
    transactionId: typeof transactionId === 'string' ? transactionId : undefined,
  }
}

/** A request as scenarios see it. */
export interface ScenarioAttempt {
  readonly facts: RequestFacts
  readonly operation: OperationId
  readonly transactionId: string | undefined
  /** Milliseconds on the space's clock. */
  readonly now: number
  readonly user: string
  readonly header: (name: string) => string | undefined
  /** At least 0, below 1; the same for the same space, request and purpose. */
  readonly fraction: (purpose: string) => number
  /** Whether its body has been read, or it has none. */
  readonly isBodyRead: boolean
  /** Whether its connection has carried a request before. */
  readonly isConnectionReused: boolean
}
