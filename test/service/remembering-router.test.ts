import fc from 'fast-check'
import { Hono } from 'hono'
import { getPath } from 'hono/utils/url'
import { expect, it } from 'vitest'
import { CachingRouter, requestPath } from '../../src/service/router.ts'

const router = () => {
  const made = new Hono({ router: new CachingRouter(), getPath: requestPath })
  made.get('/things/:id', c => c.text(`thing ${c.req.param('id')} ${c.req.query('of') ?? ''}`))
  made.get('/things/:id/parts/:part', c => c.text(`part ${c.req.param('part')} of ${c.req.param('id')}`))
  made.post('/things/:id', c => c.text(`posted ${c.req.param('id')}`))
  return made
}

it('gives each path its own parameters, however often it is asked for', async () => {
  const app = router()
  const textOf = async (path: string, method = 'GET') => (await app.request(path, { method })).text()
  for (let round = 0; round < 2; round++) {
    expect(await textOf('/things/1')).toBe('thing 1 ')
    expect(await textOf('/things/1?of=a')).toBe('thing 1 a')
    expect(await textOf('/things/1?of=b/c')).toBe('thing 1 b/c')
    expect(await textOf('/things/2')).toBe('thing 2 ')
    expect(await textOf('/things/1/parts/2')).toBe('part 2 of 1')
    expect(await textOf('/things/1', 'POST')).toBe('posted 1')
    expect(await textOf('/nothing/1')).toBe('404 Not Found')
  }
})

it('goes on when there have been more paths than it remembers, or longer ones', async () => {
  const app = router()
  const ids = [...Array.from({ length: 2_500 }, (_, at) => `${at}`), 'long'.repeat(200)]
  for (const id of ids) expect(await (await app.request(`/things/${id}`)).text()).toBe(`thing ${id} `)
})

it('reads the path of every address as Hono does', () => {
  const part = fc.string({ unit: fc.constantFrom(...'ab1-%2f3F#?/.:@=&é ') })
  fc.assert(
    fc.property(part, part, (path, query) => {
      const request = new Request(`http://localhost:4025/${path}?${query}`)
      expect(requestPath(request)).toBe(getPath(request))
      // As the HTTP adapter hands it over, without the normalisation of a Request.
      const plain = { url: `http://[::1]:80/${path}?${query}` } as Request
      expect(requestPath(plain)).toBe(getPath(plain))
    }),
  )
})
