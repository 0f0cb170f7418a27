import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { SocketWire } from '../../../src/http/wire.ts'
import { eventually } from '../../process.ts'
import { answer, faultServer } from './fault-server.ts'
import { RawClient } from './raw-client.ts'

const body = String(answer.body)

const phases: [name: string, path: string, comes: string][] = [
  ['while it hangs', '/hang', ''],
  ['while the body stalls', '/stall', '{"id"'],
  ['while the head drips', '/drip-headers?{"every":"1ms"}', 'HTTP'],
  ['while the body drips', '/drip?{"every":"1ms"}', '{"id"'],
  ['during a long pause', '/drip?{"every":"1h"}', '\r\n\r\n'],
]

const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length

describe.each(['fin', 'close', 'reset'] as const)('a client that leaves by %s', how => {
  it.each(phases)('%s: the exchange is over and nothing of it stays', async (_, path, comes) => {
    await using server = await faultServer()
    using client = await RawClient.connect(server.port)
    const timersBefore = timers()
    client.get(path)
    await client.until(comes)
    const wire = await eventually('the request to arrive', () => server.wires[0])
    client.leave(how)
    await wire.gone
    expect(wire.outcome).toBe('aborted')
    await server.over()
    expect(server.outcomes).toEqual(['aborted'])
    await eventually('its timers to be gone', () => timers() <= timersBefore || undefined)
    expect(await wire.pause(3_600_000)).toBe(false)
    await wire.write('too late')
    await wire.end('whole')
    await wire.reset()
    expect(wire.outcome).toBe('aborted')
    await eventually(
      'the connection to be forgotten',
      async () => (await server.connections()) === 0 || undefined,
    )
  })
})

it('a client that never closes its side is let go after a while', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.keepOpen()
  client.get('/truncate')
  expect(await client.ended()).toBe('FIN')
  await eventually(
    'the connection to be forgotten',
    async () => (await server.connections()) === 0 || undefined,
  )
  expect(server.wires[0]!.outcome).toBe('cut')
})

it('many exchanges on one connection leave no listeners on it', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  try {
    for (let at = 0; at < 100; at += 1) client.get('/waited')
    await eventually('all to be answered', () => client.seen.split(body).length === 101 || undefined)
    expect(server.wires.map(({ outcome }) => outcome)).toEqual(Array(100).fill('handed'))
    const sizes = new Set(server.wires.map(({ bytesWritten }) => bytesWritten))
    expect([...sizes]).toEqual([client.seen.length / 100])
    expect(server.listeners('close')).toBeLessThan(6)
    expect(warnings).toEqual([])
  } finally {
    process.off('warning', warned)
  }
})

it('a response that another waited for in the pipeline is counted without that other', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.get('/waited?50').get('/behind')
  await eventually('both answers', () => client.seen.split(body).length === 3 || undefined)
  expect(server.wires[0]!.bytesWritten).toBe(client.seen.length / 2)
})

it('stopping ends what hangs: the client sees the connection close', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.get('/hang')
  const wire = await eventually('the request to arrive', () => server.wires[0])
  wire.stop()
  await wire.gone
  expect(wire.outcome).toBe('server-stopped')
  expect(await client.ended()).toBe('FIN')
})

it('a client that left before the wire was made is gone at once', async () => {
  await using server = await faultServer()
  const client = await RawClient.connect(server.port)
  client.get('/late-wire')
  await eventually('the request to arrive', () => server.arrived[0])
  client.leave('close')
  await eventually(
    'the connection to be forgotten',
    async () => (await server.connections()) === 0 || undefined,
  )
  server.release()
  const wire = await eventually('the wire', () => server.wires[0])
  await wire.gone
  expect(wire.outcome).toBe('aborted')
})

describe('a client that closes its side before it is known that the last byte was written, as may be over TLS', () => {
  const wireOf = () => {
    const tell: ((error?: Error) => void)[] = []
    const socket = new Duplex({ read() {}, write: (_bytes, _encoding, written) => void tell.push(written) })
    const outgoing = { socket, prependOnceListener() {} } as unknown as ServerResponse
    return { socket, written: tell, wire: new SocketWire(socket as Socket, outgoing) }
  }

  it('was given the whole answer', async () => {
    const { socket, written, wire } = wireOf()
    const whole = wire.write('the answer')
    socket.push(null)
    await eventually('its end to be seen', () => !socket.writable || undefined)
    written.shift()!()
    await whole
    await wire.end('whole')
    expect(wire).toMatchObject({ outcome: 'handed', bytesWritten: 10 })
  })

  it('was not, if another byte was to come', async () => {
    const { socket, written, wire } = wireOf()
    const beginning = wire.write('the ans')
    socket.push(null)
    await eventually('its end to be seen', () => !socket.writable || undefined)
    written.shift()!()
    await beginning
    await wire.write('wer')
    await wire.end('whole')
    expect(wire).toMatchObject({ outcome: 'aborted', bytesWritten: 7 })
  })
})
