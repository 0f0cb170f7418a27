/**
 * `npm run soak -- --minutes 30 --spaces 200`: mixed traffic at full speed on the built mock, half of the time in memory
 * and half with data on disk, and whether anything of it grows. `--store memory` or `--store file` gives one of them all of
 * the time; `--short` is half a minute, which shows that all of it works and that nothing grows fast.
 * Exits 0 when all is well, 1 when something grows or went wrong, 2 for flags that cannot be.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readFlags } from '../scripts/read-flags.mjs'
import { soak } from './soak.mjs'

const stores = ['memory', 'file']
const options = readOptions()
const say = line => console.log(line)

let wrong = 0
for (const store of options.stores) {
  const { seconds, spaces, clients, intervals, isShort, journal } = options
  say(
    `\nsoak: ${store === 'file' ? 'data on disk' : 'in memory'}, ${spaces} spaces, ${clients} clients, ${seconds} s`,
  )
  const data = store === 'file' ? await mkdtemp(join(tmpdir(), 'soak-')) : undefined
  try {
    const kept = data === undefined ? ['--in-memory'] : ['--data', data]
    const flags = [...kept, '--journal', journal]
    const found = await soak({
      flags,
      ...(data && { data }),
      seconds,
      intervals,
      isShort,
      spaces,
      clients,
      say,
    })
    for (const sentence of found) say(sentence)
    if (found.length > 0) wrong++
  } catch (error) {
    say(error.message)
    wrong++
  } finally {
    if (data !== undefined) await rm(data, { recursive: true, force: true })
  }
}
say(wrong === 0 ? '\nsoak: passed' : '\nsoak: failed')
process.exitCode = wrong === 0 ? 0 : 1

function readOptions() {
  const { values } = readFlags('soak', {
    options: {
      minutes: { type: 'string' },
      spaces: { type: 'string' },
      clients: { type: 'string' },
      store: { type: 'string' },
      short: { type: 'boolean', default: false },
    },
  })
  const isShort = values.short
  const minutes = number(values.minutes, '--minutes') ?? (isShort ? 0.5 : 30)
  const asked = values.store === undefined ? stores : [values.store]
  if (!asked.every(store => stores.includes(store)))
    refuse(`--store is "${values.store}": expected memory or file`)
  return {
    stores: asked,
    seconds: (minutes * 60) / asked.length,
    spaces: number(values.spaces, '--spaces') ?? (isShort ? 24 : 200),
    clients: number(values.clients, '--clients') ?? (isShort ? 12 : 64),
    isShort,
    intervals: isShort ? 20 : 24,
    // Journals have to be full before the second half, where growth is looked for.
    journal: isShort ? '50' : '300',
  }
}

function number(text, flag) {
  if (text === undefined) return undefined
  const value = Number(text)
  if (!(value > 0) || (flag !== '--minutes' && !Number.isInteger(value)))
    refuse(`${flag} is "${text}": expected a ${flag === '--minutes' ? '' : 'whole '}number above 0`)
  return value
}

function refuse(sentence) {
  console.error(`soak: ${sentence}`)
  process.exit(2)
}
