import { expect, it } from 'vitest'
import { MemoryBudget, MemoryFullError, type Reclaimable, weigh } from '../../src/store/memory-budget.ts'

/** A journal that gives back half of what it has. */
function journal(budget: MemoryBudget, bytes: number): Reclaimable & { bytes: number } {
  const share = budget.share('journals')
  const source = {
    get bytes() {
      return share.bytes
    },
    get reclaimableBytes() {
      return share.bytes
    },
    reclaim: () => share.set(share.bytes / 2),
  }
  budget.addSource(source)
  share.add(bytes)
  return source
}

it('above the limit the largest journals give back first, and the others nothing', () => {
  const budget = new MemoryBudget(1_000)
  const [small, large] = [journal(budget, 100), journal(budget, 800)]
  budget.add('rows', 150)
  expect([small.bytes, large.bytes, budget.use().madeRoom]).toEqual([100, 400, 1])
})

it('journals and caches are room for demands, everything else is not', () => {
  const budget = new MemoryBudget(1_600)
  journal(budget, 1_000)
  expect(budget.hasRoom(1_400)).toBe(true)
  budget.add('rows', 500)
  expect([budget.hasRoom(1_000), budget.hasRoom(1_001)]).toEqual([true, false])
  expect(() => budget.demand(1_001)).toThrow(MemoryFullError)
  expect(budget.use().isFull).toBe(false)
})

it('a share gives back all that it has when it is closed, and counts nothing after that', () => {
  const budget = new MemoryBudget(1_000)
  const share = budget.share('spaces')
  share.add(600)
  share.add(-100)
  expect(budget.use().kinds.spaces).toBe(500)
  share.close()
  share.add(300)
  expect([budget.use().used, share.bytes]).toEqual([0, 0])
})

it('a limit that everything together reaches is said once, with what takes most', () => {
  const said: string[] = []
  const budget = new MemoryBudget(10 << 20, sentence => said.push(sentence))
  for (let n = 0; n < 30; n++) budget.add('rows', 1 << 20)
  expect(said).toEqual([
    'The memory of this mock is used up: 10 MiB (--memory-limit), of which rows take 11 MiB',
  ])
})

it('the search for the largest journal is not made when journals have next to nothing', () => {
  const budget = new MemoryBudget(32_000)
  let searches = 0
  budget.addSource({
    get reclaimableBytes() {
      searches++
      return 10
    },
    reclaim() {
      searches++
    },
  })
  budget.add('journals', 10)
  for (let n = 0; n < 100; n++) budget.add('rows', 1_000)
  expect(searches).toBe(0)
})

it('texts weigh their length, whatever holds them', () => {
  const text = 'x'.repeat(1_000)
  expect(weigh({ a: [text, { b: text }], c: null, d: 1 })).toBeGreaterThan(2_000)
  expect(weigh({ a: [text, { b: text }], c: null, d: 1 })).toBeLessThan(2_200)
})
