import { expect, it } from 'vitest'
import { mapParallel } from '../../src/store/parallel.ts'

const turn = () => new Promise(setImmediate)

it('mapParallel does so many at a time as asked, and gives results in the order of the items', async () => {
  let now = 0
  let most = 0
  const results = await mapParallel([5, 3, 1, 4], { maxParallel: 2 }, async item => {
    most = Math.max(most, ++now)
    for (let turns = 0; turns < item; turns++) await turn()
    now--
    return item * 10
  })
  expect([results, most]).toEqual([[50, 30, 10, 40], 2])
})

it('mapParallel starts nothing more once its signal aborts', async () => {
  const over = new AbortController()
  const results = await mapParallel([1, 2, 3], { maxParallel: 1, signal: over.signal }, async item => {
    if (item === 2) over.abort()
    return item
  })
  expect(results).toEqual([1, 2, undefined])
})

it('mapParallel starts nothing more after a failure, and throws the first one when what was started has ended', async () => {
  const events: string[] = []
  const work = mapParallel([1, 2, 3, 4], { maxParallel: 2 }, async item => {
    events.push(`begin ${item}`)
    if (item === 2) for (let turns = 0; turns < 5; turns++) await turn()
    events.push(`fail ${item}`)
    throw new Error(`no ${item}`)
  })
  await expect(work).rejects.toThrow('no 1')
  expect(events).toEqual(['begin 1', 'fail 1', 'begin 2', 'fail 2'])
})
