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
    { '0.0.0.0': '127.0.0.1', '::': '[::1]' }[host] ?? (host.includes(':') ? `[${host}]` : host)
  const place = `${reachable}:${port}`
  try {
    const signal = AbortSignal.timeout(healthTimeout)
    const get = tls && tlsPort === undefined ? getSecurely : fetchText
    const response = await get(`${place}/_mock/health`, signal)
    if (response.status === 200 && parseJsonObject(response.text)?.status === 'ready') return undefined
    if (response.text.includes('This port speaks TLS'))
      return `${place} speaks HTTPS: give health --tls, as to the mock`
    return `what listens on ${place} is no mock that is ready: it answers ${response.status} to /_mock/health`
  } catch (error) {
    if ((error as Error).name === 'TimeoutError')
      return `${place} gave no answer within ${healthTimeout / 1_000} s`
    const { code, message } = ((error as Error).cause ?? error) as NodeJS.ErrnoException
    return code === 'ECONNREFUSED'
      ? `nothing listens on ${place}; health takes the --port and --host of the mock, or its variables`
      : `${place} cannot be asked: ${message || code}`
  }
}

interface Health {
  readonly status: number | undefined
  readonly text: string
}

async function fetchText(place: string, signal: AbortSignal): Promise<Health> {
  const response = await fetch(`http://${place}`, { signal })
  return { status: response.status, text: await response.text() }
}

/** Trusts any certificate: nothing secret is sent, and one of the user's own may be for other names. */
async function getSecurely(place: string, signal: AbortSignal): Promise<Health> {
  const { get } = await import('node:https')
  return new Promise((resolve, reject) => {
    get(`https://${place}`, { signal, rejectUnauthorized: false }, response => {
      readText(response).then(text => resolve({ status: response.statusCode, text }), reject)
    }).on('error', error => reject(signal.reason ?? error))
  })
}
