import fc from 'fast-check'
import { getPath } from 'hono/utils/url'
import { expect, it } from 'vitest'
import type { ServiceCall } from '../../src/service/operation.ts'
import { methodsAt, recogniseOperation } from '../../src/service/operations.ts'
import { requestPath } from '../../src/service/request-input.ts'
import { createService } from '../../src/service/service.ts'

const recognised = (method: string, target: string) => recogniseOperation(method, target, 'mailing-platform')

it('gives each path its own operation and variables, however often it is asked for', () => {
  const customer = '/integrations/mailing-platform/accessible-customers'
  for (let round = 0; round < 2; round++) {
    expect(recognised('GET', '/mailings')).toEqual({ id: 'listMailings', params: {} })
    expect(recognised('HEAD', '/mailings/1?of=b/c')).toEqual({ id: 'getMailing', params: { id: '1' } })
    expect(recognised('GET', '/mailings/2')?.params).toEqual({ id: '2' })
    expect(recognised('GET', `${customer}/Maison%20Orane%2F%252/lists`)?.params).toEqual({
      customer: 'Maison Orane/%2',
    })
    expect(recognised('GET', `${customer}/`)?.id).toBe('listAccessibleCustomers')
    expect(recognised('POST', '/mailings')).toBeUndefined()
    expect(recognised('GET', '/mailings/')).toBeUndefined()
  }
})

it('names the methods of a path in the order of the operations', () => {
  const path = '/integrations/mailing-platform/mailing-synchronizations'
  expect([...methodsAt(path, 'mailing-platform')]).toEqual(['POST', 'GET'])
  expect([...methodsAt('/nothing', 'mailing-platform')]).toEqual([])
})

it('throws a defect of the mock as it is, and does not answer it as a problem of the client', () => {
  const service = createService({ relationPrefix: 'svc', platformSegment: 'mailing-platform' })
  const defect = new Error('a defect')
  const call = {
    get rights(): never {
      throw defect
    },
    target: '/mailings',
  } as unknown as ServiceCall
  expect(() => service(new Request('http://localhost/mailings'), call)).toThrow(defect)
})

it('recognises operations when there have been more paths than it caches, or longer ones', () => {
  const ids = [...Array.from({ length: 2_500 }, (_, at) => `${at}`), 'long'.repeat(200)]
  for (const id of ids) expect(recognised('GET', `/mailings/${id}`)?.params).toEqual({ id })
})

it('reads the path of every address as Hono does', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab1-%2f3F#?/.:@=&é ') })
  fc.assert(
    fc.property(part, part, (path, query) => {
      const target = `/${path}?${query}`
      expect(requestPath(target)).toBe(getPath({ url: `http://localhost:4025${target}` } as Request))
    }),
  )
})
