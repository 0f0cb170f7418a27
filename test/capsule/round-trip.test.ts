import { expect, it } from 'vitest'
import { judgeSpace } from '../../src/judge/verdict.ts'
import { describeDifference, replayCapsule } from '../../src/lib/capsule/replay.ts'
import { ledgerOf } from '../../src/rig/ledger.ts'
import { randomSpace } from './random-space.ts'

it.each(Array.from({ length: 12 }, (_, at) => at + 1))(
  'a random space comes out the same when its capsule is played again (seed %i)',
  async seed => {
    const { mock, capsule, ledgers } = await randomSpace(seed)
    await mock.close()
    expect(capsule.history.lost).toBeNull()
    await using played = await replayCapsule(capsule)
    expect(played.difference && describeDifference(played.difference, capsule)).toBeUndefined()
    const { rig } = played
    const { text } = await judgeSpace(rig, {}, played.mock.rigs.rejectedLogins)
    expect(text()).toBe(capsule.verdictText)
    const [someRequest] = [...ledgers].slice(seed % Math.max(1, ledgers.size))
    if (!someRequest) return
    const [id, ledger] = someRequest
    await using until = await replayCapsule(capsule, { at: id })
    await until.rig.advancePlatform()
    expect(JSON.parse(JSON.stringify({ ...ledgerOf(until.rig) }))).toEqual(ledger)
  },
)
