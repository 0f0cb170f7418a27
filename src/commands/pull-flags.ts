import { type Command, Option } from 'commander'
import { filled, lasting, number, reading } from './flag-forms.ts'
import { addTarget, type TargetFlags } from './target-flags.ts'

/** What `mailing-sync-mock pull` was asked for. */
export interface PullFlags extends TargetFlags {
  readonly out: string
  readonly space: string
  readonly anonymise: boolean
  readonly seed?: number
  /** Requests a second. */
  readonly rate: number
  /** Milliseconds. */
  readonly timeout: number
  readonly resume: boolean
  readonly force: boolean
}

const spaceName = reading(text => {
  if (!/^[^:+]{1,100}$/.test(text))
    throw new Error('expected a name without ":" and "+", 100 characters at most')
  return text
})

/**
 * Adds the command `pull`.
 * @param asked hears of what was asked for
 */
export function addPull(program: Command, asked: (flags: PullFlags) => void): Command {
  const pull = addTarget(program.command('pull'))
    .allowExcessArguments(false)
    .description(
      'read the content of an implementation of the service over HTTP, with GET alone, into a fixture that starts the mock with it. Exits 0 when the fixture is whole, 1 when it was interrupted, 2 when it could not be carried out',
    )
    .requiredOption('--out <file>', 'the fixture; appears when it is whole', filled)
    .addOption(
      new Option('--space <name>', 'what its space and its user are called; the password is the same')
        .default('demo')
        .argParser(spaceName),
    )
    .option(
      '--anonymise',
      'replace names, addresses, subjects, content and transaction IDs by invented ones',
      false,
    )
    .option(
      '--seed <number>',
      'where invented texts come from, with --anonymise (default: 1)',
      number('a whole number', /^\d{1,9}$/, 0, 999_999_999),
    )
    .option(
      '--rate <number>',
      'requests a second at most',
      number('a number', /^\d{1,3}(\.\d{1,3})?$/, 0.01, 100),
      5,
    )
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for each answer, such as 1m')
        .default(30_000, '30s')
        .argParser(lasting),
    )
    .option('--resume', 'go on with what an interrupted pull left beside --out, if there is any', false)
    .option('--force', 'replace a file that is there, and begin anew unless --resume is given', false)
  pull.action((flags: PullFlags) => asked(flags))
  return pull
}
