/** Sends one mailing over HTTPS. As `careless` it accepts any certificate and protocol; as `ends` it does not try again; as `patient` it has no deadline. */
import { request } from 'node:https'
import { setTimeout as pause } from 'node:timers/promises'

const [way] = process.argv.slice(2)
const { MAILING_SYNC_URL, MAILING_SYNC_USER, MAILING_SYNC_PASSWORD, MAILING_SYNC_SYNCHRONIZATION_ID } =
  process.env
const url = `${MAILING_SYNC_URL}/integrations/mailing-platform/mailing-synchronizations/${MAILING_SYNC_SYNCHRONIZATION_ID}/sendings`
const tls =
  way === 'careless'
    ? { rejectUnauthorized: false, minVersion: /** @type {const} */ ('TLSv1'), ciphers: 'DEFAULT@SECLEVEL=0' }
    : {}

/** The text of the answer; empty if none came. @returns {Promise<string>} */
const send = () =>
  new Promise(resolve => {
    const asked = request(url, {
      ...tls,
      method: 'POST',
      auth: `${MAILING_SYNC_USER}:${MAILING_SYNC_PASSWORD}`,
      headers: { 'Content-Type': 'application/hal+json' },
      ...(way !== 'patient' && { timeout: 5_000 }),
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(''))
    asked.on('response', async response => resolve((await response.toArray()).join('')))
    asked.end('{"transactionId":"tls-client-1"}')
  })

for (const wait of way === 'ends' ? [0] : [0, 1, 2.3, 4.8, 9.5]) {
  await pause((wait * 1_000) / Number(process.env.MAILING_SYNC_SPEED))
  if ((await send()).includes('"state":"CREATED"')) process.exit(0)
}
process.exit(3)
