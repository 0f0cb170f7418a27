/** A warm client that looks at the service before its first mailing alone. */
import { createInterface } from 'node:readline'

let isFirst = true
for await (const line of createInterface({ input: process.stdin })) {
  const {
    MAILING_SYNC_URL: url,
    MAILING_SYNC_USER: user,
    MAILING_SYNC_PASSWORD: password,
    MAILING_SYNC_SYNCHRONIZATION_ID: id,
    MAILING_SYNC_SPEED: speed,
  } = JSON.parse(line)
  const headers = {
    authorization: `Basic ${btoa(`${user}:${password}`)}`,
    'content-type': 'application/hal+json',
  }
  const path = `${url}/integrations/mailing-platform/mailing-synchronizations/${id}`
  if (isFirst) await (await fetch(path, { headers })).text()
  isFirst = false
  // One ID for all workers.
  const body = JSON.stringify({ transactionId: `newsletter-${id}` })
  const answer = await fetch(`${path}/sendings`, {
    ...{ method: 'POST', headers, body },
    signal: AbortSignal.timeout(30_000 / Number(speed)),
  }).catch(() => undefined)
  await answer?.text()
  console.log(JSON.stringify({ believes: answer?.ok ? 'sent' : 'unknown' }))
}
