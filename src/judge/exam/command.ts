import { type ChildProcess, spawn } from 'node:child_process'
import { BoundedText } from './bounded-text.ts'
import type { Belief, Client, ClientCall, Ending } from './client.ts'

/** A command that cannot be started. The message is one sentence for whoever typed it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Characters kept of the beginning and of the end of what a client prints. */
const kept = 32_768
/** Milliseconds after the end of a process in which what it printed last may still come. */
const lastWords = 500

/** Processes of one exam that run. Killing them all leaves none behind, whatever they started themselves. */
export class Running {
  readonly #children = new Set<ChildProcess>()

  add(child: ChildProcess): void {
    this.#children.add(child)
    child.once('exit', () => {
      // What it started in its group and left behind ends with it.
      kill(child)
      this.#children.delete(child)
    })
  }

  killAll(): void {
    for (const child of this.#children) kill(child)
  }
}

/**
 * A client that is a command: started without a shell, in a process group of its own.
 * @param environment what it inherits, beside what the exam tells it
 */
export const commandClient = (
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  running: Running,
): Client => ({
  isProcess: true,
  command,
  run: call => run(command, { ...inherited(environment), ...told(call) }, running, call.signal),
})

function run(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  running: Running,
  signal: AbortSignal,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const output = new BoundedText(kept)
    let child: ChildProcess
    try {
      // A group of its own, so that a client which starts others can be killed with them.
      child = spawn(file, args, { env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
    } catch (error) {
      reject(notStarted(file, error))
      return
    }
    running.add(child)
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => output.add(text))
    const stop = () => kill(child)
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    child.once('error', error => {
      signal.removeEventListener('abort', stop)
      if (child.pid === undefined) reject(notStarted(file, error))
    })
    child.once('exit', (code, by) => {
      signal.removeEventListener('abort', stop)
      const end = () =>
        resolve({
          believes: believed(code),
          exitCode: code ?? undefined,
          signal: by ?? undefined,
          error: undefined,
          output: output.text,
        })
      // A process elsewhere may hold the pipes open for ever.
      const late = setTimeout(end, lastWords)
      child.once('close', () => {
        clearTimeout(late)
        end()
      })
    })
  })
}

const beliefs: Readonly<Record<number, Belief>> = { 0: 'sent', 1: 'not-sent' }

/** 0 is sent, 1 is not sent; all else is a client that does not know. */
const believed = (code: number | null): Belief => (code === null ? 'unknown' : (beliefs[code] ?? 'unknown'))

function kill(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // No such group: it has ended, or this system has no groups.
    child.kill('SIGKILL')
  }
}

/** What the exam says itself must not come from whoever started it. */
const inherited = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('MAILING_SYNC_')))

const told = (call: ClientCall): Record<string, string> => ({
  MAILING_SYNC_URL: call.url,
  MAILING_SYNC_USER: call.user,
  MAILING_SYNC_PASSWORD: call.password,
  MAILING_SYNC_SYNCHRONIZATION_ID: call.synchronizationId,
  MAILING_SYNC_CASE: call.case,
  MAILING_SYNC_STATE: call.state,
  MAILING_SYNC_SPEED: String(call.speed),
  ...(call.scheduleDate !== undefined && { MAILING_SYNC_SCHEDULE_DATE: call.scheduleDate }),
})

function notStarted(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException
  if (code === 'ENOENT')
    return new CommandError(`there is no command "${file}"; give a program, with its arguments, after --`)
  if (code === 'EACCES') return new CommandError(`"${file}" may not be executed`)
  return new CommandError(`"${file}" cannot be started: ${message}`)
}
