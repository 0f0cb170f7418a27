import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createMock, FixtureError } from '../../src/index.ts'
import { defaultFixture } from '../../src/store/fixtures.ts'
import type { Fixture } from '../../src/store/rows.ts'

const base = JSON.parse(readFileSync(defaultFixture, 'utf8')) as Fixture

describe('a fixture with settings', () => {
  it.each([
    [
      'a scenario that there is not',
      { name: 'scenario', value: 'no-such' },
      /settings\[0\]: there is no scenario "no-such"/,
    ],
    ['a definition that is none', { name: 'scenario', value: { rules: 5 } }, /settings\[0\]: .*rules/],
    [
      'a scenario that is a number',
      { name: 'scenario', value: 5 },
      /expected the name of a scenario, its definition, or null/,
    ],
    ['a clock that runs back', { name: 'clock', value: { rate: -5 } }, /settings\[0\]: clock\.rate: /],
    ['a clock beyond all dates', { name: 'clock', value: { space: 1e300 } }, /settings\[0\]: clock\.space: /],
    ['dials that are none', { name: 'dials', value: 5 }, /dials: expected an object/],
    ['a dial that there is not', { name: 'dials', value: { nope: 'x' } }, /nope/],
    [
      'a setting that there is not',
      { name: '__proto__', value: 1 },
      /is no setting; possible: clock, scenario, dials/,
    ],
  ])('a fixture with settings is refused for %s', async (_, row, sentence) => {
    const opening = createMock({ fixtures: { ...base, settings: [row] } as Fixture })
    await expect(opening).rejects.toThrow(FixtureError)
    await expect(opening).rejects.toThrow(sentence)
  })

  it('a fixture with settings is taken when it can be so, and holds', async () => {
    const clock = { space: Date.parse('2030-01-01T00:00:00Z'), rate: 0 }
    const settings = [
      { name: 'clock', value: clock },
      { name: 'scenario', value: 'failed-once' },
      { name: 'dials', value: { 'error-body': 'minimal' } },
    ]
    const mock = await createMock({ fixtures: { ...base, settings } as Fixture })
    const seen = await mock.fetch('http://mock/_mock/spaces/demo/clock')
    expect(await seen.json()).toMatchObject({ now: '2030-01-01T00:00:00.000Z', frozen: true })
    const armed = await mock.fetch('http://mock/_mock/spaces/demo/scenario')
    expect(await armed.json()).toMatchObject({ scenario: { name: 'failed-once' } })
    await mock.close()
  })
})

it('a fixture of very many broken rows is refused after a few of them', async () => {
  const mailings = Array.from({ length: 100_000 }, () => 1)
  const opening = createMock({ fixtures: { ...base, mailings } as unknown as Fixture })
  await expect(opening).rejects.toThrow(/mailings\[0\]: .*; and 15 more$/s)
})
