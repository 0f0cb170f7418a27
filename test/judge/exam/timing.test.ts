import { describe, expect, it } from 'vitest'
import { type ClientCall, functionClient } from '../../../src/judge/exam/client.ts'
import type { CaseFinding, CaseResult } from '../../../src/judge/exam/exam-result.ts'
import { findTimingDoubt, withoutTiming } from '../../../src/judge/exam/timing.ts'
import { examine } from '../../../src/lib/run-exam.ts'
import type { RequestRecord } from '../../../src/rig/request-record.ts'
import type { SpaceView } from '../../../src/rig/space-view.ts'
import { basic, halType, synchronizationPath } from '../../mock.ts'
import { recordOf } from '../../rig/records.ts'

/** Asks for a sending. The signal ends the attempt. */
const attempt = ({ url, user, password, synchronizationId }: ClientCall, signal: AbortSignal) =>
  fetch(url + synchronizationPath(synchronizationId, '/sendings'), {
    method: 'POST',
    headers: { authorization: basic(user, password), 'content-type': halType },
    body: '{"transactionId":"one"}',
    signal,
  }).catch(() => undefined)

/** Plays a case to a client on a machine that is as late as this, from play to play. */
async function played(
  name: string,
  delays: readonly number[],
  client: (call: ClientCall, play: number) => unknown,
) {
  let play = 0
  let meter = 0
  const { cases } = await examine({
    client: functionClient(async call => {
      return (await client(call, ++play)) === 'sent' ? 'sent' : 'unknown'
    }),
    only: [name],
    speed: 100,
    startDelayMeter: () => {
      const delay = delays[meter++] ?? 0
      return () => delay
    },
  })
  return { plays: play, result: cases[0]! }
}

const tries = (count: number, pause: number) => async (call: ClientCall) => {
  for (let nth = 0; nth < count; nth++) {
    await attempt(call, call.signal)
    await new Promise(resolve => setTimeout(resolve, pause))
  }
}

describe('where the machine is late and timing decides', () => {
  it('a case is played once more, and the second play counts', async () => {
    const { plays, result } = await played('error-500-seven-times', [1_000, 0], async (call, play) =>
      play === 1 ? tries(6, 20)(call) : tries(8, 0)(call),
    )
    expect(plays).toBe(2)
    expect(result.attempts.length).toBe(8)
  })

  it('a case is not played again on a machine that is in time', async () => {
    expect((await played('error-500-seven-times', [10], tries(6, 20))).plays).toBe(1)
  })

  it('a case is not played again where time decides nothing', async () => {
    const client = async (call: ClientCall) => {
      await attempt(call, call.signal)
      return 'sent' as const
    }
    expect((await played('happy-path', [1_000], client)).plays).toBe(1)
  })

  it('a client that gives up at once is not acquitted, however late the machine is', async () => {
    const { result } = await played('error-500-before', [1_000, 1_000], async call => {
      await attempt(call, call.signal)
    })
    expect(result.status).toBe('failed')
    expect(result.findings.map(({ rule }) => rule)).toContain('given-up')
  })

  it('a case is played no third time, and proves nothing where pauses may have been equal', async () => {
    const delays = [1_000, 1_000, 1_000]
    const { plays, result } = await played('error-500-seven-times', delays, tries(6, 20))
    expect(plays).toBe(2)
    expect(result).toMatchObject({ status: 'inconclusive', reason: expect.stringContaining('1000 ms late') })
  })
})

describe('what a late machine may have brought about', () => {
  const finding = (rule: string) =>
    ({ rule, severity: 'error', status: 'guilty', evidence: ['r0-1'] }) as unknown as CaseFinding
  const failed = (...rules: string[]) => ({ status: 'failed', findings: rules.map(finding) }) as CaseResult
  const rigWith = (records: readonly Partial<RequestRecord>[]) =>
    ({
      journal: { entries: () => records.map(recordOf) },
      reader: { operation: () => 'createSending' },
      clock: { rate: 30 },
    }) as unknown as SpaceView
  const doubted = (
    rule: string,
    record: Partial<RequestRecord>,
    delay = 80,
    more: Partial<RequestRecord> = {},
  ) => [...(findTimingDoubt(failed(rule), rigWith([record, { id: 'r0-2', ...more }]), delay, 0)?.rules ?? [])]

  it.each([
    ['an end without an answer', 'given-up', { delivered: 'aborted' }],
    ['an end without knowing', 'unaware', { delivered: 'aborted' }],
    ['an overlap', 'R17', { delivered: 'aborted' }],
  ] as const)('%s is in doubt where the client left an attempt', (_, rule, record) => {
    expect(doubted(rule, record)).toEqual([rule])
    expect(doubted(rule, record, 10)).toEqual([])
    expect(doubted(rule, { delivered: 'handed' })).toEqual([])
  })

  it('an end without knowing is in doubt where the machine was so late that a client behind a proxy had given up', () => {
    expect(doubted('unaware', { delivered: 'handed' }, 160)).toEqual([])
    expect(doubted('unaware', { delivered: 'handed' }, 170)).toEqual(['unaware'])
  })

  it.each(['R10', 'R11', 'given-up'])(
    '%s is in doubt where a client on a late machine ends as long after its last request as it must go on',
    rule => {
      const found = (silence: number, delay = 60) => [
        ...(findTimingDoubt(failed(rule), rigWith([{}]), delay, silence)?.rules ?? []),
      ]
      // One that ends at once has not tried again, however late the machine is.
      expect(found(239_000, 5_000)).toEqual([])
      expect(found(240_000)).toEqual([rule])
      expect(found(240_000, 50)).toEqual([])
    },
  )

  it.each(['R05', 'R06', 'R14', 'R26'])(
    '%s is in doubt where the connection of the cited response carried no further request',
    rule => {
      expect(doubted(rule, { position: 1 })).toEqual([rule])
      expect(doubted(rule, { position: 1 }, 10)).toEqual([])
      expect(doubted(rule, { position: 1 }, 80, { position: 2 })).toEqual([])
      // A library may have read it when its client had given it up already: after 5 s of the clock, which are 167 ms.
      expect(doubted(rule, { position: 1 }, 160, { position: 2 })).toEqual([])
      expect(doubted(rule, { position: 1 }, 170, { position: 2 })).toEqual([rule])
      // An earlier request was carried by it, such as one that read the synchronization.
      expect(doubted(rule, { position: 2 }, 80, { connection: 2 })).toEqual([rule])
    },
  )

  it('a pause that seems too short is in doubt, since the end of the answer before it may have been noticed late', () => {
    expect(doubted('R18', { delivered: 'handed' })).toEqual(['R18'])
    expect(doubted('R18', { delivered: 'handed' }, 10)).toEqual([])
  })

  it('pauses that the client asked for are certain, and a long silence of it is as late as a machine', () => {
    const found = (rule: string, delay: number, longestSilence: number) => {
      const rig = rigWith([{ position: 1 }, { id: 'r0-2', position: 2 }])
      return [...(findTimingDoubt(failed(rule), rig, delay, 0, { speed: 60, longestSilence })?.rules ?? [])]
    }
    expect(found('R18', 80, 0)).toEqual([])
    expect(found('R06', 0, 80)).toEqual([])
    // After 5 s of the clock, which are 83 ms.
    expect(found('R06', 0, 84)).toEqual(['R06'])
  })

  it('what has nothing to do with time is certain', () => {
    for (const rule of ['R02', 'R06', 'R07', 'R15', 'R16', 'sent-too-often'])
      expect(doubted(rule, { delivered: 'aborted' }, 80, { position: 2 })).toEqual([])
  })

  it('nothing is held against a client that only a late machine may have made fail, and the reason says so', () => {
    const rules = new Set(['given-up'])
    expect(withoutTiming(failed('given-up'), { delay: 80, rules, mayHideEqualPauses: false })).toMatchObject({
      status: 'inconclusive',
      findings: [],
      reason: 'this machine was up to 80 ms late, also when the case was played alone: timing decides here',
    })
    expect(
      withoutTiming(failed('given-up', 'R02'), { delay: 80, rules, mayHideEqualPauses: false }),
    ).toMatchObject({
      status: 'failed',
      findings: [{ rule: 'R02' }],
    })
  })
})
