import { createServer as createHttpServer } from 'node:http'
import { Agent, request } from 'node:https'
import { type AddressInfo, connect as connectPlain, createServer } from 'node:net'
import { type ConnectionOptions, connect } from 'node:tls'
import { afterEach, describe, expect, it } from 'vitest'
import { createMock, type Mock } from '../../src/index.ts'
import { type SideMode, SidePort, unfitTls } from '../../src/rig/side-ports.ts'
import { basic } from '../mock.ts'

const mocks: Mock[] = []
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close()
})

async function start(mode: SideMode, options: Parameters<typeof createMock>[0] = {}) {
  const mock = await createMock({ tls: true, logLevel: 'silent', ...options })
  mocks.push(mock)
  const { ca } = await mock.listen()
  const space = mock.space('demo')
  const { port } = await space.sidePort(mode)
  return { mock, space, port, ca: ca! }
}

/** The status that a client gets, or the code of the error that it meets. @param options as for node:https */
const ask = (port: number, options: object): Promise<number | string | undefined> =>
  new Promise(resolve => {
    const headers = { authorization: basic('demo') }
    const url = `https://localhost:${port}/mailings`
    const asked = request(url, { headers, agent: false, family: 4, ...options }, response => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    asked.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)).end()
  })

const careless = { rejectUnauthorized: false, minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' } as const

const certificateFaults = [
  ['tls-expired', 'CERT_HAS_EXPIRED'],
  ['tls-not-yet-valid', 'CERT_NOT_YET_VALID'],
  ['tls-wrong-name', 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ['tls-unknown-issuer', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
  ['tls-self-signed', 'DEPTH_ZERO_SELF_SIGNED_CERT'],
  ['tls-old-protocol', 'EPROTO'],
] as const

describe.each(certificateFaults)('a side port in mode %s', (mode, code) => {
  it('is refused by a client that looks, and nothing is recorded', async () => {
    const { space, port, ca } = await start(mode)
    expect(await ask(port, { ca })).toBe(code)
    expect(await space.requests()).toEqual([])
    expect((await space.verdict()).outcome).toBe('innocent')
  })

  it('answers a client that accepts anything, and its request, its page and the verdict tell of it', async () => {
    const { mock, space, port } = await start(mode)
    expect(await ask(port, careless)).toBe(200)
    const [record] = await space.requests()
    expect(record!.connection!.unfitTls).toBe(mode)
    const page = await mock.fetch(`http://localhost/_mock/spaces/demo/requests/${record!.id}`, {
      headers: { accept: 'text/html' },
    })
    const words = await page.text()
    expect(words).toContain(`request 1 on it; one ${unfitTls[mode]}`)
    expect(words).toContain(
      `It came over a connection ${unfitTls[mode]}: its client should have refused that.`,
    )
    const { findings } = await space.verdict()
    expect(findings).toMatchObject([
      { rule: 'R31', severity: 'error', status: 'guilty', evidence: [record!.id] },
    ])
  })
})

const handshake = (port: number, options: ConnectionOptions): Promise<string> =>
  new Promise(resolve => {
    const events: string[] = []
    const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...options }, () =>
      events.push('secure'),
    )
    socket.on('error', (error: NodeJS.ErrnoException) => events.push(error.code ?? ''))
    socket.on('close', () => resolve(events.join(' ')))
  })

describe('a handshake that goes wrong', () => {
  it('in mode tls-handshake-cut ends within the first bytes of the server', async () => {
    const { port, ca, space } = await start('tls-handshake-cut')
    expect(await handshake(port, { ca })).toBe('ECONNRESET')
    expect((await space.sidePort('pass')).connections).toEqual({ 'tls-handshake-cut': 1 })
  })

  it.each(['tls-handshake-cut', 'tls-handshake-silent'] as const)(
    'in mode %s closes a connection in the end, although its client keeps its half open',
    async mode => {
      let noteClosed = () => {}
      const closed = new Promise<void>(resolve => {
        noteClosed = resolve
      })
      const port = await SidePort.open({
        host: '127.0.0.1',
        mode,
        service: createHttpServer(),
        admit: () => true,
        timeouts: { firstByte: 60_000, rest: 20 },
        openTlsFault: async () => socket => {
          socket.once('close', noteClosed)
          if (mode === 'tls-handshake-cut') socket.end('half')
          else socket.write('half')
        },
        refusePlain: () => {},
        report: () => {},
      })
      const client = connectPlain({ port: port.port, host: '127.0.0.1', allowHalfOpen: true }, () =>
        client.write(Buffer.from([0x16])),
      )
      client.resume()
      await closed
      client.destroy()
      await port.close()
    },
  )

  it('in mode tls-handshake-silent stays open after half of the first bytes, until its space ends', async () => {
    const { mock, port } = await start('tls-handshake-silent')
    let received = 0
    const hello = await clientHello()
    const socket = connectPlain(port, '127.0.0.1', () => socket.write(hello))
    const closed = new Promise(resolve => socket.on('error', () => {}).once('close', resolve))
    socket.on('data', bytes => {
      received += bytes.length
    })
    await expect.poll(() => received).toBeGreaterThan(10)
    expect(socket.readyState).toBe('open')
    await mock.close()
    await closed
  })

  it('in mode tls-cut-after-handshake is reset when it is done', async () => {
    const { port, ca, space } = await start('tls-cut-after-handshake')
    expect(await handshake(port, { ca, maxVersion: 'TLSv1.2' })).toBe('secure ECONNRESET')
    expect(await space.requests()).toEqual([])
  })
})

/** What a client says first. */
const clientHello = (): Promise<Buffer> =>
  new Promise(resolve => {
    const server = createServer(socket => {
      socket.once('data', bytes => {
        resolve(bytes)
        socket.destroy()
        server.close()
      })
    }).listen(0, '127.0.0.1', () => {
      connect({ port: (server.address() as AddressInfo).port, host: '127.0.0.1' }).on('error', () => {})
    })
  })

describe('a side port with a fault of TLS', () => {
  it('shows the faulty certificate for the name that a client asks for', async () => {
    const { port, ca } = await start('tls-expired')
    expect(await ask(port, { ca, servername: 'mailing-sync-mock' })).toBe('CERT_HAS_EXPIRED')
  })

  it('passes later connections to the service, when its mode is switched', async () => {
    const { space, port, ca } = await start('tls-expired')
    await ask(port, { ca })
    await space.sidePort('pass')
    expect(await ask(port, { ca })).toBe(200)
    const [record] = await space.requests()
    expect(record!.connection).not.toHaveProperty('unfitTls')
  })

  it('tells a client that speaks HTTP without TLS what to do, and does not count it', async () => {
    const { space, port } = await start('tls-expired')
    const response = await fetch(`http://127.0.0.1:${port}/mailings`)
    expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('speaks TLS')])
    expect((await space.sidePort('tls-expired')).connections).toEqual({})
  })

  it('closes a connection that does not begin a handshake in time, or does not go on with it', async () => {
    const { port } = await start('tls-expired', { headerTimeout: 50 })
    for (const bytes of ['', '\x16\x03\x01'])
      await new Promise(resolve => {
        const socket = connectPlain(port, '127.0.0.1', () => socket.write(bytes, 'latin1'))
        socket.on('error', () => {}).once('close', resolve)
      })
  })

  it('keeps to the limit of connections', async () => {
    const { space, port } = await start('tls-expired', { connectionLimit: 1 })
    const agent = new Agent({ keepAlive: true })
    expect(await ask(port, { ...careless, agent })).toBe(200)
    expect(await ask(port, careless)).toBe('ECONNRESET')
    agent.destroy()
    expect(await space.requests()).toHaveLength(1)
  })

  it('is there also where the port of the service speaks HTTP', async () => {
    const { mock, space } = await start('pass')
    await mock.listen({ tls: false })
    await space.closeSidePort()
    const { port } = await space.sidePort('tls-self-signed')
    expect(await ask(port, careless)).toBe(200)
    expect((await space.requests())[0]!.connection!.unfitTls).toBe('tls-self-signed')
  })

  it('needs a mock that serves HTTPS', async () => {
    const mock = await createMock({ logLevel: 'silent' })
    mocks.push(mock)
    await mock.listen()
    await expect(mock.space('demo').sidePort('tls-expired')).rejects.toThrow(
      'tls-expired needs a mock that serves HTTPS: start it with --tls or --tls-port',
    )
  })
})
