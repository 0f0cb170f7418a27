import { expect, test } from 'vitest'
import type { ExamCase } from '../../../src/judge/exam/cases.ts'
import { allCases } from '../../../src/judge/exam/cases.ts'
import { defaultLimit } from '../../../src/judge/exam/run-exam.ts'
import { assembleMock } from '../../../src/lib/assemble-mock.ts'

const mock = await assembleMock({ logLevel: 'silent' }, false)
const cases = await allCases({
  scenarios: mock.scenarios,
  content: mock.spaces.directory.contentOf(mock.spaces.directory.names()[0]!)!,
})
await mock.close()
const limitOf = (name: string, speed: number) =>
  defaultLimit(cases.find((it): it is ExamCase => it.name === name)!, speed)

const minute = 60_000

test.each([1, 5, 25, 60, 600])(
  'every client has more than the fifteen minutes of spec 8 in failed-for-ever at speed %i',
  speed => {
    expect(limitOf('failed-for-ever', speed) * speed).toBeGreaterThanOrEqual(25 * minute)
  },
)

test('speed does not shorten the minute that a client has for an ordinary case', () => {
  expect([1, 25, 600].map(speed => limitOf('error-500-after', speed))).toEqual([minute, minute, minute])
})

test('speed shortens a slow case to no less than a minute of real time', () => {
  expect([1, 5, 600].map(speed => limitOf('pending-for-ever', speed))).toEqual([
    25 * minute,
    5 * minute,
    minute,
  ])
})
