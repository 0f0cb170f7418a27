import { describe, expect, it, test } from 'vitest'
import type { Attempt } from '../../src/judge/attempt.ts'
import { judge } from '../../src/judge/verdict.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, onSocket, over, sent, type Trial, trial, unknown } from './stage.ts'

const second = 1_000
const one = { transactionId: 'one' }
const created = { state: 'CREATED' }

/** Steps that keep a client waiting after the exchange should long be over. */
const waits = {
  'is held': { hold: 'first' },
  'is done late': { deliver: 'late', delay: '10m' },
  'is answered late': { delay: '10m' },
} as const

/** Attempts that it gives up one by one. @param pauses between leaving one and beginning the next */
async function givesUp(client: Trial, patience: number, pauses: readonly number[]): Promise<void> {
  for (const pause of [0, ...pauses]) {
    client.wait(pause)
    const { leave } = await client.ask(one)
    client.wait(patience)
    await leave()
  }
}

const doubling = [1, 2, 4, 8, 16, 32, 64].map(it => it * second)
const always = (pause: number) => Array.from({ length: 7 }, () => pause)

describe.each(Object.entries(waits))('while the first attempt %s, a client', (_, step) => {
  it('that has left it, and repeats it after a pause, does right', async () => {
    const client = await trial([onCreate([{ ...step, times: 1 }, created])])
    await givesUp(client, 30 * second, [])
    client.wait(second)
    await client.post(one)
    expect(await client.accused(sent)).toEqual([])
  })

  it('that has not left it, and asks again, lets two overlap', async () => {
    const client = await trial([onCreate([{ ...step, times: 1 }, created])])
    const { leave } = await client.ask(one)
    client.wait(30 * second)
    await client.post(one)
    client.wait(second)
    await leave()
    expect(await client.accused(sent)).toEqual(['R17 guilty'])
  })

  it('that has left it, and goes on with another transactionId, is told by R02', async () => {
    const client = await trial([onCreate([step], { when: { transactionId: 'one' } })])
    await givesUp(client, 30 * second, [])
    client.wait(second)
    await client.post({ transactionId: 'two' })
    expect(await client.accused(unknown)).toEqual(['R02 guilty'])
  })
})

describe.each(Object.entries(waits))('where every attempt %s, a client', (_, step) => {
  test.each([
    ['whose pauses grow after it has left does right', 30 * second, doubling, []],
    ['that asks again as soon as it has left is in a hot loop', 200, always(0), ['R15 guilty']],
    ['that is patient, and then asks again at once, has no backoff', 30 * second, always(0), ['R16 guilty']],
    [
      'that always pauses five seconds after it has left has no backoff',
      30 * second,
      always(5 * second),
      ['R16 guilty'],
    ],
  ] as const)('%s', async (_, patience, pauses, found) => {
    const client = await trial([onCreate([step])])
    await givesUp(client, patience, pauses)
    expect(await client.accused(unknown)).toEqual(found)
  })
})

describe('on a real connection, a client whose request is held', () => {
  it.each([
    ['that has left it, and repeats it, does right', true, []],
    ['that has not left it, and asks again, lets two overlap', false, ['R17 guilty']],
  ])('on a real connection, a client whose request is held: %s', async (_, leaves, found) => {
    const client = await trial([onCreate([{ hold: 'first', times: 1 }, created])])
    const { holds, journal } = client.mock.rig()
    const { post } = await onSocket(client.mock)
    const leaving = new AbortController()
    const first = post(one, { signal: leaving.signal })
    while (holds.counts().size === 0) await new Promise(setImmediate)
    if (leaves) leaving.abort()
    while (leaves && journal.entries()[0]!.left === undefined) await new Promise(setImmediate)
    client.wait(second)
    await post(one)
    expect(await client.accused(sent)).toEqual(found)
    await holds.release('first')
    await first
  })
})

describe('that a client has left is noticed after its next request', () => {
  /**
   * Attempts over connections of their own. The client has left each after 300 ms, which is noticed so many milliseconds
   * after the next one has come.
   */
  async function noticed(late: number, ids: readonly string[], patience = 300) {
    const client = await trial([onCreate([{ phase: 'after', answer: { fault: 'reset' }, times: 1 }])])
    for (const transactionId of ids) await client.post({ transactionId })
    const connections = ids.map((_, at) => at + 1)
    const evidence = over(await client.evidence(), { took: patience + late, connections, pause: -late })
    const attempts = evidence.attempts.map((it): Attempt => ({ ...it, delivered: 'aborted' }))
    return { ...evidence, attempts }
  }

  test.each([
    ['a moment after', 1, ['a', 'b'], ['R02 open'], ['R02 guilty']],
    ['long after, by a busy machine', 200, ['a', 'b'], ['R02 open'], ['R02 open']],
    ['so long after that it was running', 2 * second, ['a', 'b'], [], []],
    ['a moment after, and it goes on with the first one', 1, ['a', 'b', 'a'], [], ['R02 guilty']],
  ] as const)('%s', async (_, late, ids, inferred, declared) => {
    const evidence = await noticed(late, ids)
    const ofR02 = (accused: string[]) => accused.filter(it => it.startsWith('R02'))
    expect(ofR02(accusedIn(judge(evidence)))).toEqual(inferred)
    expect(judge(evidence).suspicion === null).toBe(inferred.length === 0)
    expect(ofR02(accusedIn(judge(evidence, unknown)))).toEqual(declared)
  })

  it('of two that were sent at once, and given up together, neither is the repeat of the other', async () => {
    const evidence = await noticed(295, ['a', 'b'], 5)
    expect(judge(evidence).suspicion).toBe(null)
  })

  it('a repeat with the same ID does not overlap it, and is a repeat without a pause', async () => {
    const evidence = await noticed(
      1,
      Array.from({ length: 8 }, () => 'a'),
    )
    expect(accusedIn(judge(evidence, unknown))).toEqual(['R15 guilty'])
  })
})

it('a client that may have given up on a response, and takes a new ID, is not acquitted', async () => {
  const client = await trial()
  for (const transactionId of ['a', 'b']) await client.post({ transactionId })
  const evidence = over(await client.evidence(), { took: 280, connections: [1, 2], pause: 0 })
  const verdict = judge(evidence)
  expect([verdict.outcome, accusedIn(verdict)]).toEqual(['open', ['R02 open']])
  expect(verdict.failure).not.toBe(null)
  expect(verdict.findings[0]!.sentence).toContain(
    'It is open, because the response to r0-1 may have come just as the client gave up.',
  )
})
