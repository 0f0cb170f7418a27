import { expect, test } from 'vitest'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import { createMock } from '../../src/lib/create-mock.ts'
import { now } from '../mock.ts'
import { verified } from './mock-target.ts'

type Mailings = ReturnType<Awaited<ReturnType<typeof createMock>>['space']>['mailings']

const edit = (changes: object) => (mailings: Mailings, id: string) => mailings.edit(id, changes)

test.each<[what: string, number: string, at: number, (mailings: Mailings, id: string) => Promise<unknown>]>([
  ['renamed', '03', 3, edit({ name: 'Another name' })],
  ['edited', '01', 20, edit({ subject: 'Another subject' })],
  ['edited before kinds of previews are compared', '05', 130, edit({ subject: 'Another subject' })],
  ['edited after it was approved', '01', 150, edit({ subject: 'Another subject' })],
  ['approved', '05', 160, (mailings, id) => mailings.approve(id)],
])(
  'verify does not accuse a service in which a mailing is %s during the run',
  async (_, number, at, change) => {
    await using mock = await createMock({ now, frozen: true })
    const { mailings } = mock.space('demo')
    let requests = 0
    const fetch: Fetch = async (url, init) => {
      if (++requests === at) await change(mailings, `11111111-0000-4000-8000-0000000000${number}`)
      return mock.fetch(url, init)
    }
    const result = await verified(fetch)
    expect(result.incomplete).toBe(null)
    expect([...failures(result), ...choices(result)].map(it => `${it.clause}: ${it.seen}`)).toEqual([])
  },
)
