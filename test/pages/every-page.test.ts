import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../src/control/call-table.ts'
import { pageTable } from '../../src/pages/page-table.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { everyPage } from './addresses.ts'
import { look } from './person.ts'

let tester: Tester
const addresses = new Map<string, string>()

beforeAll(async () => {
  tester = await startTester()
  for (const { path, address } of await everyPage(tester)) addresses.set(path, address)
})
afterAll(() => tester.close())

const paths = pageTable.map(({ path }) => path)
/** What frames of a page show has a policy of its own. */
const isDocument = (path: string) => !path.endsWith('/html')

describe.each(paths)('the page at %s', path => {
  it('is there', async () => {
    const { status, headers } = await look(tester, addresses.get(path)!)
    expect(status).toBe(200)
    expect(headers.get('content-type')?.toLowerCase()).toBe('text/html; charset=utf-8')
  })

  it('is told apart from the JSON at its address, and kept apart by whoever keeps it', async () => {
    const isCall = routes.some(route => route.method === 'GET' && route.path === path)
    const response = await tester.fetch(`/_mock${addresses.get(path)}`, { headers: { accept: '*/*' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(isCall ? /json/ : /html/)
    expect(response.headers.get('vary')).toBe('Accept')
    expect((await look(tester, addresses.get(path)!)).headers.get('vary')).toBe('Accept')
  })

  it('has a head without a body for HEAD', async () => {
    const response = await tester.fetch(`/_mock${addresses.get(path)}`, {
      method: 'HEAD',
      headers: { accept: 'text/html' },
    })
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('content-type')).toMatch(/html/)
  })

  it('runs no script and loads nothing but from here', async () => {
    const { headers, text } = await look(tester, addresses.get(path)!)
    const policy = headers.get('content-security-policy')!
    expect(policy).toMatch(/default-src 'none'/)
    expect(policy).not.toMatch(/script-src [^;]*(?:unsafe|\*|http|data:)/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    if (!isDocument(path)) return
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self'")
    for (const [, attributes, content] of text.matchAll(/<script\b([^>]*)>(.*?)<\/script>/gs))
      expect([/ src="\/_mock\/assets\//.test(attributes!), content]).toEqual([true, ''])
    expect(text).not.toMatch(/<style|<[^>]* (?:style|on\w+)=/)
    expect(text).not.toMatch(/<(?:link|img|script|iframe|source)[^>]*(?:href|src)="(?:https?:)?\/\//)
  })

  it('has one heading of the first order, a main part, and a language', async () => {
    if (!isDocument(path)) return
    const { text } = await look(tester, addresses.get(path)!)
    const headings = text.match(/<h1\b/g) ?? []
    expect(headings, 'a page with a title of its own begins its content with one <h1>').toHaveLength(1)
    expect(text.match(/<main\b/g)).toHaveLength(1)
    expect(text).toContain('<html lang="en">')
    expect(text).toMatch(/<title>[^<]+ · mailing-sync-mock<\/title>/)
  })

  it('has no ID twice, and one for each part that is kept live', async () => {
    const { text } = await look(tester, addresses.get(path)!)
    const found = [...text.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id)
    expect(found.filter((id, at) => found.indexOf(id) !== at)).toEqual([])
    for (const [tag] of text.matchAll(/<\w+[^>]* data-live="[^>]*>/g)) expect(tag).toMatch(/ id="[^"]+"/)
  })
})

describe('where there is no page', () => {
  it.each(['/nothing', '/spaces/nobody', '/spaces/demo/requests/r0-999', '/relations/none'])(
    'a person reads so at %s, and a program gets the problem',
    async path => {
      const { status, headers, text } = await look(tester, path)
      expect([status, headers.get('content-type')]).toEqual([404, 'text/html; charset=UTF-8'])
      expect(text).toMatch(/<h1>Not found<\/h1><p>There is no (?:[^<]|<\/?bdi>)+\.<\/p>/)
      if (path.startsWith('/relations')) return
      const response = await tester.fetch(`/_mock${path}`)
      expect([response.status, response.headers.get('content-type')]).toEqual([
        404,
        'application/problem+json',
      ])
    },
  )

  it('a person reads what is wrong with a query', async () => {
    const { status, text } = await look(tester, '/spaces/demo/requests?status=99&<x>=1')
    expect(status).toBe(400)
    expect(text).toContain('<code>status</code>: expected a status such as 201')
    expect(text).toContain('&lt;x&gt;')
  })

  it('looking makes no space', async () => {
    expect((await look(tester, '/spaces/demo+looked')).status).toBe(404)
    expect((await tester.get('/spaces')).text).not.toContain('looked')
  })

  it('a browser still gets the JSON of calls without a page', async () => {
    const { headers } = await look(tester, '/operations')
    expect(headers.get('content-type')).toMatch(/json/)
  })
})
