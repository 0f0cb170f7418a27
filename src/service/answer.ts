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

/** The answer as the platform's own kind of response. */
export function respond({ status, headers, body }: Answer): Response {
  return new Response(body.length === 0 ? null : (body as string | Buffer<ArrayBuffer>), { status, headers })
}

/** What a response says, which is read to its end. */
export async function answerOf(response: Response): Promise<Answer> {
  const headers = Object.fromEntries(response.headers)
  return { status: response.status, headers, body: Buffer.from(await response.arrayBuffer()) }
}
