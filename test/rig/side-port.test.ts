import { createServer } from 'node:http'
import { connect, createServer as createNetServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { type SideMode, SidePort } from '../../src/rig/side-ports.ts'
import { eventually } from '../process.ts'
import { RawClient } from './faults/raw-client.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function sidePort(mode: SideMode, timeouts = { firstByte: 60_000, rest: 60_000 }) {
  const service = createServer((_, outgoing) => outgoing.end('from the service'))
  const port = await SidePort.open({
    host: '127.0.0.1',
    mode,
    service,
    admit: () => true,
    timeouts,
    refusePlain: socket => socket.destroy(),
    openTlsFault: () => Promise.reject(new Error('no TLS here')),
    report: error => {
      throw error
    },
  })
  open.push(port)
  return port
}

const request = '/anything'

/** What a client sees that connects, asks, and waits for the end. */
async function seenOver(port: number): Promise<string> {
  try {
    using client = await RawClient.connect(port)
    client.send(`GET ${request} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
    const ending = await client.ended()
    return client.seen === '' ? ending : client.seen
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? String(error)
  }
}

describe('a connection to a side port', () => {
  it.each([
    ['refuse', /^ECONNREFUSED$/],
    ['reset-at-accept', /^(RST|ECONNRESET)$/],
    ['reset-at-data', /^RST$/],
    ['pass', /^HTTP\/1\.1 200 OK[\s\S]*from the service$/],
  ] as const)('in mode %s ends as it must', async (mode, seen) => {
    const port = await sidePort(mode)
    expect(await seenOver(port.port)).toMatch(seen)
    expect(Object.fromEntries(port.connectionCounts)).toEqual(mode === 'refuse' ? {} : { [mode]: 1 })
  })

  it('in mode reset-at-accept is broken before anything was said', async () => {
    const port = await sidePort('reset-at-accept')
    const code = await new Promise(resolve => {
      connect(port.port, '127.0.0.1').on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
    })
    expect(code).toBe('ECONNRESET')
  })

  it('in mode silent is never answered, and forgotten when the client leaves', async () => {
    const port = await sidePort('silent')
    using client = await RawClient.connect(port.port)
    client.get('/anything')
    await eventually('the connection to be disturbed', () => port.connectionCounts.get('silent'))
    client.leave('fin')
    expect(await client.ended()).toBe('FIN')
    expect(client.seen).toBe('')
  })
})

it.each(['silent', 'reset-at-data'] as const)(
  'a connection to a side port in mode %s that says nothing is closed in the end',
  async mode => {
    const port = await sidePort(mode, { firstByte: 20, rest: 60_000 })
    using client = await RawClient.connect(port.port)
    expect(await client.ended()).toBe('FIN')
  },
)

it('a connection to a silent side port is closed in the end, whatever it has said', async () => {
  const port = await sidePort('silent', { firstByte: 60_000, rest: 20 })
  using client = await RawClient.connect(port.port)
  client.get(request)
  expect(await client.ended()).toBe('FIN')
  expect(client.seen).toBe('')
})

it('a mode can be switched while the port stays the same; only new connections meet it', async () => {
  const port = await sidePort('silent')
  using old = await RawClient.connect(port.port)
  old.get(request)
  await eventually('the first connection', () => port.connectionCounts.get('silent'))
  for (const mode of ['refuse', 'pass', 'refuse', 'reset-at-data', 'pass'] as const) {
    await port.switch(mode)
    expect(port.mode).toBe(mode)
    const expected = { refuse: /ECONNREFUSED/, pass: /from the service/, 'reset-at-data': /RST/ }[mode]
    expect(await seenOver(port.port)).toMatch(expected)
  }
  // It has been asked, and stays open without an answer.
  expect(old.ending).toBeUndefined()
  expect(old.seen).toBe('')
  expect(Object.fromEntries(port.connectionCounts)).toEqual({ silent: 1, pass: 2, 'reset-at-data': 1 })
})

it('switches that overlap come one after the other', async () => {
  const port = await sidePort('pass')
  await Promise.all([
    port.switch('refuse'),
    port.switch('silent'),
    port.switch('refuse'),
    port.switch('pass'),
  ])
  expect(port.mode).toBe('pass')
  expect(await seenOver(port.port)).toContain('from the service')
})

it('a port that somebody else took while it was refused is named', async () => {
  const port = await sidePort('refuse')
  const other = createNetServer()
  await new Promise<void>(resolve => other.listen(port.port, '127.0.0.1', resolve))
  open.push(other)
  await expect(port.switch('pass')).rejects.toThrow(`side port ${port.port} cannot be opened again`)
  expect(port.mode).toBe('refuse')
})

it('closing ends what hangs on it, whatever the mode was', async () => {
  const port = await sidePort('silent')
  using silent = await RawClient.connect(port.port)
  await eventually('it to be disturbed', () => port.connectionCounts.get('silent'))
  await port.switch('pass')
  using passed = await RawClient.connect(port.port)
  await eventually('it to be passed', () => port.connectionCounts.get('pass'))
  await port.close()
  await Promise.all([silent.ended(), passed.ended()])
  expect(await seenOver(port.port)).toBe('ECONNREFUSED')
  await expect(port.switch('pass')).rejects.toThrow('is closed')
})
