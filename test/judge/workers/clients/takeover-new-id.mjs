import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { send, store } from './asking.mjs'

/** Takes a lock over when its holder must be dead, and begins with a new transaction ID. @param {import('./asking.mjs').ClientCall} call */
export default async function takeoverWithNewId(call) {
  const files = store(call)
  if (!files.claim('lock', '')) {
    // Longer than a holder can take.
    await pause(10 * 60_000)
    if (files.has('over')) return files.has('sent') ? 'sent' : 'unknown'
  }
  const belief = await send(call, randomUUID())
  if (belief === 'sent') files.write('sent', '')
  files.write('over', '')
  return belief
}
