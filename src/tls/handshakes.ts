import type { Duplex } from 'node:stream'
import type { Server, TLSSocket } from 'node:tls'
import type { MemoryBudget } from '../store/memory-budget.ts'
import { rawSocketOf } from './raw-socket.ts'

/** Bytes of a connection whose handshake has begun, measured. Most of them are OpenSSL's, outside of the heap. */
export const handshakeBytes = 45_000

/** So many may be under way even when memory is short, so that those who know the mock still reach it. */
const leastHandshakes = 20

/**
 * Counts the connections to a server whose handshake is not done. Anybody can begin one and leave it at that: where memory is short,
 * those that have stood for longest are closed.
 */
export function boundHandshakes(server: Server, memory: MemoryBudget): void {
  /** The oldest first. */
  const underWay = new Set<Duplex>()
  const share = memory.share('requests')
  const forget = (connection: Duplex) => {
    if (underWay.delete(connection)) share.add(-handshakeBytes)
  }
  server.prependListener('connection', (connection: Duplex) => {
    for (const oldest of underWay) {
      if (underWay.size < leastHandshakes || memory.hasRoom(handshakeBytes)) break
      oldest.destroy()
      forget(oldest)
    }
    underWay.add(connection)
    share.add(handshakeBytes)
    connection.once('close', () => forget(connection))
  })
  server.on('secureConnection', (socket: TLSSocket) => forget(rawSocketOf<Duplex>(socket)))
}
