import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import http from 'node:http'
import https from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const entry = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
const delayMeter = new URL('delay-meter.mjs', import.meta.url).href

/**
 * Starts the built mock on a free port with little memory, lets `attack` do its worst, and ends it.
 * @param {{ flags?: readonly string[], heapMebibytes?: number, prefix?: readonly string[] }} options `prefix` stands
 *   before the command, such as a shell that sets a limit
 * @param {(url: string, child: import('node:child_process').ChildProcess) => Promise<string>} attack returns what came of it
 * @returns what came of it, whether the mock still answered afterwards, and the delays of its event loop in milliseconds
 */
export async function attackProgram({ flags = ['--in-memory'], heapMebibytes = 300, prefix = [] }, attack) {
  const folder = await mkdtemp(join(tmpdir(), 'attack-'))
  const delays = join(folder, 'delays.json')
  const command = [
    ...prefix,
    process.execPath,
    `--max-old-space-size=${heapMebibytes}`,
    '--import',
    delayMeter,
    entry,
    ...flags,
    '--port',
    '0',
  ]
  const child = spawn(command[0], command.slice(1), {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, DELAYS: delays },
  })
  const ended = once(child, 'exit')
  let said = ''
  child.stderr.on('data', bytes => {
    said = (said + bytes).slice(-4_000)
  })
  try {
    const url = await addressOf(child, () => said)
    const result = await Promise.race([attack(url, child), deadline()])
    const alive = child.exitCode === null && child.signalCode === null && (await answers(url))
    child.kill('SIGTERM')
    await ended
    return { result, ok: alive, figures: { ...JSON.parse(await readFile(delays, 'utf8').catch(() => '{}')) } }
  } catch (error) {
    const gone = child.exitCode ?? child.signalCode
    return {
      result:
        gone === null ? String(error) : `the process ended (${gone}): ${said.trim().split('\n').at(-1)}`,
      ok: false,
      figures: {},
    }
  } finally {
    child.kill('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  }
}

/** The most memory that a process has taken so far, in MB, as Linux tells it; NaN elsewhere. */
export function mostMemory(pid) {
  try {
    return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_000)
  } catch {
    return Number.NaN
  }
}

/** An attack that does not end has failed. */
const deadline = () =>
  new Promise((_, reject) => {
    setTimeout(() => reject(new Error('it did not end within 10 minutes')), 600_000).unref()
  })

async function addressOf(child, said) {
  let out = ''
  for await (const bytes of child.stdout) {
    out += bytes
    const found = /https?:\/\/[\w.:[\]]+/.exec(out)
    if (found) {
      child.stdout.resume()
      return found[0]
    }
  }
  throw new Error(`the mock did not start: ${said()}`)
}

/** By whatever certificate it has. */
const answers = url =>
  new Promise(resolve => {
    const { get } = url.startsWith('https:') ? https : http
    const asked = get(`${url}/_mock/health`, { rejectUnauthorized: false, timeout: 10_000 }, answer => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    asked.on('timeout', () => asked.destroy()).on('error', () => resolve(false))
  })

const credentials = `Basic ${Buffer.from('demo:demo').toString('base64')}`

/** Sends one request and reads the answer. Returns the status and the bytes of the body, or 0 for none. */
export async function send(url, method, body, headers = {}) {
  try {
    const answer = await fetch(url, {
      method,
      body,
      headers: { authorization: credentials, 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(120_000),
    })
    return { status: answer.status, bytes: (await answer.arrayBuffer()).byteLength }
  } catch {
    return { status: 0, bytes: 0 }
  }
}
