import { fork } from 'node:child_process'
import { Worker } from 'node:worker_threads'
import { describe, expect, it, vi } from 'vitest'
import { createMock, type Mock, type ScenarioName } from '../../src/index.ts'
import type { SpaceControl } from '../../src/lib/control-client.ts'
import { ScenarioLibrary } from '../../src/rig/scenarios/library.ts'
import { pauses, sendMailing, type Task } from './departing-client.mjs'
import { sendingsPath } from './stage.ts'

const library = await ScenarioLibrary.open()
const keepsWaiting = /"fault":"(hang|stall|drip[^"]*)"|"hold":|"deliver":"late"|"delay":"\d\ds"/
/** Those in which a client that is not very patient gives up its first attempt. */
const scenarios = (await library.all()).filter(({ rules }) =>
  keepsWaiting.test(JSON.stringify(rules[0]?.written.steps[0]) ?? ''),
)

const file = new URL('./departing-client.mjs', import.meta.url)
/** Plays all tables so often, for those who look for one play in many. */
const rounds = Number(process.env.ROUNDS ?? 1)
vi.setConfig({ testTimeout: 120_000 * rounds })

interface Player extends Disposable {
  play(task: Task, space: SpaceControl): Promise<boolean>
}

/** Asks a client elsewhere to send. */
function remotePlayer(
  post: (message: object) => void,
  listen: (hear: (answer: { number: number; isSent: boolean }) => void) => void,
  end: () => void,
): Player {
  const waiting = new Map<number, (isSent: boolean) => void>()
  let count = 0
  listen(({ number, isSent }) => waiting.get(number)?.(isSent))
  return {
    play: task =>
      new Promise(resolve => {
        waiting.set(++count, resolve)
        post({ number: count, task })
      }),
    [Symbol.dispose]: end,
  }
}

const players: Record<string, () => Player> = {
  'in the same process': () => ({
    play(task, { clock }) {
      const isMoved = task.pause === '1 s of the clock'
      return sendMailing(task, isMoved ? () => clock.advance('1s') : pauses[task.pause])
    },
    [Symbol.dispose]() {},
  }),
  'in a thread': () => {
    const worker = new Worker(file)
    return remotePlayer(
      message => worker.postMessage(message),
      hear => worker.on('message', hear),
      () => void worker.terminate(),
    )
  },
  'in another process': () => {
    const child = fork(file, { execArgv: [] })
    return remotePlayer(
      message => void child.send(message),
      hear => void child.on('message', hear),
      () => void child.kill(),
    )
  },
}

type Pause = keyof typeof pauses

interface Stage {
  readonly mock: Mock
  readonly url: string
  readonly player: Player
  readonly pause: Pause
}

const patience = 300

async function play(stage: Stage, scenario: ScenarioName, takesNewIds: boolean, clients = 1) {
  const { mock, url, player, pause } = stage
  const space = await mock.privateSpace()
  await space.arm(scenario)
  const clock = `${url}/_mock/spaces/${encodeURIComponent(space.name)}/clock`
  const { authorization } = space
  const task = { url: url + sendingsPath, clock, authorization, patience, pause, takesNewIds }
  const sent = await Promise.all(Array.from({ length: clients }, () => player.play(task, space)))
  return { space, sent }
}

/** Of one that takes a new ID after it gave up. */
async function caught(stage: Stage, scenario: ScenarioName): Promise<string> {
  const { space } = await play(stage, scenario, true)
  // On a very busy machine it gives up before its first request has left: that comes last, or not at all.
  const asked = await space.requests({ operation: 'createSending' })
  if (asked.length < 2 || !asked[0]!.transactionId?.endsWith('.1')) return caught(stage, scenario)
  const [verdict, atEnd] = await Promise.all([
    space.verdict({ workers: 1 }),
    space.verdict({ believes: 'unknown', expected: 1 }),
  ])
  await space.remove()
  const rules = [verdict, atEnd].map(({ findings }) => findings.some(({ rule }) => rule === 'R02'))
  const isTold = verdict.outcome === 'open' && verdict.failure !== null && !rules.includes(false)
  const times = asked.map(({ arrived, left, ended, delivered }) => [
    arrived.real,
    (left ?? ended)?.real,
    delivered,
  ])
  return isTold ? 'caught' : `${scenario}: ${verdict.outcome}, ${verdict.failure}, ${times}`
}

/** Of two beside each other that keep their IDs. */
async function cleared(stage: Stage, scenario: ScenarioName): Promise<string> {
  const { space, sent } = await play(stage, scenario, false, 2)
  if (sent.includes(false)) return cleared(stage, scenario)
  const verdicts = await Promise.all([
    space.verdict({ workers: 1 }),
    space.verdict({ believes: 'sent', expected: 2 }),
  ])
  await space.remove()
  const accused = verdicts.flatMap(({ findings, failure }) => [
    ...findings.flatMap(({ rule, status }) => (status === 'guilty' ? rule : [])),
    ...(failure === null ? [] : [failure]),
  ])
  return accused.length === 0 ? 'cleared' : `${scenario}: ${accused}`
}

describe('where the answer does not come while a client waits', () => {
  it('the scenarios are those that hang, stall or are late', () => {
    expect(scenarios.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'hang-after',
        'stalled-body',
        'late-first-attempt',
        'slow-but-fine-29s',
        'drip',
      ]),
    )
  })

  const table = Object.keys(players).flatMap(place =>
    Object.keys(pauses).map(pause => [place, pause as Pause] as const),
  )
  it.each(table)(
    'a client %s, with a pause of %s, is caught if it takes a new ID, and cleared if it does not',
    async (place, pause) => {
      for (let round = 0; round < rounds; round++) {
        await using mock = await createMock()
        const { url } = await mock.listen()
        using player = players[place]!()
        const stage = { mock, url, player, pause }
        const all = (judged: typeof caught) =>
          Promise.all(scenarios.map(({ name }) => judged(stage, name as ScenarioName)))
        // The first plays are those of a mock and a client that have just been started.
        for (const judged of [caught, cleared, caught])
          expect(await all(judged)).toEqual(scenarios.map(() => judged.name))
      }
    },
  )
})
