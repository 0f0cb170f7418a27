import { createMock } from 'mailing-sync-mock'
import { expect, it } from 'vitest'
import { sendMailing } from './send-mailing.js'

const newsletter = '22222222-0000-4000-8000-000000000001'

it('sends once, though the response is lost and the platform takes its time', async () => {
  await using mock = await createMock({ now: '2026-03-01T09:30:00Z', frozen: true })
  const space = mock.space('demo')
  await space.arm({
    rules: [
      {
        on: 'createSending',
        steps: [
          { phase: 'after', state: 'PENDING', answer: { fault: 'reset' } },
          { state: 'PENDING', for: '30s' },
          { state: 'CREATED' },
        ],
      },
    ],
  })
  const { user, password, clock } = space
  const wait = (milliseconds: number) => clock.advance(`${milliseconds}ms`)
  await sendMailing({ url: 'https://mailing.example', user, password, wait, fetch: mock.fetch }, newsletter)

  expect(await space.sent()).toMatchObject([{ synchronizationId: newsletter, status: 'sent' }])
  const requests = await space.requests({ operation: 'createSending' })
  expect(new Set(requests.map(it => it.transactionId)).size).toBe(1)
  expect((await space.verdict({ believes: 'sent' })).findings).toEqual([])
})
