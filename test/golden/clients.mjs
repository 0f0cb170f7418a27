/** The judge's verdict on the reference client and on every mutant, in every case, on virtual time. */
import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { mutants } from '../../examples/clients/mutants/registry.mjs'
import { Recording } from './entries.mjs'
import { inLanes } from './lanes.mjs'
import { masked } from './masks.mjs'
import { RunningMock } from './mock.mjs'

/** @typedef {import('./play.mjs').Trial} Trial */
/** @typedef {import('./play.mjs').Played} Played */

/** @type {typeof import('../../src/rig/scenarios/loss-matrix.ts')} */
const { lossNames } = await import(new URL('../../dist/rig/scenarios/loss-matrix.js', import.meta.url).href)

const ready = '22222222-0000-4000-8000-000000000001'
/** Processes at the same time. */
const lanes = 2
/** Cases that a process is given at once. */
const atOnce = 40

export async function record() {
  const only = process.env.GOLDEN_CLIENTS?.split(',')
  const trials = await allTrials()
  const first = trials.filter(({ scenario }) => scenario === undefined)
  /** @type {{ client: string, trials: Trial[] }[]} */
  const jobs = []
  for (const client of ['reference', ...mutants.map(({ id }) => id)])
    if (!only || only.includes(client))
      for (let from = 0; from < trials.length; from += atOnce)
        jobs.push({ client, trials: trials.slice(from, from + atOnce) })
  const workers = Array.from({ length: lanes }, () =>
    fork(fileURLToPath(new URL('./play.mjs', import.meta.url))),
  )
  const idle = [...workers]
  const results = await inLanes(lanes, jobs, job => {
    const worker = /** @type {import('node:child_process').ChildProcess} */ (idle.pop())
    return new Promise((resolve, reject) => {
      const fail = (/** @type {number} */ code) =>
        reject(new Error(`a process that plays cases ended with ${code}`))
      worker.once('exit', fail)
      worker.once('message', (/** @type {Played[]} */ played) => {
        worker.off('exit', fail)
        idle.push(worker)
        resolve(played)
      })
      worker.send({ ...job, first })
    })
  })
  for (const worker of workers) worker.kill()
  const recording = new Recording()
  jobs.forEach(({ client }, nth) => {
    for (const { name, beliefs, verdict } of /** @type {Played[]} */ (results[nth]))
      recording.add(`${client}, ${name}`, masked({ believes: beliefs.join(', '), ...verdict }))
  })
  return { clients: recording.entries }
}

/** Every scenario on its test synchronization, the loss matrix, and a few situations more. @returns {Promise<Trial[]>} */
async function allTrials() {
  const mock = await RunningMock.start()
  try {
    const { _embedded } = await mock.must('GET', '/scenarios')
    /** @type {Trial[]} */
    const trials = _embedded.scenarios.map((/** @type {any} */ { name, tags, testSynchronizations }) => ({
      name,
      synchronizationId: testSynchronizations[0].id,
      ...(tags.includes('scheduled') && { scheduleIn: 20_000 }),
    }))
    const idOf = (/** @type {string} */ scenario) =>
      /** @type {Trial} */ (trials.find(({ name }) => name === scenario)).synchronizationId
    return [
      ...trials,
      { name: 'restart-when-sent', synchronizationId: idOf('reset-after'), killedAfter: 1 },
      { name: 'restart-when-pending', synchronizationId: idOf('pending-then-created'), killedAfter: 1 },
      { name: 'date-passed', synchronizationId: ready, scheduleIn: -300_000 },
      { name: 'two-mailings', synchronizationId: ready, mailings: 2 },
      ...lossNames.map(name => ({
        name,
        synchronizationId: ready,
        scenario: /** @type {NonNullable<Trial['scenario']>} */ (name),
      })),
    ]
  } finally {
    await mock.stop()
  }
}
