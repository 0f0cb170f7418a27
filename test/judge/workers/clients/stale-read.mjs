import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { send, store } from './asking.mjs'

/** Looks whether it was sent before it has the lock, and not again. @param {import('./asking.mjs').ClientCall} call */
export default async function staleRead(call) {
  const files = store(call)
  const wasSent = files.has('sent')
  for (let nth = 0; !files.claim('lock', ''); nth++) {
    if (nth === 10) return 'unknown'
    await pause(5_000)
  }
  const belief = wasSent ? 'sent' : await send(call, randomUUID())
  if (belief === 'sent') files.write('sent', '')
  files.remove('lock')
  return belief
}
