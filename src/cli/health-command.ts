import { text as readText } from 'node:stream/consumers'
import { parseJsonObject } from '../lib/control-calls.ts'
import type { Config } from '../lib/settings.ts'
import { printProblems } from './terminal.ts'

/** Milliseconds within which a ready mock always answers. */
const healthTimeout = 2_000

/** `mailing-sync-mock health`. @returns the exit code: 0 when the mock is ready, else 1 */
export async function healthCommand(config: Config): Promise<0 | 1> {
  const problem = await findHealthProblem(config)
  if (problem !== undefined) printProblems([problem])
  return problem === undefined ? 0 : 1
}

/** Checks whether the mock with these settings, on this machine, is ready. @returns what was found instead */
async function findHealthProblem({ port, host, tls, tlsPort }: Config): Promise<string | undefined> {
  const reachable =
    { '0.0.0.0': '127.0.0.1', localhost: '127.0.0.1', '::': '[::1]' }[host] ??
    (host.includes(':') ? `[${host}]` : host)
  const place = `${reachable}:${port}`
  try {
    const signal = AbortSignal.timeout(healthTimeout)
    const scheme = tls && tlsPort === undefined ? 'https' : 'http'
    const response = await getText(`${scheme}://${place}/_mock/health`, signal)
    if (response.status === 200 && parseJsonObject(response.text)?.status === 'ready') return undefined
    if (response.text.includes('This port speaks TLS'))
      return `${place} speaks HTTPS: give health --tls, as to the mock`
    return `what listens on ${place} is no mock that is ready: it answers ${response.status} to /_mock/health`
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      return `${place} gave no response within ${healthTimeout / 1_000} s`
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ECONNREFUSED'
      ? `nothing listens on ${place}; health takes the --port and --host of the mock, or its variables`
      : `${place} cannot be asked: ${message || code}`
  }
}

/**
 * By Node's own client, since `fetch` refuses ports of other protocols, such as 6000. Trusts any certificate: nothing
 * secret is sent, and one of the user's own may be for other names. The agent is a new one, which knows no proxy.
 */
async function getText(
  url: string,
  signal: AbortSignal,
): Promise<{ status: number | undefined; text: string }> {
  const { get } = url.startsWith('https:') ? await import('node:https') : await import('node:http')
  return new Promise((resolve, reject) => {
    get(url, { signal, agent: false, rejectUnauthorized: false }, response => {
      readText(response).then(text => resolve({ status: response.statusCode, text }), reject)
    }).on('error', error => reject(signal.reason ?? error))
  })
}
