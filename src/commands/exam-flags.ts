import type { Command } from 'commander'
import { filled, lasting, names, number } from './flag-forms.ts'

/** What `mailing-sync-mock exam` was asked for. */
export interface ExamFlags {
  /** The client: a program and its arguments. Empty with `list`. */
  readonly command: readonly string[]
  readonly only?: readonly string[]
  readonly tag?: readonly string[]
  readonly slow: boolean
  readonly list: boolean
  readonly seed: number
  readonly jobs?: number
  /** Milliseconds. */
  readonly timeout?: number
  readonly speed: number
  readonly scenarios?: string
  readonly strict: boolean
  readonly html?: string
  readonly junit?: string
  readonly json?: string
  readonly keepOutput?: string
}

/**
 * Adds the command `exam`.
 * @param asked hears of what was asked for, as it stands on the command line
 */
export function addExam(program: Command, asked: (flags: ExamFlags) => void): Command {
  const exam = program
    .command('exam')
    .usage('[options] -- <command> [arguments...]')
    .argument('[command...]', 'the client: a program that sends one mailing, and its arguments')
    .description(
      'run a client through situations that only a correct one survives, and tell what it did wrong',
    )
    .passThroughOptions()
    .option(
      '--only <names>',
      'cases by name, comma-separated; * stands for any characters; may be given again',
      names,
    )
    .option('--tag <tags>', 'cases with one of these tags, comma-separated; may be given again', names)
    .option('--slow', 'also cases in which a client has to wait for minutes', false)
    .option('--list', 'print the cases and play none', false)
    .option(
      '--seed <number>',
      'where IDs and chances come from',
      number('a whole number', /^\d{1,15}$/, 0, 999_999_999_999_999),
      1,
    )
    .option(
      '--jobs <number>',
      'cases at a time (default: by the number of processors)',
      number('a whole number', /^\d{1,4}$/, 1, 1000),
    )
    .option('--timeout <duration>', 'how long a client may take for a case, such as 90s', lasting)
    .option(
      '--speed <number>',
      "how many times as fast as real time the service's clock runs",
      number('a number', /^\d{1,4}(\.\d{1,3})?$/, 1, 1000),
      1,
    )
    .option('--scenarios <directory>', 'scenarios of your own, as cases beside the others', filled)
    .option('--strict', 'fail also for warnings', false)
    .option('--html <file>', 'write a report for people', filled)
    .option('--junit <file>', 'write a report for build servers', filled)
    .option('--json <file>', 'write a report for programs', filled)
    .option('--keep-output <directory>', 'keep what the client prints, a file for each case', filled)
  exam.action((command: string[], options: Omit<ExamFlags, 'command'>) => asked({ ...options, command }))
  return exam
}
