import { type Command, Option } from 'commander'
import { filled, lasting, names, number, reading } from './flag-forms.ts'
import { addTarget, type TargetFlags } from './target-flags.ts'

/** What `mailing-sync-mock verify` was asked for. */
export interface VerifyFlags extends TargetFlags {
  readonly allowWrites: boolean
  readonly sendTo?: { readonly customer: string; readonly listId: number }
  readonly filter?: readonly string[]
  readonly list: boolean
  readonly seed: number
  /** Milliseconds. */
  readonly timeout: number
  readonly config?: string
  readonly writeConfig?: string
  readonly junit?: string
  readonly json?: string
  readonly markdown?: string
}

const place = reading(text => {
  const [, customer, id] = /^(.+)\/(\d{1,15})$/.exec(text) ?? []
  if (customer === undefined)
    throw new Error('expected a customer and the ID of one of its lists, such as harbour-group/1001')
  return { customer, listId: Number(id) }
})

/**
 * Adds the command `verify`.
 * @param asked hears of what was asked for
 */
export function addVerify(program: Command, asked: (flags: VerifyFlags) => void): Command {
  const verify = addTarget(program.command('verify'))
    .allowExcessArguments(false)
    .description(
      'hold an implementation of the service against the clauses of its document, over HTTP; reads only, unless --allow-writes is given. Exits 0 when it is faithful, 1 when a clause differs, 2 when verifying could not be carried out',
    )
    .option(
      '--allow-writes',
      'also create synchronizations, uploads, test sendings, and sendings for the end of 2099, and change the accessible-lists configuration of a customer for a moment',
      false,
    )
    .option(
      '--send-to <customer/list>',
      'a list of test recipients to which mailings may really go out; with --allow-writes',
      place,
    )
    .option(
      '--filter <clauses>',
      'clauses, or whole sections such as 4.1, comma-separated; * stands for any characters; may be given again',
      names,
    )
    .option('--list', 'print the clauses and how each is looked at, and ask nobody', false)
    .option(
      '--seed <number>',
      'where transaction IDs come from',
      number('a whole number', /^\d{1,9}$/, 0, 999_999_999),
      1,
    )
    .addOption(
      new Option('--timeout <duration>', 'how long to wait for each answer, such as 30s')
        .default(10_000, '10s')
        .argParser(lasting),
    )
    .option('--config <file>', 'compare with the mock as this file of settings makes it', filled)
    .option('--write-config <file>', 'write settings that make the mock behave like the target', filled)
    .option('--junit <file>', 'write a report for build servers', filled)
    .option('--json <file>', 'write a report for programs', filled)
    .option('--markdown <file>', 'write a report for a pull request', filled)
  verify.action((flags: VerifyFlags) => asked(flags))
  return verify
}
