/** The built program as a process of its own, and its control API. */
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { host } from './wire.mjs'

/** The tree whose build is played: this one, or that of another commit. */
export const root = process.env.GOLDEN_ROOT ?? fileURLToPath(new URL('../..', import.meta.url))
const program = join(root, 'dist/main.js')
const steadyTime = new URL('./steady-time.mjs', import.meta.url).href

/** When everything here happens. */
export const now = '2026-11-01T10:00:00Z'

/** Processes under way: none of them outlives this one. @type {Set<import('node:child_process').ChildProcess>} */
const children = new Set()
process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
})

/** @typedef {{ code: number | null, output: string, errors: string }} Ended */

/**
 * Runs the program to its end.
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string, input?: string }} [options]
 * @returns {Promise<Ended>}
 */
export function run(args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = launch(args, options)
    const timer = setTimeout(() => child.process.kill('SIGKILL'), 300_000)
    child.process.on('error', reject)
    child.process.on('close', code => {
      clearTimeout(timer)
      resolve({ code, output: child.output(), errors: child.errors() })
    })
  })
}

/**
 * @param {readonly string[]} args
 * @param {{ env?: Record<string, string>, cwd?: string, isSteady?: boolean }} [options]
 */
function launch(args, { env = {}, cwd = root, isSteady = false } = {}) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [...(isSteady ? ['--import', steadyTime] : []), program, ...args], {
    cwd,
    env: { PATH, COLUMNS: '80', ...env },
    stdio: ['ignore', 'pipe', 'pipe', ...(isSteady ? [/** @type {const} */ ('ipc')] : [])],
  })
  children.add(child)
  child.once('exit', () => children.delete(child))
  let output = ''
  let errors = ''
  child.stdout?.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    errors += text
  })
  return { process: child, output: () => output, errors: () => errors }
}

/** A mock that is ready, whose clock stands still. */
export class RunningMock {
  /** @type {ReturnType<typeof launch>} */
  #child
  /** @type {number} */
  port

  /** @param {ReturnType<typeof launch>} child @param {number} port */
  constructor(child, port) {
    this.#child = child
    this.port = port
  }

  /**
   * @param {readonly string[]} [args]
   * @param {{ env?: Record<string, string>, cwd?: string, isSteady?: boolean }} [options] `isSteady`: the real time of its
   *   process stands still as well, until `passes` is called
   */
  static async start(args = [], options = {}) {
    const frozen = ['--port', '0', '--in-memory', '--now', now, '--frozen']
    const child = launch([...frozen, ...args], options)
    /** @type {number} */
    const port = await new Promise((resolve, reject) => {
      child.process.stdout?.on('data', () => {
        const found = /^mailing-sync-mock ready on \S+:(\d+)\n/m.exec(child.output())?.[1]
        if (found) resolve(Number(found))
      })
      child.process.on('close', () => reject(new Error(`the mock does not start: ${child.errors()}`)))
    })
    return new RunningMock(child, port)
  }

  /** What it has printed. */
  get output() {
    return this.#child.output()
  }

  get errors() {
    return this.#child.errors()
  }

  /**
   * A control call.
   * @param {string} method @param {string} path below /_mock
   * @param {unknown} [body]
   * @returns {Promise<{ status: number, text: string, json: any }>}
   */
  async control(method, path, body) {
    const response = await fetch(`http://127.0.0.1:${this.port}/_mock${path}`, {
      method,
      headers: { ...(method !== 'GET' && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '') && text !== ''
    return { status: response.status, text, json: isJson ? JSON.parse(text) : undefined }
  }

  /** A control call that must succeed. @param {string} method @param {string} path @param {unknown} [body] */
  async must(method, path, body) {
    const { status, text, json } = await this.control(method, path, body)
    if (status > 299) throw new Error(`${method} ${path}: ${status} ${text}`)
    return this.unported(json)
  }

  /** Puts fixed ones in place of this mock's port and of the folder that it runs from. @param {any} value @returns {any} */
  unported(value) {
    return value === undefined ? value : JSON.parse(this.unportedText(JSON.stringify(value)))
  }

  /** @param {string} text */
  unportedText(text) {
    return text
      .replaceAll(`http://127.0.0.1:${this.port}`, `http://${host}`)
      .replaceAll(`http://localhost:${this.port}`, `http://${host}`)
      .replaceAll(root, '(root)/')
  }

  /** Lets real time pass for a mock that was started steady. @param {number} milliseconds */
  async passes(milliseconds) {
    const done = new Promise(resolve => this.#child.process.once('message', resolve))
    this.#child.process.send(milliseconds)
    await done
  }

  async stop() {
    const ended = new Promise(resolve => this.#child.process.once('close', resolve))
    this.#child.process.kill('SIGTERM')
    await ended
  }
}
