/**
 * Counts the modules and functions of the program that one undisturbed create over HTTP passes through, by V8's precise
 * coverage. Run by hand after `npm run build`: `node bench/path.mjs`; `--list` names them.
 */
import { Session } from 'node:inspector/promises'
import { createMock } from '../dist/index.js'
import { readFlags } from '../scripts/read-flags.mjs'
import { authorization, integration, syncId } from './world.mjs'

const { values } = readFlags('path', { options: { list: { type: 'boolean' } } })
const program = new URL('../dist/', import.meta.url).href
const warmUps = 20

const mock = await createMock()
const { url } = await mock.listen()
for (let count = 0; count < warmUps; count++) await create(`warm-up-${count}`)
const session = new Session()
session.connect()
await session.post('Profiler.enable')
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
await create('counted')
const { result } = await session.post('Profiler.takePreciseCoverage')
await mock.close()

/** Functions that ran, by module of the program. The code of a module itself runs at the start only. */
const modules = new Map()
for (const { url: script, functions } of result) {
  const names = functions
    .filter(({ ranges }) => ranges[0].count > 0)
    .map(it => it.functionName || '(unnamed)')
  if (script.startsWith(program) && names.length > 0) modules.set(script.slice(program.length), names)
}
if (values.list) for (const [name, names] of modules) console.log(`${name}: ${names.join(' ')}`)
const functions = [...modules.values()].reduce((sum, { length }) => sum + length, 0)
console.log(`One undisturbed create passes through ${modules.size} modules and ${functions} functions.`)

/** @param {string} transactionId */
async function create(transactionId) {
  const response = await fetch(`${url}${integration}/${syncId}/sendings`, {
    method: 'POST',
    headers: { Authorization: authorization, 'Content-Type': 'application/hal+json' },
    body: JSON.stringify({ transactionId }),
  })
  if (response.status !== 201) throw new Error(`status ${response.status}: ${await response.text()}`)
  await response.arrayBuffer()
}
