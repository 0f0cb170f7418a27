import type { UnfitTls } from './side-ports.ts'

/** The connection of a request, as far as the rig needs it. */
export interface Arrival {
  /** Number of the connection on this server, from 1; 0 for a request without a socket. */
  readonly connection: number
  /** Position of the request on its connection, from 1. */
  readonly position: number
  readonly remotePort: number | undefined
  /** Why the client should have refused the connection; undefined if it has no such reason. */
  readonly unfitTls: UnfitTls | undefined
  /** Resolves when the client disconnects before its answer is complete. */
  readonly clientLeft: Promise<void>
  /** Whether the client sends the body only when it is asked for it, and was not asked yet. */
  readonly awaitsContinue?: boolean
  /** Tells the connection's log under which ID, and in which space if in any, the request is on record. */
  nameRecord?(id: string, space: string | undefined): void
}

/** The arrival of a request without a socket. @param signal aborts when the sender gives up */
export const inProcessArrival = (signal: AbortSignal): Arrival => ({
  connection: 0,
  position: 1,
  remotePort: undefined,
  unfitTls: undefined,
  get clientLeft() {
    if (signal.aborted) return Promise.resolve()
    return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
  },
})
