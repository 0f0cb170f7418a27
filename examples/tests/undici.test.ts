import { createMock } from 'mailing-sync-mock'
import { fetch, request } from 'undici'
import { afterAll, describe, expect, it } from 'vitest'
import { mockDispatcher } from './mock-dispatcher.js'
import { sendMailing } from './send-mailing.js'

const mock = await createMock()
afterAll(() => mock.close())

const origin = 'https://mailing.example'
const dispatcher = mockDispatcher(mock, origin)
const newsletter = '22222222-0000-4000-8000-000000000001'

describe('with a dispatcher, undici meets the mock at the address of the real service', () => {
  it('through its fetch', async () => {
    const space = await mock.privateSpace({ scenario: 'reset-after' })
    const { user, password, clock } = space
    const wait = (milliseconds: number) => clock.advance(`${milliseconds}ms`)
    const dispatched = ((url, init) =>
      fetch(url as string, { ...(init as object), dispatcher })) as typeof globalThis.fetch
    expect(await sendMailing({ url: origin, user, password, wait, fetch: dispatched }, newsletter)).toBe(
      'CREATED',
    )
    expect(await space.requests()).toHaveLength(2)
    expect(await space.sent()).toHaveLength(1)
  })

  it('through its request', async () => {
    const space = await mock.privateSpace()
    const headers = { authorization: space.authorization }
    const { statusCode, body } = await request(`${origin}/mailings`, {
      dispatcher,
      headers,
      query: { pageSize: 2 },
    })
    expect(statusCode).toBe(200)
    expect(await body.json()).toHaveProperty('_embedded')
    await space.faults.arm({ on: 'listMailings', answer: { fault: 'reset' } })
    await expect(request(`${origin}/mailings`, { dispatcher, headers })).rejects.toMatchObject({
      code: 'ECONNRESET',
    })
    await space.faults.arm({ on: 'listMailings', answer: { fault: 'hang' } })
    const left = request(`${origin}/mailings`, { dispatcher, headers, signal: AbortSignal.timeout(50) })
    await expect(left).rejects.toThrow()
    expect(await space.waitForRequests({ delivered: 'aborted' })).toMatchObject({ met: true })
  })
})
