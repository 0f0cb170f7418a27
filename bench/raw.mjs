/** Hand-written node:http doing what the floor does: what this runtime can do at all. */
import { createServer } from 'node:http'
import { createWorld, integration, send } from './world.mjs'

const type = 'application/hal+json;charset=UTF-8'
let world

const server = createServer((incoming, outgoing) => {
  const { method, url } = incoming
  const end = (status, body, more) => {
    const text = JSON.stringify(body)
    outgoing
      .writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), ...more })
      .end(text)
  }
  if (!world.users.has(incoming.headers.authorization)) return end(401, {}, { 'WWW-Authenticate': 'Basic' })
  if (url === '/mailings') return end(200, world.mailings)
  const [id, rest] = url.slice(integration.length + 1).split('/')
  const row = url.startsWith(integration) && world.synchronizations.get(id)
  if (!row) return end(404, {})
  if (method === 'GET' && rest === undefined) return end(200, row)
  const chunks = []
  incoming.on('data', chunk => chunks.push(chunk))
  incoming.on('end', () => {
    const { sending, isFresh } = send(world, row, JSON.parse(Buffer.concat(chunks).toString()))
    if (isFresh) end(201, sending, { Location: sending._links.self.href })
    else end(200, sending)
  })
})
server.listen(0, '127.0.0.1', () => {
  const base = `http://127.0.0.1:${server.address().port}`
  world = createWorld(base)
  process.stdout.write(`ready on ${base}\n`)
})
