import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:tls'
import { afterEach } from 'vitest'
import type { Certificate } from '../../src/tls/certificates.ts'

const day = 86_400_000

/** Real time, so many days from now. */
export const inDays = (days: number) => new Date(Date.now() + days * day)

const closes: (() => void)[] = []
afterEach(() => {
  for (const close of closes.splice(0)) close()
})

/** Connects to a server with this certificate. @returns the code of the error that the client meets, or `accepted` */
export async function handshakeWith(
  certificate: Certificate,
  { trusts, host = 'localhost' }: { trusts: string; host?: string },
): Promise<string> {
  const server = createServer({ ...certificate })
  closes.push(() => server.close())
  server.on('tlsClientError', () => {})
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', () => resolve()))
  const { port } = server.address() as AddressInfo
  return new Promise(resolve => {
    const socket = connect({ host: '127.0.0.1', port, ca: trusts, servername: host }, () =>
      resolve('accepted'),
    )
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
    closes.push(() => socket.destroy())
  })
}
