/** What the floor does, on a socket or in a process. */
import { Hono } from 'hono'
import { integration, isRefused, refusal, send } from './world.mjs'

const type = { 'Content-Type': 'application/hal+json;charset=UTF-8' }
const json = (document, status = 200, headers = type) =>
  new Response(JSON.stringify(document), { status, headers })

/** An app without its world: whoever makes it says what is in it. */
export function floorApp() {
  const app = new Hono()
  const floor = { app, world: undefined, begin() {}, hanging: new Set() }
  app.get(`${integration}/:id`, c => {
    const row = floor.world.synchronizations.get(c.req.param('id'))
    return row ? json(row) : c.notFound()
  })
  app.get('/mailings', c => {
    const { mailings, listed } = floor.world
    const wanted = c.req.query('hasDraft')
    const rows = wanted === undefined ? mailings : mailings.filter(row => String(row.hasDraft) === wanted)
    return json(listed(rows, wanted === undefined ? '/mailings' : `/mailings?hasDraft=${wanted}`))
  })
  app.post(`${integration}/:id/sendings`, c => {
    const row = floor.world.synchronizations.get(c.req.param('id'))
    if (!row) return c.notFound()
    return c.req.text().then(text => {
      const body = JSON.parse(text)
      if (isRefused(floor.world, body.transactionId)) return json(refusal, 503)
      const { sending, isFresh } = send(floor.world, row, body)
      // A plain object: two headers through the context would become a Headers object, far slower.
      return isFresh ? json(sending, 201, { ...type, Location: sending._links.self.href }) : json(sending)
    })
  })
  app.post('/reset', () => {
    floor.begin()
    return new Response(null, { status: 204 })
  })
  app.get('/hanging', () => json({ hanging: floor.hanging.size }))
  return floor
}
