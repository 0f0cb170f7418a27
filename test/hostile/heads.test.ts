import { describe, expect, it } from 'vitest'
import { basic, synchronizationsPath } from '../mock.ts'
import { ask, authorization, get, head, post, posted, problemIn, sendings, useMocks } from './raw.ts'

const start = useMocks()
const host = 'Host: localhost'
const demo = authorization.trim()

/** Bytes, the statuses that they may have; none for a connection that is closed without a word. */
type Row = readonly [what: string, bytes: string, statuses: readonly number[]]

/** Whatever came, the answer is a problem of ours, or the connection is closed. */
async function refused(port: number, bytes: string, statuses: readonly number[]) {
  const seen = await ask(port, bytes)
  expect(statuses, seen.text.slice(0, 500)).toContain(seen.statuses[0] ?? 0)
  expect(seen.statuses.length).toBeLessThan(2)
  if ((seen.statuses[0] ?? 0) >= 400) {
    const { title } = problemIn(seen)
    expect(title.length).toBeGreaterThan(3)
    expect(seen.text).not.toMatch(/\.(?:ts|js|mjs):\d|\/home\/|node_modules/)
  }
  return seen
}

describe('T45: headers that contradict each other, or name an odd place', () => {
  const line = 'GET /mailings HTTP/1.1'
  it.each<Row>([
    ['two equal Authorization headers', head(line, host, demo, demo), [401]],
    ['two Authorization headers', head(line, host, demo, `Authorization: ${basic('nobody')}`), [401]],
    ['two Host headers', head(line, host, 'Host: evil.example', demo), [400]],
    ['two equal Host headers', head(line, host, host, demo), [400]],
    ['two Host headers in other case', head(line, host, 'hOST: evil.example', demo), [400]],
    ['no Host header', head(line, demo), [400]],
    ['an empty Host header', head(line, 'Host:', demo), [400, 421]],
    ['HTTP/0.9', 'GET /mailings\r\n\r\n', [400]],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400, 0]],
    ['a TLS greeting', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
    ['an absolute target', head('GET http://evil.example/mailings HTTP/1.1', host, demo), [421]],
    [
      'an absolute target with a user',
      head('GET http://a@localhost/mailings HTTP/1.1', host, demo),
      [400, 421],
    ],
    ['an absolute target without a host', head('GET http:///mailings HTTP/1.1', host, demo), [400]],
    ['a target of a proxy', head('CONNECT evil.example:443 HTTP/1.1', host), [405]],
    ['the target of OPTIONS', head('OPTIONS * HTTP/1.1', host, demo), [400]],
    ['a foreign Host', head(line, 'Host: evil.example', demo), [421]],
    ['a Host with a user', head(line, 'Host: localhost@evil.example', demo), [400, 421]],
    ['a Host with a path', head(line, 'Host: localhost/evil.example', demo), [400, 421]],
    ['a Host with a query', head(line, 'Host: localhost?evil.example', demo), [400, 421]],
    ['a Host with a port beyond all ports', head(line, 'Host: localhost:99999', demo), [400, 421]],
    ['a Host with two trailing dots', head(line, 'Host: localhost..', demo), [400, 421]],
    ['a Host with white space', head(line, 'Host: localhost evil.example', demo), [400, 421]],
    ['a Host with an unclosed bracket', head(line, 'Host: [::1', demo), [400, 421]],
    ['a Host of text and brackets', head(line, 'Host: evil[::1]', demo), [400, 421]],
    ['a Host of letters beyond ASCII', head(line, 'Host: l\xf6calhost', demo), [400, 421]],
    ['a Host with a NUL', head(line, 'Host: local\0host', demo), [400]],
    ['a hexadecimal Host that an attacker owns', head(line, 'Host: 0x7f.1.evil.example', demo), [421]],
    ['a Host like ours that is another', head(line, 'Host: localhost.evil.example', demo), [421]],
    ['an address with a name around it', head(line, 'Host: 127.0.0.1.evil.example', demo), [421]],
    ['a Host of 10,000 letters', head(line, `Host: ${'a.'.repeat(5_000)}a`, demo), [421]],
    ['an expectation that nobody has', head(line, host, demo, 'Expect: demo'), [417]],
    ['credentials of a proxy alone', head(line, host, `Proxy-Authorization: ${basic('demo')}`), [401]],
    ['two Content-Types', `${post(sendings, 'Content-Type: text/plain', 'Content-Length: 2')}{}`, [415]],
    ['two Content-Lengths', `${post(sendings, 'Content-Length: 2', 'Content-Length: 3')}{}`, [400]],
  ])('headers that contradict each other, or name an odd place: %s: refused', async (_, bytes, statuses) => {
    const { port } = await start()
    await refused(port, bytes, statuses)
  })

  it.each(['localhost:4025', '127.0.0.1', '[::1]:80', '0x7f.1', 'LOCALHOST'])(
    'Host %s is this machine, or a name that no page elsewhere can have',
    async name => {
      const { port } = await start()
      const seen = await ask(port, head('GET /mailings HTTP/1.1', `Host: ${name}`, demo))
      // 0x7f.1 is an address to a browser, but not to us: it has a dot, so it could be somebody's name.
      expect(seen.statuses).toEqual([name === '0x7f.1' ? 421 : 200])
    },
  )

  it.each([
    ['Basic  two blanks', `Basic  ${btoa('demo:demo')}`, 200],
    ['in capitals', `BASIC ${btoa('demo:demo')}`, 200],
    ['without padding', `Basic ${btoa('demo+ab:demo').replace(/=+$/, '')}`, 200],
    ['with padding too much', `Basic ${btoa('demo:demo')}===`, 401],
    ['of another alphabet', 'Basic ZGVtbz-_bW8', 401],
    ['with a blank within', 'Basic ZGVt bzpkZW1v', 401],
    ['with a comma behind', `Basic ${btoa('demo:demo')},`, 401],
    ['with a parameter behind', `Basic ${btoa('demo:demo')};x=1`, 401],
    ['without a colon', `Basic ${btoa('demodemo')}`, 401],
    ['of nobody', `Basic ${btoa(':')}`, 401],
    ['without a name', `Basic ${btoa(':demo')}`, 401],
    ['with a NUL behind the name', `Basic ${btoa('demo\0:demo')}`, 401],
    ['with a NUL behind the password', `Basic ${btoa('demo:demo\0')}`, 401],
    ['with a new line behind the password', `Basic ${btoa('demo:demo\n')}`, 401],
    ['in other letters', `Basic ${btoa('DEMO:demo')}`, 401],
    ['with two colons', `Basic ${btoa('demo:demo:demo')}`, 401],
    ['of two schemes', `Bearer x, Basic ${btoa('demo:demo')}`, 401],
    ['of 10,000 letters', `Basic ${'A'.repeat(10_000)}`, 401],
    ['by name only', 'demo:demo', 401],
  ] as const)('credentials %s: %s gives %i', async (_, value, status) => {
    const { port } = await start()
    const seen = await ask(port, head('GET /mailings HTTP/1.1', host, `Authorization: ${value}`))
    expect(seen.statuses).toEqual([status])
  })
})

describe('T46: targets and header blocks beyond the usual', () => {
  it.each<Row>([
    ['headers of 20 KB', get('/mailings', `X: ${'x'.repeat(20_000)}`), [431]],
    [
      'thousands of headers',
      get('/mailings', ...Array.from({ length: 3_000 }, (_, at) => `X${at}: y`)),
      [431],
    ],
    ['a target of 100 KB', get(`/${'x'.repeat(100_000)}`), [431]],
    ['a header name of 20 KB', get('/mailings', `${'X'.repeat(20_000)}: 1`), [431]],
    ['a method of 20 KB', `${'X'.repeat(20_000)} / HTTP/1.1\r\n\r\n`, [400, 431]],
    ['a fragment in the target', get('/mailings#/_mock'), [400]],
    ['a backslash for a slash', get('/_mock\\spaces'), [400, 404]],
    ['a backslash in the path', get('/mail\\ings'), [400, 404]],
    ['two slashes before a host', get('//evil.example/mailings'), [400, 404]],
    ['two slashes before /_mock', get('//_mock/spaces'), [404]],
    ['an encoded slash', get('/mailings/..%2f..%2f_mock'), [404]],
    ['encoded dots', get('/mailings/%2e%2e/%2e%2e/etc/passwd'), [404]],
    ['dots', get('/../../../../etc/passwd'), [404]],
    ['an encoded NUL', get('/mailings/%00'), [404]],
    ['encoded line ends', get('/mailings/%0d%0aX-Injected:%201'), [404]],
    ['half of a percent-encoding', get('/mailings/%E0%A4%A'), [404]],
    ['a percent sign alone', get('/mailings/%'), [404]],
    ['a percent sign in the query', get('/mailings?pageSize=%'), [400]],
    ['an overlong encoding', get('/mailings/%c0%ae%c0%ae'), [404]],
    ['a matrix parameter', get('/mailings;a=b'), [404]],
    ['capitals', get('/MAILINGS'), [404]],
    ['a trailing slash', get('/mailings/'), [404]],
    ['bytes beyond ASCII in the target', get('/mailings/\xff\xfe'), [400, 404]],
    ['a blank in the target', get('/mail ings'), [400]],
    ['a tab in the target', get('/mail\tings'), [400]],
    ['a NUL in the target', get('/mail\0ings'), [400]],
    ['no slash at the beginning', get('mailings'), [400]],
    ['a target that is empty', get(''), [400]],
  ])('%s: refused, and it reaches nothing else', async (_, bytes, statuses) => {
    const { port } = await start()
    await refused(port, bytes, statuses)
  })

  it('1,500 headers are no reason to refuse anything, and none of them is lost', async () => {
    const { port } = await start({ headerLimit: 64 << 10 })
    const many = Array.from({ length: 4_000 }, (_, at) => `X${at}: y`)
    const seen = await ask(port, head('GET /mailings HTTP/1.1', host, ...many, demo))
    expect(seen.statuses).toEqual([200])
  })

  it('--header-limit is what the answer names', async () => {
    const { port } = await start({ headerLimit: 2_000 })
    expect((await ask(port, get('/mailings', `X: ${'x'.repeat(1_000)}`))).statuses).toEqual([200])
    const seen = await ask(port, get('/mailings', `X: ${'x'.repeat(2_000)}`))
    expect(seen.statuses).toEqual([431])
    expect(problemIn(seen).detail).toBe('The request line and its headers are over 2000 bytes')
  })

  it.each([
    '/%5fmock/reset',
    '/_mock/%2e%2e/_mock/reset',
    '/_mock/./reset',
    '/_MOCK/reset',
    '/_mock;/reset',
    '//_mock/reset',
    '/x/../_mock/reset',
  ])('no other spelling of a control call gets past its guards: %s', async path => {
    const { port, mock } = await start({ token: 'the-token-of-this-mock' })
    await ask(port, posted(sendings, '{"transactionId":"kept"}'))
    const request = head(
      `POST ${path} HTTP/1.1`,
      host,
      demo,
      'Content-Type: application/json',
      'Content-Length: 2',
    )
    const seen = await ask(port, `${request}{}`)
    expect([400, 401, 404]).toContain(seen.statuses[0])
    expect((await mock.space('demo').platform()).summary.sent).toBe(1)
  })
})

describe('T47: line ends and NUL where a header or a name would carry them on', () => {
  const inside = ['a\r\nX-Injected: 1', 'a\nX-Injected: 1', 'a\rb', 'a\0b', '\u0085', '\u2028']

  it.each(inside)(
    '%j in an encoded path stays in the body of the answer, if it is told at all',
    async text => {
      const { port } = await start()
      for (const path of [
        `/mailings/${encodeURIComponent(text)}`,
        `${synchronizationsPath}/${encodeURIComponent(text)}/preview`,
      ]) {
        const seen = await ask(port, get(path))
        expect(seen.statuses).toEqual([404])
        expect(seen.text.slice(0, seen.text.indexOf('\r\n\r\n'))).not.toMatch(/\r\nx-injected/i)
      }
    },
  )

  it.each(inside)(
    '%j in a scenario, a hold or a space of a control call is refused or only told',
    async text => {
      const { port } = await start()
      const json = (value: unknown) => JSON.stringify(value)
      const control = (method: string, path: string, body: string) =>
        Buffer.from(
          `${head(`${method} /_mock${path} HTTP/1.1`, host, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`)}${body}`,
        )
      const part = encodeURIComponent(text)
      for (const bytes of [
        control('PUT', '/spaces/demo/scenario', json({ name: text })),
        control(
          'PUT',
          '/spaces/demo/scenario',
          json({ name: text, rules: [{ on: 'createSending', steps: [{ hold: text }] }] }),
        ),
        control('POST', '/spaces/demo/faults', json({ on: 'createSending', hold: text })),
        control(
          'POST',
          '/spaces/demo/faults',
          json({ on: 'createSending', answer: { status: 503, headers: { 'X-A': text } } }),
        ),
        control(
          'POST',
          '/spaces/demo/faults',
          json({ on: 'createSending', answer: { status: 503, headers: { [text]: 'b' } } }),
        ),
        control(
          'POST',
          '/spaces/demo/faults',
          json({ on: 'createSending', answer: { status: 503, retryAfter: { text } } }),
        ),
        control('PUT', `/spaces/demo%2B${part}`, '{}'),
        control('POST', `/spaces/demo/holds/${part}/release`, '{}'),
      ]) {
        const seen = await ask(port, bytes)
        expect(seen.statuses[0], seen.text).toBeLessThan(500)
        for (const head of seen.text.split(/\r\n\r\n/).slice(0, 1))
          expect(head).not.toMatch(/\r\nx-injected/i)
      }
    },
  )

  it.each(inside)('%j in X-Mock-Scenario or in a transaction ID is a 400', async text => {
    const { port } = await start()
    const bytes = Buffer.from(JSON.stringify({ transactionId: text }))
    expect((await ask(port, posted(sendings, bytes))).statuses).toEqual([400])
    const raw = await ask(
      port,
      posted(sendings, '{}', `X-Mock-Scenario: ${Buffer.from(text).toString('latin1')}`),
    )
    expect([400, 201]).toContain(raw.statuses[0])
    if (raw.statuses[0] === 201) expect(text).toMatch(/\n/)
  })
})
