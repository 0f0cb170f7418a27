import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Log } from '../src/http/logger.ts'
import { type AssembledMock, assembleMock } from '../src/lib/assemble-mock.ts'
import { connect } from '../src/lib/connect.ts'
import { ask, get, head, posted, Raw, sendings } from './hostile/raw.ts'
import { basic } from './mock.ts'

const lines: Record<string, unknown>[] = []
const log: Log = {
  logsRequests: true,
  error: () => {},
  warn: () => {},
  info: (msg, fields) => void lines.push({ msg, ...fields }),
}
beforeEach(() => {
  lines.length = 0
})

const mocks: AssembledMock[] = []
afterAll(() => Promise.all(mocks.map(mock => mock.close())))

async function start(options: Parameters<typeof assembleMock>[0] = {}) {
  const mock = await assembleMock(options, false, { log })
  mocks.push(mock)
  const { port, url } = await mock.listen()
  return { port, space: connect({ url }).space('demo') }
}

const line = (path: string) => vi.waitFor(() => lines.find(it => it.path === path) ?? expect.fail(), 10_000)
const create = (scenario: string, space = 'demo') =>
  Buffer.from(
    posted(sendings, '{}', `X-Mock-Scenario: ${scenario}`)
      .toString()
      .replace(/Authorization: .*/, `Authorization: ${basic(space, 'demo')}`),
  )

describe('the access log', () => {
  it.each([
    ['html-200', 200, /^answered$/],
    ['early-hints', 201, /^answered$/],
    ['reset-after', 201, /^withheld, connection reset$/],
    ['close-after', 201, /^withheld$/],
    ['status-cut', 201, /^cut after 16 bytes$/],
    ['headers-cut', 201, /^cut after \d+ bytes$/],
    ['garbage', 201, /^cut after \d+ bytes$/],
  ])(
    'the access log tells what the client was told under %s, and where the request is on record',
    async (scenario, status, msg) => {
      const { port } = await start()
      const raw = await Raw.open(port)
      raw.send(create(scenario, `demo+${scenario}`))
      await vi.waitFor(() => expect(raw.isOver || raw.text !== '').toBe(true), 10_000)
      const { method, space, request, ...told } = await line(sendings)
      raw.leave()
      expect({ method, space, request }).toEqual({
        method: 'POST',
        space: `demo+${scenario}`,
        request: 'r0-1',
      })
      expect(told).toEqual({ msg: expect.stringMatching(msg), status, path: sendings })
    },
  )

  it.each([
    ['before its body has come', posted(sendings, '{}').subarray(0, -1), undefined],
    ['while it is held', create('overlapping-attempts'), undefined],
    ['while nothing comes', create('hang-after'), 201],
  ])('a client that leaves %s has left, and was told nothing', async (_, bytes, status) => {
    const { port, space } = await start()
    const raw = await Raw.open(port)
    raw.send(bytes)
    await vi.waitFor(async () => {
      const open = await space.requests({ delivered: 'open' })
      expect(open.map(({ told }) => told?.status)).toEqual([status])
    }, 10_000)
    raw.leave()
    expect(await line(sendings)).toMatchObject({ msg: 'client left', status, request: 'r0-1' })
  })

  it('the access log shows wrong credentials by the ID of the refusal', async () => {
    const { port } = await start()
    const { text } = await ask(
      port,
      get('/mailings').replace(/Authorization: .*/, `Authorization: ${basic('demo', 'no')}`),
    )
    const { request } = await line('/mailings')
    expect(text).toContain(`X-Mock-Request-Id: ${request}\r\n`)
  })

  it.each([
    ['a backslash', get('/mail\\ings'), '/mail\\ings', 400],
    ['an expectation', get('/mailings', 'Expect: demo'), '/mailings', 417],
    ['a foreign host', head('GET /_mock HTTP/1.1', 'Host: evil.example'), '/_mock', 421],
  ])('a request that is refused for %s leaves a line', async (_, bytes, path, status) => {
    await ask((await start()).port, bytes)
    expect(await line(path)).toEqual({ msg: 'answered', method: 'GET', path, status })
  })

  it.each([
    ['bytes that are no HTTP', 'hello\r\n\r\n', 400, /^refused: The request is not HTTP/],
    ['a TLS handshake', '\x16\x03\x01\x02\0\x01\0', 400, /^refused: .* TLS handshake/],
    [
      'headers that are too long',
      get('/mailings', `X: ${'x'.repeat(20_000)}`),
      431,
      /^refused: .*over 16384 bytes/,
    ],
  ])('%s leave a line that says who sent them', async (_, bytes, status, msg) => {
    await ask((await start()).port, bytes)
    await vi.waitFor(() => expect(lines).toHaveLength(1), 10_000)
    const client = expect.stringMatching(/^127\.0\.0\.1:\d+$/)
    expect(lines[0]).toEqual({ msg: expect.stringMatching(msg), status, client })
  })

  it('CONNECT is told 405 and that this is no proxy, and leaves a line without credentials', async () => {
    const bytes = head('CONNECT me:secret@evil.example:443 HTTP/1.1', 'Host: evil.example:443')
    const { text, statuses } = await ask((await start()).port, bytes)
    expect(statuses).toEqual([405])
    expect(text).toMatch(/\r\nAllow: GET, .*?\r\nConnection: close\r\n.*no proxy/s)
    const { method, path, status } = await line('(hidden)@evil.example:443')
    expect([method, path, status]).toEqual(['CONNECT', '(hidden)@evil.example:443', 405])
  })

  it('connections beyond the limit leave a line each', async () => {
    const { port } = await start({ connectionLimit: 1 })
    const first = await Raw.open(port)
    await ask(port, get('/mailings'))
    first.leave()
    await first.closed()
    expect(lines[0]).toMatchObject({ msg: expect.stringContaining('--connection-limit'), status: 503 })
  })
})
