import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { UserError } from '../../store/user-error.ts'
import type { ClientCall } from './client.ts'
import { TruncatedOutput } from './output-tail.ts'

/** Environment variable that identifies the processes of one start of the client. */
const startVariable = 'MAILING_SYNC_START'

/** Number of passes, since a process may start another one just before it is killed. */
const maxRounds = 5

/**
 * Kills processes that have left the group of the client that started them, such as daemons or by `setsid`. Linux shows
 * the initial environment of a process; on other systems, and if the variable was removed, they are not found.
 * @param isOurs whether a start with that name is meant
 * @returns the number of processes
 */
export function killOrphanProcesses(isOurs: (start: string) => boolean): number {
  const killedIds = new Set<number>()
  for (let round = 0; round < maxRounds; round++) {
    const ids = processIds().filter(id => !killedIds.has(id) && isOurs(startIdOf(id) ?? ''))
    if (ids.length === 0) break
    for (const id of ids) {
      killedIds.add(id)
      try {
        process.kill(id, 'SIGKILL')
      } catch {
        // It has already ended.
      }
    }
  }
  return killedIds.size
}

function processIds(): number[] {
  if (process.platform !== 'linux') return []
  try {
    return readdirSync('/proc')
      .filter(name => /^\d+$/.test(name))
      .map(Number)
      .filter(id => id !== process.pid)
  } catch {
    return []
  }
}

function startIdOf(id: number): string | undefined {
  try {
    const variables = readFileSync(`/proc/${id}/environ`, 'latin1').split('\0')
    return variables.find(it => it.startsWith(`${startVariable}=`))?.slice(startVariable.length + 1)
  } catch {
    // It has ended, or belongs to another user.
    return undefined
  }
}

/** A command that cannot be started. The message is one sentence for the user. */
export class CommandError extends UserError {
  override readonly name = 'CommandError'
}

/** Number of starts of a client after which a search for processes that left its group begins. */
const sweepInterval = 100

/** The running processes of one exam. Killing all of them also ends the processes that they started. */
export class RunningProcesses {
  readonly #children = new Map<ChildProcess, string>()
  /** Starts whose processes may have outlived them. */
  readonly #ended = new Set<string>()
  #starts = 0
  /** Number of processes, or groups of them, that were still running when the client had ended by itself. */
  leftBehind = 0

  /** @returns an identifier of this start of a client, unique across exams */
  nameStart({ state }: ClientCall): string {
    if (this.#ended.size >= sweepInterval) this.#sweep()
    return `${state}:${++this.#starts}`
  }

  add(child: ChildProcess, start: string): void {
    this.#children.set(child, start)
    child.once('exit', (_, by) => {
      // Also ends what is left of its process group.
      if (kill(child) && by === null) this.leftBehind++
      this.#children.delete(child)
      this.#ended.add(start)
    })
  }

  /** Kills the processes of a start, which has ended by itself, that have left its group. */
  killOthers(start: string): void {
    this.leftBehind += killOrphanProcesses(it => it === start)
  }

  killAll(): void {
    for (const child of this.#children.keys()) kill(child)
    const starts = new Set(this.#children.values())
    if (starts.size > 0) killOrphanProcesses(start => starts.has(start))
    if (this.#ended.size > 0) this.#sweep()
  }

  #sweep(): void {
    this.leftBehind += killOrphanProcesses(start => this.#ended.has(start))
    this.#ended.clear()
  }
}

/** Bytes kept at the beginning and at the end of a client's output. */
export const outputKept = 32_768

export type ExitEvent = [code: number | null, by: NodeJS.Signals | null]

/** Starts a program in its own group, so that its child processes can be killed with it. @throws CommandError */
export async function spawnGroup(
  [file = '', ...args]: readonly string[],
  environment: NodeJS.ProcessEnv,
  more: NodeJS.ProcessEnv,
  stdin: 'ignore' | 'pipe',
  running: RunningProcesses,
  start: string,
): Promise<ChildProcess> {
  const env = { ...inheritedEnvironment(environment), ...more, [startVariable]: start }
  try {
    const child = spawn(file, args, { env, detached: true, stdio: [stdin, 'pipe', 'pipe'] })
    await once(child, 'spawn')
    // It could not be killed.
    child.on('error', () => {})
    running.add(child, start)
    return child
  } catch (error) {
    throw startError(file, error)
  }
}

/** Collects what a process prints: on both streams, and what of that are errors. */
export function keepOutput({ stdout, stderr }: ChildProcess) {
  const streams = { output: new TruncatedOutput(outputKept), errors: new TruncatedOutput(outputKept) }
  for (const stream of [stdout!, stderr!]) stream.on('data', (bytes: Buffer) => streams.output.add(bytes))
  stderr!.on('data', (bytes: Buffer) => streams.errors.add(bytes))
  return streams
}

/** Kills the group of a process. @returns whether there was one */
export function kill(child: ChildProcess): boolean {
  if (child.pid === undefined) return false
  try {
    return process.kill(-child.pid, 'SIGKILL')
  } catch {
    // No such group: the process has ended, or this system has no groups.
    return child.kill('SIGKILL') && child.exitCode === null
  }
}

/** The variables of the exam must not be inherited. A proxy of the environment does not reach this machine. */
function inheritedEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(environment).filter(([name]) => !name.startsWith('MAILING_SYNC_'))
  const { NO_PROXY = '', no_proxy = '' } = environment
  const direct = [...new Set(`${NO_PROXY},${no_proxy},localhost,127.0.0.1`.split(',').filter(Boolean))]
  // Of several names a star is none that stands for all.
  const names = direct.includes('*') ? '*' : direct.join(',')
  return { ...Object.fromEntries(kept), NO_PROXY: names, no_proxy: names }
}

function startError(file: string, error: unknown): CommandError {
  const { code, message } = error as NodeJS.ErrnoException
  if (/^https?:/.test(file))
    return new CommandError(`"${file}" is no program; give the client after --: a mock is started for it`)
  if (code === 'ENOENT')
    return new CommandError(
      `there is no command "${file}"; give a program, with its arguments, after --${/\s/.test(file) ? ', each as a word of its own; no shell reads them' : ''}`,
    )
  // Of a bare name it may also be a folder of PATH that may not be searched.
  if (code === 'EACCES')
    return new CommandError(
      file.includes('/')
        ? `"${file}" may not be executed; write the program that runs it in front, such as node, or make it executable`
        : `there is no command "${file}" that may be executed; give a program, with its arguments, after --`,
    )
  return new CommandError(`"${file}" cannot be started: ${message}`)
}
