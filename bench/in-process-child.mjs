/** One way to answer a `fetch` without a socket, asked for some seconds. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { authorization, createWorld, integration, manyMailings, syncId } from './world.mjs'

const [name, seconds, fixtures, build] = process.argv.slice(2)
const base = 'http://localhost:4025'
const url = `${base}${integration}/${syncId}`
const headers = { Authorization: authorization }
const type = { 'Content-Type': 'application/hal+json;charset=UTF-8' }

const ways = {
  async ours() {
    const { createMock } = await import(pathToFileURL(join(build, 'dist', 'index.js')))
    const mock = await createMock({ fixtures })
    return () => mock.fetch(url, { headers })
  },
  async floor() {
    const { floorApp } = await import('./floor-app.mjs')
    const floor = floorApp()
    floor.world = createWorld(base, manyMailings)
    return () => {
      const request = new Request(url, { headers })
      if (floor.world.users.has(request.headers.get('authorization'))) return floor.app.fetch(request)
      return new Response(null, { status: 401 })
    }
  },
  async msw() {
    const { setupServer } = await import('msw/node')
    const { http } = await import('msw')
    const world = createWorld(base, manyMailings)
    const server = setupServer(
      http.get(`${base}${integration}/:id`, ({ request, params }) => {
        if (!world.users.has(request.headers.get('authorization'))) return new Response(null, { status: 401 })
        const row = world.synchronizations.get(params.id)
        return new Response(JSON.stringify(row), { status: 200, headers: type })
      }),
    )
    server.listen()
    return () => fetch(url, { headers })
  },
}

const ask = await ways[name === 'before' ? 'ours' : name]()
let wrong = 0

async function askFor(milliseconds) {
  const end = performance.now() + milliseconds
  let count = 0
  while (performance.now() < end) {
    const response = await ask()
    const text = await response.text()
    if (response.status !== 200 || text.length < 1_000) wrong++
    count++
  }
  return count
}

await askFor(seconds * 500)
const cpuBefore = process.cpuUsage()
const startedAt = performance.now()
const count = await askFor(seconds * 1000)
const elapsed = performance.now() - startedAt
const { user, system } = process.cpuUsage(cpuBefore)
process.stdout.write(
  JSON.stringify({ perSecond: count / (elapsed / 1000), cpu: (user + system) / count, wrong }),
)
process.exit(0)
