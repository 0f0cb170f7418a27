/** Bare Hono on @hono/node-server: the same JSON by the shortest way, and none of the service's rules. */
import { createServer } from 'node:http'
import { getRequestListener } from '@hono/node-server'
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response'
import { floorApp } from './floor-app.mjs'
import { createWorld } from './world.mjs'

const mailings = Number(process.argv[2])
const floor = floorApp()
const { hanging } = floor

const answer = getRequestListener((request, { incoming, outgoing }) => {
  if (!floor.world.users.has(incoming.headers.authorization))
    return new Response(null, { status: 401, headers: { 'WWW-Authenticate': 'Basic' } })
  if (incoming.url !== '/hang') return floor.app.fetch(request)
  hanging.add(outgoing)
  outgoing.on('close', () => hanging.delete(outgoing))
  return RESPONSE_ALREADY_SENT
})
const server = createServer(answer).listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`
  const begin = () => {
    floor.world = createWorld(base, mailings)
  }
  floor.begin = begin
  begin()
  process.stdout.write(`ready on ${base}\n`)
})
