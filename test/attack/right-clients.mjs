/**
 * Exams of clients that do everything right in unusual ways: none of them may be accused, nor suspected by a test that does not
 * say how its client ended. Two thirds of the plays run on
 * virtual time without sockets, the rest over sockets on a fast clock, every second round of them beside four busy loops.
 */
import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { prepareCase } from '../../dist/judge/exam/case-host.js'
import { evaluateCase } from '../../dist/judge/exam/case-result.js'
import { allCases, needsRunner } from '../../dist/judge/exam/cases.js'
import { judgeSpace } from '../../dist/judge/verdict.js'
import { assembleMock } from '../../dist/lib/assemble-mock.js'
import { runExam } from '../../dist/lib/run-exam.js'
import { ManualClock } from '../../dist/rig/clock.js'
import { NeverEnds, steadyTime, VirtualTime } from '../passing-time.mjs'
import { clientsOverSockets, clientsWithoutSocket } from './right-clients/clients.mjs'
import { startProxy } from './right-clients/proxy.mjs'

/** Share of the plays without sockets. */
const virtualShare = 0.67
/** Speed of the clock over sockets. */
const speed = 30
/** Clients at a time over sockets. */
const lanes = 4

/** @param plays how many plays, about @param only names of clients; all unless given */
export default async function run({ plays, only }) {
  const accusations = []
  const count = { played: 0, unproved: 0, clients: new Set() }
  const note = (client, seed, result) => {
    count.played++
    count.clients.add(client.replace(', busy machine', ''))
    if (result.status === 'inconclusive') count.unproved++
    for (const { rule, severity, status, sentence } of result.findings) {
      if (status !== 'guilty' || severity === 'information') continue
      // It says honestly that it does not know: the document sets no limit for repeats.
      if (severity === 'warning' && (rule === 'given-up' || rule === 'unaware')) continue
      accusations.push(`${client}, ${result.name}, seed ${seed}: ${rule} ${severity}: ${sentence}`)
    }
  }
  const isWanted = ([name]) => only === undefined || only.includes(name)
  await playOnVirtualTime(Math.round(plays * virtualShare), isWanted, note)
  const virtual = count.played
  await playOverSockets(plays - Math.round(plays * virtualShare), isWanted, note)
  for (const accusation of accusations) console.error(accusation)
  return {
    attack: `exams of ${count.clients.size} right but unusual clients`,
    result: `${accusations.length} false accusations in ${count.played} plays`,
    ok: accusations.length === 0,
    figures: { 'without sockets': virtual, 'proved nothing': count.unproved },
    accusations,
  }
}

/** Numbers from 0 to below 1, the same for the same seed. */
function draws(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

async function playOnVirtualTime(plays, isWanted, note) {
  const clients = Object.entries(clientsWithoutSocket).filter(isWanted)
  if (clients.length === 0) return
  const restoreTime = steadyTime()
  let left = plays
  try {
    for (let seed = 1; left > 0; seed++) {
      const clock = new ManualClock(Date.now())
      const mock = await assembleMock(
        { clock, seed, hints: false, journal: 2_000, logLevel: 'silent' },
        false,
      )
      const [content] = mock.contents
      const cases = (await allCases({ scenarios: mock.scenarios, content })).filter(it => !needsRunner(it))
      const stage = { tools: mock, url: 'http://localhost', home: content.fixture.space }
      // Where not all can be played, each client meets other cases.
      const all = cases.flatMap((exam, at) =>
        clients.map((_, nth) => [exam, clients[(at + nth) % clients.length]]),
      )
      all.sort((one, other) => order(one) - order(other))
      for (const [exam, [name, make]] of all.slice(0, left)) {
        note(name, seed, await playVirtually(mock, clock, stage, exam, make(), seed))
        left--
      }
      await mock.close()
    }
  } finally {
    restoreTime()
  }
  function order([exam, [name]]) {
    let hash = 7
    for (const letter of exam.name + name) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0
    return hash
  }
}

let count = 0
async function playVirtually(mock, clock, stage, exam, send, seed) {
  const prepared = await prepareCase(exam, `play-${++count}`, stage, { seed, speed: 1 })
  const time = new VirtualTime(clock)
  const { url, user, password, synchronizationId, scheduleDate } = prepared.call
  const options = {
    fetch: (address, init) => mock.fetch(new Request(address, init)),
    sleep: time.sleep,
    now: time.now,
    random: draws(seed * 1_000_003 + count),
    ...{ url, user, password, synchronizationId },
    ...(scheduleDate !== undefined && { scheduleDate }),
  }
  let believes = 'unknown'
  let stop
  try {
    believes = await time.during(send(options))
  } catch (error) {
    if (!(error instanceof NeverEnds)) throw error
    stop = { why: 'late', waiting: [], waitingConnections: 0, sinceRequest: undefined }
  }
  const { suspicion } = (await judgeSpace(prepared.rig, {}, { latest: [] })).verdict
  const endings = [{ believes, output: '' }]
  const result = await evaluateCase(prepared, { endings, stop, limit: 25 * 60_000, realSeconds: 0 })
  await mock.spaces.remove(prepared.rig.space.name)
  if (suspicion === null) return result
  const suspected = { rule: 'suspicion', severity: 'error', status: 'guilty', sentence: suspicion }
  return { ...result, findings: [...result.findings, suspected] }
}

async function playOverSockets(plays, isWanted, note) {
  const clients = Object.entries(clientsOverSockets).filter(isWanted)
  if (clients.length === 0) return
  let left = plays
  for (let seed = 1; left > 0; seed++) {
    // They end with this process, however it ends.
    const loop = ['-e', `while (process.ppid === ${process.pid});`]
    const busy = seed % 2 === 0 ? [1, 2, 3, 4].map(() => spawn(process.execPath, loop)) : []
    try {
      const waiting = [...clients]
      const only = someCases(Math.ceil(plays / clients.length))
      const lane = async () => {
        for (let next = waiting.shift(); next && left > 0; next = waiting.shift()) {
          const [name, { make, proxy, command }] = next
          const { cases, causes, exploration } = await runExam({
            client: command ?? (call => playOnce(call, make(), proxy)),
            ...{ seed, speed, jobs: 2 * availableParallelism(), ...(only && { only }) },
          })
          const ofPlans = causes.filter(({ plan }) => plan !== null).map(it => it.case)
          for (const result of [...cases, ...ofPlans])
            note(`${name}${busy.length > 0 ? ', busy machine' : ''}`, seed, result)
          left -= cases.length + (exploration?.runs ?? 0)
        }
      }
      await Promise.all(Array.from({ length: lanes }, lane))
    } finally {
      for (const it of busy) it.kill('SIGKILL')
    }
  }
}

/** Names of some cases, in which most rules apply, where not all can be played; undefined for all. */
function someCases(perClient) {
  if (perClient > 60) return undefined
  const all = [
    'error-500-seven-times',
    'failed-once',
    'indeterminate-sent',
    'hang-before',
    'pending-then-created',
  ]
  const more = ['happy-path', 'reset-after', 'slow-but-fine-29s', 'failed-for-ever', 'schedule-in-the-past']
  return [...all, ...more].slice(0, Math.max(1, perClient))
}

async function playOnce(call, send, proxy) {
  const before = proxy && (await startProxy(proxy, call.url))
  const { user, password, synchronizationId, scheduleDate, state } = call
  const sleep = (milliseconds, signal) =>
    new Promise(resolve => {
      if (signal?.aborted) return resolve()
      const timer = setTimeout(done, Math.ceil(milliseconds / speed))
      function done() {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done)
    })
  try {
    return await send({
      ...{ fetch, sleep, now: () => Date.now() * speed, url: before?.url ?? call.url },
      ...{ user, password, synchronizationId, state, ...(scheduleDate && { scheduleDate }) },
    })
  } finally {
    before?.close()
  }
}
