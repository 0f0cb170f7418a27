import { request } from 'node:http'
import { expect, it } from 'vitest'
import type { ClientFunction } from '../../../src/judge/exam/client.ts'
import { runExam } from '../../../src/lib/run-exam.ts'

/** Takes another transaction ID after the first PENDING, almost at once, and a connection for each request. */
const hasty: ClientFunction = async ({ url, user, password, synchronizationId }) => {
  const path = `${url}/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const options = {
    method: 'POST',
    agent: false as const,
    auth: `${user}:${password}`,
    headers: { 'content-type': 'application/hal+json' },
  }
  for (let attempt = 1; ; attempt++) {
    const state = await new Promise<string>((resolve, reject) => {
      const sent = request(path, options, async response => {
        const body = Buffer.concat(await response.toArray()).toString()
        resolve(JSON.parse(body).state)
      })
      sent.once('error', reject).end(JSON.stringify({ transactionId: attempt === 1 ? 'one' : 'two' }))
    })
    if (state === 'CREATED') return 'sent'
    await new Promise(resolve => setTimeout(resolve, 2 ** attempt))
  }
}

it('a client that came back too soon to have read PENDING is not acquitted', async () => {
  const options = { client: hasty, speed: 60, only: ['pending-then-created'], plans: ['told-pending'] }
  const { cases, exploration, causes, isPassed } = await runExam(options)
  expect(isPassed).toBe(false)
  // On a late machine it came so late that it is proved.
  const proved = causes.map(({ rule }) => rule)
  const [one] = cases
  if (one?.status === 'inconclusive')
    expect(one.reason).toMatch(/ so R03 cannot be proved\. .* Or give a lower --speed\.$/)
  else if (one) expect(proved).toContain('R03')
  if (exploration?.inconclusive)
    expect(exploration.unproved).toMatch(/^told-pending: .* so R03 cannot be proved/)
  else expect(proved).toContain('R03')
})
