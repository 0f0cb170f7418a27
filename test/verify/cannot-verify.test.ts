import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createRawServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { parseServiceAddress } from '../../src/contract/verify/probe.ts'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { type VerifyOptions, verify } from '../../src/contract/verify/verify.ts'
import { junitReport, markdownReport, terminalReport } from '../../src/contract/verify/verify-reports.ts'
import type { VerifyResult } from '../../src/contract/verify/verify-result.ts'
import { lying } from './lies.ts'
import { base, mockTarget, usual, verified } from './mock-target.ts'
import { certificate, key } from './untrusted.ts'

const open: Server[] = []
const sockets = new Set<Socket>()
afterEach(() => {
  for (const socket of sockets) socket.destroy()
  for (const server of open.splice(0)) server.close()
})

/** @returns the port on which it listens until the test is over */
async function listening(server: Server): Promise<number> {
  open.push(server)
  server.on('connection', socket => sockets.add(socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const http = async (answer: RequestListener) => `http://127.0.0.1:${await listening(createServer(answer))}`
const raw = async (connected: (socket: Socket) => void) =>
  `http://127.0.0.1:${await listening(createRawServer(connected))}`

/** Nobody takes it for whole, in no form of report. */
function expectIncomplete(result: VerifyResult): void {
  expect(result.verdict).toBe('incomplete')
  expect(junitReport(result)).toMatch(
    /errors="1".*<property name="complete" value="false"\/>.*<error type="incomplete"/s,
  )
  expect(markdownReport(result)).toMatch(/^## ⚠️ INCOMPLETE/)
  expect(terminalReport(result, { colours: false, width: 100 })).toContain('INCOMPLETE')
  expect(terminalReport(result, { colours: false, width: 100 })).not.toContain('FAITHFUL')
}

describe('what cannot be verified', () => {
  const answering =
    (status: number, headers: Record<string, string>, body = ''): RequestListener =>
    (_, response) =>
      void response.writeHead(status, headers).end(body)
  const html = answering(200, { 'content-type': 'text/html' }, '<!doctype html><title>Welcome\n home</title>')

  test.each<[string, () => Promise<string>, RegExp]>([
    [
      'a refused connection',
      async () => {
        const server = createServer()
        const port = await listening(server)
        server.close()
        await once(server, 'close')
        return `http://127.0.0.1:${port}`
      },
      /nothing listens on 127\.0\.0\.1:\d+: the connection was refused; start it/,
    ],
    [
      'a name that is none',
      async () => 'http://nobody.invalid',
      /the name nobody\.invalid cannot be resolved; check the host/,
    ],
    [
      'a web page',
      () => http(html),
      /a web page answers \("Welcome home"\), with status 200.*give the address/,
    ],
    [
      'a web page with 404',
      () => http(answering(404, { 'content-type': 'text/html' }, '<html>')),
      /a web page answers, with status 404/,
    ],
    [
      'a redirect',
      () => http(answering(302, { location: 'https://login.example.com/in' })),
      /it redirects \(302\) to https:\/\/login\.example\.com\/in; .*give this address as --url/,
    ],
    ['a redirect to nowhere', () => http(answering(301, {})), /redirects \(301\) without saying where to/],
    [
      'a wrong password',
      () => http(answering(401, { 'www-authenticate': 'Basic realm="x"' })),
      /user or password is wrong.*--password/,
    ],
    ['a user without rights', () => http(answering(403, {})), /answers 403: this user may not even read/],
    ['a service that is down', () => http(answering(503, {})), /answers 503 to the first request/],
    [
      'JSON that is no object',
      () => http(answering(200, { 'content-type': 'application/json' }, '[1]')),
      /no JSON object \(Content-Type application\/json\)/,
    ],
    [
      'JSON of another service',
      () => http(answering(200, { 'content-type': 'application/json' }, '{"ok":true}')),
      /this is no Mailing Synchronization Service: \/mailings 200/,
    ],
    [
      'nothing that it knows',
      () => http(answering(404, { 'content-type': 'application/json' }, '{}')),
      /this is no Mailing Synchronization Service: \/mailings 404/,
    ],
    ['silence', () => http(() => {}), /gave no whole response to \/mailings within 0\.2 s.*--timeout/],
    [
      'a response that stops in its middle',
      () =>
        http((_, response) => {
          response.writeHead(200, { 'content-type': 'application/hal+json' })
          response.write('{"_links":')
        }),
      /gave no whole response to \/mailings within 0\.2 s/,
    ],
    [
      'what speaks no HTTP',
      () => raw(socket => void socket.on('error', () => {}).write('220 mail.example.com ESMTP\r\n')),
      /does not answer in HTTP/,
    ],
    [
      'a connection that is ended',
      () => raw(socket => void socket.on('error', () => {}).once('data', () => socket.destroy())),
      /ended the connection without a whole response/,
    ],
    [
      'a certificate that nobody trusts',
      async () => `https://localhost:${await listening(createTlsServer({ cert: certificate, key }, html))}`,
      /the TLS certificate of localhost:\d+ is not trusted \(DEPTH_ZERO_SELF_SIGNED_CERT\); set NODE_EXTRA_CA_CERTS/,
    ],
    [
      'HTTP where TLS is wanted',
      async () => (await http(html)).replace('http:', 'https:'),
      /does not speak TLS as asked .*let --url start with http:\/\//,
    ],
    [
      'TLS where HTTP is wanted',
      async () => `http://localhost:${await listening(createTlsServer({ cert: certificate, key }, html))}`,
      /let --url start with https:\/\//,
    ],
  ])('%s: one sentence that says what to do', async (_, address, sentence) => {
    // Only where no whole answer comes it passes.
    const timeout = /0\\\.2 s/.test(sentence.source) ? 200 : 60_000
    const result = await verify({ url: await address(), user: 'a', password: 'b', timeout })
    expect(result.incomplete).toMatch(sentence)
    expect(result.incomplete).not.toMatch(/\n/)
    expect(result.counts['not run']).toBe(result.clauses.length)
    expectIncomplete(result)
  })

  test('a platform segment that is another is asked for', async () => {
    const { fetch } = await mockTarget({ names: { relationPrefix: 'svc', platformSegment: 'post' } })
    const result = await verified(fetch)
    expect(result.incomplete).toMatch(
      /nothing under \/integrations\/mailing-platform; give .*--url http:\/\/mock\.test\.localhost\/integrations\/<name>/,
    )
  })

  test.each(['ftp://a.example', 'localhost:4025', 'nonsense', ''])('the address %j is refused', async url => {
    await expect(verify({ ...usual, url })).rejects.toThrow(/expected the address of the service/)
  })

  test('credentials in the address are refused', async () => {
    await expect(verify({ ...usual, url: 'http://u:p@localhost' })).rejects.toThrow(/--user and --password/)
  })

  test('a filter that chooses nothing is refused', async () => {
    await expect(verify({ ...usual, filter: ['4.1 idd'] })).rejects.toThrow(
      /chooses no clause. Did you mean "4.1 id"/,
    )
    await expect(verify({ ...usual, filter: ['99.9'] })).rejects.toThrow(
      '--filter "99.9" chooses no clause. verify --list',
    )
  })
})

describe('a list that is named to send to', () => {
  test.each([
    ['harbour-group', 999_999],
    ['nobody-of-that-name', 1001],
  ])('a list that is named to send to is refused where there is none: %s/%i', async (customer, listId) => {
    const { fetch, mock } = await mockTarget()
    const before = mock.space().data.tables.synchronizations.size
    const result = await verified(fetch, { allowWrites: true, sendTo: { customer, listId } })
    expect(result.incomplete).toBe(
      `--send-to is ${customer}/${listId}, but this user sees no such list; GET /integrations/mailing-platform/accessible-customers/${customer}/lists says what there is`,
    )
    expectIncomplete(result)
    expect(mock.space().data.tables.synchronizations.size).toBe(before)
  })
})

describe('a service that is down from some request on', () => {
  const downAfter = (truth: Fetch, requests: number, until: number, answer: () => Response): Fetch => {
    let count = 0
    return (url, init) =>
      ++count > requests && count <= until ? Promise.resolve(answer()) : truth(url, init)
  }
  const problem = (status: number) => () =>
    Response.json({ title: 'No' }, { status, headers: { 'content-type': 'application/problem+json' } })

  test.each<[string, () => Response]>([
    ['an error', problem(500)],
    ['refusing credentials', problem(401)],
    ['a sign-in', () => new Response(null, { status: 302, headers: { location: 'https://login.example/' } })],
    ['knowing nothing any more', problem(404)],
  ])(
    'a service that is down from some request on is told as that, and nobody takes what it answers for its choice: %s',
    async (_, answer) => {
      const { fetch } = await mockTarget()
      const result = await verified(downAfter(fetch, 90, Number.POSITIVE_INFINITY, answer))
      const status = answer().status
      expect(result.incomplete).toMatch(
        new RegExp(
          `^the service no longer answers as it did at the beginning: .*/mailings ${status}; verify again`,
        ),
      )
      expectIncomplete(result)
    },
  )

  test('a service that is down from some request on is asked again before that is said: one that stumbles for a moment is verified to its end', async () => {
    const { fetch } = await mockTarget()
    const waits: number[] = []
    const result = await verified(downAfter(fetch, 90, 92, problem(503)), {
      wait: async milliseconds => void waits.push(milliseconds),
    })
    expect(result.incomplete).toBe(null)
    expect(waits).toEqual([1_000])
  })

  test('a read that is answered 503 once is sent again as its Retry-After asks, and is no difference', async () => {
    const { fetch } = await mockTarget()
    const waits: number[] = []
    const busy = () => new Response(null, { status: 503, headers: { 'retry-after': '3' } })
    const result = await verified(downAfter(fetch, 90, 91, busy), {
      wait: async milliseconds => void waits.push(milliseconds),
    })
    expect(waits).toEqual([3_000])
    expect(result.counts).toEqual((await verified((await mockTarget()).fetch)).counts)
  })

  test('a service that always says that no requests are left, and not until when, is not waited for', async () => {
    const { fetch } = await mockTarget()
    const waits: number[] = []
    const none = lying(fetch, told => Object.assign(told.headers, { 'x-ratelimit-remaining': '0' }))
    await verified(none, { filter: ['4.5'], wait: async milliseconds => void waits.push(milliseconds) })
    expect(waits).toEqual([])
  })

  test('a service that answers 400 before a configuration exists differs in nothing that the document says', async () => {
    const { fetch } = await mockTarget()
    const result = await verified(async (url, init) => {
      const answer = await fetch(url, init)
      const isAbsent = answer.status === 404 && url.endsWith('/configuration/accessible-lists')
      return isAbsent ? new Response(await answer.text(), { status: 400, headers: answer.headers }) : answer
    })
    expect(result.counts.differs).toBe(0)
    expect(result.clauses.find(({ clause }) => clause === 'S configuration before PUT')).toMatchObject({
      status: 'otherwise',
    })
  })

  test('a service that is down from some request on is not waited for for ever where it takes no requests', async () => {
    const { fetch } = await mockTarget()
    const full = () => new Response(null, { status: 429, headers: { 'retry-after': '5' } })
    const waits: number[] = []
    const result = await verified(downAfter(fetch, 90, Number.POSITIVE_INFINITY, full), {
      wait: async milliseconds => void waits.push(milliseconds),
    })
    expect(result.incomplete).toMatch(/ was answered 429 10 times in a row, however long it was waited$/)
    expect(waits).toEqual(Array.from({ length: 9 }, () => 6_000))
    expectIncomplete(result)
  })
})

test('three waits that cannot be meant end the verification with a sentence', async () => {
  const { fetch } = await mockTarget()
  let count = 0
  const limited: Fetch = async (url, init) =>
    ++count % 2 === 0
      ? new Response(null, { status: 429, headers: { 'retry-after': '99999999999999999999' } })
      : fetch(url, init)
  const waits: number[] = []
  const result = await verified(limited, { wait: async milliseconds => void waits.push(milliseconds) })
  expect(result.incomplete).toBe(
    'the target asked 3 times for a wait that cannot be meant (retry-after: 100000000000000000000); verify again when it says how long to wait',
  )
  expect(waits).toHaveLength(2)
})

describe('a user without the right to write', () => {
  const writes: Partial<VerifyOptions> = { allowWrites: true }
  const byClause = ({ clauses }: VerifyResult) => Object.fromEntries(clauses.map(it => [it.clause, it]))

  test('is told so, finds no difference and no choice, and leaves nothing behind', async () => {
    const { fetch, mock } = await mockTarget()
    const result = await verified(fetch, { ...writes, user: 'demo-viewer' })
    expect(result.incomplete).toMatch(
      /^user "demo-viewer" may not write here: (?:POST|PUT) \S+ was answered 403, and nothing was accepted; /,
    )
    expect(result.counts).toMatchObject({ differs: 0, otherwise: 0, 'not run': 0 })
    expect({ created: result.created, dials: result.config.dial }).toEqual({ created: [], dials: {} })
    expect(byClause(result)['4.16']).toMatchObject({
      status: 'not testable',
      reason: expect.stringMatching(/^this user may not write: PUT \S+ was answered 403$/),
    })
    expect(mock.space().data.tables.accessibleLists.get('Maison Orane')).toBe(undefined)
    expect(terminalReport(result, { colours: false, width: 100 })).not.toMatch(
      /were not looked at|Left behind/,
    )
  })

  test('to one kind of thing is told so there, and the others are checked', async () => {
    const { fetch } = await mockTarget()
    const without: Fetch = async (url, init) =>
      init.method === 'PUT' ? new Response('{}', { status: 403 }) : fetch(url, init)
    const result = await verified(without, writes)
    expect(result).toMatchObject({ incomplete: null, counts: { differs: 0, otherwise: 0 } })
    const found = byClause(result)
    expect([found['4.16']!.status, found['4.1/5']!.status]).toEqual(['not testable', 'holds'])
  })

  test('is another matter where the same kind was accepted before', async () => {
    const { fetch } = await mockTarget()
    let puts = 0
    const once: Fetch = async (url, init) =>
      init.method === 'PUT' && ++puts > 1 ? new Response('{}', { status: 403 }) : fetch(url, init)
    expect(byClause(await verified(once, writes))['4.16']).toMatchObject({ status: 'differs', seen: '403' })
  })
})

describe('a run that ends early', () => {
  const failing = (truth: Fetch, after: number, how: () => never): Fetch => {
    let count = 0
    return (url, init) => (++count > after ? Promise.resolve().then(how) : truth(url, init))
  }
  const refused = () => {
    throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED' } })
  }

  test.each([1, 3, 40, 100, 250])(
    'a run that ends early is incomplete, after %i requests',
    async requests => {
      const { fetch } = await mockTarget()
      const result = await verified(failing(fetch, requests, refused), { allowWrites: true })
      expect(result.incomplete).toMatch(/the connection was refused/)
      expect(result.counts['not run']).toBeGreaterThan(0)
      expectIncomplete(result)
    },
  )

  test.each([0, 2, 60, 150])(
    'a run that ends early is incomplete when it is interrupted after %i requests',
    async requests => {
      const { fetch, mock } = await mockTarget()
      const interrupted = new AbortController()
      let count = 0
      const asked: Fetch = (url, init) => {
        if (++count === requests) interrupted.abort()
        return fetch(url, init)
      }
      if (requests === 0) interrupted.abort()
      const result = await verified(asked, { allowWrites: true, signal: interrupted.signal })
      expect(result.incomplete).toBe('it was interrupted')
      expectIncomplete(result)
      for (const { permitAll } of configurations(mock)) expect(permitAll).toBe(true)
    },
  )

  const configurations = (mock: Awaited<ReturnType<typeof mockTarget>>['mock']) => {
    const { accessibleLists } = mock.space().data.tables
    return ['harbour-group', 'Maison Orane'].flatMap(name => accessibleLists.get(name) ?? [])
  }

  test('a run that ends early puts the configuration back that it was in the middle of changing', async () => {
    const { fetch, mock } = await mockTarget()
    const interrupted = new AbortController()
    let narrowed = 0
    const asked: Fetch = async (url, init) => {
      const answer = await fetch(url, init)
      if (init.method === 'PUT' && String(init.body).includes('"permitAll":false')) {
        narrowed++
        interrupted.abort()
      }
      return answer
    }
    const result = await verified(asked, { allowWrites: true, signal: interrupted.signal })
    expect(narrowed).toBe(1)
    expectIncomplete(result)
    expect(configurations(mock).map(it => it.permitAll)).toEqual([true])
  })

  test.each([
    ['waits for a limit before it puts the configuration back', 1, [51_000], 'now permits all lists', true],
    [
      'says how to put back what it could not',
      Number.POSITIVE_INFINITY,
      Array(9).fill(51_000),
      'accessible-lists configuration of "harbour-group" is not as it was, and could not be put back: PUT {"permitAll":true,"permittedLists":[]} to /integrations/',
      false,
    ],
  ])('a run that ends early %s', async (_, refusals, waited, told, isBack) => {
    const { fetch, mock } = await mockTarget()
    const interrupted = new AbortController()
    const waits: number[] = []
    let left = refusals
    const asked: Fetch = async (url, init) => {
      if (interrupted.signal.aborted && left-- > 0)
        return new Response(null, { status: 429, headers: { 'retry-after': '50' } })
      const answer = await fetch(url, init)
      if (init.method === 'PUT' && String(init.body).includes('"permitAll":false')) interrupted.abort()
      return answer
    }
    const result = await verified(asked, {
      allowWrites: true,
      signal: interrupted.signal,
      wait: async milliseconds => void waits.push(milliseconds),
    })
    expect(waits).toEqual(waited)
    expect(result.created.filter(it => it.includes(told))).toHaveLength(1)
    expect(result.created.filter(it => it.startsWith('accessible-lists'))).toHaveLength(1)
    expect(configurations(mock).map(it => it.permitAll)).toEqual([isBack])
  })
})

test.each([
  ['3 PENDING', 'what the platform really did shows in no response'],
  ['4 content type', 'needs --allow-writes'],
])('a run that can check nothing of what was chosen, %s, is not faithful', async (clause, reason) => {
  const { fetch } = await mockTarget()
  const result = await verified(fetch, { filter: [clause] })
  expectIncomplete(result)
  expect(result.incomplete).toBe(`none of the chosen clauses could be checked: ${reason}`)
})

test.each([
  ['https://a.example', 'https://a.example', undefined],
  ['https://a.example/', 'https://a.example', undefined],
  ['https://a.example/api/', 'https://a.example/api', undefined],
  ['https://a.example/api/mailings?pageSize=3', 'https://a.example/api', undefined],
  ['https://a.example/integrations/post', 'https://a.example', 'post'],
  ['https://a.example/x/integrations/post/mailing-synchronizations/1', 'https://a.example/x', 'post'],
])('the service at %s begins at %s', (address, at, platformSegment) => {
  expect(parseServiceAddress(address)).toEqual({ base: at, platformSegment })
})

test('credentials go to the target and to nobody else', async () => {
  const { fetch } = await mockTarget()
  const hosts = new Set<string>()
  const asked: Fetch = async (url, init) => {
    hosts.add(new URL(url).host)
    const answer = await fetch(url, init)
    const text = (await answer.text()).replaceAll(base, 'https://elsewhere.example')
    return new Response(text || null, answer)
  }
  const result = await verified(asked, { allowWrites: true })
  expect([...hosts]).toEqual(['mock.test.localhost'])
  expect(result.clauses.find(it => it.clause === 'S host')).toMatchObject({
    status: 'otherwise',
    turn: { name: 'public-url', value: 'https://elsewhere.example', isDial: false },
  })
})

test('no evidence holds credentials', async () => {
  const { fetch } = await mockTarget({ dials: { 'error-body': 'text', 'links-form': 'path' } })
  const result = await verified(fetch, { allowWrites: true })
  const written = JSON.stringify(result).toLowerCase()
  expect(written).toContain('"requestheaders"')
  expect(written).not.toContain('authorization')
  expect(written).not.toContain(btoa('demo:demo').toLowerCase())
})
