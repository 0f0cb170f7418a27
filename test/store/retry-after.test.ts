import { expect, it } from 'vitest'
import { parseRetryAfter } from '../../src/store/retry-after.ts'

const until = Date.parse('2026-03-01T10:00:42Z')

it.each([
  ['whole seconds', '120', { seconds: 120 }],
  ['no seconds', '0', { seconds: 0 }],
  ['blanks around it', ' 5 ', { seconds: 5 }],
  ['a date as HTTP has it', 'Sun, 01 Mar 2026 10:00:42 GMT', { until }],
  ['a fraction', '1.5', undefined],
  ['a negative number', '-1', undefined],
  ['another form of date', '2026-03-01T10:00:42Z', undefined],
  ['a date that does not exist', 'Sun, 99 Mar 2026 10:00:42 GMT', undefined],
  ['words', 'soon', undefined],
  ['nothing', '', undefined],
  ['no header', undefined, undefined],
])('Retry-After is read strictly: %s', (_, text, delay) => {
  expect(parseRetryAfter(text)).toEqual(delay)
})
