/** The connection that a request came on, as far as the rig needs it. */
export interface Arrival {
  /** Counts connections of this server from 1; 0 for a request without a socket. */
  readonly connection: number
  /** Which request on its connection, from 1. */
  readonly position: number
  readonly remotePort: number | undefined
  /** Resolves when the client has left before its answer was whole. */
  readonly left: Promise<void>
}

/** A request that came without a socket. @param signal what its sender gives up with */
export function inProcess(signal: AbortSignal): Arrival {
  return {
    connection: 0,
    position: 1,
    remotePort: undefined,
    get left() {
      if (signal.aborted) return Promise.resolve()
      return new Promise<void>(resolve => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
  }
}
