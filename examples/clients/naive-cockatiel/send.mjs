import { randomUUID } from 'node:crypto'
import { handleAll, retry } from 'cockatiel'

/**
 * cockatiel with a number of attempts and no backoff, which it does not ask for: all of them leave at once.
 * @type {import('../client.d.ts').Send}
 */
export async function send({ fetch, url, user, password, synchronizationId, scheduleDate }) {
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const body = JSON.stringify({ transactionId: randomUUID(), scheduleDate })
  try {
    await retry(handleAll, { maxAttempts: 10 }).execute(async () => {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(30_000),
      })
      const { state } = /** @type {{ state?: string }} */ (await response.json())
      if (state !== 'CREATED') throw new Error(`the state is ${state}`)
    })
    return 'sent'
  } catch {
    return 'not-sent'
  }
}
