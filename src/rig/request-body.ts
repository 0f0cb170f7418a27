import { Problem, problems } from '../service/problem.ts'

/**
 * The body of a request.
 * @param longest bytes
 * @throws Problem 413 over the limit: at once if Content-Length announces it, else as soon as more has
 * arrived; 400 when it ended early (the client is gone, and nothing was done)
 */
export async function readRequestBytes(request: Request, longest: number): Promise<Buffer> {
  refuseAnnounced(request.headers.get('content-length'), longest)
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    // Not taken before: a body that is refused is only discarded, and its connection goes on, as long as nothing holds it.
    for await (const piece of request.body ?? []) {
      length += piece.length
      if (length > longest) throw problems.bodyTooLarge(longest)
      pieces.push(piece)
    }
  } catch (error) {
    throw error instanceof Problem ? error : bodyEndedEarly()
  }
  return Buffer.concat(pieces)
}

/** @throws Problem 413 for a Content-Length over the limit */
export function refuseAnnounced(contentLength: string | null | undefined, longest: number): void {
  if (contentLength != null && Number(contentLength) > longest) throw problems.bodyTooLarge(longest)
}

/** The client disconnected in the middle of its request. */
export const bodyEndedEarly = () => problems.malformedBody('The request body ended before its end')
