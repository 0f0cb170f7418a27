import { createMock } from 'mailing-sync-mock'
import { afterEach, expect, it, vi } from 'vitest'
import { sendMailing } from './send-mailing.js'

afterEach(() => {
  vi.useRealTimers()
})

const newsletter = '22222222-0000-4000-8000-000000000001'

/** Lets time pass in steps of a second: in each of them requests that are under way get on. */
async function pass(minutes: number): Promise<void> {
  for (let second = 0; second < 60 * minutes; second++) await vi.advanceTimersByTimeAsync(1_000)
}

it("moves the mock's clock by fake timers, and with it the waiting client", async () => {
  vi.useFakeTimers({ now: new Date('2026-03-01T09:30:00Z') })
  await using mock = await createMock()
  const space = await mock.privateSpace({ scenario: 'pending-until-4m50' })
  const { user, password } = space
  const sending = sendMailing(
    { url: 'https://mailing.example', user, password, fetch: mock.fetch },
    newsletter,
  )
  await pass(4)
  expect(await space.sent()).toHaveLength(0)
  await pass(2)
  expect(await sending).toBe('CREATED')
  expect(await space.sent()).toHaveLength(1)
  expect((await space.clock.now()).toISOString()).toBe('2026-03-01T09:36:00.000Z')
})
