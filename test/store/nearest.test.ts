import { expect, test } from 'vitest'
import { findNearest } from '../../src/store/validation-messages.ts'

test.each([
  ['nam', ['name', 'rules'], 'name'],
  ['fase', ['phase', 'per'], 'phase'],
  ['no', ['on', 'when'], 'on'],
  ['pre', ['per', 'on'], 'per'],
  ['failed', ['pending-for-ever', 'failed-three-times-more'], 'failed-three-times-more'],
  ['EROR-BODY', ['error-body', 'unknown-id'], 'error-body'],
])('%s is taken for a slip of one of %j: %s', (given, names, meant) => {
  expect(findNearest(given, names)).toBe(meant)
})

test.each([
  ['foo', ['on', 'per', 'when']],
  ['x', ['on', 'per']],
  ['abc', ['any', 'on']],
  ['a'.repeat(101), ['a'.repeat(100)]],
])('%s is no slip of any of %j', (given, names) => {
  expect(findNearest(given, names)).toBeUndefined()
})
