/** What a request costs that nobody answers, and whether it is noticed that its client left. */
import { connect } from 'node:net'
import { ask } from './ask.mjs'
import { otherRows } from './rows.mjs'
import { start } from './subjects.mjs'
import { once, work } from './work.mjs'
import { authorization } from './world.mjs'

export const scenario = {
  description: 'Reading a synchronization hangs.',
  rules: [{ on: 'getMailingSynchronization', steps: [{ phase: 'before', answer: { fault: 'hang' } }] }],
}
const atOnce = 250
const patience = 30_000

/** @param {number} count how many hang at once */
export async function measureHanging(names, { measurements, count }) {
  for (const name of names) {
    const subject = await start(name)
    try {
      // The code is loaded and warm before memory is looked at.
      for (let time = 0; time < Math.min(300, count); time++) await once(subject.port, work.read)
      if (subject.isOurs) await ask(subject.port, 'PUT', '/_mock/spaces/demo/scenario', scenario)
      const path = subject.isOurs ? work.read.path : '/hang'
      const before = subject.memory()
      const sockets = await hang(subject.port, path, count)
      await until(() => areThere(subject, count))
      const after = subject.memory()
      for (const socket of sockets) socket.destroy()
      const noticed = await until(() => haveLeft(subject))
      if (after === undefined) continue
      const value = ((after - before) * 1024) / count
      measurements.add(
        'hanging',
        otherRows.hanging,
        name,
        { value },
        noticed ? undefined : 'not every client that left was noticed',
      )
    } finally {
      await subject.stop()
    }
  }
}

/** @param {typeof connect} open opens a connection */
export async function hang(port, path, count, open = connect) {
  const text = `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: ${authorization}\r\n\r\n`
  const sockets = []
  while (sockets.length < count) {
    const some = Array.from(
      { length: Math.min(atOnce, count - sockets.length) },
      () =>
        new Promise((resolve, reject) => {
          const socket = open(port, '127.0.0.1', () => {
            socket.off('error', reject)
            // A server that gives up under the load is found by what it counts.
            socket.on('error', () => {})
            socket.write(text, () => resolve(socket))
          })
          socket.once('error', reject)
        }),
    )
    sockets.push(...(await Promise.all(some)))
  }
  return sockets
}

const hangingAt = async ({ port }) => (await ask(port, 'GET', '/hanging')).hanging
const spaceOf = ({ port }) => ask(port, 'GET', '/_mock/spaces/demo')

async function areThere(subject, count) {
  if (!subject.isOurs) return (await hangingAt(subject)) === count
  return (await spaceOf(subject)).requests >= count
}

/** Ours tells when its space was last used, which is now while anybody waits in it. */
async function haveLeft(subject) {
  if (!subject.isOurs) return (await hangingAt(subject)) === 0
  const { lastUsed } = await spaceOf(subject)
  await new Promise(resolve => setTimeout(resolve, 20))
  return (await spaceOf(subject)).lastUsed === lastUsed
}

export async function until(isSo) {
  const end = performance.now() + patience
  while (performance.now() < end) {
    if (await isSo()) return true
    await new Promise(resolve => setTimeout(resolve, 20))
  }
  return false
}
