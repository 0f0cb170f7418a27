import { test } from 'mailing-sync-mock/vitest'
import { describe, expect } from 'vitest'

const ready = '22222222-0000-4000-8000-000000000001'

for (const name of ['one', 'two'])
  test(`a space of its own for test ${name}`, async ({ service, space }) => {
    const response = await service.fetch(
      `${service.url}/integrations/mailing-platform/mailing-synchronizations/${ready}/sendings`,
      {
        method: 'POST',
        headers: { authorization: space.authorization, 'content-type': 'application/json' },
        body: '{"transactionId":"the-same"}',
      },
    )
    expect(response.status).toBe(201)
    await expect(space).toHaveSentExactlyOnce(ready)
    await expect(expect(space).toHaveSent(2)).rejects.toThrow(/it was sent exactly once/)
  })

describe('a group with settings of its own', () => {
  // What vitest 3 calls scoped has another name in vitest 4, where that one is deprecated.
  const grouped = test as typeof test & { override?: typeof test.scoped }
  if (grouped.override) grouped.override({ verdict: 'ignored' })
  else grouped.scoped({ verdict: 'ignored' })
  test('that its tests see', ({ verdict }) => {
    expect(verdict).toBe('ignored')
  })
})
