import type { Refusal } from './problem.ts'

/** An answer as plain values: what can be looked at, cut or changed without reading a stream. */
export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Empty for none. */
  readonly body: string | Buffer
  /** What it tells a client of, where that is a problem; the body may say less. */
  readonly problem?: Refusal | undefined
}

const parts = Symbol('the values that this response was made of')
type Told = Response & { [parts]?: Answer }

/** The answer as a response that remembers what it was made of. */
export function respond(answer: Answer): Response {
  const { status, headers, body } = answer
  const isEmpty = body.length === 0
  const response: Told = new Response(isEmpty ? null : (body as string | Buffer<ArrayBuffer>), {
    status,
    headers,
  })
  response[parts] = answer
  return response
}

/** The values of a response, at once where they are known; any other response is read to its end. */
export function answerOf(response: Response): Answer | Promise<Answer> {
  return (response as Told)[parts] ?? read(response)
}

async function read(response: Response): Promise<Answer> {
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}
