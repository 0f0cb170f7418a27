import { expect, test } from 'vitest'
import { mailingId } from '../../src/contract/examples/fixture-ids.ts'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import { createMock } from '../../src/lib/create-mock.ts'
import { now } from '../mock.ts'
import { verified } from './mock-target.ts'

type Mailings = ReturnType<Awaited<ReturnType<typeof createMock>>['space']>['mailings']

const edit = (changes: object) => (mailings: Mailings, id: string) => mailings.edit(id, changes)

test.each<[what: string, nth: number, at: number, (mailings: Mailings, id: string) => Promise<unknown>]>([
  ['renamed', 3, 3, edit({ name: 'Another name' })],
  ['edited', 1, 20, edit({ subject: 'Another subject' })],
  ['edited before kinds of previews are compared', 5, 130, edit({ subject: 'Another subject' })],
  ['edited after it was approved', 1, 150, edit({ subject: 'Another subject' })],
  ['approved', 5, 160, (mailings, id) => mailings.approve(id)],
])('verify does not accuse a service in which a mailing is %s during the run', async (_, nth, at, change) => {
  await using mock = await createMock({ now, frozen: true })
  const { mailings } = mock.space('demo')
  let requests = 0
  const fetch: Fetch = async (url, init) => {
    if (++requests === at) await change(mailings, mailingId(nth))
    return mock.fetch(url, init)
  }
  const result = await verified(fetch)
  expect(result.incomplete).toBe(null)
  expect([...failures(result), ...choices(result)].map(it => `${it.clause}: ${it.seen}`)).toEqual([])
})
