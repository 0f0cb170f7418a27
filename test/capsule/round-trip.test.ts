import { expect, it } from 'vitest'
import { judgeSpace } from '../../src/judge/verdict.ts'
import { describeDifference } from '../../src/lib/capsule/difference.ts'
import { replayCapsule } from '../../src/lib/capsule/replay.ts'
import { ledgerOf } from '../../src/rig/ledger.ts'
import { temporaryDirectory } from '../process.ts'
import { randomSpace } from './random-space.ts'

const seeds = Array.from({ length: 16 }, (_, at) => at + 1)

it.each(
  seeds.map(seed => [seed, seed % 4 === 0 ? 'over sockets' : seed % 4 === 1 ? 'on disk' : 'in the process']),
)('a random space comes out the same when its capsule is played again (seed %i, %s)', async (seed, where) => {
  using directory = temporaryDirectory()
  const { mock, capsule, ledgers } = await randomSpace(seed as number, {
    isListening: where === 'over sockets',
    ...(where === 'on disk' && { data: directory.at('data') }),
  })
  await mock.close()
  expect(capsule.history.lost).toBeNull()
  await using played = await replayCapsule(capsule)
  expect(played.difference && describeDifference(played.difference, capsule)).toBeUndefined()
  const { rig } = played
  const { text } = await judgeSpace(rig, {}, played.mock.rigs.rejectedLogins)
  expect(text()).toBe(capsule.verdictText)
  const [someRequest] = [...ledgers].slice((seed as number) % Math.max(1, ledgers.size))
  if (!someRequest) return
  const [id, ledger] = someRequest
  await using until = await replayCapsule(capsule, { at: id })
  await until.rig.advancePlatform()
  expect(JSON.parse(JSON.stringify({ ...ledgerOf(until.rig) }))).toEqual(ledger)
})
