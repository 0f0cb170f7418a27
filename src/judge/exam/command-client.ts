import { setTimeout as pause } from 'node:timers/promises'
import type { Belief } from '../../rig/scenarios/terms.ts'
import type { Client, ClientCall, Ending } from './client.ts'
import {
  type ExitEvent,
  keepOutput,
  kill,
  killOrphanProcesses,
  type RunningProcesses,
  spawnGroup,
} from './client-processes.ts'
import { findUncaughtException } from './output-tail.ts'
import { quoteForShell } from './report-text.ts'

/** Milliseconds after the end of a process during which its last output may still arrive. */
const outputGrace = 500

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

/** How a process ended. An uncaught exception ends a program with exit code 1 as well. */
export const endingOf = (
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

/** Where programs look for certificate authorities: our own variable, then those of Node, OpenSSL, curl and Python. */
const caVariables = [
  'MAILING_SYNC_CA_FILE',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'CURL_CA_BUNDLE',
  'REQUESTS_CA_BUNDLE',
]

/** The variables of a case. */
export const caseEnvironment = (call: ClientCall): Record<string, string> => ({
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
