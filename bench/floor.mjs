/** Bare Hono on @hono/node-server: the same JSON by the shortest way, and none of the service's rules. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { Hono } from 'hono'
import { createWorld, integration, send } from './world.mjs'

const type = { 'Content-Type': 'application/hal+json;charset=UTF-8' }
let world

const app = new Hono()
app.get(`${integration}/:id`, c => {
  const row = world.synchronizations.get(c.req.param('id'))
  return row ? new Response(JSON.stringify(row), { status: 200, headers: type }) : c.notFound()
})
app.get('/mailings', () => new Response(JSON.stringify(world.mailings), { status: 200, headers: type }))
app.post(`${integration}/:id/sendings`, c => {
  const row = world.synchronizations.get(c.req.param('id'))
  if (!row) return c.notFound()
  return c.req.text().then(text => {
    const { sending, isFresh } = send(world, row, JSON.parse(text))
    // A plain object: two headers through the context would become a Headers object, far slower.
    const headers = isFresh ? { ...type, Location: sending._links.self.href } : type
    return new Response(JSON.stringify(sending), { status: isFresh ? 201 : 200, headers })
  })
})

const answer = getRequestListener((request, { incoming }) =>
  world.users.has(incoming.headers.authorization)
    ? app.fetch(request)
    : new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Basic' } }),
)
const server = createServer(answer).listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`
  world = createWorld(base)
  process.stdout.write(`ready on ${base}\n`)
})
