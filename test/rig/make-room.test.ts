import { expect, it } from 'vitest'
import { evictOldest } from '../../src/rig/evict-oldest.ts'

const names = (count: number) => Array.from({ length: count }, (_, at) => `t-${at}`)

it('makes no room before it is needed', () => {
  const kept = new Set(names(31))
  evictOldest(kept, 32)
  expect([...kept]).toEqual(names(31))
})

it('takes out those that came first, a part of them at once', () => {
  const kept = new Map(names(32).map(name => [name, true]))
  evictOldest(kept, 32)
  expect([...kept.keys()]).toEqual(names(32).slice(2))
})

it('never lets it become larger, however many come', () => {
  const kept = new Set<string>()
  for (const name of names(500)) {
    evictOldest(kept, 20)
    kept.add(name)
    expect(kept.size).toBeLessThanOrEqual(20)
  }
  expect([...kept].at(-1)).toBe('t-499')
})
