import { describe, expect, it } from 'vitest'
import { type Asked, addressOf, filledFrom, headersOf, lineBody } from '../../src/pages/docs/request.ts'

const asked: Asked = {
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
  it('has what is filled in as one part of the path each, whatever is in it', () => {
    expect(addressOf(asked, { 'path.id': 'a/b?c', 'path.part': 'demo+x' })).toBe(
      '/things/a%2Fb%3Fc/parts/demo%2Bx',
    )
  })

  it('keeps the braces of what is not filled in', () => {
    expect(addressOf(asked, { 'path.id': 'a' })).toBe('/things/a/parts/{part}')
  })

  it('leaves parameters without a value out of the query', () => {
    const filled = { 'path.id': 'a', 'path.part': 'b', 'query.pageSize': '', 'query.joined': '1,2' }
    expect(addressOf(asked, filled)).toBe('/things/a/parts/b?joined=1%2C2')
  })

  it('repeats a parameter that takes several values', () => {
    expect(addressOf(asked, { 'path.id': 'a', 'path.part': 'b', 'query.each': 'x, y&z' })).toBe(
      '/things/a/parts/b?each=x&each=y%26z',
    )
  })

  it('names the type of a body, fixed headers, and a scenario if there is one', () => {
    const full = { ...asked, contentType: 'application/json', headers: [['A', 'b']] as const }
    expect(headersOf(full, { scenario: '' })).toEqual([
      ['Content-Type', 'application/json'],
      ['A', 'b'],
    ])
    expect(headersOf(asked, { scenario: 'reset-after' })).toEqual([['X-Mock-Scenario', 'reset-after']])
  })

  it('has in its line the body without its layout, and exactly as it was written where that is another', () => {
    expect(lineBody({ body: '{\n  "a": 1\n}' })).toBe('{"a":1}')
    for (const body of ['{"a":1.0}', '{ "a": 1, "a": 2 }', '{"a"']) expect(lineBody({ body })).toBe(body)
    expect(lineBody({ body: '' })).toBeUndefined()
  })
})

describe('a form of the API reference that a link fills in', () => {
  it('makes the address that the link names', () => {
    const target = '/things/a%2Fb/parts/demo%2Bx?pageSize=5&each=1&each=2'
    const filled = filledFrom(['/other/{id}', asked.path], asked.parameters, target)
    expect(filled).toMatchObject({ 'path.id': 'a/b', 'path.part': 'demo+x', 'query.pageSize': '5' })
    expect(addressOf(asked, filled)).toBe(target)
  })

  it.each(['/things/a', '/elsewhere/a/parts/b', 'http://[', ''])('is left as it is by %j', target => {
    expect(filledFrom([asked.path], asked.parameters, target)).toEqual({})
  })

  it('takes a part that is no encoded text as it stands', () => {
    expect(filledFrom([asked.path], [], '/things/%zz/parts/b')).toEqual({
      'path.id': '%zz',
      'path.part': 'b',
    })
  })
})
