import { expect, test } from 'vitest'
import { verifyResult } from '../../src/contract/verify/verify-result.ts'
import { undisturbed } from '../pull/pulling.ts'
import { inEach, lying } from './lies.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'

const notHolding = (result: Awaited<ReturnType<typeof verified>>) =>
  result.clauses
    .filter(it => ['differs', 'otherwise', 'not run'].includes(it.status))
    .map(({ clause, status, expected, seen, reason }) => ({ clause, status, expected, seen, reason }))

const withoutLimit = ['S 429', 'S rate limit', 'S rate limit headers']

/** What cannot be seen on the mock. Another clause here has a check that finds nothing to look at. */
test.each([
  ['customers', ['customers', 'lists', 'accessibleLists', 'mailings', 'synchronizations']],
  ['mailings', ['mailings', 'synchronizations']],
  ['synchronizations', ['synchronizations']],
])('a space without %s is faithful', async (_, without) => {
  const below = ['mailingUploads', 'sendings', 'platformMailings', 'platformSendings']
  const rows = Object.fromEntries([...without, ...below].map(name => [name, []]))
  const { fetch } = await mockTarget({ fixture: it => ({ ...undisturbed(it), ...rows }) })
  const result = await verified(fetch, { allowWrites: true })
  expect(result.incomplete).toBe(null)
  expect(notHolding(result)).toEqual([])
})

test('a synchronization that notes an upload some seconds after it is faithful', async () => {
  const { fetch } = await mockTarget()
  const later = inEach('synchronization', it => {
    const date = it.mailingUploadsModificationDate
    if (date) it.mailingUploadsModificationDate = new Date(Date.parse(date) + 5_000).toISOString()
  })
  expect(notHolding(await verified(lying(fetch, later)))).toEqual([])
})

test.each([
  ['read only', {}, withoutLimit],
  [
    'with writes',
    { allowWrites: true },
    ['4.1 empty body', ...withoutLimit, 'S test sending testMailGroupId'],
  ],
  ['with writes and a list to send to', { allowWrites: true, sendTo }, withoutLimit],
])('the mock is faithful, %s', async (_, options, unseen) => {
  const { fetch } = await mockTarget()
  const result = await verified(fetch, options)
  expect(result.incomplete).toBe(null)
  expect(notHolding(result)).toEqual([])
  expect(result.verdict).toBe('faithful')
  const untestable = result.clauses.filter(it => it.status === 'not testable').map(it => it.clause)
  expect(untestable.sort()).toEqual([...unseen].sort())
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
