import { randomUUID } from 'node:crypto'
import { send, store } from './asking.mjs'

/** Looks whether it was sent, and sends. @param {import('./asking.mjs').ClientCall} call */
export default async function noLock(call) {
  const files = store(call)
  if (files.has('sent')) return 'sent'
  const belief = await send(call, randomUUID())
  if (belief === 'sent') files.write('sent', '')
  return belief
}
