import { test } from 'mailing-sync-mock/vitest'
import { expect } from 'vitest'
import { sendMailing } from './send-mailing.js'

test('repeats with the same ID as long as the sending is PENDING', async ({ service, space }) => {
  await space.arm('pending-then-created')
  const { user, password, clock } = space
  const wait = (milliseconds: number) => clock.advance(`${milliseconds}ms`)
  await sendMailing({ url: service.url, user, password, wait }, '22222222-0000-4000-8000-000000000001')
  await expect(space).toHaveSentExactlyOnce('22222222-0000-4000-8000-000000000001')
})
