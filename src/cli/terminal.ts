import { forTerminal } from '../judge/exam/report-text.ts'
import type { ScenarioError } from '../rig/scenarios/scenario.ts'
import { UserError } from '../store/user-error.ts'

/**
 * Prints problems on standard error, one line for each, even if it quotes several lines of a file. What is quoted may be
 * anything: a terminal must not obey it.
 */
export function printProblems(sentences: readonly string[]): void {
  const lines = sentences.map(
    it => `mailing-sync-mock: ${forTerminal(it.replaceAll(/\s*[\r\n]\s*/g, ' '))}\n`,
  )
  process.stderr.write(lines.join(''))
}

/** The problems behind an error that the user can fix; undefined for internal errors. */
export const explainError = (error: unknown): readonly string[] | undefined =>
  error instanceof UserError ? ((error as Partial<ScenarioError>).problems ?? [error.message]) : undefined

export function exitWith(code: 1 | 2, problems: readonly string[]): never {
  printProblems(problems)
  process.exit(code)
}

export const hasColours = () => process.stdout.isTTY === true && !process.env.NO_COLOR

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

interface Interruption extends Disposable {
  readonly signal: AbortSignal
}

/**
 * Handles the signals that end a command. After the first one the command reports what it has; the second one exits at
 * once.
 * @param code the exit code after the second signal
 * @param atEach called at each signal
 */
export function onInterruption(code: 1 | 2, atEach = () => {}): Interruption {
  const interrupted = new AbortController()
  const interrupt = () => {
    atEach()
    if (interrupted.signal.aborted) process.exit(code)
    interrupted.abort()
  }
  for (const signal of signals) process.on(signal, interrupt)
  return {
    signal: interrupted.signal,
    [Symbol.dispose]() {
      for (const signal of signals) process.off(signal, interrupt)
    },
  }
}
