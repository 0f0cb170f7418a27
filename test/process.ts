import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The built program: what a user starts. */
export const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))

/** A machine may have Node and npm only; what is checked with a person's curl is then reported as not run. */
export const hasCurl = spawnSync('curl', ['--version']).status === 0
/** What is missing where it is not. */
export const noCurl = hasCurl ? undefined : 'there is no curl here'

/** Milliseconds, somewhat less than a test has. */
const deadline = Number(process.env.DEADLINE ?? 110_000)

/** How a process ended, and all that it said. */
export interface Ended {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly output: string
  readonly errors: string
}

/** A mock that said it is ready. Stops when it goes out of scope, if it still runs. */
export interface Running extends AsyncDisposable {
  readonly url: string
  readonly port: number
  readonly pid: number
  /** What it has printed so far. */
  readonly output: () => string
  /** What it has printed on standard error so far. */
  readonly errors: () => string
  /** Sends a signal and waits for the end. */
  stop(signal?: NodeJS.Signals): Promise<Ended>
}

type Environment = Record<string, string>

/** Runs the program to its end. */
export async function run(args: readonly string[], env: Environment = {}): Promise<Ended> {
  const child = launch(args, env)
  return withDeadline(child.ended, child, `"mailing-sync-mock ${args.join(' ')}" to end`)
}

/**
 * Starts the program on a free port, unless told otherwise, and waits until it is ready.
 * @param under a command that runs it, such as one that has the system fail
 */
export async function start(
  args: readonly string[] = [],
  env: Environment = {},
  under: readonly string[] = [],
): Promise<Running> {
  const isPlaced = args.includes('--port') || Object.keys(env).some(name => name.endsWith('PORT'))
  const child = launch(isPlaced ? args : [...args, '--port', '0'], env, under)
  const ready = new Promise<string>((resolve, reject) => {
    child.process.stdout?.on('data', () => {
      const url = /^mailing-sync-mock ready on (\S+)\n$/m.exec(child.output())?.[1]
      if (url) resolve(url)
    })
    void child.ended.then(({ code, errors }) =>
      reject(new Error(`it ended with ${code} instead of getting ready: ${errors}`)),
    )
  })
  const url = await withDeadline(ready, child, 'the mock to get ready')
  const stop = (signal: NodeJS.Signals = 'SIGTERM') => {
    child.process.kill(signal)
    return withDeadline(child.ended, child, `the mock to end after ${signal}`)
  }
  return {
    url,
    port: Number(new URL(url).port),
    pid: child.process.pid!,
    output: child.output,
    errors: child.errors,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop('SIGKILL')),
  }
}

/** An empty directory that is gone when it goes out of scope. */
export function temporaryDirectory(): Disposable & { readonly path: string; at(...names: string[]): string } {
  const path = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-test-'))
  return {
    path,
    at: (...names) => join(path, ...names),
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** A port that something else listens on. */
export async function takenPort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  return { port, [Symbol.dispose]: () => void server.close() }
}

/** Asks again until `found` gives something, for as long as the deadline allows. */
export async function eventually<Value>(
  what: string,
  found: () => Value | undefined | Promise<Value | undefined>,
) {
  const end = Date.now() + deadline
  for (;;) {
    const value = await found()
    if (value !== undefined) return value
    if (Date.now() > end) throw new Error(`waited ${deadline} ms in vain for ${what}`)
    await new Promise(resolve => setTimeout(resolve, 10))
  }
}

interface Launched {
  readonly process: ChildProcess
  readonly ended: Promise<Ended>
  readonly output: () => string
  readonly errors: () => string
}

function launch(args: readonly string[], env: Environment, under: readonly string[] = []): Launched {
  if (!existsSync(program))
    throw new Error('dist/main.js is missing: run "npm run build" first, or "npm test", which does')
  // Settings of whoever runs the tests must not reach the mock.
  const { PATH = '' } = process.env
  const [command = process.execPath, ...rest] = [...under, process.execPath, program, ...args]
  const child = spawn(command, rest, {
    env: { PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  let errors = ''
  child.stdout.setEncoding('utf8').on('data', text => {
    output += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    errors += text
  })
  const ended = new Promise<Ended>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => resolve({ code, signal, output, errors }))
  })
  return { process: child, ended, output: () => output, errors: () => errors }
}

async function withDeadline<Value>(promise: Promise<Value>, child: Launched, what: string): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      child.process.kill('SIGKILL')
      reject(new Error(`waited ${deadline} ms in vain for ${what}: ${child.output()}${child.errors()}`))
    }, deadline)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
