import { once } from 'node:events'
import { get } from 'node:http'
import { get as getSecurely } from 'node:https'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createMock } from '../src/index.ts'
import { settings } from '../src/lib/settings.ts'
import { basic, ids, jsonOf, startMock, synchronizationPath } from './mock.ts'

/** Status of the answer to a request over a connection of its own, whatever its certificate. */
const healthAt = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const ask = url.startsWith('https') ? getSecurely : get
    ask(`${url}/_mock/health`, { agent: false, rejectUnauthorized: false }, response => {
      response.resume()
      resolve(response.statusCode)
    }).on('error', reject)
  })

const self = async (
  options: Parameters<typeof startMock>[0],
  headers: Record<string, string>,
  origin = 'http://127.0.0.1',
) => {
  const mock = await startMock({ ...options, origin })
  const { status, json, text } = await mock.as('demo').get(synchronizationPath(ids.ready), headers)
  return { status, href: json?._links.self?.href as string | undefined, text }
}
const path = synchronizationPath(ids.ready)

describe('where links lead', () => {
  it.each([
    'localhost:8080',
    '127.0.0.1:31337',
    '[::1]:4025',
    '192.168.1.7',
    'mock',
    'mailing-mock:80',
    'a.localhost',
    'box.local',
    'mock.ns.svc.internal',
    'LOCALHOST',
    'localhost.',
    'localhost.:4025',
    'mock.ns.svc.cluster.local.',
  ])('S host: the host that the request names, %s, is the base of its links', async host => {
    const { status, href } = await self({}, { host })
    expect(status).toBe(200)
    expect(href).toBe(`http://${host.toLowerCase()}${path}`)
  })

  it.each([
    'evil.example',
    'evil.example:4025',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    'local',
    'localhost:99999',
    'user@localhost',
    'localhost, evil.example',
    'a..b',
    'localhost..',
    '.',
    'evil.example.',
    '"><script>',
    ' ',
  ])('a foreign or malformed host, %s, is refused or stays out of every link', async host => {
    const { status, text } = await self({}, { host })
    if (host === 'local') expect(status).toBe(200)
    else expect(status).toBe(421)
    if (status === 421) expect(text).not.toContain(`http://${host}`)
  })

  it('the scheme is that of each request', async () => {
    const mock = await startMock()
    for (const origin of ['http://localhost', 'https://localhost', 'http://localhost']) {
      const { json } = await mock.as('demo').get(origin + path)
      expect(json._links.self.href).toBe(origin + path)
    }
  })

  it('a host that is allowed by name is answered', async () => {
    expect(
      (await self({ address: { allowedHosts: ['mock.example.com'] } }, { host: 'mock.example.com' })).href,
    ).toBe(`http://mock.example.com${path}`)
  })

  it('one dot at the end of a host name is the same name, in a request and in a setting', async () => {
    for (const named of ['mock.example.com', 'mock.example.com.']) {
      const address = { allowedHosts: [...settings.allowedHosts.parse(named)] }
      expect((await self({ address }, { host: 'mock.example.com.:80' })).status).toBe(200)
      const publicUrl = `http://${named}/x`
      expect((await self({ address: { publicUrl } }, { host: 'mock.example.com.' })).href).toBe(
        publicUrl + path,
      )
    }
  })

  it('a public URL is the base of all links, with its path, whatever the request says', async () => {
    const address = { publicUrl: 'https://mock.example.com/mailing' }
    for (const host of ['mock.example.com', 'localhost:4025'])
      expect((await self({ address }, { host })).href).toBe(`https://mock.example.com/mailing${path}`)
  })

  it('X-Forwarded headers count only when the proxy is trusted', async () => {
    const headers = {
      host: 'backend',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'front.example.com',
      'x-forwarded-prefix': '/api/',
    }
    expect((await self({}, headers)).href).toBe(`http://backend${path}`)
    expect((await self({ address: { trustProxy: true } }, headers)).href).toBe(
      `https://front.example.com/api${path}`,
    )
    expect((await self({ address: { trustProxy: true } }, { host: 'backend' })).href).toBe(
      `http://backend${path}`,
    )
    for (const wrong of [
      { 'x-forwarded-proto': 'javascript' },
      { 'x-forwarded-host': '"><script>' },
      { host: 'evil.example' },
      { 'x-forwarded-prefix': '/"><' },
    ])
      expect((await self({ address: { trustProxy: true } }, { ...headers, ...wrong })).status).toBe(421)
  })

  it('a Location leads to the same place as the links', async () => {
    const mock = await startMock({ origin: 'http://mock:8080' })
    const { headers, json } = await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    expect(headers.get('location')).toBe(json._links.self.href)
    expect(headers.get('location')).toMatch(/^http:\/\/mock:8080\//)
  })
})

describe('--allow-host', () => {
  it.each([
    ['https://mock.example.com/x', 'without port; did you mean "mock.example.com"?'],
    ['mock.example.com:4025', 'without port; did you mean "mock.example.com"?'],
    ['*.example.com', 'each host name in full, since wildcards are not read'],
    ['a,*', 'each host name in full, since wildcards are not read'],
    ['a_b..c', 'host names without port'],
  ])('--allow-host %s is refused with what would work', (text, reason) => {
    expect(() => settings.allowedHosts.parse(text)).toThrow(reason)
  })

  it('--allow-host takes blanks after its commas', () => {
    expect(settings.allowedHosts.parse('a.example, B.example.')).toEqual(['a.example', 'b.example'])
  })
})

describe('the path of a public URL', () => {
  const publicUrl = 'http://localhost:4025/base'

  it('links that begin with the path of --public-url are answered, also where no proxy removes it', async () => {
    await using mock = await createMock({ publicUrl, pagesUrl: 'http://localhost:4026/pages/' })
    const { url } = await mock.listen({ port: 0 })
    const headers = { authorization: basic('demo') }
    for (const fetched of [fetch, mock.fetch])
      for (const below of [`/base${path}?a=b`, `/pages${path}`, path]) {
        const response = await fetched(url + below, { headers })
        expect(response.status, below).toBe(200)
        expect((await jsonOf(response))._links.self.href).toBe(publicUrl + path)
      }
    const created = await fetch(`${url}/base${path}/sendings`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{}',
    })
    expect(created.status).toBe(201)
    expect((await fetch(`${url}/base`)).status).toBe(200)
    expect((await fetch(`${url}/base/_mock/health`)).status).toBe(200)
    expect((await fetch(`${url}/base/base/_mock/health`)).status).toBe(401)
    expect((await fetch(`${url}/based/_mock/health`)).status).toBe(401)
  })

  it.each(['/mailings', '/integrations/x', '/_mock'])(
    'a public URL whose path begins like one of the service, %s, changes no address',
    async base => {
      await using mock = await createMock({ publicUrl: `http://localhost${base}` })
      const headers = { authorization: basic('demo') }
      expect((await mock.fetch(`http://localhost${path}`, { headers })).status).toBe(200)
      expect((await mock.fetch('http://localhost/mailings/_mock', { headers })).status).toBe(404)
    },
  )
})

describe('the address that is listened on', () => {
  it.each([
    ['::1', '[::1]'],
    ['127.0.0.1', 'localhost'],
    ['127.0.0.2', '127.0.0.2'],
    ['0.0.0.0', 'localhost'],
  ])('a mock that listens on %s prints %s', async (host, shown) => {
    await using mock = await createMock()
    const { url, port } = await mock.listen({ host })
    expect(url).toBe(`http://${shown}:${port}`)
    expect((await fetch(`${url}/_mock/health`)).status).toBe(200)
  })

  it.each([{}, { tls: true }])(
    'a mock with default settings is reached over both loopback addresses, and leaves both: %o',
    async options => {
      const mock = await createMock(options)
      const { port, ca } = await mock.listen()
      const scheme = ca === undefined ? 'http' : 'https'
      for (const host of ['127.0.0.1', '[::1]'])
        expect(await healthAt(`${scheme}://${host}:${port}`), host).toBe(200)
      await mock.close()
      for (const host of ['127.0.0.1', '[::1]'])
        await expect(healthAt(`${scheme}://${host}:${port}`)).rejects.toThrow('ECONNREFUSED')
    },
  )

  it('a mock goes on where another program has its port on the other loopback address', async () => {
    const other = createServer().listen(0, '::1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    await using mock = await createMock({ logLevel: 'silent' })
    await mock.listen({ port })
    expect(await healthAt(`http://127.0.0.1:${port}`)).toBe(200)
    other.close()
  })
})

describe('a browser at the bare address', () => {
  it('a browser at the bare address is led to the pages', async () => {
    const { fetch } = await startMock()
    const response = await fetch(new Request('http://localhost/', { headers: { accept: 'text/html,*/*' } }))
    expect([response.status, response.headers.get('location')]).toEqual([302, 'http://localhost/_mock'])
  })

  it('a browser at the bare address is no business of a client: there it is what the service says', async () => {
    expect((await (await startMock()).as('demo').get('/')).status).toBe(404)
  })
})

describe('a tool that waits for the bare address', () => {
  it.each(['GET', 'HEAD'])(
    'a tool that waits for the bare address sees by %s that the mock is ready',
    async method => {
      await using mock = await createMock()
      const { url } = await mock.listen({ port: 0 })
      const response = await fetch(url, { method })
      expect([response.status, response.headers.get('www-authenticate')]).toEqual([200, null])
      expect(await response.text()).toMatch(
        method === 'GET' ? /^mailing-sync-mock is ready\..*\/_mock\/health/ : /^$/,
      )
    },
  )

  it.each([
    ['a change', '/', { method: 'POST' }, 401],
    ['another path', '/mailings', {}, 401],
    ['a query', '/?a=b', {}, 401],
    ['wrong credentials', '/', { headers: { Authorization: basic('demo', 'wrong') } }, 401],
    ['right credentials', '/', { headers: { Authorization: basic('demo') } }, 404],
  ])('%s at the bare address or elsewhere is for the service', async (_, path, init, status) => {
    await using mock = await createMock()
    const { url } = await mock.listen({ port: 0 })
    expect((await fetch(`${url}${path}`, init)).status).toBe(status)
  })
})
