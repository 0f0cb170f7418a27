import { hash } from 'node:crypto'
import { afterEach, expect } from 'vitest'
import type { AssembledMock } from '../../src/lib/assemble-mock.ts'

/**
 * A small share of the tests, chosen by their names, is played again: what came to a space of their mock must come out the same from
 * its capsule. `REPLAY_SHARE=0.2 npm test` plays more of them, and `REPLAY_SEED=2` others.
 */
const share = Number(process.env.REPLAY_SHARE ?? 0.01)
const seed = process.env.REPLAY_SEED ?? '1'

const begun = Symbol.for('mailing-sync-mock/test/begun-mocks')

export interface BegunMock {
  readonly mock: Pick<AssembledMock, 'control' | 'spaces' | 'rigs'>
  /** Whether the test may have changed something of which no record can know. */
  readonly isTouched: () => boolean
}

/** Files of one process share its global, but each loads this module again. */
const global = globalThis as { [begun]?: BegunMock[] }

/** A mock of the test that runs. */
export function noteMock(mock: BegunMock): void {
  global[begun] ??= []
  global[begun].push(mock)
}

/** For a mock that ends before its test does. */
export async function playAgainIfChosen(mock: BegunMock['mock']): Promise<void> {
  if (isChosen(expect.getState().currentTestName ?? '')) await playAgain(mock)
}

const isChosen = (test: string) =>
  Number.parseInt(hash('sha256', `${seed} ${test}`).slice(0, 8), 16) < share * 2 ** 32

// What `npm run generate -- --slow` plays to clients is no test.
if (process.env.VITEST)
  afterEach(async ({ task }) => {
    const mocks = global[begun] ?? []
    global[begun] = []
    if (task.result?.state === 'fail' || !isChosen(expect.getState().currentTestName ?? task.name)) return
    for (const { mock, isTouched } of mocks) if (!isTouched()) await playAgain(mock)
  })

/** Of one test. */
const mostSpaces = 3

/** @throws the first difference */
async function playAgain({ control, spaces, rigs }: BegunMock['mock']): Promise<void> {
  let count = 0
  for (const name of spaces.names()) {
    if (count === mostSpaces) return
    const space = spaces.getOpen(name)
    const rig = space && rigs.known(space)
    if (!rig || rig.journal.count === 0 || rig.journal.history.lost !== undefined) continue
    count++
    const [{ readCapsule }, { describeDifference }, { replayCapsule }] = await Promise.all([
      import('../../src/control/capsule/capsule-file.ts'),
      import('../../src/lib/capsule/difference.ts'),
      import('../../src/lib/capsule/replay.ts'),
    ])
    const address = `http://localhost/_mock/spaces/${encodeURIComponent(name)}/capsule`
    const response = await control(new Request(address))
    if (!response.ok) continue
    const capsule = readCapsule(Buffer.from(await response.arrayBuffer()), name)
    await using played = await replayCapsule(capsule)
    if (played.difference)
      throw new Error(`Space ${name} of this test: ${describeDifference(played.difference, capsule)}`)
  }
}
