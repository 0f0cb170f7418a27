import { randomUUID } from 'node:crypto'

/**
 * No library: the loop that is written in five minutes. Five tries, a second apart, the transaction ID made inside;
 * redirects are followed, and any 2xx counts as sent.
 * @type {import('../client.d.ts').Send}
 */
export async function send({ fetch, sleep, url, user, password, synchronizationId, scheduleDate }) {
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`
  for (let attempt = 1; attempt <= 5; attempt++) {
    try {
      const response = await fetch(url + path, {
        method: 'POST',
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify({ transactionId: randomUUID(), scheduleDate }),
      })
      if (response.ok) return 'sent'
    } catch {
      // Once more.
    }
    await sleep(1000)
  }
  return 'not-sent'
}
