import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { halType } from '../mock.ts'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { look } from './person.ts'

const token = 'secret-token-1234'
let tester: Tester

beforeAll(async () => {
  tester = await startTester({ token, trustProxy: true })
})
afterAll(() => tester.close())

const signIn = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  tester.fetch('/_mock/sign-in', {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

/** What a browser sends from then on. */
const cookieFrom = (response: Response) => response.headers.get('set-cookie')!.split(';')[0]!
const signedIn = async () => cookieFrom(await signIn({ token }))

describe('a browser at a mock with a token', () => {
  it('a browser at a mock with a token is asked for the token once, and goes on to where it wanted', async () => {
    const asked = await look(tester, '/spaces/demo/requests?status=5xx')
    expect(asked.status).toBe(401)
    const [, to] = /name="to" value="([^"]*)"/.exec(asked.text)!
    expect(to).toBe('/_mock/spaces/demo/requests?status=5xx')
    const response = await signIn({ token, to: to! })
    expect([response.status, response.headers.get('location')]).toEqual([303, to])
    const headers = { accept: 'text/html', cookie: cookieFrom(response) }
    expect((await tester.fetch(to!, { headers })).status).toBe(200)
  })

  it('a browser at a mock with a token keeps a cookie that no script reads, no other site sends, and that does not tell the token', async () => {
    const cookie = (await signIn({ token })).headers.get('set-cookie')!
    expect(cookie).toMatch(/^[\w-]+=[\w-]{20,}; Path=\/_mock; HttpOnly; SameSite=Strict$/)
    expect(cookie).not.toContain(token)
    const proxied = await signIn({ token }, { 'x-forwarded-proto': 'https', 'x-forwarded-prefix': '/mock' })
    expect(proxied.headers.get('set-cookie')).toMatch(/; Path=\/mock\/_mock; .*; Secure$/)
    expect(proxied.headers.get('location')).toBe('/mock/_mock')
  })

  it.each(['', 'secret-token-123', `${token} `])(
    'a browser at a mock with a token is told that "%s" is not the token',
    async wrong => {
      const response = await signIn({ token: wrong, to: '/_mock/spaces' })
      expect([response.status, response.headers.get('set-cookie')]).toEqual([401, null])
      const text = await response.text()
      expect(text).toContain('That is not the token of this mock.')
      expect(text).toContain('name="to" value="/_mock/spaces"')
      expect(text).not.toContain(token)
    },
  )

  it.each([
    'https://evil.example/_mock',
    '//evil.example/_mock',
    '/\\evil.example/_mock',
    'javascript:alert(1)',
    '/mailings',
    '/_mock/../mailings',
    '/_mockery',
    '',
  ])('a browser at a mock with a token is not led to %s', async to => {
    expect((await signIn({ token, to })).headers.get('location')).toBe('/_mock')
  })

  it('a browser at a mock with a token makes control calls with the cookie, but not from a page elsewhere', async () => {
    const cookie = await signedIn()
    const change = (headers: Record<string, string>) =>
      tester.fetch('/_mock/spaces/demo/clock', {
        method: 'POST',
        headers: { 'content-type': 'application/json', cookie, ...headers },
        body: '{"freeze":true}',
      })
    expect((await change({ origin: 'http://localhost', 'sec-fetch-site': 'same-origin' })).status).toBe(200)
    expect((await change({ origin: 'http://localhost:3000' })).status).toBe(403)
    expect((await change({ 'sec-fetch-site': 'same-site' })).status).toBe(403)
    expect((await change({ 'content-type': 'text/plain' })).status).toBe(415)
  })

  it('a browser at a mock with a token cannot be signed in by a page elsewhere', async () => {
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await signIn({ token }, headers)).status).toBe(403)
    expect((await signIn({ token: 'x'.repeat(10_000) })).status).toBe(413)
  })

  it('a browser at a mock with a token needs the cookie that this mock gave', async () => {
    const cookie = await signedIn()
    const other = await startTester({ token: 'another-token' })
    for (const given of [
      cookie,
      `${cookie}x`,
      cookie.replace(/=.*/, `=${token}`),
      cookie.replace(/=.*/, '='),
    ]) {
      const response = await other.fetch('/_mock', { headers: { accept: 'text/html', cookie: given } })
      expect(response.status, given).toBe(401)
    }
    await other.close()
  })

  it('a browser at a mock with a token reads what links of the service explain without it', async () => {
    expect((await look(tester, '/problems/not-found')).status).toBe(200)
    expect((await look(tester, '/relations/sendings')).status).toBe(200)
  })
})

describe('a program at a mock with a token', () => {
  it('a program at a mock with a token gets the problem, as ever', async () => {
    const response = await tester.fetch('/_mock/spaces')
    expect([response.status, response.headers.get('content-type')]).toEqual([401, 'application/problem+json'])
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="/_mock"')
  })

  it('a program at a mock with a token opens pages with the header', async () => {
    const headers = { accept: 'text/html', authorization: `Bearer ${token}` }
    expect((await tester.fetch('/_mock', { headers })).status).toBe(200)
  })

  it('a program at a mock with a token shows the service no cookie: it is for /_mock only, and lets nobody in there', async () => {
    const cookie = await signedIn()
    expect((await tester.fetch('/mailings', { headers: { cookie, accept: halType } })).status).toBe(401)
  })
})

it('without a token there is nothing to sign in to', async () => {
  const open = await startTester()
  expect((await look(open, '/sign-in')).status).toBe(404)
  await open.close()
})
