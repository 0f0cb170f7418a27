import { parseJson } from '../../service/input.ts'
import { Problem, problems } from '../../service/problem.ts'

/** 1 MiB. A call that takes whole spaces states its own. */
export const usualBody = 1 << 20
/** 32 MiB: a whole space. A larger one is a file for `--fixtures`. */
export const largeBody = 32 << 20

/**
 * The JSON object in a control call's body; one without a body counts as `{}`.
 * @param longest bytes
 * @throws Problem 413 over the limit, 400 for what is no JSON object
 */
export async function incomingBody(request: Request, longest = usualBody): Promise<object> {
  const bytes = await bodyBytes(request, longest)
  return bytes.length === 0 ? {} : parseJson(bytes)
}

/**
 * The body as it comes, and no more of it than is taken.
 * @param longest bytes
 * @throws Problem 413 over the limit, 400 when it breaks off
 */
export async function bodyBytes(request: Request, longest: number): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const piece of request.body ?? []) {
      length += piece.length
      if (length > longest) throw problems.bodyTooLarge(longest)
      pieces.push(piece)
    }
  } catch (error) {
    throw error instanceof Problem ? error : problems.malformedBody('The request body ended before its end')
  }
  return Buffer.concat(pieces)
}
