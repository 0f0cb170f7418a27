import { describe, expect, it, test } from 'vitest'
import { onCreate } from '../rig/stage.ts'
import { onSocket, sent, type Trial, trial, unknown } from './stage.ts'

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
