import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { basic, ids, synchronizationPath } from '../mock.ts'
import { authorization, get, head, post, posted, problemIn, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const waits = 'Expect: 100-continue'
const length = 'Content-Length: 20'
const demo = authorization.trim()
const host = 'Host: localhost'
const viewer = `Authorization: ${basic('demo-viewer', 'demo')}`
const line = `POST ${sendings} HTTP/1.1`
const json = 'Content-Type: application/json'

/** Sends a head and nothing else, and reads until the connection closes. */
async function askWithHead(port: number, bytes: string) {
  const raw = await Raw.open(port)
  await raw.send(bytes).answers(1)
  return raw.closed()
}

describe('a client that waits for 100 Continue', () => {
  it.each([
    ['without credentials', head(line, host, json, length, waits), 401],
    ['without the right', head(line, host, viewer, json, length, waits), 403],
    ['to an unknown path', post('/nothing', length, waits), 404],
    ['with a wrong method', post('/mailings', length, waits), 405],
    ['for another type', post(sendings, length, waits, 'Accept: text/html'), 406],
    ['with too long a body', post(sendings, 'Content-Length: 2000000', waits), 413],
    ['of another type', head(line, host, demo, 'Content-Type: text/plain', length, waits), 415],
    ['of another charset', head(line, host, demo, `${json};charset=latin1`, length, waits), 415],
    ['compressed', post(sendings, length, waits, 'Content-Encoding: gzip'), 415],
    ['to a foreign host', head(line, 'Host: evil.example', demo, json, length, waits), 421],
    ['with a control call of another type', head('POST /_mock/reset HTTP/1.1', host, length, waits), 415],
    ['in pieces', post('/nothing', 'Transfer-Encoding: chunked', waits), 404],
  ])(
    'a request %s is refused before 100 Continue, and its connection is closed as the answer says',
    async (_, bytes, status) => {
      const { port } = await start()
      const { text, statuses } = await askWithHead(port, bytes)
      expect(statuses).toEqual([status])
      expect(text).toMatch(/\r\nConnection: close\r\n/i)
    },
  )

  it('a request that is refused before its body came is on record, with what its client was told', async () => {
    const { port, mock } = await start()
    await askWithHead(port, post(sendings, length, waits, 'Content-Encoding: gzip'))
    const [{ told, truth, delivered, read, body } = expect.fail()] = await mock.space('demo').requests()
    expect([told?.status, truth?.status, delivered, read, body]).toEqual([415, 415, 'handed', null, null])
  })

  it.each([
    ['a body that is wanted', [], '{}', 201],
    ['a body without Content-Type', ['Content-Type: '], '{}', 415],
    ['a body that is not JSON', [], '{,', 400],
  ])('%s is asked for with 100 Continue', async (_, more, body, status) => {
    const { port } = await start()
    const raw = await Raw.open(port)
    const types = more.length === 0 ? [json] : []
    raw.send(head(line, host, demo, ...types, `Content-Length: ${body.length}`, waits))
    await raw.answers(1)
    expect(raw.statuses).toEqual([100])
    await raw.send(body).answers(2)
    await raw.send(get('/mailings')).answers(3)
    expect(raw.statuses).toEqual([100, status, 200])
    raw.leave()
  })

  it('a request that a scenario may apply to is read whole, also if it will be refused', async () => {
    const { port, mock } = await start()
    const space = mock.space('demo')
    await space.arm({ rules: [{ on: 'createSending', steps: [{ answer: { status: 503 } }] }] })
    const raw = await Raw.open(port)
    raw.send(post(sendings, 'Content-Length: 2', waits, 'Accept: text/html'))
    await raw.answers(1)
    await raw.send('{}').answers(2)
    expect(raw.statuses).toEqual([100, 503])
    raw.leave()
    await space.disarm()
  })
})

describe('an answer before the body has come', () => {
  it.each([
    ['the service', head(line, host, json, 'Content-Length: 2')],
    ['the control API', head('POST /_mock/reset HTTP/1.1', host, 'Content-Length: 2')],
  ])(
    'a refusal by %s waits for a body that follows its head, and the connection goes on',
    async (_, bytes) => {
      const { port } = await start()
      const raw = await Raw.open(port)
      raw.send(bytes)
      setImmediate(() => raw.send('{}'))
      await raw.answers(1)
      await raw.send(get('/mailings')).answers(2)
      expect(raw.statuses[1]).toBe(200)
      expect(raw.text).not.toMatch(/\r\nConnection: close/i)
      raw.leave()
    },
  )

  it.each([
    ['credentials are missing', head(line, host, json, 'Content-Length: 200'), 401],
    ['the body is too long', post(sendings, 'Content-Length: 2000000'), 413],
    ['a control call has another type', head('POST /_mock/reset HTTP/1.1', host, 'Content-Length: 20'), 415],
    ['the host is a foreign one', head(line, 'Host: evil.example', 'Content-Length: 20'), 421],
  ])('a client whose body does not come is told that the connection closes: %s', async (_, bytes, status) => {
    const { port } = await start()
    const { text, statuses } = await askWithHead(port, `${bytes}{`)
    expect(statuses).toEqual([status])
    expect(text).toMatch(/\r\nConnection: close\r\n/i)
  })
})

describe('a compressed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
    ['identity, GZIP', gzipSync],
  ])(
    'S encoding: a body with Content-Encoding %s is 415, which says what is accepted',
    async (coding, compress) => {
      const { port } = await start()
      for (const path of [sendings, '/_mock/spaces/demo/clock']) {
        const raw = await Raw.open(port)
        raw.send(posted(path, compress('{}'), `Content-Encoding: ${coding}`))
        await raw.answers(1)
        raw.leave()
        expect(raw.statuses).toEqual([415])
        expect(raw.text).toMatch(/\r\nAccept-Encoding: identity\r\n/i)
        expect(problemIn(raw).detail).toBe(
          `Content-Encoding is "${coding}"; possible: identity (a body that is not compressed)`,
        )
      }
    },
  )

  it.each(['identity', 'Identity', '', 'identity, identity'])(
    'S encoding: a body with Content-Encoding "%s" is as it is',
    async coding => {
      const { mock } = await start()
      const response = await mock.fetch(`http://localhost${synchronizationPath(ids.ready, '/sendings')}`, {
        method: 'POST',
        headers: {
          authorization: basic('demo'),
          'content-type': 'application/json',
          'content-encoding': coding,
        },
        body: '{}',
      })
      expect(response.status).toBe(201)
    },
  )
})
