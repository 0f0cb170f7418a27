import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { ask, store } from './asking.mjs'

/**
 * Shares its transaction ID. After FAILED the one that stored the ID takes another one, and the other one reports that it was not sent.
 * @param {import('./asking.mjs').ClientCall} call
 */
export default async function readsFailed(call) {
  const files = store(call)
  const isFirst = files.claim('id', randomUUID())
  let id = files.read('id') ?? ''
  for (let nth = 0; nth < 5; nth++) {
    const state = await ask(call, id)
    if (state === 'CREATED') return 'sent'
    if (state === 'FAILED') {
      if (!isFirst) return 'not-sent'
      id = randomUUID()
    }
    await pause(2_000 * 2 ** nth)
  }
  return 'unknown'
}
