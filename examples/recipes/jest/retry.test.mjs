import { afterAll, expect, test } from '@jest/globals'
import { createMock } from 'mailing-sync-mock'
import { matchers } from 'mailing-sync-mock/matchers'
import { sendMailing } from '../send-mailing.mjs'

expect.extend(matchers)
const mock = await createMock()
const { url } = await mock.listen()
afterAll(() => mock.close())

const newsletter = '22222222-0000-4000-8000-000000000001'

/** Waiting moves the space's clock, so nothing sleeps. */
function send({ user, password, clock }, limits = {}) {
  const wait = seconds => clock.advance(`${seconds}s`)
  return sendMailing({ url, user, password, wait, ...limits }, newsletter)
}

test('asks again while the sending is PENDING', async () => {
  const space = await mock.privateSpace({ scenario: 'pending-until-4m50' })
  expect(await send(space)).toBe('CREATED')
  await expect(space).toHaveFired()
  await expect(space).toHaveSentExactlyOnce(newsletter)
  await expect(space).toHaveNoFindings({ believes: 'sent' })
})

test('repeats when the response is lost after the send', async () => {
  const space = await mock.privateSpace({ scenario: 'reset-after' })
  expect(await send(space)).toBe('CREATED')
  expect(await space.requests({ operation: 'createSending' })).toHaveLength(2)
  await expect(space).toHaveSentExactlyOnce(newsletter)
})

test('repeats with the same ID when it times out, although the mailing was sent', async () => {
  const space = await mock.privateSpace({ scenario: 'hang-after' })
  expect(await send(space, { timeout: 300 })).toBe('CREATED')
  const [first, second] = await space.requests({ operation: 'createSending' })
  expect(second?.body).toEqual(first?.body)
  await expect(space).toHaveSentExactlyOnce(newsletter)
})

for (const [scenario, sent] of [
  ['indeterminate-sent', 1],
  ['indeterminate-not-sent', 0],
])
  test(`leaves an uncertain sending alone: ${scenario}`, async () => {
    const space = await mock.privateSpace({ scenario })
    expect(await send(space)).toBe('INDETERMINATE_FAILURE')
    expect(await space.requests({ operation: 'createSending' })).toHaveLength(1)
    await expect(space).toHaveSent(sent, newsletter)
  })
