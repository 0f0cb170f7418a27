import { afterAll, beforeAll, expect, it } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import { openCalls } from '../../../src/control/open-calls.ts'
import { pageTable } from '../../../src/pages/page-table.ts'
import { startTester, type Tester } from './tester.ts'

const pages = pageTable.map(({ path }) => ({ method: 'GET', path }))
const table = [...openCalls, ...routes, ...pages].map(({ method, path }) => ({
  method,
  path: path.replace(/\/$/, ''),
}))
const addresses = [...new Set(table.map(({ path }) => path.replaceAll(/\{\w+\}/g, 'x')))]
const methods = ['GET', 'HEAD', 'PUT', 'POST', 'DELETE', 'PATCH']

/** Whether an address is one of those that a path with parameters stands for. */
function isAt(path: string, address: string): boolean {
  const parts = address.split('/')
  const own = path.split('/')
  return own.length === parts.length && own.every((part, at) => part.startsWith('{') || part === parts[at])
}

/** The methods that the table has at an address; several rows may be for it, as one with a parameter and one without. */
function methodsAt(address: string): string[] {
  const rows = table.filter(({ path }) => isAt(path, address))
  return [...new Set(rows.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method])))]
}

let tester: Tester
beforeAll(async () => {
  tester = await startTester()
})
afterAll(() => tester.close())

const ask = async (method: string, path: string, headers: Record<string, string> = {}) => {
  const response = await tester.fetch(path, { method, headers })
  return { status: response.status, allow: response.headers.get('allow'), text: await response.text() }
}

it.each(addresses)('OPTIONS of /_mock%s names the methods that the table has there', async address => {
  const allow = [...methodsAt(address), 'OPTIONS'].join(', ')
  for (const end of ['', '/', '?x=1'])
    expect(await ask('OPTIONS', `/_mock${address}${end}`), end).toEqual({ status: 204, allow, text: '' })
})

it.each(addresses)('every other method is refused at /_mock%s with those of the table', async address => {
  const possible = methodsAt(address)
  for (const method of methods.filter(it => !possible.includes(it))) {
    const { status, allow, text } = await ask(method, `/_mock${address}`)
    expect([method, status, allow]).toEqual([method, 405, [...possible, 'OPTIONS'].join(', ')])
    if (method !== 'HEAD') expect(JSON.parse(text).detail).toContain(`possible: ${allow}`)
  }
})

it('a path that only looks like one of the table is none: a dot is no joker', async () => {
  for (const path of ['/_mock/caXpem', '/_mock/openapiXjson', '/_mock/spaces//'])
    expect((await ask('OPTIONS', path)).status, path).toBe(404)
})

it('a refusal of HEAD has the length of that of GET', async () => {
  for (const accept of ['*/*', 'text/html']) {
    const path = '/_mock/nothing'
    const head = await tester.fetch(path, { method: 'HEAD', headers: { accept } })
    const { text, status } = await ask('GET', path, { accept })
    expect([head.status, head.headers.get('content-length')]).toEqual([
      status,
      String(Buffer.byteLength(text)),
    ])
  }
})
