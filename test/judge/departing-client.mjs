import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort } from 'node:worker_threads'

/**
 * A client that gives up each attempt after a while, for the mock's own process, a thread or a process of its own.
 *
 * @typedef {object} Task
 * @property {string} url of the sendings
 * @property {string} clock address of the space's clock
 * @property {string} authorization
 * @property {number} patience milliseconds after which it gives up an attempt
 * @property {keyof typeof pauses} pause before it tries again
 * @property {boolean} takesNewIds whether each attempt has a transaction ID of its own
 */

export const pauses = {
  none: async () => {},
  '1 ms': () => sleep(1),
  /** @param {Task} task */
  '1 s of the clock': async ({ clock }) => {
    const headers = { 'content-type': 'application/json' }
    const moved = await fetch(clock, { method: 'POST', headers, body: '{"advance":"1s"}' })
    await moved.text()
  },
}

const maxAttempts = 2

/**
 * @param {Task} task
 * @param {(task: Task) => Promise<unknown>} wait
 * @returns whether it was told that its mailing was sent
 */
export async function sendMailing(task, wait = pauses[task.pause]) {
  const { url, authorization, patience, takesNewIds } = task
  const headers = { authorization, 'content-type': 'application/hal+json' }
  const id = crypto.randomUUID()
  for (let attempt = 1; attempt <= maxAttempts; attempt++) {
    const body = JSON.stringify({ transactionId: takesNewIds ? `${id}.${attempt}` : id })
    const signal = AbortSignal.timeout(patience)
    try {
      const response = await fetch(url, { method: 'POST', headers, body, signal })
      const { state } = /** @type {{ state?: string }} */ (await response.json())
      if (state === 'CREATED') return true
    } catch {
      // It may have been sent.
    }
    if (attempt < maxAttempts) await wait(task)
  }
  return false
}

/** @param {{ number: number, task: Task }} message */
const answer = async ({ number, task }) => ({ number, isSent: await sendMailing(task) })
if (parentPort) parentPort.on('message', async message => parentPort?.postMessage(await answer(message)))
else if (process.argv[1] === import.meta.filename)
  process.on('message', async message => process.send?.(await answer(/** @type {any} */ (message))))
