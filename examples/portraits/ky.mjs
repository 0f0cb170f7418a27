/**
 * ky with POST among the methods that it retries. It repeats 408, 413, 429, 500, 502, 503 and 504 and lost connections, and takes any 2xx
 * for "sent". Needs `npm install ky`.
 */
import { randomUUID } from 'node:crypto'
import ky from 'ky'

const { MAILING_SYNC_URL, MAILING_SYNC_USER, MAILING_SYNC_PASSWORD, MAILING_SYNC_SYNCHRONIZATION_ID } =
  process.env
const path = `/integrations/mailing-platform/mailing-synchronizations/${MAILING_SYNC_SYNCHRONIZATION_ID}/sendings`
const credentials = Buffer.from(`${MAILING_SYNC_USER}:${MAILING_SYNC_PASSWORD}`).toString('base64')
try {
  await ky.post(MAILING_SYNC_URL + path, {
    headers: { authorization: `Basic ${credentials}` },
    json: { transactionId: randomUUID() },
    timeout: 30_000,
    retry: { limit: 4, methods: ['post'] },
  })
  process.exit(0)
} catch {
  process.exit(1)
}
