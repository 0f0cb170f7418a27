/**
 * Clients that do everything right in unusual ways. They share the decisions of the reference client and differ in one
 * thing each.
 */
import { execFile } from 'node:child_process'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { decide } from '../../../examples/clients/reference/decide.mjs'
import { read, sendingsIn, sendingsPath } from '../../../examples/clients/reference/look.mjs'
import { careful, clientWith } from '../../../examples/clients/reference/send.mjs'

const second = 1_000
const minute = 60 * second

/** Keeps the intention where it is told to, or else in memory: without sockets no case starts a client again. */
const memory = options => {
  if (options.state !== undefined) return careful.memory(options)
  let kept
  const keep = intent => {
    kept = intent
    return kept
  }
  return { recall: () => kept, begin: keep, keep }
}
/** Each is alone. A lock would have to expire where a client is started again in this process, which takes minutes of the clock. */
const claim = () => ({ extend: () => true, release() {} })
const clientOf = policy => clientWith({ ...careful, memory, claim, ...policy })

/** A pause of its own, never shorter than what the service asked for. */
const pausing = length => ({
  pause: (nth, heard, { random = Math.random }) => Math.max(heard.notBefore, length(nth, random)),
})
const exponential = (nth, base, limit) => Math.min(limit, base * 2 ** (nth - 1))

/** Decorrelated jitter: each pause is drawn up to three times the one before. */
function decorrelated() {
  let last = second
  return pausing((nth, random) => {
    last = nth === 1 ? second : Math.min(30 * second, second + random() * (3 * last - second))
    return last
  })
}

/** After three failures in a row it asks for nothing for a minute, then tries once. */
const circuitBreaker = pausing(nth => (nth % 4 === 3 ? minute : second * 2 ** (nth % 4) * Math.ceil(nth / 4)))

/** After PENDING it does not create again but reads the collection, five minutes long. */
const reader = {
  async decide(heard, intent, options, policy) {
    if (heard.kind !== 'state' || heard.state !== 'PENDING') return decide(heard, intent, options, policy)
    const end = intent.pendingSince + 5 * minute
    for (let nth = 1; options.now() < end; nth++) {
      await options.sleep(Math.min(exponential(nth, second, 30 * second), end - options.now()))
      const answer = await read(
        `${sendingsPath(intent.synchronizationId)}?includeAllStates=true`,
        options,
        policy,
      )
      const seen = answer?.status === 200 ? sendingsIn(JSON.parse(answer.text)) : []
      const state = seen.find(it => it.transactionId === intent.transactionId)?.state
      if (state !== undefined && state !== 'PENDING')
        return decide({ kind: 'state', state, notBefore: 0 }, intent, options, policy)
    }
    return { do: 'end', outcome: 'unknown' }
  },
}

/** Reads the collection before each repeat, and believes what it shows. */
const looksFirst = {
  async decide(heard, intent, options, policy) {
    const next = decide(heard, intent, options, policy)
    if (next.do !== 'repeat') return next
    const outcome = await policy.look(intent, options, policy)
    return outcome === 'sent' ? { do: 'end', outcome } : next
  },
}

/** Reads what it was told once more, at another address, before it believes CREATED. */
const readsAgain = {
  async decide(heard, intent, options, policy) {
    const next = decide(heard, intent, options, policy)
    if (next.do === 'end' && next.outcome === 'sent') await policy.look(intent, options, policy)
    return next
  },
}

/** The same payload in another order and with other white space at each attempt. */
const shuffled = {
  exchange({ body, ...asking }, options) {
    const members = body === undefined ? [] : Object.entries(JSON.parse(body))
    const spaces = ' '.repeat(1 + (options.now() % 7))
    const text = `{${members.reverse().map(([name, value]) => `${spaces}"${name}":${JSON.stringify(value)}`)}}`
    return careful.exchange(body === undefined ? asking : { ...asking, body: text }, options)
  },
}

/** Gives up each exchange after this time of the space's clock, which is less than slow answers take. */
const hasty = deadline => ({
  async exchange(asking, options) {
    const inTime = new AbortController()
    const leaving = new AbortController()
    const tooLate = options.sleep(deadline, inTime.signal).then(() => {
      if (!inTime.signal.aborted) leaving.abort()
      return undefined
    })
    const fetch = (url, init) =>
      options.fetch(url, { ...init, signal: AbortSignal.any([init.signal, leaving.signal]) })
    return Promise.race([careful.exchange(asking, { ...options, fetch }), tooLate]).finally(() =>
      inTime.abort(),
    )
  },
})

/** Another thread of it reads the mailings again and again. */
const heartbeat = send => async options => {
  const isOver = new AbortController()
  const headers = { authorization: `Basic ${btoa(`${options.user}:${options.password}`)}` }
  const beats = (async () => {
    while (!isOver.signal.aborted) {
      await options.fetch(`${options.url}/mailings`, { headers, signal: isOver.signal }).catch(() => {})
      await options.sleep(5 * second, isOver.signal)
    }
  })()
  try {
    return await send(options)
  } finally {
    isOver.abort()
    await beats
  }
}

/** Those that need no socket, and so run on virtual time. Each is made anew for each play. */
export const clientsWithoutSocket = {
  reference: () => clientOf({}),
  'full jitter': () => clientOf(pausing((nth, random) => exponential(nth, 2 * second, minute) * random())),
  'decorrelated jitter': () => clientOf(decorrelated()),
  '20 % either way': () =>
    clientOf(pausing((nth, random) => exponential(nth, second, 30 * second) * (0.8 + 0.4 * random()))),
  'pauses that grow by the same': () => clientOf(pausing(nth => 2 * second * nth)),
  'Fibonacci pauses': () =>
    clientOf(pausing(nth => Math.min(minute, Math.round((second * 1.618 ** (nth + 1)) / 2.236)))),
  'exponential up to 5 s': () => clientOf(pausing(nth => exponential(nth, second, 5 * second))),
  'circuit breaker': () => clientOf(circuitBreaker),
  'reader by GET': () => clientOf(reader),
  'looks before it repeats': () => clientOf(looksFirst),
  'reads again what it was told': () => clientOf(readsAgain),
  'writes the same otherwise': () => clientOf(shuffled),
  'deadline shorter than slow answers': () => clientOf(hasty(10 * second)),
  'heartbeat thread': () => heartbeat(clientOf({})),
  'cron: pauses of whole minutes': () => clientOf(pausing(nth => minute * 2 ** Math.min(nth - 1, 3))),
}

/** `fetch` as far as the clients need it, over node:http. @param agent of node:http */
const fetchOver =
  (agent, more = {}) =>
  (url, { method = 'GET', headers, body, signal }) =>
    new Promise((resolve, reject) => {
      const asking = request(url, { method, headers: { ...headers, ...more }, agent, signal }, answer => {
        const pieces = []
        answer.on('data', piece => pieces.push(piece))
        answer.on('error', reject)
        answer.on('end', () => {
          if (!answer.complete) return reject(new Error('cut'))
          const flat = Object.entries(answer.headers).map(([name, value]) => [name, String(value)])
          const text = Buffer.concat(pieces).toString()
          resolve({
            status: answer.statusCode,
            headers: new Headers(flat),
            text: async () => text,
            redirected: false,
          })
        })
      })
      asking.on('error', reject)
      asking.end(body)
    })

const withFetch =
  (make, policy = {}) =>
  () => {
    const fetch = make()
    return options => clientOf(policy)({ ...options, fetch })
  }

/** Its first exchanges are frozen in the middle: the answer waits unread until its deadline has passed. */
function frozenFetch() {
  const ordinary = fetchOver(new Agent({ keepAlive: true }))
  let left = 2
  return async (url, init) => {
    if (init.method !== 'POST' || left-- <= 0) return ordinary(url, init)
    const { hostname, port, pathname } = new URL(url)
    const socket = connect({ port, host: hostname })
    socket.pause()
    socket.on('error', () => {})
    const headers = {
      Host: `${hostname}:${port}`,
      ...init.headers,
      'Content-Length': Buffer.byteLength(init.body),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    socket.write(`POST ${pathname} HTTP/1.1\r\n${lines.join('')}\r\n${init.body}`)
    await wait(300)
    socket.destroy()
    throw new Error('its deadline had passed when it went on')
  }
}

/** Reads each answer, then breaks the connection instead of closing it. */
function resettingFetch() {
  const agent = new Agent({ keepAlive: true })
  const ordinary = fetchOver(agent)
  return async (url, init) => {
    const answer = await ordinary(url, init)
    await new Promise(setImmediate)
    for (const sockets of Object.values(agent.freeSockets))
      for (const socket of sockets) socket.resetAndDestroy()
    return answer
  }
}

/** Each exchange is a run of curl. */
function curlFetch(url, { method = 'GET', headers, body, signal }) {
  const words = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const data = body === undefined ? [] : ['--data-binary', body]
  const args = ['-sS', '-i', '--raw', '--http1.1', '-X', method, ...words, ...data, '--max-time', '20', url]
  return new Promise((resolve, reject) => {
    execFile('curl', args, { signal, encoding: 'latin1' }, (error, output) => {
      if (error) return reject(error)
      let rest = output
      let head = ''
      // Interim answers come first.
      do {
        const at = rest.indexOf('\r\n\r\n')
        head = rest.slice(0, at)
        rest = rest.slice(at + 4)
      } while (/^HTTP\/1\.1 1/.test(head))
      const [first, ...lines] = head.split('\r\n')
      const isChunked = /^transfer-encoding: *chunked/im.test(head)
      const text = Buffer.from(isChunked ? unchunked(rest) : rest, 'latin1').toString()
      const pairs = lines.map(line => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ])
      resolve({
        status: Number(first.split(' ')[1]),
        headers: new Headers(pairs.filter(([name]) => /^[\w-]+$/.test(name))),
        text: async () => text,
        redirected: false,
      })
    })
  })
}

function unchunked(text) {
  let whole = ''
  for (let rest = text; ; ) {
    const length = Number.parseInt(rest, 16)
    if (!(length > 0)) return whole
    const at = rest.indexOf('\r\n') + 2
    whole += rest.slice(at, at + length)
    rest = rest.slice(at + length + 2)
  }
}

const oneEach = () => fetchOver(new Agent({ keepAlive: false }))
const keeping = () => fetchOver(new Agent({ keepAlive: true }))

const frozenProgram = fileURLToPath(new URL('frozen.mjs', import.meta.url))

/**
 * Those that are about sockets, and so run in real time on a fast clock. `proxy`: which kind of proxy stands before the
 * service; `command`: a program, since it is stopped.
 */
export const clientsOverSockets = {
  'keeps its connection': { make: withFetch(keeping) },
  'a connection for each request': { make: withFetch(oneEach) },
  'frozen in mid-exchange': { make: withFetch(frozenFetch) },
  'stopped and continued': { command: [process.execPath, frozenProgram] },
  'breaks its connection after each answer': { make: withFetch(resettingFetch) },
  'cron with curl': {
    make: withFetch(
      () => curlFetch,
      pausing(nth => exponential(nth, 2 * second, minute)),
    ),
  },
  'behind a lazy proxy': { make: withFetch(keeping, hasty(15 * second)), proxy: 'lazy' },
  'behind a proxy that sends again': { make: withFetch(keeping), proxy: 'sends again' },
  'deadline shorter than slow answers, over sockets': { make: withFetch(keeping, hasty(15 * second)) },
  'heartbeat thread, over sockets': {
    make: () => heartbeat(withFetch(() => fetchOver(new Agent({ keepAlive: true })))()),
  },
  'full jitter, a connection for each request': {
    make: withFetch(
      oneEach,
      pausing((nth, random) => exponential(nth, 2 * second, minute) * random()),
    ),
  },
  'circuit breaker, over sockets': { make: withFetch(keeping, circuitBreaker) },
  'global fetch': { make: () => clientOf({}) },
}
