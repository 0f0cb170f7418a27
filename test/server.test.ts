import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import request from 'supertest'
import { afterEach, describe, expect, it } from 'vitest'
import { createLog } from '../src/http/logger.ts'
import { listen } from '../src/http/server.ts'
import { createMock, type Mock, type MockOptions } from '../src/index.ts'
import { defaultFixture } from '../src/store/fixtures.ts'
import { basic, halType, ids, jsonOf, synchronizationPath, synchronizationsPath } from './mock.ts'

const mocks: Mock[] = []
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close()
})

async function listening(options?: MockOptions) {
  const mock = await createMock(options)
  mocks.push(mock)
  return { mock, ...(await mock.listen()) }
}

/** Sends bytes as they are, and gives what comes back until the connection closes or `until` is seen. */
function raw(port: number, bytes: string, until = /\r\n\r\n[\s\S]*$/): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let seen = ''
    socket.setEncoding('utf8').setTimeout(60_000, () => socket.destroy(new Error(`no answer: ${seen}`)))
    socket.on('data', text => {
      seen += text
      if (until.test(seen)) socket.end()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(seen))
  })
}

const authorization = `Authorization: ${basic('demo')}\r\n`

describe('over a real socket', () => {
  it('a sending is created, repeated and read, and its links lead back to the mapped port', async () => {
    const { url } = await listening()
    const path = synchronizationPath(ids.ready, '/sendings')
    const create = () =>
      request(url).post(path).auth('demo', 'demo').set('Content-Type', halType).send('{"transactionId":"a"}')
    const created = await create().expect(201).expect('Content-Type', 'application/hal+json;charset=UTF-8')
    const port = new URL(url).port
    expect(created.headers.location).toMatch(
      new RegExp(`^http://127\\.0\\.0\\.1:${port}/|^http://localhost:${port}/`),
    )
    const repeated = await create().expect(200)
    expect(JSON.parse(repeated.text)).toEqual(JSON.parse(created.text))
    await request(url).get(new URL(created.headers.location!).pathname).auth('demo', 'demo').expect(200)
  })

  it('many simultaneous creates with one transaction ID, over many connections, make one sending', async () => {
    const { url } = await listening()
    const answers = await Promise.all(
      Array.from({ length: 50 }, () =>
        fetch(url + synchronizationPath(ids.ready, '/sendings'), {
          method: 'POST',
          headers: { authorization: basic('demo'), 'content-type': halType },
          body: '{"transactionId":"a"}',
        }),
      ),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(49).fill(200), 201])
    expect(new Set(await Promise.all(answers.map(async answer => (await jsonOf(answer)).id))).size).toBe(1)
  })

  it('one connection carries many requests, pipelined ones in order', async () => {
    const { port } = await listening()
    const get = (path: string, more = '') =>
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}${more}\r\n`
    const seen = await raw(
      port,
      get('/mailings/nothing') +
        get(synchronizationPath(ids.ready)) +
        get('/_mock/health', 'Connection: close\r\n'),
      /^$/,
    )
    expect([...seen.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)).toEqual(['404', '200', '200'])
  })

  it.each([
    ['a resource', synchronizationPath(ids.ready)],
    ['a collection', '/mailings?pageSize=2'],
    ['a problem', '/mailings/nothing'],
    ['refused input', '/mailings?pageSize=0'],
  ])('HEAD sends the header bytes of GET: %s', async (_, path) => {
    const { port } = await listening()
    const head = async (method: string) => {
      const bytes = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\n${authorization}Connection: close\r\n\r\n`
      const [lines, body] = (await raw(port, bytes, /^$/)).split('\r\n\r\n')
      return { lines: lines!.replaceAll(/^(date|x-mock-request-id): .*$/gim, '$1'), body }
    }
    const [get, seen] = [await head('GET'), await head('HEAD')]
    expect(seen.lines).toBe(get.lines)
    expect(seen.lines.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(get.body!)}`)
    expect(seen.body).toBe('')
  })

  it('the Date that a dial takes from the clock of the space is in answers to HEAD and under faults, too', async () => {
    const dials = { 'date-header': 'space-clock' } as const
    const { port, mock } = await listening({ dials, now: '2030-01-01T00:00:00Z', frozen: true })
    const dates = async (method: string) => {
      const bytes = `${method} /mailings HTTP/1.1\r\nHost: localhost\r\n${authorization}Connection: close\r\n\r\n`
      return [...(await raw(port, bytes, /^$/)).matchAll(/^Date: (.*)\r$/gim)].map(([, date]) => date)
    }
    const plain = [await dates('GET'), await dates('HEAD')]
    await mock
      .space('demo')
      .arm({ rules: [{ on: 'listMailings', steps: [{ answer: { fault: 'truncate' } }] }] })
    const all = [...plain, await dates('GET')]
    expect(all).toEqual(Array(3).fill(['Tue, 01 Jan 2030 00:00:00 GMT']))
  })

  it.each(['1.0', '1.1'])('HTTP/%s gets headers as the program writes them, and a length', async version => {
    const { port } = await listening()
    const path = synchronizationPath(ids.ready)
    const bytes = `GET ${path} HTTP/${version}\r\nHost: localhost\r\n${authorization}Connection: close\r\n\r\n`
    const [head, body] = (await raw(port, bytes, /^$/)).split('\r\n\r\n')
    const [status, ...lines] = head!.split('\r\n')
    expect(status).toBe('HTTP/1.1 200 OK')
    const headers = new Map(lines.map(line => line.split(': ') as [string, string]))
    expect(headers.get('Content-Type')).toBe('application/hal+json;charset=UTF-8')
    expect(headers.get('X-Mock-Request-Id')).toMatch(/^r/)
    expect(headers.get('Content-Length')).toBe(String(Buffer.byteLength(body!)))
    expect(JSON.parse(body!).id).toBe(ids.ready)
  })

  it.each([
    [
      'an absolute target of a foreign host',
      `GET http://evil.example/mailings HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`,
      421,
    ],
    [
      'two Host headers',
      `GET /mailings HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n${authorization}\r\n`,
      400,
    ],
    ['a foreign Host header', `GET /mailings HTTP/1.1\r\nHost: evil.example\r\n${authorization}\r\n`, 421],
    ['no Host header', `GET /mailings HTTP/1.1\r\n${authorization}\r\n`, 400],
    ['a backslash in the path', `GET /mail\\ings HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`, 400],
    [
      'two Authorization headers',
      `GET /mailings HTTP/1.1\r\nHost: localhost\r\n${authorization}${authorization}\r\n`,
      401,
    ],
    [
      'an odd percent-encoding',
      `GET /mailings/%E0%A4%A HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`,
      404,
    ],
    ['an encoded slash', `GET /mailings/..%2f..%2f HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`, 404],
    [
      'a header block that is too large',
      `GET /mailings HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['what is not HTTP', 'hello\r\n\r\n', 400],
    ['an unknown method', `BREW /mailings HTTP/1.1\r\nHost: localhost\r\n${authorization}\r\n`, 400],
  ])('%s is refused, and the next request is answered', async (_, bytes, status) => {
    const { port, url } = await listening()
    expect(await raw(port, bytes)).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect((await fetch(`${url}/_mock/health`)).status).toBe(200)
  })

  it.each([
    ['a path', 'http://localhost:1/mailings?pageSize=1', '/mailings\\?pageSize=1'],
    ['capitals', 'HTTP://LOCALHOST:1/mailings?pageSize=1', '/mailings\\?pageSize=1'],
    ['no path', 'http://localhost:1', '/'],
    ['a query alone', 'http://localhost:1?x=1', '/\\?x=1'],
  ])(
    'an absolute target with %s is read by its authority, whatever Host says (RFC 9112 3.2.2)',
    async (_, target, path) => {
      const { port, mock } = await listening()
      const seen = await raw(port, `GET ${target} HTTP/1.1\r\nHost: evil.example\r\n${authorization}\r\n`)
      expect(seen).toMatch(
        path === '/mailings\\?pageSize=1' ? /"href":"http:\/\/localhost:1\/mailings/ : /^HTTP\/1\.1 404 /,
      )
      const [record] = await mock.space('demo').requests()
      expect([record!.target, record!.headers.host]).toEqual([
        expect.stringMatching(new RegExp(`^${path}$`)),
        expect.stringMatching(/^localhost:1$/i),
      ])
    },
  )

  it.each([
    ['of another scheme', 'GET https://localhost/mailings HTTP/1.1\r\nHost: localhost', 'speaks HTTP'],
    [
      'with credentials',
      'GET http://a:b@localhost/mailings HTTP/1.1\r\nHost: localhost',
      'Authorization header',
    ],
    [
      'beside two Host headers',
      'GET http://localhost/mailings HTTP/1.1\r\nHost: a\r\nHost: b',
      'more than one',
    ],
    ['without a Host header', 'GET http://localhost/mailings HTTP/1.1', 'no Host header'],
    ['of another kind', 'GET ftp://localhost/mailings HTTP/1.1\r\nHost: localhost', 'not a path'],
  ])('an absolute target %s is refused', async (_, head, words) => {
    const { port } = await listening()
    const seen = await raw(port, `${head}\r\n${authorization}\r\n`)
    expect(seen).toMatch(/^HTTP\/1\.1 4(?:00|21) /)
    expect(seen).toContain(words)
  })

  it('HTTP/1.0 without Host, as load balancers ask, is answered with links to the address of the connection', async () => {
    const { port } = await listening()
    expect(await raw(port, 'GET /_mock/health HTTP/1.0\r\n\r\n', /^$/)).toMatch(/^HTTP\/1\.1 200 /)
    const seen = await raw(port, `GET /mailings?pageSize=1 HTTP/1.0\r\n${authorization}\r\n`, /^$/)
    expect(seen).toContain(`"href":"http://127.0.0.1:${port}/mailings`)
  })

  it('S 413: an endless body is refused while it still comes in', async () => {
    const { port } = await listening()
    const head = `POST ${synchronizationPath(ids.ready, '/sendings')} HTTP/1.1\r\nHost: localhost\r\n${authorization}Content-Type: ${halType}\r\nTransfer-Encoding: chunked\r\n\r\n`
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    expect(await raw(port, head + chunk.repeat(20))).toMatch(/^HTTP\/1\.1 413 /)
  })

  it('a client that leaves in the middle of its request leaves nothing behind', async () => {
    const { port, mock } = await listening()
    for (const bytes of [
      'POST ',
      `POST ${synchronizationsPath} HTTP/1.1\r\nHost: localhost\r\n${authorization}Content-Type: ${halType}\r\nContent-Length: 100\r\n\r\n{"customer"`,
    ])
      await new Promise<void>(resolve => {
        const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => socket.destroy()))
        socket.on('close', () => resolve())
      })
    const answer = await mock.fetch(`http://localhost${synchronizationsPath}`, {
      headers: { authorization: basic('demo') },
    })
    const listed = (await jsonOf(answer))._embedded['svc:mailing-synchronizations']
    expect(listed).toHaveLength(JSON.parse(readFileSync(defaultFixture, 'utf8')).synchronizations.length)
  })

  it('an answer that leaves while the mock stops says that its connection is closed', async () => {
    let give = () => {}
    const response = new Promise<Response>(resolve => {
      give = () => resolve(new Response('late'))
    })
    let came = () => {}
    const arrival = new Promise<void>(resolve => {
      came = resolve
    })
    const app = () => {
      came()
      return response
    }
    const limits = { headerLimit: 4_096, headerTimeout: 60_000, requestTimeout: 60_000, connectionLimit: 9 }
    const log = createLog('silent')
    const server = await listen(app, {
      port: 0,
      host: '127.0.0.1',
      basePaths: [],
      log,
      ownsProcess: false,
      limits,
    })
    const answer = raw(server.port, 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n', /^$/)
    await arrival
    const closed = server.close()
    give()
    expect(await answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/)
    await closed
  })

  it('closing ends also while a request hangs half sent', async () => {
    const { port, mock } = await listening()
    const socket = connect(port, '127.0.0.1')
    const closed = new Promise(resolve => socket.on('close', resolve))
    socket.on('error', () => {})
    socket.write(
      `POST ${synchronizationsPath} HTTP/1.1\r\nHost: localhost\r\n${authorization}Content-Type: ${halType}\r\nContent-Length: 100\r\n\r\n{`,
    )
    await fetch(`http://127.0.0.1:${port}/_mock/health`)
    await mock.close()
    await closed
  })
})
