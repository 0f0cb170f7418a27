import { expect, it } from 'vitest'
import { makeRoomFor } from '../../src/store/maps.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'

const names = (count: number) => Array.from({ length: count }, (_, at) => `t-${at}`)
const scenarios = () => new MemoryBudget().share('scenarios')

it('makes no room before it is needed', () => {
  const kept = new Set(names(31))
  makeRoomFor('t-31', kept, 32, scenarios())
  expect([...kept]).toEqual(names(31))
})

it('takes out those that came first, a part of them at once', () => {
  const kept = new Map(names(32).map(name => [name, true]))
  makeRoomFor('t-32', kept, 32, scenarios())
  expect([...kept.keys()]).toEqual(names(32).slice(2))
})

it('never lets it become larger, however many come, and counts what is there', () => {
  const kept = new Set<string>()
  const account = scenarios()
  let largest = 0
  for (const name of names(500)) {
    makeRoomFor(name, kept, 20, account)
    kept.add(name)
    largest = Math.max(largest, account.bytes)
    expect(kept.size).toBeLessThanOrEqual(20)
  }
  expect([...kept].at(-1)).toBe('t-499')
  expect(account.bytes).toBe([...kept].reduce((sum, { length }) => sum + 200 + length, 0))
  expect(largest).toBeLessThan(20 * 210)
})
