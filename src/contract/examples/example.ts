import { type OperationId, operations, type PathValues, pathTo } from '../../service/operations.ts'

/** A request to one operation, as documents show it and tests play it. */
export interface Example {
  /** Its key in the OpenAPI document. */
  readonly name: string
  readonly summary: string
  /** Values of the variables of the operation's path. */
  readonly at?: PathValues
  /** The query, with its question mark. */
  readonly query?: string
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  /** With the default dials, in a new space in which the examples above it have been played. */
  readonly status: number
}

/** The request of an example, as its client writes it. */
export interface ExampleRequest {
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Without credentials. */
  readonly headers: Record<string, string>
  readonly body?: string
}

/** @param segment the platform segment of integration paths */
export function requestOf(
  id: OperationId,
  { at, query = '', body, headers }: Example,
  segment: string,
): ExampleRequest {
  return {
    method: operations[id].method,
    target: pathTo(id, segment, at) + query,
    headers: { ...(body !== undefined && { 'Content-Type': 'application/hal+json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  }
}
