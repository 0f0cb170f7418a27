import { randomUUID } from 'node:crypto'
import got from 'got'

/**
 * got with its defaults, in the belief that it retries: it does, but never a POST. So a timeout and 5xx are the end, and
 * any 2xx counts as sent.
 * @type {import('../client.d.ts').Send}
 */
export async function send({ url, user, password, synchronizationId, scheduleDate }) {
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  try {
    await got.post(url + path, {
      username: user,
      password,
      json: { transactionId: randomUUID(), scheduleDate },
      timeout: { request: 30_000 },
    })
    return 'sent'
  } catch {
    return 'not-sent'
  }
}
