import fc from 'fast-check'
import { expect, it } from 'vitest'
import { seededChance } from '../../src/rig/chance.ts'
import { ManualClock, realClock } from '../../src/rig/clock.ts'

it('chance follows from seed, space and purpose alone, in any order', () => {
  const a = seededChance(1, 'demo')
  const first = [a.uuid('sending', 1), a.uuid('sending', 2), a.fraction('x')]
  const b = seededChance(1, 'demo')
  expect([b.fraction('x'), b.uuid('sending', 2), b.uuid('sending', 1)].reverse()).toEqual(first)
  expect(seededChance(2, 'demo').uuid('sending', 1)).not.toBe(first[0])
  expect(seededChance(1, 'demo+x').uuid('sending', 1)).not.toBe(first[0])
  expect(a.secret('cursor')).not.toBe(a.secret('token'))
})

it('a UUID is well-formed, a fraction lies between 0 and 1, for any seed and purpose', () => {
  fc.assert(
    fc.property(fc.nat(), fc.string(), fc.string(), (seed, space, purpose) => {
      const chance = seededChance(seed, space)
      expect(chance.uuid(purpose)).toMatch(
        /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
      )
      expect(chance.fraction(purpose)).toBeGreaterThanOrEqual(0)
      expect(chance.fraction(purpose)).toBeLessThan(1)
    }),
  )
})

it('a manual clock stands still until it is moved; the real one is the time of the machine', () => {
  const clock = new ManualClock('2026-11-01T10:00:00Z')
  expect(clock.now()).toBe(Date.UTC(2026, 10, 1, 10))
  clock.advance(90_000)
  expect(new Date(clock.now()).toISOString()).toBe('2026-11-01T10:01:30.000Z')
  expect(Math.abs(realClock.now() - Date.now())).toBeLessThan(60_000)
})
