import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConnectionOptions, connect } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/index.ts'
import { createSelfSignedIssue } from '../../src/tls/certificates.ts'
import { basic } from '../mock.ts'
import { inDays } from './stage.ts'

const mocks: Mock[] = []
const folders: string[] = []
const closes: (() => void)[] = []
afterEach(async () => {
  for (const close of closes.splice(0)) close()
  for (const mock of mocks.splice(0)) await mock.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

async function start(options: Parameters<typeof createMock>[0] = {}) {
  const mock = await createMock({ tls: true, logLevel: 'silent', ...options })
  mocks.push(mock)
  return { mock, ...(await mock.listen()) }
}

interface Got {
  readonly status: number | undefined
  readonly text: string
}

/** A GET by a client that trusts `ca` only. @param options as for node:https */
const get = (url: string, ca: string | undefined, options: object = {}): Promise<Got> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: basic('demo') }
    const asked = request(url, { ca, headers, agent: false, ...options }, response => {
      let text = ''
      response.setEncoding('utf8').on('data', piece => {
        text += piece
      })
      response.on('error', reject).on('end', () => resolve({ status: response.statusCode, text }))
    })
    asked.on('error', reject).end()
  })

/** The protocol that a handshake agrees on, or the code of its error. */
const handshake = (port: number, options: ConnectionOptions): Promise<string> =>
  new Promise(resolve => {
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...options }, () => {
      resolve(`${socket.getProtocol()} ${socket.alpnProtocol}`)
      socket.destroy()
    })
    socket.on('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
  })

/** What comes for some bytes inside TLS, as Latin-1. */
const insideTls = (port: number, ca: string, bytes: string): Promise<string> =>
  new Promise(resolve => {
    let text = ''
    const options = { port, host: '127.0.0.1', servername: 'localhost', ca }
    const socket = connect(options, () => socket.write(bytes)).setEncoding('latin1')
    socket.on('data', piece => {
      text += piece
    })
    socket.on('error', () => {}).on('close', () => resolve(text))
  })

/** What comes for some bytes over plain TCP, as Latin-1. */
const overTcp = (port: number, bytes: Buffer | string): Promise<string> =>
  new Promise(resolve => {
    let text = ''
    const socket = connectPlain(port, '127.0.0.1', () => socket.write(bytes))
    socket.setEncoding('latin1').on('data', piece => {
      text += piece
    })
    socket.on('error', () => {}).on('close', () => resolve(text))
  })

describe('a mock that serves HTTPS', () => {
  it('answers a client that trusts its authority alone, with links that begin with https', async () => {
    const { url, ca } = await start()
    expect(url).toMatch(/^https:\/\/localhost:\d+$/)
    const { status, text } = await get(`${url}/mailings?pageSize=1`, ca)
    expect(status).toBe(200)
    expect(JSON.parse(text)._links.self.href).toBe(`${url}/mailings?pageSize=1`)
  })

  it('is refused by a client that does not know its authority', async () => {
    const { url } = await start()
    await expect(get(`${url}/mailings`, undefined)).rejects.toThrow('unable to verify the first certificate')
  })

  it.each([
    ['an IP address', '127.0.0.1', undefined],
    ['the name of a container', 'mailing-sync-mock', 'mailing-sync-mock'],
    [
      'the name of a service in a cluster',
      'mock.default.svc.cluster.local',
      'mock.default.svc.cluster.local',
    ],
    ['a name of --allow-host', 'mock.example', 'mock.example'],
  ])('shows a certificate that is valid for %s', async (_, host, servername) => {
    const { port, ca } = await start({ allowedHosts: ['mock.example'] })
    const options = servername === undefined ? {} : { servername }
    const headers = { host, authorization: basic('demo') }
    expect(await get(`https://127.0.0.1:${port}/mailings`, ca, { ...options, headers })).toMatchObject({
      status: 200,
    })
  })

  it('shows no certificate for a host that is not allowed', async () => {
    const { port, ca } = await start()
    expect(await handshake(port, { ca: ca!, servername: 'other.example' })).toBe(
      'ERR_TLS_CERT_ALTNAME_INVALID',
    )
  })

  it('gives its authority to everybody, and nothing of the private key', async () => {
    const { url, ca } = await start({ token: 'secret-token' })
    expect(await get(`${url}/_mock/ca.pem`, ca)).toEqual({ status: 200, text: ca })
    expect(ca).not.toContain('PRIVATE')
  })

  it('shows lines for curl that work as they stand, and what clients have to trust, on its pages', async () => {
    const { mock, url, ca } = await start()
    await get(`${url}/mailings`, ca)
    const { url: plain } = await mock.listen({ tls: false })
    const paths = [
      '/spaces/demo/connect',
      '/spaces/demo/requests/r0-1',
      '/docs/createSending',
      '/docs/getClock',
    ]
    for (const page of paths) {
      const seen = await get(`${url}/_mock${page}`, ca, { headers: { accept: 'text/html' } })
      expect(seen.text, page).toMatch(/curl -k /)
      expect(seen.text, page).not.toMatch(/curl -[^k]/)
      const other = await fetch(`${plain}/_mock${page}`, { headers: { accept: 'text/html' } })
      expect(await other.text(), page).not.toContain('curl -k')
      if (page.endsWith('connect'))
        expect(seen.text).toContain('/docs/https.md">what clients have to trust</a>')
    }
  })

  it('serves HTTP beside it, with the same spaces and links that begin with http', async () => {
    const { mock } = await start()
    const { url } = await mock.listen({ tls: false })
    const response = await fetch(`${url}/mailings?pageSize=1`, { headers: { authorization: basic('demo') } })
    expect(((await response.json()) as { _links: { self: { href: string } } })._links.self.href).toBe(
      `${url}/mailings?pageSize=1`,
    )
  })

  it.each([
    ['HTTP/1.1', ['http/1.1'], 'TLSv1.3 http/1.1'],
    ['HTTP/2 or HTTP/1.1', ['h2', 'http/1.1'], 'TLSv1.3 http/1.1'],
    ['HTTP/2 only, which is refused', ['h2'], 'ERR_SSL_TLSV1_ALERT_NO_APPLICATION_PROTOCOL'],
  ])('agrees with a client that speaks %s', async (_, ALPNProtocols, outcome) => {
    const { port, ca } = await start()
    expect(await handshake(port, { ca: ca!, ALPNProtocols })).toBe(outcome)
  })

  it.each([
    ['TLSv1.1', 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION'],
    ['TLSv1.2', 'TLSv1.2 http/1.1'],
  ] as const)('answers a client that speaks %s at most with %s', async (maxVersion, outcome) => {
    const { port, ca } = await start()
    const old = { minVersion: 'TLSv1', maxVersion, ciphers: 'DEFAULT@SECLEVEL=0' } as const
    expect(await handshake(port, { ca: ca!, ...old, ALPNProtocols: ['http/1.1'] })).toBe(outcome)
  })

  it('refuses to renegotiate', async () => {
    const { port, ca } = await start()
    const error = await new Promise<unknown>(resolve => {
      const options = { port, host: '127.0.0.1', servername: 'localhost', ca, maxVersion: 'TLSv1.2' } as const
      const socket = connect(options, () => socket.renegotiate({}, resolve))
      socket.on('error', resolve).on('close', resolve)
    })
    expect(error).toMatchObject({ code: 'ERR_SSL_NO_RENEGOTIATION' })
  })

  it.each(['GET', 'POST', 'DELETE'])('tells a client that sends %s without TLS what to do', async method => {
    const { port } = await start()
    const text = await overTcp(port, `${method} /mailings HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(text).toContain('This port speaks TLS: use https:// instead of http://')
  })

  it.each([
    ['what is not HTTP', '\u0001\u0002\r\n\r\n', 400],
    ['headers that do not end in time', 'GET / HTTP/1.1\r\nHost: localhost\r\n', 408],
  ])('answers %s inside TLS', async (_, bytes, status) => {
    const { port, ca } = await start({ headerTimeout: 2_000 })
    expect(await insideTls(port, ca!, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })

  it.each([
    ['no TLS at all', Buffer.alloc(5_000, 0xff)],
    ['a record of 65,535 bytes', Buffer.from([0x16, 0x03, 0x01, 0xff, 0xff, ...Array(600).fill(1)])],
    ['a handshake that breaks off', Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xfc])],
  ])('goes on after a client has sent %s', async (_, bytes) => {
    const { port, url, ca } = await start({ headerTimeout: 50 })
    await overTcp(port, bytes)
    // On a busy machine a handshake of our own may take longer than it has.
    await expect.poll(async () => (await get(`${url}/mailings`, ca).catch(() => undefined))?.status).toBe(200)
  })

  it('closes a connection whose handshake does not come in time', async () => {
    const { port } = await start({ headerTimeout: 50 })
    expect(await overTcp(port, '')).toBe('')
  })

  it('counts connections in their handshake, and closes those above the limit', async () => {
    const { port, url, ca } = await start({ connectionLimit: 1 })
    const silent = connectPlain(port, '127.0.0.1')
    await new Promise(resolve => silent.once('connect', resolve))
    await expect(get(`${url}/mailings`, ca)).rejects.toThrow(/socket disconnected|ECONNRESET|socket hang up/)
    silent.destroy()
    await expect.poll(async () => (await get(`${url}/mailings`, ca).catch(() => undefined))?.status).toBe(200)
  })

  it('stops although a client has not finished its handshake', async () => {
    const { mock, port } = await start({ headerTimeout: 3_600_000 })
    const silent = connectPlain(port, '127.0.0.1')
    await new Promise(resolve => silent.once('connect', resolve))
    const closed = new Promise(resolve => silent.on('error', () => {}).once('close', resolve))
    await mock.close()
    await closed
  })
})

/** Leads to a port and keeps what comes from there. @returns its port, and the type of each TLS record that came */
async function recordsFrom(port: number) {
  const pieces: Buffer[] = []
  const recorder = createServer(client => {
    const server = connectPlain(port, '127.0.0.1')
    server.on('data', piece => pieces.push(piece))
    server.on('error', () => client.resetAndDestroy())
    client.on('error', () => {})
    client.pipe(server)
    server.pipe(client)
  })
  await new Promise<void>(resolve => recorder.listen(0, '127.0.0.1', () => resolve()))
  closes.push(() => recorder.close())
  const types = () => {
    const bytes = Buffer.concat(pieces)
    const found: number[] = []
    for (let at = 0; at < bytes.length; at += 5 + bytes.readUInt16BE(at + 3)) found.push(bytes[at]!)
    return found
  }
  return { port: (recorder.address() as AddressInfo).port, types }
}

describe('a fault over TLS', () => {
  const [alert, applicationData] = [0x15, 0x17]
  it.each([
    ['closes the connection in order with a close_notify alert', { fault: 'truncate' }, alert],
    ['breaks the connection without one', { fault: 'reset-mid-body' }, applicationData],
  ] as const)('%s', async (_, answer, last) => {
    const { mock, port, ca } = await start()
    const recorded = await recordsFrom(port)
    await mock.space().faults.arm({ on: 'listMailings', answer })
    // The type of a record is readable in TLS 1.2.
    const asked = get(`https://127.0.0.1:${recorded.port}/mailings`, ca, { maxVersion: 'TLSv1.2' })
    await expect(asked).rejects.toThrow()
    expect(recorded.types().at(-1)).toBe(last)
  })
})

describe('a certificate of one’s own', () => {
  async function files(options: { notBefore?: Date; notAfter?: Date } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'own-'))
    folders.push(folder)
    const own = await (await createSelfSignedIssue())({ names: ['localhost'], ...options })
    const [tlsCert, tlsKey] = [join(folder, 'own.pem'), join(folder, 'own.key')]
    writeFileSync(tlsCert, own.cert)
    writeFileSync(tlsKey, own.key)
    return { cert: own.cert, tlsCert, tlsKey }
  }

  it('is shown instead of one of the mock, which then has no authority to trust', async () => {
    const { cert, ...own } = await files()
    const { url, ca } = await start(own)
    expect(ca).toBeUndefined()
    expect((await get(`${url}/mailings`, cert)).status).toBe(200)
    expect((await get(`${url}/_mock/ca.pem`, cert)).status).toBe(404)
  })

  it('stops the start when it has expired', async () => {
    const { cert: _, ...own } = await files({ notBefore: inDays(-3), notAfter: inDays(-1) })
    await expect(start(own)).rejects.toThrow(
      /^cannot serve HTTPS with --tls-cert .*: the certificate expired on /,
    )
  })

  it('stops the start when a certificate behind it cannot be read', async () => {
    const { cert, ...own } = await files()
    writeFileSync(own.tlsCert, `${cert}-----BEGIN CERTIFICATE-----\nYWJj\n-----END CERTIFICATE-----\n`)
    await expect(start(own)).rejects.toThrow(/^cannot serve HTTPS with --tls-cert .* and --tls-key .*: /)
  })

  it('stops the start when its key is not given, or it would have no effect', async () => {
    const { tlsCert, tlsKey } = await files()
    await expect(start({ tlsCert })).rejects.toThrow('--tls-cert and --tls-key are given together')
    await expect(start({ tls: false, tlsCert, tlsKey })).rejects.toThrow(
      '--tls-cert does nothing without --tls',
    )
  })
})

describe('a mock that serves HTTP only', () => {
  it('has no authority', async () => {
    const { url, ca } = await start({ tls: false })
    expect(ca).toBeUndefined()
    expect((await fetch(`${url}/_mock/ca.pem`)).status).toBe(404)
  })

  it('answers a TLS handshake with a hint', async () => {
    const { port } = await start({ tls: false })
    const hello = Buffer.from([0x16, 0x03, 0x01, 0x00, 0x02, 0x01, 0x00])
    expect(await overTcp(port, hello)).toContain(
      'it begins a TLS handshake, but this port speaks plain HTTP: use http:// instead of https://',
    )
  })
})
