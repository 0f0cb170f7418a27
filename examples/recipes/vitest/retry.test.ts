import { type Service, type SpaceControl, test } from 'mailing-sync-mock/vitest'
import { expect } from 'vitest'
import { sendMailing } from '../send-mailing.mjs'

const newsletter = '22222222-0000-4000-8000-000000000001'

/** Waiting moves the space's clock, so nothing sleeps. A client's timeout passes in real time, so a test makes it short. */
function send({ url }: Service, { user, password, clock }: SpaceControl, limits: { timeout?: number } = {}) {
  const wait = (seconds: number) => clock.advance(`${seconds}s`)
  return sendMailing({ url, user, password, wait, ...limits }, newsletter)
}

test('asks again while the sending is PENDING', async ({ service, space }) => {
  await space.arm('pending-until-4m50')
  expect(await send(service, space)).toBe('CREATED')
  await expect(space).toHaveFired()
  await expect(space).toHaveSentExactlyOnce(newsletter)
  await expect(space).toHaveNoFindings({ believes: 'sent' })
})

test('repeats with the same ID when it times out in the middle, although the mailing was sent', async ({
  service,
  space,
}) => {
  await space.faults.arm({
    on: 'createSending',
    steps: [{ state: 'PENDING' }, { state: 'CREATED', phase: 'after', answer: { fault: 'hang' } }],
  })
  expect(await send(service, space, { timeout: 300 })).toBe('CREATED')
  await expect(space).toHaveFired()
  const [first, ...others] = await space.requests({ operation: 'createSending' })
  expect(others.map(it => it.body)).toEqual([first?.body, first?.body])
  await expect(space).toHaveSentExactlyOnce(newsletter)
})

test('repeats when the response is lost after the send', async ({ service, space }) => {
  await space.arm('reset-after')
  expect(await send(service, space)).toBe('CREATED')
  expect(await space.requests({ operation: 'createSending' })).toHaveLength(2)
  await expect(space).toHaveSentExactlyOnce(newsletter)
})

test.for([
  ['indeterminate-sent', 1],
  ['indeterminate-not-sent', 0],
] as const)('leaves an uncertain sending alone: %s', async ([scenario, sent], { service, space }) => {
  await space.arm(scenario)
  expect(await send(service, space)).toBe('INDETERMINATE_FAILURE')
  expect(await space.requests({ operation: 'createSending' })).toHaveLength(1)
  await expect(space).toHaveSent(sent, newsletter)
})
