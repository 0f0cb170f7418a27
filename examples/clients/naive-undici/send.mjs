import { randomUUID } from 'node:crypto'
import { Agent, RetryAgent, request } from 'undici'

/**
 * undici's RetryAgent, told to retry POST as well. It repeats 5xx and network errors with the same bytes, which is
 * right, for half a minute at most. Any 2xx counts as sent, also PENDING and FAILED.
 * @type {import('../client.d.ts').Send}
 */
export async function send({ url, user, password, synchronizationId, scheduleDate }) {
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  const dispatcher = new RetryAgent(new Agent({ headersTimeout: 30_000, bodyTimeout: 30_000 }), {
    methods: ['POST'],
  })
  try {
    const { statusCode, body } = await request(url + path, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ transactionId: randomUUID(), scheduleDate }),
      dispatcher,
    })
    await body.dump()
    return statusCode < 300 ? 'sent' : 'not-sent'
  } catch {
    return 'not-sent'
  }
}
