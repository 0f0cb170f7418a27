/** A warm client whose conduct in a case is the code of its argument. It is played as a command. */
import { createInterface } from 'node:readline'

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]()
const read = async () => (await lines.next()).value
/** @param {string} text */
const print = text => process.stdout.write(`${text}\n`)
/** @param {unknown} milliseconds */
const ask = async milliseconds => {
  print(JSON.stringify({ wait: milliseconds }))
  return JSON.parse(await read()).now
}
const Conduct = Object.getPrototypeOf(async () => {}).constructor
const conduct = new Conduct('tools', `with (tools) { ${process.argv[2]} }`)

for (let line = await read(); line !== undefined; line = await read()) {
  const env = JSON.parse(line)
  /** An attempt to send with a time limit in real time. */
  const begin = async (transactionId = 'one', limit = 20_000) => {
    const path = `/integrations/mailing-platform/mailing-synchronizations/${env.MAILING_SYNC_SYNCHRONIZATION_ID}/sendings`
    return await fetch(env.MAILING_SYNC_URL + path, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${env.MAILING_SYNC_USER}:${env.MAILING_SYNC_PASSWORD}`)}`,
        'content-type': 'application/hal+json',
      },
      body: JSON.stringify({ transactionId, scheduleDate: env.MAILING_SYNC_SCHEDULE_DATE }),
      signal: AbortSignal.timeout(limit),
    }).catch(() => undefined)
  }
  /** The same with its answer. @type {(transactionId?: string, limit?: number) => Promise<number | undefined>} */
  const send = async (transactionId, limit) => {
    const answer = await begin(transactionId, limit)
    // No whole answer is none.
    return answer?.text().then(
      () => answer.status,
      () => undefined,
    )
  }
  /** @param {string} belief */
  const believe = belief => print(JSON.stringify({ believes: belief }))
  await conduct({ env, begin, send, ask, print, read, believe, stop: () => process.stdin.pause() })
}
