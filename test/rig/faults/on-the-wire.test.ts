import { describe, expect, it } from 'vitest'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import { chunked, endingFaults, head, length, outcomeOf, pathOf, quoted, wireEffects } from './effects.ts'
import { answer, faultServer } from './fault-server.ts'
import { RawClient } from './raw-client.ts'

const body = String(answer.body)

/** Some with settings of their own, and the bytes that then go out. */
const withSettings = [
  ['truncate', { bytes: 10 }, head(length()) + quoted(body.slice(0, 10))],
  ['truncate', { bytes: 99_999 }, head(length()) + quoted(body.slice(0, -1))],
  ['chunk-cut', { bytes: 0 }, chunked],
  [
    'early-hints',
    { status: 102 },
    `HTTP/1\\.1 102 Processing\r\n\r\n${head(length(), 'close')}${quoted(body)}`,
  ],
] as const

/** What a client without any HTTP stack sees: bytes, how the connection ended, and what the wire says of it. */
const rows = [
  ...endingFaults
    .filter(name => faults.get(name)!.applies !== 'on reused connection')
    .map(name => [pathOf(name), wireEffects[name]!.bytes, name] as const),
  ...withSettings.map(
    ([name, settings, bytes]) => [`${name}?${JSON.stringify(settings)}`, bytes, name] as const,
  ),
]

describe('byte for byte', () => {
  it.each(rows)('byte for byte: %s', async (path, bytes, name) => {
    await using server = await faultServer()
    using client = await RawClient.connect(server.port)
    client.get(`/${path}`)
    expect(await client.ended()).toBe(wireEffects[name]!.ending)
    expect(client.seen).toMatch(new RegExp(`^${bytes}$`, 's'))
    const [wire] = server.wires
    await wire!.gone
    expect(wire!.outcome).toBe(outcomeOf(name))
    await server.over()
    expect(server.outcomes).toEqual([outcomeOf(name)])
    expect(wire!.bytesWritten).toBe(client.seen.length)
  })
})

describe('of a response without a body', () => {
  const bodiless = { status: 204, headers: { 'X-Any': 'thing' }, body: '' }

  const cutting = Object.keys(wireEffects).filter(name => wireEffects[name]!.cutsHead)

  it.each(cutting)('%s cuts the head, so that no client gets hold of a whole answer', async name => {
    await using server = await faultServer(bodiless)
    using client = await RawClient.connect(server.port)
    client.get(`/${name}`)
    await client.until('HTTP/1.1 204 No Content\r\nX-Any: thing\r\n')
    if (wireEffects[name]!.ending === 'open') client.leave('close')
    await server.wires[0]!.gone
    expect(client.seen).not.toContain('\r\n\r\n')
  })
})

describe('of an answer to HEAD', () => {
  const headed = { ...answer, headers: { ...answer.headers, 'Content-Length': '789' }, body: '' }

  it.each(endingFaults.filter(name => wireEffects[name]!.isComplete).map(pathOf))(
    '%s announces the length that GET has',
    async path => {
      await using server = await faultServer(headed)
      using client = await RawClient.connect(server.port)
      client.get(`/${path}`)
      expect(await client.ended()).toBe('FIN')
      expect(client.seen).toMatch(new RegExp(`${head(length(789), 'close')}$`))
    },
  )
})

it('reset-upload strikes while the client still sends', async () => {
  await using server = await faultServer()
  using client = await RawClient.connect(server.port)
  client.send(
    `POST /reset-upload HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000000\r\n\r\n${'x'.repeat(1_000)}`,
  )
  expect(await client.ended()).toBe('RST')
  expect(client.seen).toBe('')
  expect(server.wires[0]!.outcome).toBe('cut')
})
