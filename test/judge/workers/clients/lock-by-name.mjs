import { randomUUID } from 'node:crypto'
import { send, store } from './asking.mjs'

/** Looks for a lock, and makes one if there is none, in two calls. @param {import('./asking.mjs').ClientCall} call */
export default async function lockByName(call) {
  const files = store(call)
  if (files.has('lock')) return 'unknown'
  files.write('lock', '')
  return await send(call, randomUUID())
}
