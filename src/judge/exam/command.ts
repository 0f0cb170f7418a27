import { type ChildProcess, spawn } from 'node:child_process'
import { BoundedText } from './bounded-text.ts'
import type { Belief, Client, ClientCall, Ending } from './client.ts'
import { uncaughtIn } from './last-words.ts'
import { killStrays, startVariable } from './strays.ts'

/** A command that cannot be started. The message is one sentence for whoever typed it. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Characters kept of the beginning and of the end of what a client prints. */
const kept = 32_768
/** Milliseconds after the end of a process in which what it printed last may still come. */
const lateWords = 500

/** Processes of one exam that run. Killing them all leaves none behind, whatever they started themselves. */
export class Running {
  readonly #children = new Set<ChildProcess>()
  /** All that there were: what they started may outlive them. */
  readonly #starts = new Set<string>()

  /** @returns what tells this start of a client from all others, also from those of other exams */
  nameStart({ state }: ClientCall): string {
    const start = `${state}:${this.#starts.size + 1}`
    this.#starts.add(start)
    return start
  }

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
    if (this.#starts.size > 0) killStrays(start => this.#starts.has(start))
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
  run: call => {
    const start = running.nameStart(call)
    const env = { ...inherited(environment), ...told(call), [startVariable]: start }
    return run(command, env, running, call.signal, () => killStrays(it => it === start))
  },
})

function run(
  [file = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  running: Running,
  signal: AbortSignal,
  killOthers: () => void,
): Promise<Ending> {
  return new Promise((resolve, reject) => {
    const output = new BoundedText(kept)
    const errors = new BoundedText(kept)
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
    child.stderr?.on('data', (text: string) => errors.add(text))
    const stop = () => {
      kill(child)
      killOthers()
    }
    signal.addEventListener('abort', stop, { once: true })
    if (signal.aborted) stop()
    child.once('error', error => {
      signal.removeEventListener('abort', stop)
      if (child.pid === undefined) reject(notStarted(file, error))
    })
    child.once('exit', (code, by) => {
      signal.removeEventListener('abort', stop)
      const end = () => {
        // Whoever still holds the other ends would keep the exam from ending.
        child.stdout?.destroy()
        child.stderr?.destroy()
        const error = code === 0 ? undefined : uncaughtIn(errors.text)
        resolve({
          // A runtime ends a program with 1 as well when nobody catches its exception.
          believes: error === undefined ? believed(code) : 'unknown',
          exitCode: code ?? undefined,
          signal: by ?? undefined,
          error,
          output: output.text,
        })
      }
      // A process that left the group may hold the pipes open for ever.
      const late = setTimeout(() => {
        killOthers()
        end()
      }, lateWords)
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
