import { hash } from 'node:crypto'
import { operationAt, type Recognised } from '../service/recognise.ts'
import type { Attempt } from './attempt.ts'

/** What a request says of itself, read from its address and body when somebody asks. */
export class RequestFacts {
  readonly method: string
  /** Path and query. */
  readonly target: string
  readonly #segment: string
  readonly #body: Uint8Array
  #recognised: Recognised | undefined | null
  #json: Record<string, unknown> | undefined | null

  /** @param segment the platform segment of integration paths */
  constructor(method: string, target: string, body: Uint8Array, segment: string) {
    this.method = method
    this.target = target
    this.#body = body
    this.#segment = segment
  }

  /** The same request, now that its body has come. */
  withBody(body: Uint8Array): RequestFacts {
    if (body === this.#body) return this
    const whole = new RequestFacts(this.method, this.target, body, this.#segment)
    whole.#recognised = this.#recognised
    return whole
  }

  get path(): string {
    const end = this.target.indexOf('?')
    return end < 0 ? this.target : this.target.slice(0, end)
  }

  /** The operation of this method and path. Undefined for what the service does not have. */
  get operation(): Recognised | undefined {
    if (this.#recognised === undefined)
      this.#recognised = operationAt(this.method, this.path, this.#segment) ?? null
    return this.#recognised ?? undefined
  }

  get synchronizationId(): string | undefined {
    return this.operation?.params.syncId
  }

  /** The body where it is a JSON object. */
  get json(): Record<string, unknown> | undefined {
    if (this.#json === undefined) this.#json = jsonObject(this.#body) ?? null
    return this.#json ?? undefined
  }

  get transactionId(): string | undefined {
    const id = this.operation?.id === 'createSending' ? this.json?.transactionId : undefined
    return typeof id === 'string' ? id : undefined
  }

  query(name: string): string | undefined {
    const start = this.target.indexOf('?')
    return start < 0 ? undefined : (new URLSearchParams(this.target.slice(start)).get(name) ?? undefined)
  }

  /** As `Attempt.payloadKey`: members in one order, so that the order in which a client writes them is nothing. */
  payloadKey(): string {
    const { transactionId: _, ...rest } = this.json ?? {}
    const payload = this.json ? canonical(rest) : Buffer.from(this.#body).toString('latin1')
    return hash('sha256', `${this.method} ${this.target}\n${payload}`)
  }

  /** As scenarios look at it. Member by member: spreading costs more than everything else that is asked here. */
  attempt(
    {
      now,
      user,
      header,
      fraction,
      canStrike,
    }: Pick<Attempt, 'now' | 'user' | 'header' | 'fraction' | 'canStrike'>,
    operation: Recognised,
  ): Attempt {
    return {
      now,
      user,
      header,
      fraction,
      canStrike,
      operation: operation.id,
      path: this.path,
      synchronizationId: operation.params.syncId,
      transactionId: this.transactionId,
      query: name => this.query(name),
      body: member => (this.json && Object.hasOwn(this.json, member) ? this.json[member] : undefined),
      payloadKey: () => this.payloadKey(),
    }
  }
}

/** JSON with sorted members, so that equal values are equal texts. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, inner]) => `${JSON.stringify(name)}:${canonical(inner)}`).join(',')}}`
}

/** Deeper bodies are refused by the service; here they count as none, since reading them could exhaust the stack. */
const deepest = 64

/** As the service reads it: without the mark that some clients put in front. */
const utf8 = new TextDecoder()

/** The body where it is a JSON object. */
export function jsonObject(body: Uint8Array): Record<string, unknown> | undefined {
  if (body.length === 0) return undefined
  try {
    const value: unknown = JSON.parse(utf8.decode(body))
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject && isShallow(value, deepest) ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

function isShallow(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  for (const name in value) if (!isShallow(value[name as never], levels - 1)) return false
  return true
}
