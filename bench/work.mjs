/** The work that every subject does over HTTP, and how it is put to it. */
import { request } from 'node:http'
import { load } from './load.mjs'
import { authorization, faultPrefix, integration, refusals, syncId } from './world.mjs'

const sendings = `${integration}/${syncId}/sendings`
const json = { 'Content-Type': 'application/json' }
const placeholder = '000000000000'
const posted = transactionId => ({
  method: 'POST',
  path: sendings,
  headers: json,
  body: JSON.stringify({ transactionId }),
})

/**
 * Each answer counts as right with its `status`. A body with a `fresh` number has another one in every request, or in
 * every so many.
 */
export const work = {
  read: { name: 'read one synchronization', status: 200, path: `${integration}/${syncId}` },
  collection: { name: 'collection of 1,000 mailings, unchanged', status: 200, path: '/mailings' },
  filtered: {
    name: 'collection of 1,000, filtered to every second',
    status: 200,
    path: '/mailings?hasDraft=false',
  },
  create: {
    name: 'create with a fresh transaction ID',
    status: 201,
    fresh: 1,
    ...posted(placeholder),
  },
  repeat: { name: 'repeat of a transaction ID', status: 200, prepare: true, ...posted('repeated') },
  fault: {
    name: 'a fault: 503 twice, then 201',
    status: 201,
    also: { status: 503, times: refusals },
    fresh: refusals + 1,
    ...posted(faultPrefix + placeholder),
  },
}

const connections = 64

/**
 * Puts one kind of work to a subject.
 * @param {{ duration: number } | { amount: number }} howLong in seconds or in requests
 * @returns answers per second, processor time for each, and how many were wrong
 */
export async function burst(subject, item, howLong) {
  // A few requests are not measured.
  const awake = 'duration' in howLong ? keepAwake() : undefined
  const cpuBefore = subject.cpu()
  const result = await load({
    port: subject.port,
    connections,
    timeout: 30,
    requests: () => requestsOf(subject.port, item),
    ...howLong,
  })
  const cpu = cpuBefore === undefined ? undefined : subject.cpu() - cpuBefore
  awake?.end()
  return figured({ ...counted(result, item), milliseconds: result.milliseconds, cpu })
}

/** What bursts of one subject come to, which others were in between. */
export function together(figures) {
  const sum = name => figures.reduce((total, figure) => total + figure[name], 0)
  const hasCpu = figures.every(({ cpu }) => cpu !== undefined)
  return figured({
    done: sum('done'),
    wrong: sum('wrong'),
    milliseconds: sum('milliseconds'),
    cpu: hasCpu ? sum('cpu') : undefined,
  })
}

/** @param cpu of the subject, in microseconds; undefined where nobody can tell */
function figured({ done, wrong, milliseconds, cpu }) {
  return {
    done,
    wrong,
    milliseconds,
    cpu,
    perSecond: done / (milliseconds / 1000),
    cpuPerRequest: cpu === undefined || done === 0 ? undefined : cpu / done,
    /** Of one core: well below 1, the load generator or the disk was the limit and the ratio says little. */
    busy: cpu === undefined ? undefined : cpu / 1000 / milliseconds,
  }
}

/** Answers with the right status, and all others. Of a fault there must be as many as were asked for. */
function counted({ statuses, errors }, { status, also }) {
  const of = code => statuses.get(code) ?? 0
  const total = [...statuses.values()].reduce((sum, count) => sum + count, 0)
  const done = of(status) + (also ? of(also.status) : 0)
  // Each connection may be in the middle of its attempts when the burst ends.
  const uneven = also ? Math.max(0, Math.abs(of(also.status) - also.times * of(status)) - 3 * connections) : 0
  return { done, wrong: total - done + uneven + errors }
}

/** Makes so many sendings, each with a transaction ID of its own. */
export async function fill(port, amount) {
  const { wrong } = await burst({ port, cpu: () => undefined }, work.create, { amount })
  if (wrong > 0) throw new Error(`${wrong} of ${amount} sendings could not be made`)
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

let last = Date.now() % 1e10

/**
 * What one connection asks for, as bytes: the same each time, or with another number in each, or in so many in a row.
 * @returns {() => Buffer}
 */
function requestsOf(port, item) {
  const { fresh } = item
  const bytes = requestBytes(port, item)
  if (!fresh) return () => bytes
  const at = bytes.lastIndexOf(placeholder)
  let sent = 0
  let numbered
  return () => {
    if (sent++ % fresh === 0) {
      // A copy: the one before may still be on its way.
      numbered = Buffer.from(bytes)
      numbered.write(String(++last).padStart(placeholder.length, '0'), at, 'latin1')
    }
    return numbered
  }
}

/** A request as it goes over the wire. */
export function requestBytes(port, { path, method = 'GET', headers, body = '' }) {
  const all = { Host: `127.0.0.1:${port}`, Authorization: authorization, ...headers }
  if (body) all['Content-Length'] = Buffer.byteLength(body)
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`)
}

/** One request of its own. @returns the status and how long the body is */
export function once(port, { path, method = 'GET', headers, body: text, fresh }) {
  const body = fresh ? text.replace(placeholder, String(++last).padStart(placeholder.length, '0')) : text
  return new Promise((resolve, reject) => {
    const outgoing = request(
      { port, path, method, host: '127.0.0.1', headers: { Authorization: authorization, ...headers } },
      incoming => {
        let length = 0
        incoming.on('data', chunk => {
          length += chunk.length
        })
        incoming.once('error', reject)
        incoming.on('end', () => resolve({ status: incoming.statusCode, length }))
      },
    )
    outgoing.once('error', reject)
    outgoing.end(body)
  })
}
