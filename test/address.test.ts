import { describe, expect, it } from 'vitest'
import { createMock } from '../src/index.ts'
import { basic, ids, startMock, synchronizationPath } from './mock.ts'

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
    'localhost.',
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
