import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { send, store } from './asking.mjs'

/** Says that it is there. If another one is, it waits, and goes on if nothing was sent meanwhile. @param {import('./asking.mjs').ClientCall} call */
export default async function bothGoOn(call) {
  const files = store(call)
  const id = randomUUID()
  files.write(`here-${id}`, '')
  if (readdirSync(call.state).length > 1) {
    await pause(60_000)
    if (files.has('sent')) return 'sent'
  }
  const belief = await send(call, id)
  if (belief === 'sent') files.write('sent', '')
  return belief
}
