import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { send, store } from './asking.mjs'

/** Has a lock, and makes a transaction ID of its own when its turn comes. @param {import('./asking.mjs').ClientCall} call */
export default async function ownId(call) {
  const files = store(call)
  for (let nth = 0; !files.claim('lock', ''); nth++) {
    if (nth === 10) return 'unknown'
    await pause(5_000)
  }
  const id = randomUUID()
  files.write('id', id)
  const belief = await send(call, id)
  files.remove('lock')
  return belief
}
