import { randomUUID } from 'node:crypto'
import pRetry from 'p-retry'

/**
 * p-retry around the whole function, as its README shows it. The transaction ID is made inside, so that every attempt
 * has another one, after a timeout as well as while PENDING; whatever else is wrong is tried again too.
 * @type {import('../client.d.ts').Send}
 */
export async function send({ fetch, url, user, password, synchronizationId, scheduleDate }) {
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  async function attempt() {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ transactionId: randomUUID(), scheduleDate }),
      signal: AbortSignal.timeout(30_000),
    })
    const { state } = /** @type {{ state?: string }} */ (await response.json())
    if (state !== 'CREATED') throw new Error(`the state is ${state}`)
  }
  try {
    await pRetry(attempt, { retries: 5 })
    return 'sent'
  } catch {
    return 'not-sent'
  }
}
