import { appendFile, existsSync } from 'node:fs'
import { open, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { send } from './asking.mjs'

/** Uses the store in many ways, and sends with another ID each time. @param {import('./asking.mjs').ClientCall} call */
export default async function everyCall(call) {
  const at = (/** @type {string} */ name) => join(call.state, name)
  await writeFile(at('promise'), 'text')
  await readFile(at('promise'))
  const handle = await open(at('handle'), 'w')
  await handle.writeFile('text')
  await handle.close()
  await promisify(appendFile)(at('callback'), 'text')
  const { length } = await readdir(call.state)
  await stat(at('missing')).catch(() => {})
  existsSync(join(tmpdir(), 'elsewhere'))
  return await send(call, `${length}-${await readFile(at('promise'), 'utf8')}-${Math.random()}`)
}
