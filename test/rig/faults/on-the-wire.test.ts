import { describe, expect, it } from 'vitest'
import { answer, faultServer } from './fault-server.ts'
import { RawClient } from './raw-client.ts'

const body = String(answer.body)
const half = body.slice(0, Math.floor(body.length / 2))

const date = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d \\w{3} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT'
const quoted = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
const head = (framing: string, connection = 'keep-alive') =>
  `HTTP/1\\.1 201 Created\r\nContent-Type: application/hal\\+json;charset=UTF-8\r\nLocation: ${quoted(answer.headers.Location!)}\r\nDate: ${date}\r\nConnection: ${connection}\r\n${framing}\r\n`
const length = (bytes = body.length) => `Content-Length: ${bytes}\r\n`

/** What a client without any HTTP stack sees: bytes, how the connection ended, and what the wire says of it. */
const raw: [path: string, bytes: string, ending: 'FIN' | 'RST', outcome: 'handed' | 'cut'][] = [
  ['close', '', 'FIN', 'cut'],
  ['reset', '', 'RST', 'cut'],
  ['reset-upload', '', 'RST', 'cut'],
  ['status-cut', 'HTTP/1\\.1 201 Cre', 'FIN', 'cut'],
  [
    'headers-cut',
    'HTTP/1\\.1 201 Created\r\nContent-Type: application/hal\\+json;charset=UTF-8\r\nLoca',
    'FIN',
    'cut',
  ],
  ['headers-then-reset', head(length()), 'RST', 'cut'],
  ['truncate', head(length()) + quoted(half), 'FIN', 'cut'],
  ['truncate?{"bytes":10}', head(length()) + quoted(body.slice(0, 10)), 'FIN', 'cut'],
  ['truncate?{"bytes":99999}', head(length()) + quoted(body.slice(0, -1)), 'FIN', 'cut'],
  ['truncate-eof', head('', 'close') + quoted(half), 'FIN', 'cut'],
  [
    'chunk-cut',
    `${head('Transfer-Encoding: chunked\r\n')}${half.length.toString(16)}\r\n${quoted(half)}\r\n`,
    'FIN',
    'cut',
  ],
  ['chunk-cut?{"bytes":0}', head('Transfer-Encoding: chunked\r\n'), 'FIN', 'cut'],
  [
    'bad-chunk',
    `${head('Transfer-Encoding: chunked\r\n')}${half.length.toString(16)}\r\n${quoted(half)}\r\nzz\r\n`,
    'FIN',
    'cut',
  ],
  ['length-short', head(length(half.length)) + quoted(body), 'FIN', 'cut'],
  ['reset-mid-body', head(length()) + quoted(half), 'RST', 'cut'],
  ['drip?{"every":"1ms","bytes":50}', head(length(), 'close') + quoted(body), 'FIN', 'handed'],
  ['drip-headers?{"every":"1ms","bytes":50}', head(length(), 'close') + quoted(body), 'FIN', 'handed'],
  ['garbage', '\xff\xfe\\x00\\x16.*\r\n', 'FIN', 'cut'],
  [
    'early-hints',
    `HTTP/1\\.1 103 Early Hints\r\nLink: [^\r]*\r\n\r\n${head(length(), 'close')}${quoted(body)}`,
    'FIN',
    'handed',
  ],
  [
    'early-hints?{"status":102}',
    `HTTP/1\\.1 102 Processing\r\n\r\n${head(length(), 'close')}${quoted(body)}`,
    'FIN',
    'handed',
  ],
]

describe('byte for byte', () => {
  it.each(raw)('byte for byte: %s', async (path, bytes, ending, outcome) => {
    await using server = await faultServer()
    using client = await RawClient.connect(server.port)
    client.get(`/${path}`)
    expect(await client.ended()).toBe(ending)
    expect(client.seen).toMatch(new RegExp(`^${bytes}$`, 's'))
    const [wire] = server.wires
    await wire!.gone
    expect(wire!.outcome).toBe(outcome)
    await server.over()
    expect(server.outcomes).toEqual([outcome])
    expect(wire!.bytesWritten).toBe(client.seen.length)
  })
})

describe('of an answer without a body', () => {
  const bodiless = { status: 204, headers: { 'X-Any': 'thing' }, body: '' }

  it.each([
    'headers-then-reset',
    'truncate',
    'truncate-eof',
    'chunk-cut',
    'bad-chunk',
    'reset-mid-body',
    'stall',
  ])('%s cuts the head, so that no client gets hold of a whole answer', async name => {
    await using server = await faultServer(bodiless)
    using client = await RawClient.connect(server.port)
    client.get(`/${name}`)
    await client.until('HTTP/1.1 204 No Content\r\nX-Any: thing\r\n')
    if (name === 'stall') client.leave('close')
    await server.wires[0]!.gone
    expect(client.seen).not.toContain('\r\n\r\n')
  })
})

describe('of an answer to HEAD', () => {
  const headed = { ...answer, headers: { ...answer.headers, 'Content-Length': '789' }, body: '' }

  it.each(['drip?{"every":"1ms","bytes":50}', 'drip-headers?{"every":"1ms","bytes":50}', 'early-hints'])(
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
