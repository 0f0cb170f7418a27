import axios from 'axios'
import axiosRetry from 'axios-retry'

/**
 * axios-retry with its defaults: after a network error the POST leaves again, three times, without a pause. There is
 * no transaction ID, so each may be another mailing; a 5xx is not repeated at all.
 * @type {import('../client.d.ts').Send}
 */
export async function send({ url, user, password, synchronizationId, scheduleDate }) {
  const client = axios.create({ baseURL: url, auth: { username: user, password }, timeout: 30_000 })
  axiosRetry(client, { retries: 3 })
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  try {
    await client.post(path, { scheduleDate })
    return 'sent'
  } catch {
    return 'not-sent'
  }
}
