import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import type { Route } from '../../../src/control/route.ts'
import { pageTable } from '../../../src/pages/page-table.ts'
import { basic, startMock } from '../../mock.ts'
import { startTester, type Tester } from './tester.ts'

const address = ({ path }: Pick<Route, 'path'>) =>
  `/_mock${path === '/' ? '' : path}`.replace('{space}', 'demo').replaceAll(/\{\w+\}/g, 'x')
const named = (wanted: (route: Route) => boolean) =>
  routes.filter(wanted).map(route => [`${route.method} ${route.path}`, route] as const)
const changes = named(({ method }) => method !== 'GET')

function ask(tester: Tester, route: Route, headers: Record<string, string>) {
  const { method } = route
  if (!route.body) return tester.fetch(address(route), { method, headers })
  const body = JSON.stringify(route.example ?? {})
  // A socket has the length of every body.
  const length = { 'content-length': String(Buffer.byteLength(body)) }
  return tester.fetch(address(route), { method, headers: { ...length, ...headers }, body })
}

describe('a page elsewhere', () => {
  let tester: Tester
  beforeAll(async () => {
    tester = await startTester()
  })
  afterAll(() => tester.close())

  const json = { 'content-type': 'application/json' }
  it.each(['/health', '/spaces', '/spaces/nowhere'])('finds the JSON of %s kept to itself', async path => {
    const { headers } = await tester.fetch(`/_mock${path}`)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
  })

  const foreign: [string, Record<string, string>, number][] = [
    ['no content type', { 'content-type': '' }, 415],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }, 415],
    ['plain text that names JSON', { 'content-type': 'text/plain; application/json' }, 415],
    ['a foreign origin', { ...json, origin: 'http://evil.example' }, 403],
    ['an origin on another port', { ...json, origin: 'http://localhost:3000' }, 403],
    ['a null origin', { ...json, origin: 'null' }, 403],
    ['a cross-site request', { ...json, 'sec-fetch-site': 'cross-site' }, 403],
    ['a same-site request', { ...json, 'sec-fetch-site': 'same-site' }, 403],
    ['a name that an attacker owns', { ...json, host: 'evil.example' }, 421],
  ]
  it.each(changes)('a page elsewhere cannot call %s', async (_, route) => {
    const before = (await tester.get('/spaces')).text.replaceAll(/"lastUsed":"[^"]*"/g, '')
    // A page elsewhere cannot send these without permission: without a body they need no content type.
    const isGuarded = route.method !== 'POST' && !route.body
    for (const [name, headers, status] of isGuarded ? foreign.slice(1) : foreign) {
      const response = await ask(tester, route, headers)
      expect(response.status, name).toBe(status)
      expect([...response.headers.keys()].filter(it => it.startsWith('access-control'))).toEqual([])
    }
    expect((await tester.get('/spaces')).text.replaceAll(/"lastUsed":"[^"]*"/g, '')).toBe(before)
  })

  it.each(named(({ method, body }) => method === 'DELETE' && !body))(
    'without a body %s needs no content type',
    async (_, route) => {
      const { status } = await ask(tester, route, {})
      expect(status).not.toBe(415)
      const withBody = await tester.fetch(address(route), { method: route.method, body: 'x' })
      expect(withBody.status).toBe(415)
    },
  )

  it.each(named(({ method }) => method === 'GET'))(
    'a page of another site cannot make the mock work by reading %s',
    async (_, route) => {
      for (const mode of ['cors', 'no-cors']) {
        const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': mode }
        expect((await tester.fetch(address(route), { headers })).status, mode).toBe(403)
      }
    },
  )

  it('a link on a page of another site leads to a page or a call', async () => {
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    for (const accept of ['text/html', 'application/json'])
      expect((await tester.fetch('/_mock/spaces/demo', { headers: { ...headers, accept } })).status).toBe(200)
  })

  it('a page on another port is answered what it cannot read, but for the streams of events', async () => {
    const headers = { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }
    const read = await tester.fetch('/_mock/spaces/demo', { headers })
    expect(read.status).toBe(200)
    expect([...read.headers.keys()].filter(it => it.startsWith('access-control'))).toEqual([])
    for (const path of ['/_mock/spaces/demo/events', '/_mock/events'])
      expect((await tester.fetch(path, { headers })).status, path).toBe(403)
  })

  it.each(named(() => true))(
    'a page elsewhere gets no leave to read from a preflight of %s',
    async (_, route) => {
      const response = await tester.fetch(address(route), {
        method: 'OPTIONS',
        headers: { origin: 'http://evil.example', 'access-control-request-method': route.method },
      })
      expect(response.status).toBe(204)
      expect(response.headers.get('allow')).toContain(route.method)
      expect([...response.headers.keys()].filter(it => it.startsWith('access-control'))).toEqual([])
    },
  )

  it('of our own may change something', async () => {
    const headers = { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }
    expect((await tester.post('/spaces/demo/reset', undefined, headers)).status).toBe(204)
  })
})

describe('where there is a public URL', () => {
  const publicUrl = 'https://mocks.example/mailing'
  const local = { host: 'localhost:4025' }
  const proxied = { host: 'backend', 'x-forwarded-host': 'mocks.example', 'x-forwarded-proto': 'https' }
  const rebound = { host: 'backend', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' }
  it.each<[string, Record<string, string>, string, number]>([
    ['its own page at the address that it came by', local, 'http://localhost:4025', 204],
    ['its own page at another allowed address', { host: '127.0.0.1:4025' }, 'http://127.0.0.1:4025', 204],
    ['its own page at the public URL', { host: 'mocks.example' }, 'https://mocks.example', 204],
    ['its own page at the public URL, whose proxy leaves no name', local, 'https://mocks.example', 204],
    ['its own page behind a trusted proxy', proxied, 'https://mocks.example', 204],
    ['a page on another port', local, 'http://localhost:3000', 403],
    ['a page at another allowed address', local, 'http://127.0.0.1:4025', 403],
    ['a page of another scheme', local, 'https://localhost:4025', 403],
    ['a page of no origin', local, 'null', 403],
    ['a foreign page', local, 'http://evil.example', 403],
    ['a foreign page at a name that leads here', { host: 'evil.example' }, 'http://evil.example', 421],
    ['a foreign page at a name that leads to a trusted proxy', rebound, 'http://evil.example', 403],
  ])('%s is answered as it should be', async (_, headers, origin, status) => {
    const tester = await startTester({ publicUrl, trustProxy: 'x-forwarded-host' in headers })
    const answer = await tester.post('/spaces/demo/reset', undefined, { ...headers, origin })
    expect(answer.status).toBe(status)
    const listened = await tester.fetch('/_mock/events', { headers: { ...headers, origin } })
    expect(listened.status).toBe(status === 204 ? 200 : status)
    await listened.body?.cancel()
    await tester.close()
  })

  it('X-Forwarded headers make no page its own unless the proxy is trusted', async () => {
    const tester = await startTester({ publicUrl })
    const headers = { ...local, 'x-forwarded-host': 'localhost:3000', origin: 'http://localhost:3000' }
    expect((await tester.post('/spaces/demo/reset', undefined, headers)).status).toBe(403)
    await tester.close()
  })
})

describe('a mock with a token', () => {
  let tester: Tester
  beforeAll(async () => {
    tester = await startTester({ token: 'secret-token' })
  })
  afterAll(() => tester.close())

  it.each(named(() => true))('a mock with a token asks for it on %s', async (_, route) => {
    const json = { 'content-type': 'application/json' }
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: 'Basic ZGVtbzpkZW1v' },
      { 'x-mock-token': 'secret-toke' },
      { 'x-mock-token': '' },
    ]
    for (const headers of wrong) {
      const response = await ask(tester, route, { ...json, ...headers })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="/_mock"',
      ])
      expect(await response.text()).not.toContain('secret')
    }
  })

  it.each(pageTable)(
    'a mock with a token asks for it at the page $path, unless everybody may see it',
    async ({ path, isOpen = false }) => {
      for (const accept of ['text/html', '*/*']) {
        const { status } = await tester.fetch(address({ path }), { headers: { accept } })
        expect(status === 401, accept).toBe(!isOpen)
      }
    },
  )

  it.each([{ authorization: 'Bearer secret-token' }, { 'x-mock-token': 'secret-token' }])(
    'a mock with a token answers who has it: %j',
    async headers => {
      expect((await tester.get('/spaces', headers as Record<string, string>)).status).toBe(200)
    },
  )

  it('a mock with a token does not take it from an address', async () => {
    expect((await tester.get('/spaces?token=secret-token')).status).toBe(401)
  })

  it('a mock with a token tells everybody that it is ready', async () => {
    const response = await tester.fetch('/_mock/health')
    expect([response.status, await response.text()]).toEqual([200, '{"status":"ready"}'])
  })

  it.each(['/_mock/problems/not-found', '/_mock/relations/sendings'])(
    'a mock with a token explains to everybody what answers of the service link to: %s',
    async path => {
      expect((await tester.fetch(path)).status).toBe(200)
    },
  )

  it('a mock with a token says so in its description', async () => {
    const { json } = await tester.get('/control/openapi.json', { 'x-mock-token': 'secret-token' })
    expect(json.security).toEqual([{ bearer: [] }, { header: [] }])
    expect(json.paths['/_mock/health'].get.security).toEqual([])
  })
})

describe('a control API on a port of its own', () => {
  const get = async (part: 'service' | 'control', path: string) => {
    const mock = await startMock({ part })
    const headers = { authorization: basic('demo') }
    return (await mock.fetch(new Request(`http://localhost${path}`, { headers }))).status
  }

  it.each([
    ['/_mock/health', 200, 200],
    ['/_mock', 404, 200],
    ['/_mock/spaces', 404, 200],
    ['/_mock/relations/sendings', 200, 200],
    ['/_mock/problems/validation', 200, 200],
    ['/mailings', 200, 404],
  ])('%s is %i on the port of the service and %i on its own', async (path, onService, onControl) => {
    expect([await get('service', path), await get('control', path)]).toEqual([onService, onControl])
  })

  it('a control API on a port of its own takes no change on the port of the service', async () => {
    const mock = await startMock({ part: 'service' })
    const headers = { 'content-type': 'application/json' }
    const reset = new Request('http://localhost/_mock/reset', { method: 'POST', headers })
    expect((await mock.fetch(reset)).status).toBe(404)
  })
})

describe('a hostile caller', () => {
  let tester: Tester
  beforeAll(async () => {
    tester = await startTester()
  })
  afterAll(() => tester.close())

  it.each([
    ['deep', `{"a":${'['.repeat(5_000)}${']'.repeat(5_000)}}`, 400],
    ['too long', `{"a":"${'x'.repeat(1 << 20)}"}`, 413],
    ['not UTF-8', new Uint8Array([0x7b, 0xff, 0x7d]), 400],
    ['a member __proto__', '{"__proto__":{"advance":"5m"}}', 400],
    ['a member constructor', '{"constructor":{"prototype":{"advance":"5m"}}}', 400],
  ])('a hostile caller is refused a body that is %s', async (_, body, status) => {
    const response = await tester.fetch('/_mock/spaces/demo/clock', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(response.status).toBe(status)
    expect(({} as { advance?: string }).advance).toBeUndefined()
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])(
    'a hostile caller finds nothing under %s',
    async name => {
      for (const path of [
        `/spaces/${name}`,
        `/spaces/demo/faults/${name}`,
        `/scenarios/${name}`,
        `/spaces/demo/requests/${name}`,
      ])
        expect((await tester.get(path)).status, path).toBe(404)
      expect((await tester.post(`/spaces/demo/holds/${name}/release`)).status).toBe(404)
    },
  )
})
