import { describe, expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import {
  checkFixture,
  defaultFixture,
  endFixtureBefore,
  latestDateOf,
  readFixtures,
} from '../../src/store/fixtures.ts'
import type { Fixture } from '../../src/store/rows.ts'
import { basic, jsonOf } from '../mock.ts'

describe('the start of the clock', () => {
  it('nothing of the packaged fixture has happened after the start, and the order of things stays', async () => {
    const [fixture] = await readFixtures(defaultFixture)
    const start = Date.parse('2026-03-01T09:30:00Z')
    const moved = endFixtureBefore(fixture!, start)
    expect(latestDateOf(fixture!)).toBeGreaterThan(start)
    expect(latestDateOf(moved)).toBeLessThanOrEqual(start)
    expect(latestDateOf(moved)).toBeGreaterThan(start - 86_400_000)
    const order = ({ mailings }: Fixture) =>
      mailings.toSorted((a, b) => (a.modificationDate < b.modificationDate ? -1 : 1)).map(({ id }) => id)
    expect(order(moved)).toEqual(order(fixture!))
    const planned = (of: Fixture) => of.sendings.map(it => it.scheduleDate).filter(date => date !== null)
    expect(planned(moved).length).toBe(planned(fixture!).length)
    expect(planned(moved).every((date, at) => date < planned(fixture!)[at]!)).toBe(true)
    expect(await checkFixture(moved, 'the moved fixture')).toBeDefined()
  })

  it('a clock that starts after it leaves the packaged fixture as it is', async () => {
    const [fixture] = await readFixtures(defaultFixture)
    expect(endFixtureBefore(fixture!, Date.parse('2026-11-01T10:00:00Z'))).toBe(fixture)
  })

  it('a mailing that is made at an earlier start is the first of the list', async () => {
    await using mock = await createMock({ now: '2026-03-01T09:30:00Z', frozen: true })
    const ask = (path: string, init: RequestInit = {}) =>
      mock.fetch(`http://localhost${path}`, {
        ...init,
        headers: { Authorization: basic('demo'), 'Content-Type': 'application/json' },
      })
    await ask('/integrations/mailing-platform/mailing-synchronizations', {
      method: 'POST',
      body: JSON.stringify({ customer: 'harbour-group', listId: 1001, mailingName: 'The newest' }),
    })
    const { _embedded } = await jsonOf(await ask('/mailings?pageSize=1'))
    expect(_embedded['svc:mailings'][0].name).toBe('The newest')
  })
})
