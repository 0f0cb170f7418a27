import { expect, test } from 'vitest'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { failures } from '../../src/contract/verify/verify-result.ts'
import { createMock } from '../../src/lib/create-mock.ts'
import { now } from '../mock.ts'
import { verified } from './mock-target.ts'

test.each([
  ['renamed', '11111111-0000-4000-8000-000000000003', 3, { name: 'Another name' }],
  ['edited', '11111111-0000-4000-8000-000000000001', 20, { subject: 'Another subject' }],
])('verify does not accuse a service in which a mailing is %s during the run', async (_, id, at, changes) => {
  await using mock = await createMock({ now, frozen: true })
  const { mailings } = mock.space('demo')
  let requests = 0
  const fetch: Fetch = async (url, init) => {
    if (++requests === at) await mailings.edit(id, changes)
    return mock.fetch(url, init)
  }
  const result = await verified(fetch)
  expect(result.incomplete).toBe(null)
  expect(failures(result).map(it => `${it.clause}: ${it.seen}`)).toEqual([])
})
