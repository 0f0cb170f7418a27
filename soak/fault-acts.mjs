/** Faults and waiting: answers that break, hang and drip, requests that are held, clients that leave in between. */
import { setTimeout as pause } from 'node:timers/promises'
import { must, mustBreak, synchronization, Unexpected } from './space.mjs'

const onRead = answer => ({ on: 'getMailingSynchronization', phase: 'before', answer })
/** Pauses of 5 ms until something has come about. */
const mostLooks = 2_000
const slowly = bytes => ({ fault: 'drip', every: '2ms', bytes })

/** Arms a rule, and lets a client that reads leave once it has fired: what fires nobody would fire somebody else later. */
async function leave(space, rule) {
  const { id } = await space.arm(rule)
  const told = await space.ask({ path: synchronization, leaveWhen: struck(space, id) })
  if (told.trouble !== 'left') throw new Unexpected(`the client was answered ${told.status} before it left`)
}

async function struck(space, id) {
  for (let time = 0; time < mostLooks; time++) {
    const { left } = await space.control('GET', `/faults/${id}`)
    if (left === 0) return
    await pause(5)
  }
}

/** A request that waits at a hold named `gate`: `told` is its answer, once somebody lets it go. */
async function held(space) {
  await space.arm({ on: 'getMailingSynchronization', hold: 'gate' })
  const told = space.ask({ path: synchronization })
  for (let time = 0; time < mostLooks; time++) {
    const { _embedded } = await space.control('GET', '/holds')
    if (_embedded.holds.some(hold => hold.name === 'gate' && hold.held === 1)) return { told }
    await pause(5)
  }
  throw new Unexpected('the request that was to be held never was')
}

export const faultActs = {
  'meet a reset': {
    weight: 3,
    async do(space) {
      await space.arm(onRead({ fault: 'reset' }))
      mustBreak(await space.ask({ path: synchronization }))
      await space.read()
    },
  },
  'meet an answer that is cut': {
    weight: 2,
    async do(space) {
      await space.arm(onRead({ fault: 'truncate' }))
      mustBreak(await space.ask({ path: synchronization }))
    },
  },
  'meet an error that was asked for': {
    weight: 2,
    async do(space) {
      await space.arm(onRead({ status: 503 }))
      must(await space.ask({ path: synchronization }), 503)
    },
  },
  'leave an answer that hangs': {
    weight: 3,
    do: space => leave(space, onRead({ fault: 'hang' })),
  },
  'read an answer that drips': {
    weight: 2,
    async do(space) {
      await space.arm({ on: 'getMailingSynchronization', answer: slowly(200) })
      must(await space.ask({ path: synchronization }), 200)
    },
  },
  'leave an answer that drips': {
    weight: 2,
    async do(space) {
      await space.arm({ on: 'getMailingSynchronization', answer: slowly(1) })
      mustBreak(await space.ask({ path: synchronization, leaveAtFirst: true }))
    },
  },
  'leave an answer that is late': {
    weight: 2,
    do: space => leave(space, { on: 'getMailingSynchronization', delay: '10m' }),
  },
  'lose an answer and repeat': {
    weight: 3,
    lasting: true,
    async do(space) {
      space.made++
      const id = space.freshTransaction()
      mustBreak(await space.send(id, { headers: { 'X-Mock-Scenario': 'reset-after' } }))
      must(await space.send(id), 200)
    },
  },
  'be held and released': {
    weight: 2,
    async do(space) {
      const { told } = await held(space)
      await space.control('POST', '/holds/gate/release', undefined, 200)
      must(await told, 200)
    },
  },
  'be held and leave': {
    weight: 2,
    async do(space) {
      await leave(space, { on: 'getMailingSynchronization', hold: 'gate' })
      // Its work is still to be done: it stays until somebody lets it go, whether or not the client is there.
      await space.control('POST', '/holds/gate/release', undefined, 200)
    },
  },
  'be held through a reset': {
    weight: 1,
    lasting: true,
    async do(space) {
      const { told } = await held(space)
      await space.reset()
      must(await told, 500)
    },
  },
  'come to a side port': {
    weight: 1,
    async do(space) {
      const { port } = await space.control('PUT', '/side-port', { mode: 'silent' }, 201)
      await space.client.drop('GET / HTTP/1.1\r\n\r\n', port)
      await space.control('DELETE', '/side-port', undefined, 204)
    },
  },
}
