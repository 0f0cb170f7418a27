import { type Command, Option } from 'commander'
import { filled } from './flag-forms.ts'

/** Which implementation of the service is asked, and as whom. */
export interface TargetFlags {
  readonly url?: string
  readonly user?: string
  readonly password?: string
  readonly platformSegment?: string
}

type Credentials = Required<Pick<TargetFlags, 'url' | 'user' | 'password'>>

/** Adds the flags that say which implementation is asked. */
export const addTarget = (command: Command): Command =>
  command
    .addOption(
      new Option('--url <address>', 'the service, or an integration of it')
        .env('MAILING_SYNC_URL')
        .argParser(filled),
    )
    .addOption(
      new Option('--user <name>', 'whose credentials to use').env('MAILING_SYNC_USER').argParser(filled),
    )
    .addOption(
      new Option('--password <text>', 'better in the variable: command lines can be seen by others').env(
        'MAILING_SYNC_PASSWORD',
      ),
    )
    .option(
      '--platform-segment <name>',
      'middle segment of integration paths, where --url does not name it (default: mailing-platform)',
      filled,
    )

/**
 * Address and credentials, or the sentence that says which are missing.
 * @param command what was called, for the sentence
 */
export function targetOf(command: string, { url, user, password }: TargetFlags): Credentials | string {
  if (url !== undefined && user !== undefined && password !== undefined) return { url, user, password }
  const missing = Object.entries({ url, user, password }).filter(([, value]) => value === undefined)
  const named = missing.map(([name]) => `--${name}`).join(', ')
  const variables = missing.map(([name]) => `MAILING_SYNC_${name.toUpperCase()}`).join(', ')
  return `${command} needs ${named}, or in the environment ${variables}; ${command} --help shows what is possible`
}
