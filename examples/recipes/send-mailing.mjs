/**
 * A client for the recipes beside it; yours stands in its place. It sends the mailing of a synchronization, and repeats
 * with the same transaction ID while the response is lost or the sending is PENDING, for five minutes at most.
 * @param {{ url: string, user: string, password: string, wait: (seconds: number) => Promise<unknown>, timeout?: number }} service
 * `timeout`: for one response, milliseconds of real time
 * @param {string} synchronizationId
 * @returns {Promise<string>} the state that it came to, or UNKNOWN
 */
export async function sendMailing({ url, user, password, wait, timeout = 30_000 }, synchronizationId) {
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const request = {
    method: 'POST',
    headers: {
      Authorization: `Basic ${btoa(`${user}:${password}`)}`,
      'Content-Type': 'application/hal+json',
    },
    body: JSON.stringify({ transactionId: crypto.randomUUID() }),
  }
  for (let waited = 0, pause = 1; waited < 300; waited += pause, pause = Math.min(2 * pause, 20)) {
    const response = await fetch(url + path, { ...request, signal: AbortSignal.timeout(timeout) }).catch(
      () => undefined,
    )
    if (response && response.status < 500) {
      const { state } = /** @type {{ state?: string }} */ (await response.json())
      if (state !== 'PENDING') return state ?? `refused with ${response.status}`
    }
    await wait(pause)
  }
  return 'UNKNOWN'
}
