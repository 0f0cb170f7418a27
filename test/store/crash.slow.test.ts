import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { seededChance } from '../../src/rig/chance.ts'
import { temporaryDirectory } from '../process.ts'
import { type Acknowledged, traffic } from './crash/traffic.ts'
import { compare } from './crash/truth.ts'

/*
 * A mock is killed under load, again and again on the same data, and each time the next one is asked for everything that
 * clients were told. `CRASH_ROUNDS=300 npm run test:slow -- test/store/crash` does more rounds.
 */

const rounds = Number(process.env.CRASH_ROUNDS ?? 14)
/** So many rounds work on one directory, then it has become large and another one is begun. */
const roundsOfDirectory = 14
const seed = Number(process.env.CRASH_SEED ?? 1)
const patience = 60_000

/** Points at which the process ends itself: see child.mjs. The last number is how often it gets there before. */
const points = [
  'renameSync:before:1', // what a space starts from is about to be kept
  'renameSync:after:1',
  'writeSync:before:9', // changes show in memory, and nothing of them is on disk
  'writeSync:half:11', // half of a group is
  'writeSync:after:7', // all of it is, and nobody has been told
  'answer:half:10', // somebody is just being told
  'openSync:after:2', // the second space's log is there, and has no line
  'fdatasync:before:6',
  'fdatasync:after:6',
  // From here on there is much to read at each start, so these come last.
  'write:half:1', // half of a snapshot's first piece
  'rename:before:1', // a snapshot is whole, and not in place
  'rename:after:1', // it is in place beside the logs that it covers
  'rmSync:after:2', // some of those logs are gone
]

/** Only on a new directory does it get there. */
const isOfBeginning = (point: string) => point.startsWith('renameSync')

/** Only with much to write does it get there. */
const isOfSnapshots = (point: string) => /^(write|rename|rmSync):/.test(point)

const child = fileURLToPath(new URL('./crash/child.mjs', import.meta.url))

/** Starts a mock on the directory. `ended` gives the signal that ended it; without `url` it got to its end before it was ready. */
async function launch(data: string, durability: string, point: string) {
  const process_ = spawn(process.execPath, [child, data, durability, point], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let errors = ''
  process_.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const ended = new Promise<string | null>(resolve => process_.on('close', (_, signal) => resolve(signal)))
  const url = await new Promise<string | undefined>((resolve, reject) => {
    process_.stdout.setEncoding('utf8').on('data', (text: string) => {
      const ready = /^ready on (\S+)/.exec(text)
      if (ready) resolve(ready[1]!)
    })
    void ended.then(signal => {
      if (signal === 'SIGKILL') resolve(undefined)
      else reject(new Error(`the mock did not start: ${errors}`))
    })
  })
  return { url, ended, kill: () => process_.kill('SIGKILL') }
}

it(
  `T01, T02: what was acknowledged is there once, with its ledger, after each of ${rounds} kills under load`,
  async () => {
    const chance = seededChance(seed, 'crash')
    let directory = temporaryDirectory()
    let told: Acknowledged[] = []
    let acknowledged = 0
    /** What the last kill on this directory left. */
    async function lookAtTheEnd() {
      const last = await launch(directory.at('data'), 'os', '')
      try {
        await compare(last.url!, told)
      } finally {
        last.kill()
        await last.ended
      }
      acknowledged += told.length
    }
    try {
      for (let round = 0; round < rounds; round++) {
        // The points in turn, then as many random moments as there are points; and one of those at the end of a short run.
        const turn = round % (2 * points.length + 1)
        const isRandom = turn >= points.length
        const point = points[turn] ?? ''
        if (round % roundsOfDirectory === 0 || isOfBeginning(point)) {
          if (round > 0) await lookAtTheEnd()
          directory[Symbol.dispose]()
          directory = temporaryDirectory()
          told = []
        }
        const durability = point.startsWith('fdatasync') || round % 3 === 2 ? 'fsync' : 'os'
        const name = `round ${round} (${point || 'at random'}, ${durability})`
        const mock = await launch(directory.at('data'), durability, point)
        try {
          if (mock.url === undefined) continue
          await compare(mock.url, told)
          const before = told.length
          const enough = 20 + Math.floor(chance.fraction('moment', round) * 200)
          const working = traffic(
            mock.url,
            `crash-${round}`,
            told,
            isRandom ? round % 2 === 0 : isOfSnapshots(point),
          )
          if (isRandom) {
            while (told.length < before + enough) await new Promise(setImmediate)
            mock.kill()
          }
          await working
          expect(await mock.ended, name).toBe('SIGKILL')
        } catch (error) {
          throw new Error(`${name}: ${(error as Error).message}`, { cause: error })
        } finally {
          mock.kill()
          await mock.ended
        }
      }
      await lookAtTheEnd()
      expect(acknowledged).toBeGreaterThan(rounds)
    } finally {
      directory[Symbol.dispose]()
    }
  },
  patience + rounds * 20_000,
)
