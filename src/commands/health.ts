import type { Config } from '../settings.ts'

/** Milliseconds that a mock which is ready never needs. */
const patience = 2_000

/**
 * Asks the mock with these settings, on this machine, whether it is ready.
 * @returns the sentence that says what is there instead, or undefined
 */
export async function notReady({ port, host }: Pick<Config, 'port' | 'host'>): Promise<string | undefined> {
  const reachable =
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  const place = `${reachable}:${port}`
  try {
    const response = await fetch(`http://${place}/_mock/health`, { signal: AbortSignal.timeout(patience) })
    if (response.status === 200 && statusIn(await response.text()) === 'ready') return undefined
    return `what listens on ${place} is no mock that is ready: it answers ${response.status} to /_mock/health`
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      return `${place} gave no answer within ${patience / 1_000} s`
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    return code === 'ECONNREFUSED'
      ? `nothing listens on ${place}; health takes the --port and --host of the mock, or its variables`
      : `${place} cannot be asked: ${message || code}`
  }
}

function statusIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { status?: unknown } | null)?.status
  } catch {
    return undefined
  }
}
