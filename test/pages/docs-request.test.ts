import { describe, expect, it } from 'vitest'
import {
  bodyForCurl,
  type FormRequest,
  formAddress,
  formHeaders,
  valuesFrom,
} from '../../src/pages/request-form.ts'

const asked: FormRequest = {
  method: 'GET',
  path: '/things/{id}/parts/{part}',
  parameters: [
    { name: 'id', in: 'path' },
    { name: 'part', in: 'path' },
    { name: 'pageSize', in: 'query' },
    { name: 'joined', in: 'query' },
    { name: 'each', in: 'query', isRepeated: true },
  ],
}

describe('the request that a form of the API reference asks for', () => {
  it('the request that a form of the API reference asks for has what is filled in as one part of the path each, whatever is in it', () => {
    expect(formAddress(asked, { 'path.id': 'a/b?c', 'path.part': 'demo+x' })).toBe(
      '/things/a%2Fb%3Fc/parts/demo%2Bx',
    )
  })

  it('the request that a form of the API reference asks for keeps the braces of what is not filled in', () => {
    expect(formAddress(asked, { 'path.id': 'a' })).toBe('/things/a/parts/{part}')
  })

  it('the request that a form of the API reference asks for leaves parameters without a value out of the query', () => {
    const filled = { 'path.id': 'a', 'path.part': 'b', 'query.pageSize': '', 'query.joined': '1,2' }
    expect(formAddress(asked, filled)).toBe('/things/a/parts/b?joined=1%2C2')
  })

  it('the request that a form of the API reference asks for repeats a parameter that takes several values', () => {
    expect(formAddress(asked, { 'path.id': 'a', 'path.part': 'b', 'query.each': 'x, y&z' })).toBe(
      '/things/a/parts/b?each=x&each=y%26z',
    )
  })

  it('the request that a form of the API reference asks for names the type of a body, fixed headers, and a scenario if there is one', () => {
    const full = { ...asked, contentType: 'application/json', headers: [['A', 'b']] as const }
    expect(formHeaders(full, { scenario: '' })).toEqual([
      ['Content-Type', 'application/json'],
      ['A', 'b'],
    ])
    expect(formHeaders(asked, { scenario: 'reset-after' })).toEqual([['X-Mock-Scenario', 'reset-after']])
  })

  it('the request that a form of the API reference asks for has in its line the body without its layout, and exactly as it was written where that is another', () => {
    expect(bodyForCurl({ body: '{\n  "a": 1\n}' })).toBe('{"a":1}')
    for (const body of ['{"a":1.0}', '{ "a": 1, "a": 2 }', '{"a"']) expect(bodyForCurl({ body })).toBe(body)
    expect(bodyForCurl({ body: '' })).toBeUndefined()
  })
})

describe('a form of the API reference that a link fills in', () => {
  it('a form of the API reference that a link fills in makes the address that the link names', () => {
    const target = '/things/a%2Fb/parts/demo%2Bx?pageSize=5&each=1&each=2'
    const filled = valuesFrom(['/other/{id}', asked.path], asked.parameters, target)
    expect(filled).toMatchObject({ 'path.id': 'a/b', 'path.part': 'demo+x', 'query.pageSize': '5' })
    expect(formAddress(asked, filled)).toBe(target)
  })

  it.each(['/things/a', '/elsewhere/a/parts/b', 'http://[', ''])(
    'a form of the API reference that a link fills in is left as it is by %j',
    target => {
      expect(valuesFrom([asked.path], asked.parameters, target)).toEqual({})
    },
  )

  it('a form of the API reference that a link fills in takes a part that is no encoded text as it stands', () => {
    expect(valuesFrom([asked.path], [], '/things/%zz/parts/b')).toEqual({
      'path.id': '%zz',
      'path.part': 'b',
    })
  })
})
