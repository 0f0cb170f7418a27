/** The work that every subject does, and how it is put to it. */
import { request } from 'node:http'
import autocannon from 'autocannon'
import { authorization, integration, syncId } from './world.mjs'

const sendings = `${integration}/${syncId}/sendings`
const json = { 'Content-Type': 'application/json' }
const body = transactionId => JSON.stringify({ transactionId })

/** Each counts as done only with its `status`. A `fresh` body is another one in every request. */
export const work = [
  { name: 'read one synchronization', status: 200, path: `${integration}/${syncId}` },
  { name: 'collection of 30 mailings', status: 200, path: '/mailings' },
  {
    name: 'repeat of a transaction ID',
    status: 200,
    path: sendings,
    method: 'POST',
    headers: json,
    body: body('repeated'),
    prepare: true,
  },
  {
    name: 'create with a fresh transaction ID',
    status: 201,
    path: sendings,
    method: 'POST',
    headers: json,
    body: body('000000000000'),
    fresh: true,
  },
]

const connections = 64

/** Puts one kind of work to a subject for some seconds. @returns requests per second, and what went wrong */
export async function burst(subject, item, seconds) {
  const { status, path, method = 'GET', headers, body: text, fresh } = item
  const awake = keepAwake()
  const cpuBefore = subject.cpu()
  const startedAt = performance.now()
  const result = await autocannon({
    url: `http://127.0.0.1:${subject.port}${path}`,
    method,
    headers: { Authorization: authorization, ...headers },
    body: text,
    connections,
    duration: seconds,
    setupClient: fresh ? numbered : undefined,
  })
  const elapsed = performance.now() - startedAt
  const cpu = cpuBefore === undefined ? undefined : subject.cpu() - cpuBefore
  awake.end()
  const done = result.statusCodeStats?.[status]?.count ?? 0
  const total = result['1xx'] + result['2xx'] + result['3xx'] + result['4xx'] + result['5xx']
  return {
    perSecond: done / (elapsed / 1000),
    cpuPerRequest: cpu === undefined ? undefined : cpu / done,
    /** Of one core: well below 1, the load generator was the limit and the ratio says little. */
    busy: cpu === undefined ? undefined : cpu / 1000 / elapsed,
    wrong: total - done + result.errors + result.timeouts + result.mismatches,
  }
}

/**
 * The load generator polls instead of sleeping. Waking a sleeping process costs the subject that does it tens of
 * microseconds, and a slower subject finds it asleep more often: it would pay for more than its own work.
 */
function keepAwake() {
  let isAwake = true
  const turn = () => {
    if (isAwake) setImmediate(turn)
  }
  turn()
  return {
    end() {
      isAwake = false
    },
  }
}

let requests = Date.now() % 1e10

/**
 * Gives every request another number. In the bytes, since having autocannon build each request anew costs it more
 * than a subject needs to answer, and the load generator would be what is measured.
 */
function numbered(client) {
  const template = Buffer.from(client.getRequestBuffer())
  const at = template.lastIndexOf('000000000000')
  client.getRequestBuffer = () => {
    const bytes = Buffer.from(template)
    bytes.write(String(++requests).padStart(12, '0'), at, 'latin1')
    return bytes
  }
}

/** One request of its own. @returns the status and how long the body is */
export function once(port, { path, method = 'GET', headers, body: text }) {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, path, method, host: '127.0.0.1', headers: { Authorization: authorization, ...headers } },
      incoming => {
        let length = 0
        incoming.on('data', chunk => {
          length += chunk.length
        })
        incoming.on('end', () => resolve({ status: incoming.statusCode, length }))
      },
    )
    outgoing.once('error', reject)
    outgoing.end(text)
  })
}
