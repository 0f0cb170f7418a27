import { describe, expect, it } from 'vitest'
import { authorization, get, head, post, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const smuggled = `${post(sendings, 'Content-Length: 2', 'X-Smuggled: yes')}{}`

/** What a proxy in front could read otherwise than we do. Each is followed by a request that must not count as one. */
const shapes: readonly (readonly [what: string, head: string, body: string])[] = [
  [
    'Content-Length and Transfer-Encoding',
    post(sendings, 'Content-Length: 5', 'Transfer-Encoding: chunked'),
    '0\r\n\r\n',
  ],
  [
    'Transfer-Encoding and Content-Length',
    post(sendings, 'Transfer-Encoding: chunked', 'Content-Length: 5'),
    '0\r\n\r\n',
  ],
  ['two Content-Lengths', post(sendings, 'Content-Length: 2', 'Content-Length: 90'), '{}'],
  ['two equal Content-Lengths', post(sendings, 'Content-Length: 2', 'Content-Length: 2'), '{}'],
  ['a list of Content-Lengths', post(sendings, 'Content-Length: 2, 2'), '{}'],
  ['a Content-Length with a plus', post(sendings, 'Content-Length: +2'), '{}'],
  ['a negative Content-Length', post(sendings, 'Content-Length: -2'), '{}'],
  ['a hexadecimal Content-Length', post(sendings, 'Content-Length: 0x2'), '{}'],
  ['a Content-Length with a blank within', post(sendings, 'Content-Length: 2 2'), '{}'],
  ['a Content-Length beyond 64 bits', post(sendings, `Content-Length: ${'9'.repeat(30)}`), '{}'],
  ['a Content-Length that is empty', post(sendings, 'Content-Length:'), '{}'],
  ['an unknown transfer coding', post(sendings, 'Transfer-Encoding: xchunked'), '0\r\n\r\n'],
  ['chunked before another coding', post(sendings, 'Transfer-Encoding: chunked, identity'), '0\r\n\r\n'],
  ['chunked twice', post(sendings, 'Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'), '0\r\n\r\n'],
  ['a coding behind a tab', post(sendings, 'Transfer-Encoding:\tchunked', 'Content-Length: 2'), '0\r\n\r\n'],
  ['a vertical tab before the coding', post(sendings, 'Transfer-Encoding: \x0bchunked'), '0\r\n\r\n'],
  ['a blank before the colon', post(sendings, 'Transfer-Encoding : chunked'), '0\r\n\r\n'],
  ['a blank before the name', post(sendings, ' Transfer-Encoding: chunked'), '0\r\n\r\n'],
  ['a folded header', post(sendings, 'X: 1', ' Transfer-Encoding: chunked'), '0\r\n\r\n'],
  ['a bare CR within a header', post(sendings, 'X: 1\rTransfer-Encoding: chunked'), '0\r\n\r\n'],
  [
    'a bare LF between headers',
    post(sendings, 'X: 1\nTransfer-Encoding: chunked', 'Content-Length: 2'),
    '{}',
  ],
  ['a NUL within a header', post(sendings, 'X: 1\0', 'Content-Length: 2'), '{}'],
  ['a chunk size with a sign', post(sendings, 'Transfer-Encoding: chunked'), '+2\r\n{}\r\n0\r\n\r\n'],
  ['a chunk size with 0x', post(sendings, 'Transfer-Encoding: chunked'), '0x2\r\n{}\r\n0\r\n\r\n'],
  [
    'a chunk size beyond 64 bits',
    post(sendings, 'Transfer-Encoding: chunked'),
    `${'f'.repeat(17)}\r\n{}\r\n0\r\n\r\n`,
  ],
  ['a chunk longer than its size', post(sendings, 'Transfer-Encoding: chunked'), '2\r\n{}}\r\n0\r\n\r\n'],
  ['a chunk ended by LF alone', post(sendings, 'Transfer-Encoding: chunked'), '2\n{}\n0\n\n'],
  [
    'chunk extensions without end',
    post(sendings, 'Transfer-Encoding: chunked'),
    `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
  ['lines ended by LF alone', post(sendings, 'Content-Length: 2').replaceAll('\r\n', '\n'), '{}'],
]

describe('T53: what a proxy could read as one request and we as two', () => {
  it.each(shapes)(
    '%s: refused, or read in one way only, and nothing behind it is done',
    async (_, first, body) => {
      const { port, mock } = await start()
      const raw = await Raw.open(port)
      // A second request that stands where the body is disputed.
      raw.send(first + body + smuggled)
      await raw.until('an answer', it => it.statuses.length > 0 || it.isOver)
      raw.socket.end()
      await raw.closed()
      expect(raw.statuses).toEqual([400])
      const requests = await mock.space('demo').requests()
      expect(requests.filter(({ headers }) => 'x-smuggled' in headers)).toEqual([])
      expect((await mock.space('demo').platform()).summary.sent).toBe(0)
    },
  )

  it('a GET with a body: the body is that, and no request', async () => {
    const { port, mock } = await start()
    const raw = await Raw.open(port)
    raw.send(
      get('/mailings', `Content-Length: ${smuggled.length}`) +
        smuggled +
        get('/mailings', 'Connection: close'),
    )
    await raw.closed()
    expect(raw.statuses).toEqual([200, 200])
    expect((await mock.space('demo').platform()).summary.sent).toBe(0)
  })

  it('what follows a refused body is not read as a request', async () => {
    const { port, mock } = await start({ bodyLimit: 10 })
    const raw = await Raw.open(port)
    raw.send(post(sendings, 'Content-Length: 2000') + smuggled)
    await raw.answers(1)
    raw.socket.end()
    await raw.closed()
    expect(raw.statuses).toEqual([413])
    expect((await mock.space('demo').requests()).length).toBe(1)
  })

  it.each([
    [
      'a WebSocket',
      ['Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Key: eA==', 'Sec-WebSocket-Version: 13'],
    ],
    ['HTTP/2', ['Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAAQAAP__']],
  ])('an upgrade to %s is not taken: the request is answered as it is', async (_, lines) => {
    const { port } = await start()
    const raw = await Raw.open(port)
    await raw.send(get('/mailings', ...lines)).answers(1)
    raw.send(get('/mailings', 'Connection: close'))
    await raw.closed()
    expect(raw.statuses).toEqual([200, 200])
  })

  it('CONNECT makes no tunnel', async () => {
    const { port } = await start()
    const raw = await Raw.open(port)
    await raw.send(head('CONNECT localhost:22 HTTP/1.1', 'Host: localhost', authorization.trim())).closed()
    expect(raw.statuses.filter(status => status < 400)).toEqual([])
  })

  it.each(['TRACE', 'TRACK', 'DEBUG', 'PROPFIND', 'PURGE'])(
    '%s repeats nothing of the request',
    async method => {
      const { port } = await start()
      const raw = await Raw.open(port)
      raw.send(
        head(
          `${method} /mailings HTTP/1.1`,
          'Host: localhost',
          authorization.trim(),
          'X-Canary: seen',
          'Connection: close',
        ),
      )
      await raw.closed()
      expect([400, 405]).toContain(raw.statuses[0])
      expect(raw.text).not.toMatch(/canary|Basic Z/i)
    },
  )
})
