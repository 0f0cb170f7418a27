import { expect, test } from 'vitest'
import { verifyResult } from '../../src/contract/verify/verify-result.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'

const notHolding = (result: Awaited<ReturnType<typeof verified>>) =>
  result.clauses
    .filter(it => ['differs', 'otherwise', 'not run'].includes(it.status))
    .map(({ clause, status, expected, seen, reason }) => ({ clause, status, expected, seen, reason }))

test.each([
  ['read only', {}],
  ['with writes', { allowWrites: true }],
  ['with writes and a list to send to', { allowWrites: true, sendTo }],
])('the mock is faithful, %s', async (_, options) => {
  const { fetch } = await mockTarget()
  const result = await verified(fetch, options)
  expect(result.incomplete).toBe(null)
  expect(notHolding(result)).toEqual([])
  expect(result.verdict).toBe('faithful')
  expect(result.config).toEqual({ dial: {} })
  expect(verifyResult.parse(result)).toEqual(result)
  if (process.env.SHOW)
    console.log(
      result.requests,
      result.counts,
      result.clauses.filter(it => it.status === 'not testable').map(it => [it.clause, it.reason]),
      result.created,
      result.unseenDials,
    )
})
