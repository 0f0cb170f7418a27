import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { basic, type Json } from '../mock.ts'
import { type Running, start } from '../process.ts'
import { findChromium } from './chromium.mjs'

/**
 * Somebody who runs the mock visits a page of somebody else. That page is on this machine too, so that nothing but the
 * mock itself stands in its way: browsers that keep public pages from local networks are a second wall.
 */

const stranger = 'evil.example'
let mock: Running
let elsewhere: Server
let browser: Browser
let page: Page
let home: string
let before: Json

/** All that an attacker could want to change, as the tester sees it. */
async function state(): Promise<Json> {
  const read = async (path: string) => (await fetch(`${mock.url}/_mock${path}`)).json() as Promise<Json>
  const { _embedded } = await read('/spaces')
  return {
    spaces: _embedded.spaces.map(({ name, requests }: Json) => [name, requests]),
    scenario: (await read('/spaces/demo/scenario')).scenario,
    faults: (await read('/spaces/demo/faults'))._embedded,
    dials: (await read('/spaces/demo/dials'))._embedded,
    frozen: (await read('/spaces/demo/clock')).frozen,
    sent: (await read('/spaces/demo/platform')).summary,
  }
}

beforeAll(async () => {
  mock = await start(['--in-memory'])
  elsewhere = createServer((_, response) => {
    response.setHeader('Content-Type', 'text/html').end('<!doctype html><title>A page elsewhere</title>')
  })
  await new Promise<void>(resolve => elsewhere.listen(0, '127.0.0.1', resolve))
  const executablePath = findChromium()
  if (!executablePath) throw new Error('no Chromium found: set CHROMIUM to its path')
  browser = await chromium.launch({
    executablePath,
    args: [
      // What a resolver of the attacker's does when it is asked for the second time.
      `--host-resolver-rules=MAP ${stranger} 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1`,
      // The second wall: here it is to be seen that the mock needs none.
      '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebRTC,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
    ],
  })
})
afterAll(async () => {
  await browser?.close()
  elsewhere?.close()
  await mock?.stop()
})

beforeEach(async () => {
  home = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`
  before = await state()
  page = await (await browser.newContext()).newPage()
})
afterEach(async () => {
  await page.context().close()
  expect(await state(), 'what a page elsewhere has changed').toEqual(before)
})

/** Runs in the page; `told` is whatever it could learn. */
const attempt = (script: string, ...given: readonly unknown[]): Promise<Json> =>
  page.evaluate(`(async given => { ${script} })(${JSON.stringify(given)})`)

const trySend = `
  const [url, options] = given
  try {
    const response = await fetch(url, options)
    return { type: response.type, status: response.status, text: await response.text() }
  } catch (error) { return { error: error.name } }`

describe('a page of another origin', () => {
  beforeEach(() => page.goto(home).then(() => undefined))

  test.each([
    '/_mock',
    '/_mock/spaces',
    '/_mock/spaces/demo/requests',
    '/_mock/spaces/demo/snapshot',
    '/mailings',
  ])('a page of another origin cannot read %s', async path => {
    for (const options of [{}, { credentials: 'include' }, { mode: 'no-cors' }]) {
      const told = await attempt(trySend, mock.url + path, options)
      if (told.error === undefined) expect(told).toEqual({ type: 'opaque', status: 0, text: '' })
      else expect(told.error).toBe('TypeError')
    }
  })

  test.each([
    ['POST', '/_mock/reset'],
    ['POST', '/_mock/spaces/demo/clock'],
    ['PUT', '/_mock/spaces/demo/scenario'],
    ['PUT', '/_mock/spaces/demo%2Bintruder'],
    ['DELETE', '/_mock/spaces/demo/requests'],
    ['POST', '/_mock/spaces/demo/faults'],
  ])('a page of another origin cannot %s %s, with whatever content type', async (method, path) => {
    const body = '{"name":"reset-after","advance":"5m","on":"createSending","answer":{"fault":"hang"}}'
    for (const mode of ['cors', 'no-cors'])
      for (const type of [
        'application/json',
        'text/plain',
        'application/x-www-form-urlencoded',
        'text/plain; application/json',
      ])
        expect(
          await attempt(trySend, mock.url + path, { method, mode, body, headers: { 'content-type': type } }),
        ).not.toHaveProperty('status', 200)
  })

  test('a page of another origin cannot send by a form, a beacon or a picture', async () => {
    const url = `${mock.url}/_mock/reset`
    for (const enctype of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data']) {
      await page.goto(home)
      const answered = page.waitForResponse(url)
      await attempt(
        `const [action, enctype] = given
         const form = Object.assign(document.createElement('form'), { action, enctype, method: 'POST' })
         form.innerHTML = '<input name=\\'{"a":"\\' value=\\'"}\\'>'
         document.body.append(form)
         form.submit()`,
        url,
        enctype,
      )
      expect((await answered).status()).toBe(415)
      await page.waitForURL(url)
    }
    await page.goto(home)
    await attempt(
      `const [url] = given
       for (const type of ['application/json', 'text/plain']) navigator.sendBeacon(url, new Blob(['{}'], { type }))
       await new Promise(resolve => { const it = new Image(); it.onerror = resolve; it.src = url })`,
      url,
    )
  })

  test('a page of another origin cannot run what it cannot read, nor take it for a style', async () => {
    for (const path of ['/_mock/spaces', '/_mock/spaces/demo/requests', '/mailings']) {
      const loaded = await attempt(
        `const [src] = given
         const load = element => new Promise(resolve => {
           element.onload = () => resolve('loaded'); element.onerror = () => resolve('refused')
           document.head.append(element)
         })
         return [
           await load(Object.assign(document.createElement('script'), { src })),
           await load(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: src })),
         ]`,
        mock.url + path,
      )
      expect(loaded, path).toEqual(['refused', 'refused'])
    }
  })

  test('a page of another origin cannot listen to events', async () => {
    for (const path of ['/_mock/events', '/_mock/spaces/demo/events']) {
      const heard = attempt(
        `const [url] = given
         return new Promise(resolve => {
           const source = new EventSource(url, { withCredentials: true })
           for (const name of ['open', 'message', 'request', 'space']) source.addEventListener(name, () => resolve('heard'))
           source.onerror = () => resolve('refused')
         })`,
        mock.url + path,
      )
      expect(await heard).toBe('refused')
    }
  })

  test('a page of another origin cannot open a WebSocket', async () => {
    const opened = attempt(
      `const [url] = given
       return new Promise(resolve => {
         const socket = new WebSocket(url)
         socket.onopen = () => resolve('opened'); socket.onerror = () => resolve('refused')
       })`,
      `${mock.url.replace('http', 'ws')}/_mock/events`,
    )
    expect(await opened).toBe('refused')
  })

  test('a page of another origin cannot put a page of ours into a frame, to have somebody click in it', async () => {
    for (const path of ['/_mock', '/_mock/spaces/demo', '/_mock/docs']) {
      const seen: string[] = []
      page.on('console', message => seen.push(message.text()))
      await attempt(
        `const [src] = given
         await new Promise(resolve => {
           const frame = Object.assign(document.createElement('iframe'), { src })
           frame.onload = resolve
           document.body.append(frame)
         })`,
        mock.url + path,
      )
      await expect.poll(() => seen.join()).toContain("frame-ancestors 'none'")
      for (const frame of page.frames().slice(1)) expect(frame.url()).not.toContain(mock.url)
    }
  })

  test('a page of another origin cannot hold on to a window of ours', async () => {
    const popup = page.waitForEvent('popup')
    const handle = attempt(
      `const [url] = given
       const opened = window.open(url)
       await new Promise(resolve => setTimeout(resolve, 0))
       try { return String(opened.document.title) } catch (error) { return error.name }`,
      `${mock.url}/_mock`,
    )
    await (await popup).waitForLoadState()
    expect(await (await popup).evaluate('window.opener')).toBeNull()
    expect(await handle).not.toContain('mock')
  })
})

describe('a page whose name has come to lead to this machine', () => {
  /** The page is the attacker's own; all that it asks for afterwards goes to the mock. */
  async function rebound(): Promise<string> {
    const origin = `http://${stranger}:${mock.port}`
    await page.route(`${origin}/`, route =>
      route.fulfill({ contentType: 'text/html', body: '<!doctype html><title>Rebound</title>' }),
    )
    await page.goto(`${origin}/`)
    return origin
  }

  test('really reaches the mock, as its own origin', async () => {
    const origin = await rebound()
    const told = await attempt(trySend, `${origin}/_mock/health`, {})
    expect(told).toMatchObject({ type: 'basic', status: 421 })
    expect(told.text).toContain('Host not allowed')
  })

  test.each(['/_mock', '/_mock/spaces', '/_mock/events', '/_mock/spaces/demo/snapshot', '/mailings'])(
    'a page whose name has come to lead to this machine reads nothing at %s',
    async path => {
      const origin = await rebound()
      const headers = { authorization: basic('demo'), accept: 'text/html, application/json' }
      expect(await attempt(trySend, origin + path, { headers })).toMatchObject({ status: 421 })
    },
  )

  test('a page whose name has come to lead to this machine changes nothing', async () => {
    const origin = await rebound()
    const headers = { 'content-type': 'application/json', authorization: basic('demo') }
    for (const [method, path] of [
      ['POST', '/_mock/reset'],
      ['PUT', '/_mock/spaces/demo%2Bintruder'],
      ['POST', '/integrations/mailing-platform/mailing-synchronizations'],
    ])
      expect(await attempt(trySend, origin + path, { method, headers, body: '{}' })).toMatchObject({
        status: 421,
      })
  })
})
