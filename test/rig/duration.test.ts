import { expect, it } from 'vitest'
import { z } from 'zod'
import { duration } from '../../src/rig/duration.ts'

const sentence = (given: unknown) => duration.safeParse(given).error?.issues.map(({ message }) => message)

it.each([
  ['0s', 0],
  ['500ms', 500],
  ['30s', 30_000],
  ['1.5s', 1_500],
  ['5m', 300_000],
  ['4m50s', 290_000],
  ['1h', 3_600_000],
  ['1h30m', 5_400_000],
  ['2d', 172_800_000],
  ['1d2h3m4s5ms', 93_784_005],
  ['PT5M', 300_000],
  ['PT0.5S', 500],
  ['P1D', 86_400_000],
  ['P1DT12H', 129_600_000],
])('%s is %d milliseconds', (text, milliseconds) => {
  expect(duration.parse(text)).toBe(milliseconds)
})

it.each([
  '',
  ' ',
  '30',
  's',
  '30 s',
  '-30s',
  '1e3ms',
  '30s5m',
  '5M',
  '.5s',
  '5s\n',
  'P',
  'PT',
  'P1DT',
  'P1M',
  'P1Y',
  'pt5m',
  'soon',
  '9999999999s',
])('%j is no duration', text => {
  expect(sentence(text)).toEqual([
    `expected a duration such as 500ms, 30s, 5m, 1h30m, 2d or PT5M, got ${JSON.stringify(text)}`,
  ])
})

it('a number without a unit is refused with the reason', () => {
  expect(sentence(30)).toEqual([
    'expected a duration with its unit, since a number alone may be seconds or milliseconds, such as 500ms, 30s, 5m, 1h30m, 2d or PT5M, got 30',
  ])
})

it.each([null, true, {}, []])('%j is no duration either', given => {
  expect(sentence(given)?.[0]).toMatch(/^expected a duration such as .*, got /)
})

it('more than a hundred years is refused', () => {
  expect(duration.parse('36500d')).toBe(36_500 * 86_400_000)
  expect(sentence('36501d')).toEqual(['expected a duration of at most 36500d'])
})

it('an editor gets the form and the default as text', () => {
  const schema = z.toJSONSchema(z.strictObject({ pause: duration.prefault('300ms') }), { io: 'input' })
  expect(schema.properties?.pause).toMatchObject({
    type: 'string',
    default: '300ms',
    pattern: expect.stringContaining('ms'),
  })
})
