/** Hand-written node:http doing what the floor does: what this runtime can do at all. */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { createWorld, integration, isRefused, refusal, send } from './world.mjs'

const type = 'application/hal+json;charset=UTF-8'
const mailings = Number(process.argv[2])
/** Files with a certificate and its key, to serve HTTPS. */
const [cert, key] = process.argv.slice(3).map(path => readFileSync(path))
const hanging = new Set()
let world
let base

function answer(incoming, outgoing) {
  const { method, url } = incoming
  const end = (status, body, more) => {
    const text = JSON.stringify(body)
    outgoing
      .writeHead(status, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(text), ...more })
      .end(text)
  }
  if (!world.users.has(incoming.headers.authorization)) return end(401, {}, { 'WWW-Authenticate': 'Basic' })
  if (url === '/mailings') return end(200, world.listed(world.mailings, url))
  if (url.startsWith('/mailings?hasDraft=')) {
    const wanted = url.slice('/mailings?hasDraft='.length)
    return end(
      200,
      world.listed(
        world.mailings.filter(row => String(row.hasDraft) === wanted),
        url,
      ),
    )
  }
  if (url === '/hang') {
    hanging.add(outgoing)
    outgoing.on('close', () => hanging.delete(outgoing))
    return
  }
  if (url === '/hanging') return end(200, { hanging: hanging.size })
  if (url === '/reset') {
    world = createWorld(base, mailings)
    outgoing.writeHead(204).end()
    return
  }
  const [id, rest] = url.slice(integration.length + 1).split('/')
  const row = url.startsWith(integration) && world.synchronizations.get(id)
  if (!row) return end(404, {})
  if (method === 'GET' && rest === undefined) return end(200, row)
  const chunks = []
  incoming.on('data', chunk => chunks.push(chunk))
  incoming.on('end', () => {
    const body = JSON.parse(Buffer.concat(chunks).toString())
    if (isRefused(world, body.transactionId)) return end(503, refusal)
    const { sending, isFresh } = send(world, row, body)
    if (isFresh) end(201, sending, { Location: sending._links.self.href })
    else end(200, sending)
  })
}
const server = cert ? createSecureServer({ cert, key }, answer) : createServer(answer)
server.listen(0, '127.0.0.1', () => {
  base = `http://127.0.0.1:${server.address().port}`
  world = createWorld(base, mailings)
  process.stdout.write(`ready on ${base}\n`)
})
