import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** So many ports are tried until one is free on both loopback addresses. */
const tries = 5

/**
 * Another host, to which a redirect leads: a server on this machine under another name and port. It does nothing, and
 * takes down whether it was shown credentials.
 */
export class Elsewhere {
  /** `localhost` and a port: another name than the service's, which is addressed by number. */
  readonly host: string
  readonly #servers: readonly Server[]
  readonly #seen: { wasShownCredentials: boolean }

  private constructor(port: number, servers: readonly Server[], seen: { wasShownCredentials: boolean }) {
    this.host = `localhost:${port}`
    this.#servers = servers
    this.#seen = seen
  }

  /** @throws an error when it cannot listen */
  static async open(): Promise<Elsewhere> {
    const seen = { wasShownCredentials: false }
    const make = () =>
      createServer(({ headers }, response) => {
        if (headers.authorization !== undefined) seen.wasShownCredentials = true
        // Not a refusal: whoever came here may go on where it was sent from.
        response.writeHead(503, { 'Content-Type': 'text/plain', Connection: 'close' })
        response.end('This is not the mailing synchronization service.\n')
      })
    for (let nth = 1; ; nth++) {
      const one = make()
      await listening(one, 0, '127.0.0.1')
      const { port } = one.address() as AddressInfo
      const other = make()
      // The name may stand for either address.
      const code = await listening(other, port, '::1').then(
        () => undefined,
        (error: NodeJS.ErrnoException) => error.code,
      )
      if (code === undefined) return new Elsewhere(port, [one, other], seen)
      // Whatever else is wrong, this machine has no such address.
      if (code !== 'EADDRINUSE' || nth === tries) return new Elsewhere(port, [one], seen)
      await closed(one)
    }
  }

  get wasShownCredentials(): boolean {
    return this.#seen.wasShownCredentials
  }

  async close(): Promise<void> {
    await Promise.all(this.#servers.map(closed))
  }
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

const closed = (server: Server): Promise<void> =>
  new Promise(resolve => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
