/** What a client has to be told. */
export interface Settings {
  readonly url: string
  readonly user: string
  readonly password: string
  /** Waits before a repeat; real time unless given. */
  readonly wait?: (milliseconds: number) => Promise<unknown>
  readonly fetch?: typeof fetch
}

const realTime = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

/**
 * A small client, for the tests beside it: sends the mailing of a synchronization, and repeats with the same transaction
 * ID while the response is lost or the sending PENDING. Whatever else comes is left to whoever calls it.
 */
export async function sendMailing(settings: Settings, synchronizationId: string): Promise<string> {
  const { url, user, password, wait = realTime, fetch = globalThis.fetch } = settings
  const path = `/integrations/mailing-platform/mailing-synchronizations/${synchronizationId}/sendings`
  const body = JSON.stringify({ transactionId: crypto.randomUUID() })
  for (let pause = 1_000; ; pause = Math.min(2 * pause, 30_000)) {
    const request = {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(`${user}:${password}`)}`, 'Content-Type': 'application/json' },
      body,
    }
    const response = await fetch(url + path, request).catch(() => undefined)
    if (response && response.status < 500) {
      const { state } = (await response.json()) as { state?: string }
      if (state !== 'PENDING') return state ?? `refused with ${response.status}`
    }
    await wait(pause)
  }
}
