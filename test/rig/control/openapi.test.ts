import { createConfig, lint } from '@redocly/openapi-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { routes } from '../../../src/control/call-table.ts'
import type { Json } from '../../mock.ts'
import { startTester, type Tester } from './tester.ts'

let tester: Tester
let document: Json
beforeAll(async () => {
  tester = await startTester({ metrics: true })
  document = (await tester.get('/control/openapi.json')).json
})
afterAll(() => tester.close())

const pathOf = (path: string) => `/_mock${path === '/' ? '' : path}`

describe('the OpenAPI document of the control API', () => {
  it('the OpenAPI document of the control API is of version 3.1 and names this server', () => {
    expect([document.openapi, document.servers]).toEqual(['3.1.0', [{ url: 'http://localhost' }]])
  })

  it('the OpenAPI document of the control API has every call, and no other', () => {
    const listed = Object.entries<Json>(document.paths).flatMap(([path, calls]) =>
      Object.keys(calls).map(method => `${method.toUpperCase()} ${path}`),
    )
    const there = routes.map(({ method, path }) => `${method} ${pathOf(path)}`)
    expect(listed.sort()).toEqual([...there, 'GET /_mock/health', 'GET /_mock/ca.pem'].sort())
  })

  it('docs/control-openapi.yaml is taken by a linter without a word', async () => {
    const config = await createConfig({ extends: ['spec'] })
    const problems = await lint({ ref: 'docs/control-openapi.yaml', config })
    expect(problems.map(({ message, location }) => [message, location[0]?.pointer])).toEqual([])
  })

  it('the OpenAPI document of the control API gives every call an ID of its own', () => {
    const ids = routes.map(({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('refers only to what is in it', () => {
    const text = JSON.stringify(document)
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference!)
    expect(references.length).toBeGreaterThan(100)
    for (const reference of new Set(references)) {
      const found = reference
        .slice(2)
        .split('/')
        .reduce<Json>((inner, key) => inner?.[key], document)
      expect(found, reference).toBeDefined()
    }
    expect(text).not.toContain('"component"')
  })

  it.each(routes.filter(({ body }) => body).map(route => [`${route.method} ${route.path}`, route] as const))(
    '%s shows a body that it takes itself',
    (_, { body, example, path }) => {
      if (path.endsWith('/snapshot')) return expect(document.components.schemas.Fixture.type).toBe('object')
      return expect(body!.safeParse(example).success).toBe(true)
    },
  )
})

describe('GET /_mock', () => {
  it('GET /_mock links to every address there is, templated where a name has to be filled in', async () => {
    const { json } = await tester.get('/')
    const hrefs = Object.values<Json>(json._links).map(({ href }) => href.replace(/\{\?.*/, ''))
    const paths = new Set(routes.map(({ path }) => `http://localhost${pathOf(path)}`))
    expect(hrefs.sort()).toEqual([...paths, 'http://localhost/_mock/health'].sort())
    for (const { href, templated } of Object.values<Json>(json._links))
      expect(templated === true, href).toBe(href.includes('{'))
  })

  it('GET /_mock leads to documents that lead to documents', async () => {
    const seen = new Set<string>()
    const wanted = ['http://localhost/_mock']
    for (let href = wanted.pop(); href !== undefined; href = wanted.pop()) {
      if (
        seen.has(href) ||
        /\{|\/events$|\/reset$|\/check$|\/release$|\/wait$|\/side-port$|\/(?:approve|draft|edit)$/.test(href)
      )
        continue
      seen.add(href)
      const response = await tester.fetch(new URL(href).pathname + new URL(href).search)
      expect(response.status, href).toBe(200)
      const text = await response.text()
      // Examples are of a mock that is gone.
      if (href.endsWith('/openapi.json')) continue
      for (const [, next] of text.matchAll(/"href":"([^"]+)"/g))
        if (next!.startsWith('http://localhost/_mock') && !next!.includes('/relations/')) wanted.push(next!)
    }
    expect(seen.size).toBeGreaterThan(20)
  })
})
