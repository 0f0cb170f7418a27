import type { IncomingMessage } from 'node:http'
import { bodyOf, endedEarly, refuseAnnounced } from '../service/input.ts'
import { problems } from '../service/problem.ts'

/**
 * The body of a request that comes over a socket, as the pieces that the parser made of it; the `Request` would copy
 * each. One that is there already, or whose client has gone, is read by that: it knows what is left of such.
 * @param longest bytes
 * @throws Problem as `bodyOf` does
 */
export function incomingBody(
  incoming: IncomingMessage,
  request: Request,
  longest: number,
): Promise<Uint8Array> {
  if (incoming.complete || incoming.destroyed) return bodyOf(request, longest)
  return new Promise((resolve, reject) => {
    refuseAnnounced(incoming.headers['content-length'], longest)
    let whole: Buffer | undefined
    let pieces: Buffer[] | undefined
    let length = 0
    incoming.on('data', (piece: Buffer) => {
      length += piece.length
      if (length > longest) return reject(problems.bodyTooLarge(longest))
      if (pieces) pieces.push(piece)
      else if (whole) pieces = [whole, piece]
      else whole = piece
    })
    incoming.on('end', () => resolve(pieces ? Buffer.concat(pieces) : (whole ?? Buffer.alloc(0))))
    incoming.on('error', () => reject(endedEarly()))
    incoming.on('close', () => {
      if (!incoming.readableEnded) reject(endedEarly())
    })
  })
}
