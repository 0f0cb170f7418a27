/** Every fault on a POST that sends and on a GET: the bytes on the wire, the truth, and what the journal says. */
import { isDeepStrictEqual } from 'node:util'
import { Recording } from './entries.mjs'
import { inLanes } from './lanes.mjs'
import { masked } from './masks.mjs'
import { RunningMock } from './mock.mjs'
import { exchange, host, requestBytes, shown } from './wire.mjs'

const synchronization = '22222222-0000-4000-8000-000000000001'
const sendings = `/integrations/mailing-platform/mailing-synchronizations/${synchronization}/sendings`
const mailing = '/mailings/11111111-0000-4000-8000-000000000001'

/** Milliseconds without a byte after which a connection counts as open. */
const quiet = 1_000
/** Cases at the same time. */
const lanes = 16

/** Faults whose defaults take long, or that have more to set than their defaults. @type {Record<string, object[]>} */
const settings = {
  drip: [{ every: '5ms', bytes: 100 }],
  'drip-headers': [{ every: '5ms', bytes: 40 }],
  truncate: [{}, { bytes: 0 }, { bytes: 20 }],
  stall: [{}, { bytes: 0 }],
  'chunk-cut': [{}, { bytes: 0 }],
  'early-hints': [{}, { status: 100 }, { status: 102 }],
  'empty-201': [{}, { status: 200 }, { status: 204 }],
  'truncate-gzip': [{}, { missing: 1 }],
  'wrong-content-type': [{}, { type: 'text/plain' }],
  'foreign-sending': [{}, { change: ['id'] }],
  'redirect-301': [{}, { location: '/mailings' }],
  'redirect-307': [{}, { location: '/mailings?pageSize=1' }],
}

/** Steps that answer without a fault on the wire. @type {Record<string, object>} */
const answers = {
  'status 503 with Retry-After': { answer: { status: 503, retryAfter: 30 } },
  'status 500, after': { phase: 'after', answer: { status: 500 } },
  'status 502 with a body': {
    answer: { status: 502, headers: { 'X-Gateway': 'one' }, body: 'gateway-html' },
  },
  'status 504, partial': { phase: 'partial', answer: { status: 504 } },
  'status 500, bound': { phase: 'bound', answer: { status: 500 } },
  'reset, bound': { phase: 'bound', answer: { fault: 'reset' } },
  'reset, partial': { phase: 'partial', answer: { fault: 'reset' } },
  PENDING: { state: 'PENDING' },
  FAILED: { state: 'FAILED' },
  'INDETERMINATE_FAILURE, sent': { state: 'INDETERMINATE_FAILURE', truth: 'sent' },
  'INDETERMINATE_FAILURE, not sent': { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' },
  'delivered twice': { deliver: 'twice' },
}

/** @typedef {{ name: string, rule: object, requests: (space: string) => Buffer[] }} Case */

/**
 * @param {{ isSecure?: boolean }} [options] `isSecure`: the same over TLS, with the links that it has without; side ports
 *   are left out
 */
export async function record({ isSecure = false } = {}) {
  const mock = await RunningMock.start(isSecure ? ['--tls-port', '0', '--public-url', `http://${host}`] : [])
  try {
    const port = Number(/^ +HTTPS +https:\S+:(\d+)$/m.exec(mock.output)?.[1] ?? mock.port)
    const ca = isSecure ? (await mock.control('GET', '/ca.pem')).text : undefined
    const { _embedded } = await mock.must('GET', '/faults')
    const kinds = /** @type {{ name: string, group: string }[]} */ (Object.values(_embedded)[0])
    /** @type {Case[]} */
    const cases = []
    for (const { name: fault } of kinds)
      for (const more of settings[fault] ?? [{}]) {
        const answer = { fault, ...more }
        const title = [fault, ...(Object.keys(more).length > 0 ? [JSON.stringify(more)] : [])].join(' ')
        for (const phase of fault === 'reset-upload' ? ['before'] : ['before', 'after'])
          cases.push({
            name: `${title}, POST, ${phase}`,
            rule: { on: 'createSending', phase, answer },
            requests: space => (isRace(fault) ? [get(space, 2), post(space)] : [post(space)]),
          })
        cases.push({
          name: `${title}, GET`,
          rule: { on: 'getMailing', ...(fault === 'reset-upload' ? { phase: 'before' } : {}), answer },
          requests: space => (isRace(fault) ? [list(space), get(space, 1)] : [get(space, 1)]),
        })
      }
    cases.push({
      name: 'keepalive-race on a fresh connection',
      rule: { on: 'createSending', phase: 'after', answer: { fault: 'keepalive-race' } },
      requests: space => [post(space)],
    })
    for (const [name, step] of Object.entries(answers))
      cases.push({
        name: `answer: ${name}`,
        rule: { on: 'createSending', ...step },
        requests: space => [post(space)],
      })
    const recording = new Recording()
    const found = await inLanes(lanes, cases, it => play(mock, { port, ca }, it))
    for (const { name, entries } of found)
      for (const [what, value] of Object.entries(entries)) recording.add(`${name}: ${what}`, value)
    if (!isSecure) await sidePorts(mock, recording)
    return { faults: recording.entries }
  } finally {
    await mock.stop()
  }
}

/** @param {string} fault */
const isRace = fault => fault === 'keepalive-race'

/** @param {string} space */
const post = space => requestBytes('POST', sendings, { user: space, body: '{"transactionId":"one"}' })

/** @param {string} space @param {number} nth */
const get = (space, nth) => requestBytes('GET', `${mailing.slice(0, -1)}${nth}`, { user: space })

/** @param {string} space */
const list = space => requestBytes('GET', '/mailings?pageSize=1', { user: space })

/** @param {RunningMock} mock @param {{ port: number, ca: string | undefined }} service @param {Case} played */
async function play(mock, { port, ca }, { name, rule, requests }) {
  const space = `demo+${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
  const below = `/spaces/${encodeURIComponent(space)}`
  await mock.must('PUT', below, {})
  const armed = await mock.control('POST', `${below}/faults`, rule)
  if (armed.status > 299) return { name, entries: { refused: mock.unportedText(armed.text) } }
  /** @type {unknown} */
  let open
  const asked = requests(space)
  const exchanged = await exchange(port, asked, {
    ca,
    quiet,
    isToTheEnd: true,
    isSettled: async () => (await entriesOf(mock, below)).length >= asked.length,
    whileOpen: async () => {
      const [entry] = (await entriesOf(mock, below)).slice(-1)
      open = { ended: entry.ended !== null, delivered: entry.delivered, bytesSent: entry.bytesSent }
    },
  })
  const entries = await endedEntries(mock, below)
  const explained = await Promise.all(
    entries.map(({ id }) => mock.must('GET', `${below}/requests/${id}`).then(masked)),
  )
  const { _links, ...truth } = await mock.must('GET', `${below}/platform`)
  const { _embedded } = await mock.must('GET', `${below}/faults`)
  const armedFaults = /** @type {any[]} */ (_embedded.faults)
  return {
    name,
    entries: {
      wire: shown(exchanged),
      ...(open !== undefined && { 'while it is open': open }),
      journal: explained.map(brief),
      truth,
      hits: armedFaults.map(({ hits, left }) => ({ hits, left })),
    },
  }
}

/** An entry of the journal without its links, and without what was told as it was true. @param {any} entry */
function brief({ _links, ...entry }) {
  const { truth, told } = entry
  if (!truth || !told) return entry
  const members = Object.entries(told).map(([key, value]) => [
    key,
    isDeepStrictEqual(value, truth[key]) ? '(as in truth)' : value,
  ])
  return { ...entry, told: Object.fromEntries(members) }
}

/** @param {RunningMock} mock @param {string} below @returns {Promise<any[]>} */
const entriesOf = async (mock, below) => (await mock.must('GET', `${below}/requests`))._embedded.requests

/** The journal when all has come to its end. @param {RunningMock} mock @param {string} below */
async function endedEntries(mock, below) {
  for (let attempt = 0; attempt < 400; attempt++) {
    const entries = await entriesOf(mock, below)
    if (entries.every(it => it.ended !== null && it.delivered !== 'open')) return entries
    await new Promise(resolve => setTimeout(resolve, 25))
  }
  throw new Error(`a request of ${below} never ends`)
}

/** @param {RunningMock} mock @param {Recording} recording */
async function sidePorts(mock, recording) {
  const space = 'demo+side-port'
  const below = `/spaces/${encodeURIComponent(space)}`
  await mock.must('PUT', below, {})
  for (const mode of ['pass', 'reset-at-accept', 'reset-at-data', 'silent', 'refuse', 'pass']) {
    const { status, json } = await mock.control('PUT', `${below}/side-port`, { mode })
    recording.add(`side port, ${mode}: control call`, { status, body: mock.unported(masked(json)) })
    const exchanged = await exchange(json.port, get(space, 1), { quiet: 4_000 })
    recording.add(`side port, ${mode}: wire`, shown(exchanged))
  }
  const { json } = await mock.control('GET', `${below}/side-port`)
  recording.add('side port: counts', mock.unported(masked(json)))
  const requests = await endedEntries(mock, below)
  recording.add('side port: journal', masked(requests))
}
