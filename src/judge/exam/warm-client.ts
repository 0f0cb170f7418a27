import type { ChildProcess } from 'node:child_process'
import { type Belief, beliefs } from '../../rig/scenarios/terms.ts'
import { shorten } from '../../store/validation-messages.ts'
import type { Client, ClientCall, ClientTime, Ending } from './client.ts'
import {
  type ExitEvent,
  keepOutput,
  kill,
  outputKept,
  type RunningProcesses,
  spawnGroup,
} from './client-processes.ts'
import { caseEnvironment, endingOf } from './command-client.ts'
import { findUncaughtException, TruncatedOutput } from './output-tail.ts'
import { quoteForShell } from './report-text.ts'

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
      if (!worker) {
        const start = running.nameStart(call)
        worker = new WarmProcess(
          await spawnGroup(command, environment, { [warmVariable]: '1' }, 'pipe', running, start),
        )
      }
      const ending = await worker.run(call, time)
      hasAsked ||= time?.isFollowed === true
      if (worker.isUsable) idle.push(worker)
      return ending
    },
  }
}

const warmAdvice =
  'with --warm a client reads its case from a line of its standard input, and ends it with a line such as {"believes":"sent"}'

/** A client that knows nothing of --warm looks for its variables in its environment. */
const withWarmAdvice = (error: string | undefined) =>
  error?.includes('MAILING_SYNC_')
    ? `${error} (with --warm this variable comes in a line of standard input, not in the environment)`
    : error

type ProcessEnding = Omit<Ending, 'output'>

/** A case that a warm client was handed and that has not ended. */
interface OpenCase {
  readonly time: ClientTime | undefined
  state: 'working' | 'waiting' | 'answered'
  /** Does nothing if the case has ended. */
  readonly end: (ending: ProcessEnding) => void
}

const misuseEnding = (error: string): ProcessEnding => ({ believes: 'unknown', signal: 'SIGKILL', error })

class WarmProcess {
  readonly #child: ChildProcess
  readonly #streams: ReturnType<typeof keepOutput>
  /** Number of cases that it was handed. */
  #cases = 0
  #case: OpenCase | undefined
  #isRefused = false
  /** What it did wrong between two cases. */
  #unreported: string | undefined
  #lastLine = ''

  constructor(child: ChildProcess) {
    this.#child = child
    this.#streams = keepOutput(child)
    // It may end while it is handed a case.
    child.stdin!.on('error', () => {})
    child.stdout!.on('data', (bytes: Buffer) => {
      const lines = (this.#lastLine + bytes.toString('latin1')).split('\n')
      // A line without an end must not fill the memory.
      this.#lastLine = lines.pop()!.slice(0, outputKept)
      for (const line of lines) this.#take(line)
    })
    child.once('exit', (...exit: ExitEvent) => this.#takeExit(exit))
  }

  /** Whether it can be handed a case. One that did something wrong after its case is handed the next one, which says so. */
  get isUsable(): boolean {
    if (this.#isRefused) return this.#unreported !== undefined
    return this.#child.exitCode === null && this.#child.signalCode === null
  }

  run(call: ClientCall, time: ClientTime | undefined): Promise<Ending> {
    if (this.#unreported !== undefined) {
      const ending = { ...misuseEnding(this.#unreported), output: '' }
      this.#unreported = undefined
      return Promise.resolve(ending)
    }
    const streams = this.#streams
    this.#cases++
    streams.output = new TruncatedOutput(outputKept)
    streams.errors = new TruncatedOutput(outputKept)
    return new Promise(resolve => {
      const stop = () => kill(this.#child)
      const open: OpenCase = {
        time,
        state: 'working',
        end: ending => {
          if (this.#case !== open) return
          this.#case = undefined
          call.signal.removeEventListener('abort', stop)
          if (messageStart.test(this.#lastLine))
            streams.output.add(Buffer.from('\n(The last line has no end, so it was not read.)\n'))
          resolve({ ...ending, output: streams.output.text })
        },
      }
      this.#case = open
      call.signal.addEventListener('abort', stop, { once: true })
      if (call.signal.aborted) stop()
      this.#write({ ...caseEnvironment(call), ...(time && { [waitVariable]: '1' }) })
    })
  }

  #write(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify(message)}\n`)
  }

  #take(line: string): void {
    const message = messageOfLine(line)
    if (message === undefined || this.#isRefused) return
    const open = this.#case
    const isOver = open === undefined || open.state === 'answered'
    if ('misuse' in message) {
      this.#refuse(message.misuse)
      return
    }
    if ('believes' in message) {
      if (isOver) this.#refuse('it said what it believes a second time')
      else if (open.state === 'waiting') this.#refuse('it said what it believes while it waited')
      else {
        open.state = 'answered'
        // After what else it has printed by now.
        setImmediate(() => open.end({ believes: message.believes }))
      }
      return
    }
    const { wait, text } = message
    const asked = `it asked for a wait of ${shorten(text, 30)} ms`
    if (isOver) this.#refuse(`${asked} after it had said what it believes`)
    else if (!open.time)
      this.#refuse(`${asked} in a case without ${waitVariable}, in which it has to wait by itself`)
    else if (open.state === 'waiting') this.#refuse(`${asked} before its last wait had ended`)
    else if (!(wait >= 0 && wait <= longestWait))
      this.#refuse(`${asked}; expected milliseconds from 0 to ${longestWait}, as in {"wait":1500}`)
    else void this.#answerWait(wait, open, open.time)
  }

  async #answerWait(milliseconds: number, open: OpenCase, time: ClientTime): Promise<void> {
    open.state = 'waiting'
    const answer = await time.wait(milliseconds).then(
      now => ({ now: new Date(now).toISOString() }),
      (error: Error) => error,
    )
    if (this.#case !== open) return
    open.state = 'working'
    if (answer instanceof Error) this.#refuse(answer.message)
    else if (this.#child.stdin!.writableLength > maxUnread)
      this.#refuse('it does not read the answers to its waits')
    else this.#write(answer)
  }

  #refuse(sentence: string): void {
    this.#isRefused = true
    kill(this.#child)
    if (this.#case) this.#case.end(misuseEnding(sentence))
    else this.#unreported = sentence
  }

  #takeExit([code, by]: ExitEvent): void {
    const early =
      this.#cases > 1
        ? 'it ended instead of taking another case, which a client does without --warm'
        : `it ended without an answer: ${warmAdvice}`
    // One that knows nothing of --warm finds no variables, and ends.
    if (this.#cases === 1) this.#streams.output.add(Buffer.from(`\n${warmAdvice}\n`))
    const thrown = code === 0 ? undefined : withWarmAdvice(findUncaughtException(this.#streams.errors.text))
    this.#case?.end(endingOf(code, by, code === 0 ? early : thrown))
  }
}

const messageStart = /^\{\s*"(?:wait|believes)"/

type Message = { believes: Belief } | { wait: number; text: string } | { misuse: string }

/** What a line of a warm client's output says; undefined for other output. */
function messageOfLine(line: string): Message | undefined {
  if (!line.startsWith('{')) return undefined
  const [, text = ''] = /^[^:]*:\s*(.*?)\s*\}?\s*$/.exec(line) ?? []
  try {
    const message = JSON.parse(line) as { readonly believes?: unknown; readonly wait?: unknown }
    const believes = beliefs.find(it => it === message.believes)
    if (believes) return { believes }
    // Another line with such a member is a log of its own.
    if ('believes' in message && messageStart.test(line))
      return {
        misuse: `it said that it believes ${shorten(JSON.stringify(message.believes), 30)}; possible are ${beliefs.map(it => JSON.stringify(it)).join(', ')}`,
      }
    if ('wait' in message) return { wait: typeof message.wait === 'number' ? message.wait : Number.NaN, text }
  } catch {
    // Such as NaN, which is no JSON.
    if (messageStart.test(line)) return { wait: Number.NaN, text }
  }
  return undefined
}
