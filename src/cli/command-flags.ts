import { type Command, InvalidArgumentError, Option } from 'commander'
import { reportFormats } from '../judge/run/report-formats.ts'
import {
  deadline,
  decimalNumber,
  environmentVariable,
  examSettings,
  matchingText,
  nonEmpty,
  oneOf,
  optional,
  path,
  portNumber,
  type Setting,
  setting,
  settings,
  smallNumber,
  toggle,
  type ValuesOf,
} from '../lib/settings.ts'
import { beliefs } from '../rig/scenarios/terms.ts'
import { defaultNames } from '../service/links.ts'
import { UserError } from '../store/user-error.ts'

function parseNames(text: string): readonly string[] {
  const given = text.split(',').map(it => it.trim())
  if (given.some(it => it === '')) throw new Error('expected names, comma-separated')
  return given
}

function parseListAddress(text: string): { readonly customer: string; readonly listId: number } {
  const [, customer, id] = /^(.+)\/(\d{1,15})$/.exec(text) ?? []
  if (customer === undefined)
    throw new Error('expected a customer and the ID of one of its lists, such as harbour-group/1001')
  return { customer, listId: Number(id) }
}

const reports = {
  junit: optional('--junit <file>', 'write a report for build servers', path),
  json: optional('--json <file>', 'write a report for programs', path),
}
const html = optional('--html <file>', 'write a report for people', path)

/** @param why ends a sentence */
const silenced = (why: string, ...flags: readonly string[]) =>
  Object.fromEntries(flags.map(flag => [flag, why]))

const silencedByList = silenced(
  ', which sends no request',
  ...['html', 'junit', 'json', 'markdown', 'keep-output', 'capsules'],
  ...['write-config', 'known', 'write-known', 'edition'],
)

const names = (flag: string, help: string) => optional(flag, help, parseNames, { isList: true })

/** The implementation of the service to use, and the credentials. */
const targetFlags = {
  url: optional('--url <address>', 'the service, or an integration of it', nonEmpty('an address'), {
    otherVariable: 'MAILING_SYNC_URL',
  }),
  user: optional('--user <name>', 'whose credentials to use', nonEmpty('a name'), {
    otherVariable: 'MAILING_SYNC_USER',
  }),
  password: optional(
    '--password <text>',
    'better in the variable: command lines can be seen by others',
    text => text,
    { otherVariable: 'MAILING_SYNC_PASSWORD' },
  ),
  platformSegment: optional(
    '--platform-segment <name>',
    `middle segment of integration paths, where --url does not name it (default: ${defaultNames.platformSegment})`,
    path,
  ),
}
type TargetFlags = ValuesOf<typeof targetFlags>

/** Address and credentials. @param command for the message @throws UserError that says which are missing, or contradict each other */
export function resolveTarget(command: string, { url, user, password, platformSegment }: TargetFlags) {
  const [, inUrl] = /\/integrations\/([^/?#]+)/.exec(url ?? '') ?? []
  if (platformSegment !== undefined && inUrl !== undefined && inUrl !== platformSegment)
    throw new UserError(
      `--platform-segment ${platformSegment} contradicts --url, which names ${inUrl}; leave one of them out`,
    )
  if (url !== undefined && user !== undefined && password !== undefined) return { url, user, password }
  const missing = Object.entries({ url, user, password }).filter(([, value]) => value === undefined)
  const named = missing.map(([name]) => `--${name}`).join(', ')
  const variables = missing.map(([name]) => `MAILING_SYNC_${name.toUpperCase()}`).join(', ')
  throw new UserError(
    `${command} needs ${named}, or in the environment ${variables}; ${command} --help shows what is possible`,
  )
}

const writeKnown = optional(
  '--write-known <file>',
  'write what was found as such a file, without reasons',
  path,
)
const known = optional(
  '--known <file>',
  'a list of what is accepted for now: it does not fail, and fails once it no longer happens',
  path,
)

const silencedByReceipt = {
  known: ': a receipt says what was found, whatever is accepted',
}
const { slow, depth, ...examRun } = examSettings
const examFlags = {
  only: names('--only <names>', 'cases by name, comma-separated; * stands for any characters'),
  tag: names('--tag <tags>', 'cases with one of these tags, comma-separated'),
  slow,
  depth,
  plan: names('--plan <names>', 'play only these plans, as they are'),
  list: toggle('--list', 'print the cases and play none', { silences: silencedByList }),
  module: toggle(
    '--module',
    'the client is a JavaScript module, by a path relative to the current folder: its default export is run in this process, in virtual time and several threads',
    {
      silences: {
        warm: ', which starts no process',
        'keep-output': ': what a module prints goes to the terminal',
        ...silenced(', which plays in virtual time', 'timeout', 'speed', 'tls'),
      },
    },
  ),
  ...examRun,
  corpus: optional(
    '--corpus <directory>',
    'keep counterexamples there as scenario files, and play those that are there first',
    path,
  ),
  receipt: optional('--receipt <file>', 'write an in-toto statement of what was examined and found', path, {
    silences: silencedByReceipt,
  }),
  check: optional(
    '--check <file>',
    'play again what this receipt says, and tell whether the client did the same',
    path,
    {
      silences: {
        ...silencedByReceipt,
        ...silenced(
          ': the receipt says what is played',
          ...['seed', 'speed', 'sample', 'depth', 'workers', 'module', 'warm', 'tls'],
          ...['slow', 'only', 'tag', 'plan', 'edition'],
        ),
      },
    },
  ),
  known,
  writeKnown,
  edition: optional(
    '--edition <number>',
    'score what this edition of the exam has; newer cases are played, and do not count (default: the newest)',
    smallNumber,
  ),
  portrait: optional(
    '--portrait <file>',
    'write what the client does after each kind of answer, as JSON or, with the ending .md, as Markdown, and print it',
    path,
  ),
  portraitOf: optional(
    '--portrait-of <file>',
    "compare this client's portrait with a stored one, which --portrait wrote as JSON: print what it does, and what changed",
    path,
  ),
  verbose: toggle('--verbose', 'print a line for each case, also for those that passed'),
  html,
  ...reports,
  keepOutput: optional(
    '--keep-output <directory>',
    'keep what the client prints, a file for each case',
    path,
  ),
}

const verifyFlags = {
  ...targetFlags,
  allowWrites: toggle(
    '--allow-writes',
    'also create synchronizations, uploads, test sendings, and sendings for the end of 2099, and change the accessible-lists configuration of a customer for a moment',
  ),
  sendTo: optional(
    '--send-to <customer/list>',
    'a list of test recipients to which mailings may really go out; with --allow-writes',
    parseListAddress,
    { needs: 'allow-writes' },
  ),
  filter: names(
    '--filter <clauses>',
    'clauses, or whole sections such as 4.1, comma-separated; * stands for any characters',
  ),
  known,
  writeKnown,
  list: toggle('--list', 'print the clauses and how each is checked, and send no request', {
    silences: silencedByList,
  }),
  verbose: toggle('--verbose', 'also name each clause that is outside, and why'),
  seed: setting('--seed <number>', 'where transaction IDs come from', smallNumber, '1'),
  /** Milliseconds. */
  timeout: setting(
    '--timeout <duration>',
    'how long to wait for each response, such as 30s',
    deadline,
    '10s',
  ),
  config: optional('--config <file>', 'compare with the mock as this file of settings makes it', path),
  writeConfig: optional(
    '--write-config <file>',
    'write settings that make the mock behave like the target',
    path,
  ),
  ...reports,
  markdown: optional('--markdown <file>', 'write a report for a pull request', path),
}

const pullFlags = {
  ...targetFlags,
  out: {
    ...optional('--out <file>', 'the fixture; appears when it is whole', path),
    isRequired: true,
  } as Setting<string>,
  space: setting(
    '--space <name>',
    'name of its space, its user and the password of that user',
    matchingText(/^[^:+]{1,100}$/, 'a name without ":" and "+", 100 characters at most'),
    'demo',
    { defaultText: '"demo"' },
  ),
  anonymise: toggle(
    '--anonymise',
    'replace names, addresses, subjects, content and transaction IDs by invented ones',
  ),
  seed: optional(
    '--seed <number>',
    'where invented texts come from, with --anonymise (default: 1)',
    smallNumber,
    { needs: 'anonymise' },
  ),
  rate: setting('--rate <number>', 'maximum number of requests per second', decimalNumber(0.01, 100), '5'),
  /** Milliseconds. */
  timeout: setting('--timeout <duration>', 'how long to wait for each response, such as 1m', deadline, '30s'),
  force: toggle('--force', 'replace an existing file'),
}

const reportFlags = {
  url: setting('--url <address>', 'the mock', nonEmpty('an address'), 'http://localhost:4025', {
    otherVariable: 'MAILING_SYNC_URL',
  }),
  token: optional('--token <text>', 'the token of the mock, if it has one', nonEmpty('a token'), {
    otherVariable: environmentVariable('token'),
  }),
  label: optional(
    '--label <name>',
    'only spaces with this name; * stands for any characters, ? for one',
    nonEmpty('a name'),
  ),
  format: setting(
    '--format <form>',
    'markdown, junit, json, html, text for the log of a job, or github: annotations for a job there',
    oneOf(reportFormats, ', '),
    'markdown',
  ),
  output: optional('--output <file>', 'write it to a file instead of printing it', path),
  capsules: optional(
    '--capsules <directory>',
    'keep the capsule of each space in which something was found, in a file for the command open',
    path,
  ),
  failOn: setting(
    '--fail-on <gravity>',
    'what ends it with 1: error, warning, or never. A run without a request fails, too',
    oneOf(['error', 'warning', 'never'] as const, ', '),
    'error',
  ),
  known: optional(
    '--known <file>',
    'a list of what is accepted for now; the name of a space is that of a case',
    path,
  ),
}

const caFlags = {
  data: { ...settings.data, otherVariable: environmentVariable('data') },
  out: optional('--out <file>', 'write it to a file instead of printing it', path),
}

const place = {
  port: setting('--port <number>', 'port to listen on; 0 chooses a free one', portNumber, '0', {
    defaultText: 'a free one',
  }),
  host: settings.host,
}
const at = optional(
  '--at <request>',
  'as it was when this request had ended, such as r12',
  nonEmpty('a request'),
)

const openFlags = {
  ...place,
  at,
  fork: optional(
    '--fork <request>',
    'start a space that lives, as it was just before this request came',
    nonEmpty('a request'),
    { silences: { at: ', which goes on from a moment of its own' } },
  ),
}

const judgeFlags = {
  believes: optional(
    '--believes <belief>',
    `what the client believes, now that it has ended: ${beliefs.join(', ')}`,
    oneOf(beliefs),
  ),
  expected: optional('--expected <number>', 'how many mailings were meant', smallNumber),
  workers: optional('--workers <number>', 'how many workers the client had at a time', smallNumber),
  known,
  at,
  format: setting('--format <form>', 'text, json or junit', oneOf(['text', 'json', 'junit']), 'text'),
}

/** The commands that have flags of their own, in the order of the help. */
const commands = {
  exam: {
    flags: examFlags,
    takesClient: true,
    description:
      'run a client through situations that only a correct one survives, and through every combination of troubles up to a depth, and tell what it did wrong',
  },
  verify: {
    flags: verifyFlags,
    description:
      'check over HTTP whether an implementation of the service does what its document says, clause by clause; reads only, unless --allow-writes is given. Exits 0 when it does, 1 when a clause differs, 2 when it could not be checked',
  },
  pull: {
    flags: pullFlags,
    description:
      'copy the content of an implementation of the service over HTTP, with GET alone, into a fixture, with which the mock can start. Exits 0 when the fixture is whole, 1 when it was interrupted, 2 when nothing could be copied, 3 when it is written and lacks something',
  },
  report: {
    flags: reportFlags,
    description:
      'report what the clients of all spaces of a running mock did, those included that are gone. Exits 0 when none failed, 1 when one did, 2 when there is no report',
  },
  open: {
    flags: openFlags,
    takesFile: true,
    description:
      'show the pages of a capsule, the file that a space or a failed test has left: read only, at its end or after any request; or start a space that goes on from one of its moments',
  },
  judge: {
    flags: judgeFlags,
    takesFile: true,
    description:
      'print the verdict on the space of a capsule. Exits 0 when a test with it passes, 1 when it fails, 2 when the capsule cannot be read or came out differently when it was played again',
  },
  ca: {
    flags: caFlags,
    description:
      'print the certificate authority of a data directory, which clients of HTTPS have to trust; it is made if there is none',
  },
}

type CommandName = keyof typeof commands
export type FlagsOf<Name extends CommandName> = ValuesOf<(typeof commands)[Name]['flags']> &
  ((typeof commands)[Name] extends { readonly takesClient: boolean } ? WithClient : unknown) &
  ((typeof commands)[Name] extends { readonly takesFile: boolean } ? { readonly file: string } : unknown)
interface WithClient {
  /** The client: a program and its arguments, or a module. Empty with `list`. */
  readonly command: readonly string[]
  /** Flags of the exam that stand behind a client which no `--` introduces. The client gets them. */
  readonly strayFlags: readonly string[]
}
export type CommandTask = {
  readonly [Name in CommandName]: { readonly run: Name; readonly flags: FlagsOf<Name> }
}[CommandName]

/** Adds these commands. @param asked called with the command that is given */
export const addCommands = (
  program: Command,
  argv: readonly string[],
  asked: (task: CommandTask) => void,
): Command[] =>
  Object.entries(commands).map(([run, { description, flags, ...rest }]) => {
    const command = addFlags(program.command(run), flags).description(description)
    const ask = (given: object) => {
      const onCommandLine = Object.entries(flags).filter(
        ([key]) => command.getOptionValueSource(key) === 'cli',
      )
      checkTogether(onCommandLine.map(([, flag]) => flag))
      asked({ run, flags: given } as CommandTask)
    }
    if ('takesFile' in rest)
      return command
        .argument('<file>', 'the capsule')
        .allowExcessArguments(false)
        .action((file, given) => ask({ ...given, file }))
    if (!('takesClient' in rest)) return command.allowExcessArguments(false).action(ask)
    return command
      .usage('[options] -- <command> [arguments...]')
      .argument('[command...]', 'the client: a program that sends one mailing, and its arguments')
      .passThroughOptions()
      .action((client: string[], given) => {
        if (client.length === 0 && !given.list)
          throw new UserError(
            'exam needs a client: give its command after --, such as exam -- node client.mjs',
          )
        const isFlag = (word: string) => command.options.some(({ long }) => long === word.split('=')[0])
        const strayFlags = argv.includes('--') ? [] : client.filter(isFlag)
        ask({ ...given, command: client, strayFlags })
      })
  })

/** @throws UserError for a flag that does nothing with or without another one */
function checkTogether(given: readonly Setting<unknown>[]): void {
  const names = given.map(({ name }) => name)
  for (const { name, silences = {}, needs } of given) {
    if (needs !== undefined && !names.includes(needs))
      throw new UserError(`--${name} does nothing without --${needs}`)
    const idle = names.find(it => it in silences)
    if (idle !== undefined) throw new UserError(`--${idle} does nothing with --${name}${silences[idle]}`)
  }
}

/** Adds flags to a command; the parser reports the error messages of their `parse`. */
function addFlags(command: Command, flags: Readonly<Record<string, Setting<unknown>>>): Command {
  for (const it of Object.values(flags)) {
    const option = new Option(it.flag, `${it.help}${it.isList ? '; may be given again' : ''}`)
    if (it.defaultValue !== undefined) option.default(it.defaultValue, it.defaultText || undefined)
    if (it.isRequired) option.makeOptionMandatory()
    // An empty variable counts as not set.
    if (it.otherVariable !== undefined && process.env[it.otherVariable] !== '') option.env(it.otherVariable)
    if (!option.isBoolean())
      option.argParser((text: string, before: unknown) => {
        const value = parseArgument(it, text)
        return it.isList ? [...((before as unknown[] | undefined) ?? []), ...(value as unknown[])] : value
      })
    command.addOption(option)
  }
  return command
}

function parseArgument({ parse }: Setting<unknown>, text: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}
