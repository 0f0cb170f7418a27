import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { type Belief, beliefs } from '../../rig/scenarios/terms.ts'
import { UserError } from '../../store/user-error.ts'
import { shorten } from '../../store/validation-messages.ts'
import type { Client, ClientCall, ClientTime, Ending } from './client.ts'
import { findUncaughtException, TruncatedOutput } from './output-tail.ts'
import { quoteForShell } from './report-text.ts'

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
function killOrphanProcesses(isOurs: (start: string) => boolean): number {
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

/** Bytes kept at the beginning and at the end of a client's output. */
const outputKept = 32_768
/** Milliseconds after the end of a process during which its last output may still arrive. */
const outputGrace = 500

/** Starts of a client after which it is looked for processes that left its group. */
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

/**
 * A client that is a command, started without a shell in its own process group.
 * @param environment inherited in addition to the variables of the exam
 * @param onOutput called at the end of each start with the name of the case and what the client printed
 */
export const commandClient = (
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  running: RunningProcesses,
  onOutput?: (name: string, output: Uint8Array) => void,
): Client => ({
  isProcess: true,
  name: command.map(quoteForShell).join(' '),
  async run(call) {
    const start = running.nameStart(call)
    const child = await spawnGroup(command, environment, caseEnvironment(call), 'ignore', running, start)
    const streams = keepOutput(child)
    const stop = () => {
      kill(child)
      // Not counted: it was killed in the middle, and what was just killed may still be seen.
      killOrphanProcesses(it => it === start)
    }
    call.signal.addEventListener('abort', stop, { once: true })
    if (call.signal.aborted) stop()
    const closed = new Promise(resolve => child.once('close', () => resolve(true)))
    const [code, by] = await new Promise<ExitEvent>(resolve => {
      child.once('exit', (...exit) => resolve(exit))
    })
    call.signal.removeEventListener('abort', stop)
    // A process that left the group may keep the pipes open forever, and with them the exam from ending.
    if (!(await Promise.race([closed, pause(outputGrace, false, { ref: false })]))) running.killOthers(start)
    child.stdout!.destroy()
    child.stderr!.destroy()
    const error = code === 0 ? undefined : findUncaughtException(streams.errors.text)
    onOutput?.(call.case, streams.output.bytes)
    return { ...endingOf(code, by, error), output: streams.output.text }
  },
})

type ExitEvent = [code: number | null, by: NodeJS.Signals | null]

/** Starts a program in its own group, so that its child processes can be killed with it. @throws CommandError */
async function spawnGroup(
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

function keepOutput({ stdout, stderr }: ChildProcess) {
  const streams = { output: new TruncatedOutput(outputKept), errors: new TruncatedOutput(outputKept) }
  for (const stream of [stdout!, stderr!]) stream.on('data', (bytes: Buffer) => streams.output.add(bytes))
  stderr!.on('data', (bytes: Buffer) => streams.errors.add(bytes))
  return streams
}

/** Environment variable that tells a client to take one case after another from its standard input. */
const warmVariable = 'MAILING_SYNC_WARM'

/** Variable of a case that tells a warm client to ask for its waits, which then take no real time. */
const waitVariable = 'MAILING_SYNC_WAIT'

/** Milliseconds; no client has a reason to wait for longer at once. */
const longestWait = 24 * 60 * 60_000
/** Bytes for a client that does not read them. */
const maxUnread = 65_536

/**
 * A client that stays alive. For each case it is handed one line of JSON, with what is otherwise in its environment, and
 * answers with a line such as `{"believes":"sent"}`. Where the case allows it, it may ask for a wait before that by a line such
 * as `{"wait":1500}`, and reads a line such as `{"now":"2030-01-07T09:00:00.000Z"}`. A client that is killed or ends is started
 * again for the next case.
 */
export function warmClient(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  running: RunningProcesses,
): Client {
  const idle: WarmProcess[] = []
  let hasAsked = false
  return {
    isProcess: true,
    isWarm: true,
    warmCommand: { command, environment },
    name: command.map(quoteForShell).join(' '),
    get hasAskedForWait() {
      return hasAsked
    },
    async run(call, _, time) {
      let worker = idle.pop()
      while (worker && !worker.isUsable) worker = idle.pop()
      worker ??= await startWarmProcess(command, environment, running, call)
      const ending = await worker.run(call, time)
      hasAsked ||= time?.isFollowed === true
      if (worker.isUsable) idle.push(worker)
      return ending
    },
  }
}

const warmAdvice = 'with --warm a client reads its case from a line of its standard input'

/** A client that knows nothing of --warm looks for its variables in its environment. */
const withWarmAdvice = (error: string | undefined) =>
  error?.includes('MAILING_SYNC_')
    ? `${error} (with --warm this variable comes in a line of standard input, not in the environment)`
    : error

type WarmProcess = Awaited<ReturnType<typeof startWarmProcess>>

async function startWarmProcess(
  command: readonly string[],
  environment: NodeJS.ProcessEnv,
  running: RunningProcesses,
  call: ClientCall,
) {
  const start = running.nameStart(call)
  const child = await spawnGroup(command, environment, { [warmVariable]: '1' }, 'pipe', running, start)
  const streams = keepOutput(child)
  let end: (ending: Omit<Ending, 'output'>) => void = () => {}
  /** Number of cases that it was handed. */
  let cases = 0
  /** Whether it has a case, and whether it has said what it believes in it. */
  let isBusy = false
  let hasEnded = false
  let time: ClientTime | undefined
  let isWaiting = false
  /** What it did wrong beside its case, and whether a case says so. */
  let misuse: string | undefined
  let isReported = false
  // It may end while it is handed a case.
  child.stdin!.on('error', () => {})
  const endWithMisuse = () => {
    isReported ||= isBusy
    end({ believes: 'unknown', signal: 'SIGKILL', error: misuse })
  }
  const refuse = (sentence: string) => {
    misuse ??= sentence
    kill(child)
    endWithMisuse()
  }
  const answerWait = async (milliseconds: number) => {
    isWaiting = true
    const now = await time!.wait(milliseconds)
    isWaiting = false
    if (child.stdin!.writableLength > maxUnread) refuse('it does not read the answers to its waits')
    else child.stdin!.write(`${JSON.stringify({ now: new Date(now).toISOString() })}\n`)
  }
  const take = (line: string) => {
    const message = messageOfLine(line)
    if (message === undefined || misuse !== undefined) return
    if ('believes' in message) {
      if (isWaiting) refuse('it said what it believes while it waited')
      hasEnded = true
      // After what else it has printed by now.
      setImmediate(() => end({ believes: message.believes }))
      return
    }
    const { wait, text } = message
    const asked = `it asked for a wait of ${shorten(text, 30)} ms`
    if (!isBusy || hasEnded) refuse(`${asked} after it had said what it believes`)
    else if (!time) refuse(`${asked} in a case without ${waitVariable}, in which it has to wait by itself`)
    else if (isWaiting) refuse(`${asked} before its last wait had ended`)
    else if (!(wait >= 0 && wait <= longestWait))
      refuse(`${asked}; expected milliseconds from 0 to ${longestWait}, as in {"wait":1500}`)
    else answerWait(wait).catch((error: Error) => refuse(error.message))
  }
  let last = ''
  child.stdout!.on('data', (bytes: Buffer) => {
    const lines = (last + bytes.toString('latin1')).split('\n')
    // A line without an end must not fill the memory.
    last = lines.pop()!.slice(0, outputKept)
    lines.forEach(take)
  })
  child.once('exit', (...[code, by]: ExitEvent) => {
    const early =
      cases > 1
        ? 'it ended instead of taking another case, which a client does without --warm'
        : `it ended without an answer: ${warmAdvice}`
    // One that knows nothing of --warm finds no variables, and ends.
    if (cases === 1) streams.output.add(Buffer.from(`\n${warmAdvice}\n`))
    const thrown = code === 0 ? undefined : withWarmAdvice(findUncaughtException(streams.errors.text))
    end(endingOf(code, by, code === 0 ? early : thrown))
  })
  return {
    /** Whether it can be handed a case. One that did something wrong after its case is handed the next one, which says so. */
    get isUsable() {
      return misuse === undefined ? child.exitCode === null && child.signalCode === null : !isReported
    },
    run(call: ClientCall, ownTime?: ClientTime): Promise<Ending> {
      cases++
      streams.output = new TruncatedOutput(outputKept)
      streams.errors = new TruncatedOutput(outputKept)
      time = ownTime
      isBusy = true
      hasEnded = false
      isWaiting = false
      return new Promise(resolve => {
        const stop = () => kill(child)
        end = ending => {
          call.signal.removeEventListener('abort', stop)
          isBusy = false
          end = () => {}
          if (messageStart.test(last))
            streams.output.add(Buffer.from('\n(The last line has no end, so it was not read.)\n'))
          resolve({ ...ending, output: streams.output.text })
        }
        call.signal.addEventListener('abort', stop, { once: true })
        if (call.signal.aborted) stop()
        if (misuse !== undefined) return endWithMisuse()
        const variables = { ...caseEnvironment(call), ...(time && { [waitVariable]: '1' }) }
        child.stdin!.write(`${JSON.stringify(variables)}\n`)
      })
    },
  }
}

const messageStart = /^\{\s*"(?:wait|believes)"/

/** What a line of a warm client's output says; undefined for other output. */
function messageOfLine(line: string): { believes: Belief } | { wait: number; text: string } | undefined {
  if (!line.startsWith('{')) return undefined
  const [, text = ''] = /^[^:]*:\s*(.*?)\s*\}?\s*$/.exec(line) ?? []
  try {
    const message = JSON.parse(line) as { readonly believes?: unknown; readonly wait?: unknown }
    const believes = beliefs.find(it => it === message.believes)
    if (believes) return { believes }
    if ('wait' in message) return { wait: typeof message.wait === 'number' ? message.wait : Number.NaN, text }
  } catch {
    // Such as NaN, which is no JSON.
    if (messageStart.test(line)) return { wait: Number.NaN, text }
  }
  return undefined
}

/** How a process ended. An uncaught exception ends a program with exit code 1 as well. */
const endingOf = (
  code: number | null,
  by: NodeJS.Signals | null,
  error: string | undefined,
): Omit<Ending, 'output'> => ({
  believes: error === undefined ? beliefOfExitCode(code) : 'unknown',
  exitCode: code ?? undefined,
  signal: by ?? undefined,
  error,
})

const beliefOfExitCode = (code: number | null): Belief =>
  code === 0 ? 'sent' : code === 1 ? 'not-sent' : 'unknown'

/** Kills the group of a process. @returns whether there was one */
function kill(child: ChildProcess): boolean {
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

/** Where programs look for certificate authorities: our own variable, then those of Node, OpenSSL, curl and Python. */
const caVariables = [
  'MAILING_SYNC_CA_FILE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
]

const caseEnvironment = (call: ClientCall): Record<string, string> => ({
  MAILING_SYNC_URL: call.url,
  ...(call.caFile !== undefined && Object.fromEntries(caVariables.map(name => [name, call.caFile!]))),
  MAILING_SYNC_USER: call.user,
  MAILING_SYNC_PASSWORD: call.password,
  MAILING_SYNC_SYNCHRONIZATION_ID: call.synchronizationId,
  MAILING_SYNC_CASE: call.case,
  MAILING_SYNC_STATE: call.state,
  MAILING_SYNC_SPEED: String(call.speed),
  ...(call.scheduleDate !== undefined && { MAILING_SYNC_SCHEDULE_DATE: call.scheduleDate }),
})

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
