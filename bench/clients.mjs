/** Clients with every habit and fault, so that there is something to judge. */
import { Agent, request } from 'node:http'
import { authorization, integration, synchronizationId } from './world.mjs'

const json = { 'Content-Type': 'application/hal+json' }
const created = { state: 'CREATED' }

/** What is done to a transaction, by how its ID begins; everything else goes undisturbed. */
const troubles = {
  error: [{ phase: 'before', times: 2 }, created],
  late: [{ phase: 'after', answer: { status: 502, body: 'gateway-html' } }, created],
  lost: [{ answer: { fault: 'reset' } }, created],
  cut: [{ answer: { fault: 'truncate' } }, created],
  broken: [{ answer: { fault: 'malformed-json' } }, created],
  foreign: [{ answer: { fault: 'foreign-sending' } }, created],
  busy: [{ phase: 'before', answer: { status: 503, retryAfter: 2 } }, created],
  pending: [{ state: 'PENDING', times: 2 }, created],
  failed: [{ state: 'FAILED' }],
  unsure: [{ state: 'INDETERMINATE_FAILURE', truth: 'sent' }],
  twice: [{ deliver: 'twice' }],
  down: [{ phase: 'before' }],
}

const scenario = {
  description: 'Each client meets what its transaction ID asks for.',
  rules: Object.entries(troubles).map(([name, steps]) => ({
    on: 'createSending',
    when: { transactionId: { prefix: `${name}-` } },
    steps,
  })),
}

/** Seconds of the space for each real one: clients pause, and the bench does not last. */
const rate = 100
const pauses = [2, 4, 8, 16].map(seconds => (seconds * 1000) / rate)

/** A sending, and what its client does about each answer. Two of three go undisturbed; every sixth client is naive. */
async function sendOne(number, ask) {
  const names = Object.keys(troubles)
  const trouble = number % 3 === 0 ? names[(number / 3) % names.length] : 'plain'
  const isNaive = number % 6 === 0
  const path = `${integration}/${synchronizationId(1 + (number % 3))}`
  if (number % 2 === 0) await ask('GET', path)
  let id = `${trouble}-${number}`
  for (const pause of pauses) {
    const body = { transactionId: id, subject: `Week ${number}`, name: isNaive ? null : undefined }
    const { status, sending } = await ask('POST', `${path}/sendings`, JSON.stringify(body))
    const state = status < 300 ? sending?.state : undefined
    if (state === 'CREATED' || state === 'INDETERMINATE_FAILURE') {
      if (number % 4 === 0) await ask('GET', `${path}/sendings/${sending.id}`)
      return
    }
    if (status >= 400 && status < 500) return
    if (number % 50 === 0) await ask('GET', `${path}/sendings?includeAllStates=true&limit=10`)
    if (state === 'FAILED') id = `plain-${number}-again`
    // The commonest mistakes: another ID after silence, no ID, no pause.
    else if (isNaive && number % 4 === 0) id = number % 24 === 0 ? undefined : `${id}x`
    if (!isNaive || number % 12 === 0) await new Promise(resolve => setTimeout(resolve, pause))
  }
}

/**
 * Lets clients send until so many requests have come.
 * @returns how many were made
 */
export async function sendMany(port, count) {
  await control(port, 'PUT', '/_mock/spaces/demo/scenario', scenario)
  await control(port, 'POST', '/_mock/spaces/demo/clock', { rate })
  let asked = 0
  let begun = 0
  const worker = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const ask = (method, path, body) => {
      asked++
      return answerTo({ port, agent, method, path, headers: { Authorization: authorization, ...json } }, body)
    }
    while (asked < count) await sendOne(++begun, ask)
    agent.destroy()
  }
  await Promise.all(Array.from({ length: 32 }, worker))
  return asked
}

/** What a client sees: 0 for no answer that is whole. */
function answerTo(options, body) {
  return new Promise(resolve => {
    const silence = () => resolve({ status: 0 })
    const outgoing = request({ host: '127.0.0.1', ...options }, incoming => {
      let text = ''
      incoming.setEncoding('utf8')
      incoming.on('data', chunk => {
        text += chunk
      })
      incoming.once('error', silence)
      incoming.once('end', () => resolve({ status: incoming.statusCode, sending: parsed(text) }))
    })
    outgoing.once('error', silence)
    outgoing.end(body)
  })
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function control(port, method, path, body) {
  const headers = { 'Content-Type': 'application/json' }
  const { status, sending } = await answerTo({ port, method, path, headers }, JSON.stringify(body))
  if (status !== 200) throw new Error(`${method} ${path} was answered ${status} ${JSON.stringify(sending)}`)
}
