import { randomUUID } from 'node:crypto'
import { linkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { send, store } from './asking.mjs'

/** Has one transaction ID for all workers, which is whole as soon as it is there. @param {import('./asking.mjs').ClientCall} call */
export default async function right(call) {
  const files = store(call)
  const draft = randomUUID()
  writeFileSync(join(call.state, draft), draft)
  try {
    linkSync(join(call.state, draft), join(call.state, 'id'))
  } catch {
    // Another worker was faster: its ID holds for both.
  }
  return await send(call, files.read('id') ?? '')
}
