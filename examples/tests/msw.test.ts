import { createMock } from 'mailing-sync-mock'
import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { sendMailing } from './send-mailing.js'

const mock = await createMock()
// A connection that breaks is an error of the network; what a handler throws would become a response with status 500.
const server = setupServer(
  http.all('https://mailing.example/*', ({ request }) =>
    mock.fetch(request).catch(() => HttpResponse.error()),
  ),
)
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterAll(async () => {
  server.close()
  await mock.close()
})

const newsletter = '22222222-0000-4000-8000-000000000001'

it('repeats when the response is lost, at the address of the real service', async () => {
  const space = await mock.privateSpace({ scenario: 'reset-after' })
  const { user, password, clock } = space
  const wait = (milliseconds: number) => clock.advance(`${milliseconds}ms`)
  await sendMailing({ url: 'https://mailing.example', user, password, wait }, newsletter)
  expect(await space.requests()).toHaveLength(2)
  expect(await space.sent()).toHaveLength(1)
})
