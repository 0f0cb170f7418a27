import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTester, type Tester } from '../rig/control/tester.ts'
import { look } from './person.ts'

let tester: Tester
let digest: string

beforeAll(async () => {
  tester = await startTester({ token: 'secret-token' })
  digest = /\/_mock\/assets\/(\w+)\//.exec((await look(tester, '')).text)![1]!
})
afterAll(() => tester.close())

const get = (name: string, of = digest) => tester.fetch(`/_mock/assets/${of}/${name}`)

describe('what pages load', () => {
  it.each([
    ['style.css', 'text/css; charset=UTF-8', /--accent/],
    ['htmx.js', 'text/javascript; charset=UTF-8', /htmx/],
    ['time-text.js', 'text/javascript; charset=UTF-8', /export/],
    ['browser/every-page.js', 'text/javascript; charset=UTF-8', /from '\.\/live\.js'/],
    ['browser/live.js', 'text/javascript; charset=UTF-8', /EventSource/],
  ])('%s is there for everybody, and may be kept for ever', async (name, type, content) => {
    const response = await get(name)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    expect(await response.text()).toMatch(content)
  })

  it('each script finds what it imports', async () => {
    const wanted = ['browser/every-page.js']
    for (const name of wanted) {
      const response = await get(name)
      expect(response.status, name).toBe(200)
      for (const [, to] of (await response.text()).matchAll(/from '([^']+)'/g)) {
        const next = new URL(to!, `http://x/${name}`).pathname.slice(1)
        if (!wanted.includes(next)) wanted.push(next)
      }
    }
    expect(wanted.length).toBeGreaterThan(3)
  })

  it('the whole sheet is one file, in which no page is left out', async () => {
    const sheet = await (await get('style.css')).text()
    for (const selector of ['.top', '.chip', '.lane', '.switch']) expect(sheet).toContain(`${selector} {`)
    expect(sheet).not.toMatch(/@import|url\((?!["']?data:)/)
  })

  it.each([
    'nothing.js',
    'browser/../../main.js',
    'browser/%2e%2e/%2e%2e/main.js',
    '..%2f..%2fpackage.json',
    'browser/main.d.ts',
    '__proto__',
  ])('%s is not there', async name => expect((await get(name)).status).toBe(404))

  it('nor is what an earlier version had', async () => {
    expect((await get('style.css', '0123456789abcdef')).status).toBe(404)
  })
})
