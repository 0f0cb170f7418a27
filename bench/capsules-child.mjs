/** Makes capsules and a report in this process: one line of JSON with milliseconds of processor time, and KB. */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { readCapsule } from '../dist/control/capsule/capsule-file.js'
import { createMock } from '../dist/index.js'
import { replayCapsule } from '../dist/lib/capsule/replay.js'
import { fixture, integration, syncId } from './world.mjs'

const [requests, spaces, each] = process.argv.slice(2).map(Number)
const base = 'http://localhost:4025'
const again = 5
const mock = await createMock({
  fixtures: fixture(30),
  logLevel: 'silent',
  spaceLimit: spaces + 10,
  memoryLimit: 3_072,
})

async function ask(path, user, body) {
  const headers = {
    Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}`,
    'Content-Type': 'application/json',
  }
  const response = await mock.fetch(base + path, body ? { method: 'POST', headers, body } : { headers })
  return Buffer.from(await response.arrayBuffer())
}

/** Every transaction is asked for twice. */
async function send(user, count) {
  for (let at = 0; at < count; at++)
    await ask(`${integration}/${syncId}/sendings`, user, `{"transactionId":"t-${at >> 1}"}`)
}

const processorTime = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

/** Milliseconds of processor time: the least of some, since whatever disturbs one makes it dearer. */
async function cost(act) {
  const costs = []
  for (let time = 0; time < again; time++) {
    const before = processorTime()
    await act()
    costs.push(processorTime() - before)
  }
  return Math.min(...costs)
}

/** Looks at each turn of the event loop how much processor time it took. */
function watchTurns() {
  let isOver = false
  let longest = 0
  const watching = (async () => {
    for (let last = processorTime(); !isOver; ) {
      await nextTurn()
      const now = processorTime()
      longest = Math.max(longest, now - last)
      last = now
    }
  })()
  return async () => {
    isOver = true
    await watching
    return longest
  }
}

const values = {}
const wrong = []
const place = '/_mock/spaces/demo%2Bcapsule/capsule?gzip=true'
await send('demo+capsule', requests)
let packed
values.capsule = await cost(async () => {
  packed = await ask(place, 'demo')
})
values['capsule-size'] = packed.length / 1_000
values['capsule-open'] = await cost(async () => {
  const capsule = readCapsule(packed, 'it')
  const played = await replayCapsule(capsule)
  if (capsule.history.lost !== null || played.difference || capsule.requests.length !== requests)
    wrong.push('the capsule did not come out the same')
  await played.mock.close()
})

if (spaces > 0) {
  for (let at = 0; at < spaces; at++) await send(`demo+report-${at}`, each)
  const longestTurn = watchTurns()
  const before = processorTime()
  const report = JSON.parse(await ask('/_mock/report?label=demo%2Breport-*', 'demo'))
  values.report = processorTime() - before
  values['report-turn'] = await longestTurn()
  if (report.spaces !== spaces || report.requests !== spaces * each)
    wrong.push('the report does not have all spaces')
}
process.stdout.write(`${JSON.stringify({ values, wrong: wrong[0] })}\n`)
process.exit(0)
