import { Command, CommanderError } from 'commander'
import type { FileSetting } from './config-file.ts'
import { addExam, type ExamFlags } from './exam-flags.ts'
import { type Limits, usualLimits } from './limits.ts'
import { type LogLevel, logLevels } from './log.ts'
import { addPull, type PullFlags } from './pull-flags.ts'
import {
  baseUrl,
  dateTime,
  durability,
  filled,
  lasting,
  level,
  matching,
  pairs,
  toggle,
  whole,
} from './setting-forms.ts'
import type { Durability } from './store/files.ts'
import { defaultFixture } from './store/fixtures.ts'
import { addVerify, type VerifyFlags } from './verify-flags.ts'

/** A flag, an environment variable or a combination of them that cannot be used. */
export class ConfigError extends Error {}

export interface Config extends Limits {
  readonly port: number
  readonly host: string
  readonly data: string
  readonly inMemory: boolean
  readonly durability: Durability
  readonly fixtures: string
  readonly seed: number
  readonly generate: string
  readonly relationPrefix: string
  readonly platformSegment: string
  readonly publicUrl: string | undefined
  readonly allowHost: readonly string[]
  readonly trustProxy: boolean
  readonly rateLimit: number
  readonly scenario: string | undefined
  readonly scenarios: string | undefined
  readonly dial: Readonly<Record<string, string>>
  readonly now: string | undefined
  readonly frozen: boolean
  readonly noHints: boolean
  readonly journal: number
  readonly spaceLimit: number
  readonly spaceIdle: number
  readonly token: string | undefined
  readonly controlPort: number | undefined
  readonly logLevel: LogLevel
  readonly quiet: boolean
}

/** A duration in which something must have come. */
const aTime = (text: string) => {
  const milliseconds = lasting(text)
  if (milliseconds === 0 || milliseconds > 3_600_000) throw new Error('expected 1ms to 1h, such as 10s')
  return milliseconds
}

interface Setting<Value> {
  /** As the command line writes it; without a `<value>` it is a switch. */
  readonly flag: string
  readonly help: string
  readonly initial: Value
  /** What the default is called in the help, where its value says little. */
  readonly initially?: string
  /** Whether it takes several values, comma-separated: those of a flag that is given again come on top. */
  readonly isList?: true
  /** @throws a sentence: what is possible */
  readonly parse: (text: string) => Value
  /** A second environment variable, with less weight. */
  readonly alsoEnv?: string
}

type Settings = { readonly [Name in keyof Config]: Setting<Config[Name]> }

const settings: Settings = {
  port: {
    flag: '--port <number>',
    help: 'port to listen on; 0 chooses a free one',
    initial: 4025,
    parse: whole(0, 65_535),
    alsoEnv: 'PORT',
  },
  host: {
    flag: '--host <address>',
    help: 'address to listen on; 0.0.0.0 is every interface',
    initial: '127.0.0.1',
    parse: filled('an address'),
  },
  data: {
    flag: '--data <directory>',
    help: 'where the data is kept over restarts',
    initial: './data',
    parse: filled('a directory'),
  },
  inMemory: { flag: '--in-memory', help: 'keep nothing on disk', initial: false, parse: toggle },
  durability: {
    flag: '--durability <level>',
    help: 'what a change outlives once it is answered: os, the end of the process; fsync, of the power too',
    initial: 'os',
    parse: durability,
  },
  fixtures: {
    flag: '--fixtures <path>',
    help: 'what the spaces start with: a file, or a directory of files',
    initial: defaultFixture,
    initially: 'the packaged one, space demo',
    parse: filled('a path'),
  },
  seed: {
    flag: '--seed <number>',
    help: 'where IDs and figures come from; the same seed and requests give the same answers',
    initial: 1,
    parse: whole(0, Number.MAX_SAFE_INTEGER),
  },
  generate: {
    flag: '--generate <counts>',
    help: 'more content, such as mailings=10000,synchronizations=2000',
    initial: '',
    initially: 'none',
    isList: true,
    parse: text => text,
  },
  relationPrefix: {
    flag: '--relation-prefix <name>',
    help: 'prefix of link relations',
    initial: 'svc',
    parse: matching(/^[a-z][a-z0-9-]*$/i, 'letters, digits and hyphens'),
  },
  platformSegment: {
    flag: '--platform-segment <name>',
    help: 'middle segment of integration paths',
    initial: 'mailing-platform',
    parse: matching(
      /^[a-z0-9][a-z0-9._~-]*$/i,
      'one path segment of letters, digits, dots, hyphens, tildes and underscores',
    ),
  },
  publicUrl: {
    flag: '--public-url <url>',
    help: 'base of all links; without it, the host that a request names',
    initial: undefined,
    parse: baseUrl,
  },
  allowHost: {
    flag: '--allow-host <names>',
    help: 'host names to answer for, comma-separated, beside local ones and IP addresses',
    initial: [],
    isList: true,
    parse: text => {
      const names = text.toLowerCase().split(',').filter(Boolean)
      if (!names.every(name => /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(name)))
        throw new Error('expected comma-separated host names without port')
      return names
    },
  },
  trustProxy: {
    flag: '--trust-proxy',
    help: 'believe X-Forwarded-Host, -Proto and -Prefix',
    initial: false,
    parse: toggle,
  },
  rateLimit: {
    flag: '--rate-limit <number>',
    help: 'requests a minute for each space; 0 is no limit',
    initial: 0,
    parse: whole(0, 1_000_000),
  },
  scenario: {
    flag: '--scenario <name>',
    help: 'scenario that is in force in every space from its beginning',
    initial: undefined,
    parse: filled('the name of a scenario'),
  },
  scenarios: {
    flag: '--scenarios <directory>',
    help: 'scenarios of your own, beside the packaged ones; edits are taken over while it runs',
    initial: undefined,
    parse: filled('a directory'),
  },
  dial: {
    flag: '--dial <names=values>',
    help: 'what to do where the document is silent, comma-separated; GET /_mock/dials lists the dials',
    initial: {},
    initially: 'none',
    isList: true,
    parse: pairs,
  },
  now: {
    flag: '--now <date-time>',
    help: 'time at which the clock of a space begins, with a zone, such as 2026-11-01T10:00:00Z',
    initial: undefined,
    parse: dateTime,
  },
  frozen: {
    flag: '--frozen',
    help: 'clocks stand still until a control call moves them',
    initial: false,
    parse: toggle,
  },
  noHints: {
    flag: '--no-hints',
    help: 'no X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint in answers',
    initial: false,
    parse: toggle,
  },
  journal: {
    flag: '--journal <number>',
    help: 'requests that the journal of a space keeps; 0 keeps none',
    initial: 1_000,
    parse: whole(0, 1_000_000),
  },
  spaceLimit: {
    flag: '--space-limit <number>',
    help: 'private copies of spaces at most; beyond, the one unused for longest makes room',
    initial: 2_000,
    parse: whole(1, 1_000_000),
  },
  spaceIdle: {
    flag: '--space-idle <duration>',
    help: 'how long a private copy may be unused before it makes room',
    initial: 3_600_000,
    initially: '1h',
    parse: lasting,
  },
  bodyLimit: {
    flag: '--body-limit <bytes>',
    help: "a request's body at most; control calls have limits of their own",
    initial: usualLimits.bodyLimit,
    parse: whole(1, 1 << 30),
  },
  headerLimit: {
    flag: '--header-limit <bytes>',
    help: 'request line and headers at most',
    initial: usualLimits.headerLimit,
    parse: whole(1_000, 1 << 24),
  },
  headerTimeout: {
    flag: '--header-timeout <duration>',
    help: 'how long the headers of a request may take to come',
    initial: usualLimits.headerTimeout,
    initially: '10s',
    parse: aTime,
  },
  requestTimeout: {
    flag: '--request-timeout <duration>',
    help: 'how long a whole request may take to come; its answer may take longer',
    initial: usualLimits.requestTimeout,
    initially: '30s',
    parse: aTime,
  },
  connectionLimit: {
    flag: '--connection-limit <number>',
    help: 'connections at the same time, for each port; further ones are answered 503',
    initial: usualLimits.connectionLimit,
    parse: whole(1, 1_000_000),
  },
  holdLimit: {
    flag: '--hold-limit <number>',
    help: 'requests of a space that are held or delayed at the same time; further ones are answered 503',
    initial: usualLimits.holdLimit,
    parse: whole(1, 1_000_000),
  },
  token: {
    flag: '--token <text>',
    help: 'what control calls must carry in the header X-Mock-Token, or as a bearer token',
    initial: undefined,
    initially: 'none',
    parse: matching(/^[\x21-\x7e]{8,200}$/, 'at least 8 printable characters without blanks'),
  },
  controlPort: {
    flag: '--control-port <number>',
    help: 'port of the control API alone; 0 chooses a free one',
    initial: undefined,
    initially: 'the same port',
    parse: whole(0, 65_535),
  },
  logLevel: { flag: '--log-level <level>', help: logLevels.join(', '), initial: 'warn', parse: level },
  quiet: { flag: '--quiet', help: 'print the ready line only', initial: false, parse: toggle },
}

const names = Object.keys(settings) as (keyof Config)[]
const environmentName = (name: string) =>
  `MAILING_SYNC_MOCK_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`

/** What the command line asks for. */
export type Task =
  | { readonly run: 'serve' | 'health'; readonly config: Config }
  | { readonly run: 'exam'; readonly flags: ExamFlags }
  | { readonly run: 'verify'; readonly flags: VerifyFlags }
  | { readonly run: 'pull'; readonly flags: PullFlags }
  | { readonly run: 'nothing' }

/**
 * Reads flags, environment and the file of settings: a flag beats a variable, a variable beats the file, the file beats the
 * default. `--help` and `--version` are printed here, and leave nothing to do.
 * @throws ConfigError or ConfigFileError with one sentence
 */
export async function readConfig(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  version: string,
): Promise<Task> {
  let run = 'serve' as 'serve' | 'health'
  const program = withSettings(new Command('mailing-sync-mock'))
    .description('A high-fidelity test double of the Mailing Synchronization Service.')
    .version(version)
    .helpCommand(false)
    .allowExcessArguments(false)
    .enablePositionalOptions()
    .action(() => {})
  const health = withSettings(program.command('health'))
    .description('exit 0 when the mock with these settings answers, else 1')
    .action(() => {
      run = 'health'
    })
  let exam = undefined as ExamFlags | undefined
  const examining = addExam(program, flags => {
    exam = flags
  })
  let verifying = undefined as VerifyFlags | undefined
  const verify = addVerify(program, flags => {
    verifying = flags
  })
  let pulling = undefined as PullFlags | undefined
  const pull = addPull(program, flags => {
    pulling = flags
  })
  let reading = program
  for (const command of [program, health, examining, verify, pull])
    command
      .exitOverride(error => {
        reading = command
        throw error
      })
      .configureOutput({ writeErr: () => {} })
  try {
    program.parse(argv, { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) return { run: 'nothing' }
    throw new ConfigError(unknownCommand(error, program) ?? sentence(error, reading))
  }
  if (exam) return { run: 'exam', flags: checkExam(exam, onCommandLine(program)) }
  if (verifying) return { run: 'verify', flags: checkVerify(verifying, onCommandLine(program)) }
  if (pulling) return { run: 'pull', flags: checkPull(pulling, onCommandLine(program)) }
  const flags = { ...onCommandLine(program), ...(run === 'health' && onCommandLine(health)) }
  const file = await settingsOf(flags, environment)
  const entries = names.map(name => [name, effective(name, flags, environment, file)])
  return { run, config: Object.freeze(Object.fromEntries(entries)) as unknown as Config }
}

/** @throws ConfigError */
function checkExam(exam: ExamFlags, before: Record<string, string | boolean>): ExamFlags {
  const [misplaced] = Object.keys(before)
  if (misplaced !== undefined)
    throw new ConfigError(`flags of an exam stand behind the word exam; exam --help shows them`)
  if (exam.command.length === 0 && !exam.list)
    throw new ConfigError('exam needs a client: give its command after --, such as exam -- node client.mjs')
  return exam
}

/** @throws ConfigError */
function checkVerify(flags: VerifyFlags, before: Record<string, string | boolean>): VerifyFlags {
  if (Object.keys(before).length > 0)
    throw new ConfigError(`flags of a verification stand behind the word verify; verify --help shows them`)
  if (flags.sendTo && !flags.allowWrites)
    throw new ConfigError('--send-to does nothing without --allow-writes')
  return flags
}

/** @throws ConfigError */
function checkPull(flags: PullFlags, before: Record<string, string | boolean>): PullFlags {
  if (Object.keys(before).length > 0)
    throw new ConfigError(`flags of a pull stand behind the word pull; pull --help shows them`)
  if (flags.seed !== undefined && !flags.anonymise)
    throw new ConfigError('--seed does nothing without --anonymise')
  return flags
}

const flagOf = (name: keyof Config) => settings[name].flag.split(' ')[0]!.slice(2)

/** The file that a flag or a variable names, by the names of settings. */
async function settingsOf(
  flags: Record<string, string | boolean>,
  environment: NodeJS.ProcessEnv,
): Promise<ReadonlyMap<string, FileSetting>> {
  const file = flags.config ?? environment[environmentName('config')]
  if (file === undefined || (flags.config === undefined && file === '')) return new Map()
  return readFile(String(file))
}

/** Whoever starts without such a file does not wait for what reads YAML. */
const readFile = async (file: string) =>
  (await import('./config-file.ts')).readConfigFile(file, names.map(flagOf))

/**
 * What a file of settings says, each value checked.
 * @throws ConfigError or ConfigFileError
 */
export async function readSettings(file: string): Promise<Partial<Config>> {
  const given = await readFile(file)
  const entries = names.flatMap(name => {
    const setting = given.get(flagOf(name))
    return setting === undefined ? [] : [[name, fromFile(name, setting)]]
  })
  return Object.fromEntries(entries)
}

function fromFile<Name extends keyof Config>(name: Name, { text, at }: FileSetting): Config[Name] {
  try {
    return settings[name].parse(text)
  } catch (error) {
    throw new ConfigError(`${at}: ${flagOf(name)} ${seenOf(name, text)}: ${(error as Error).message}`)
  }
}

const seenOf = (name: keyof Config, text: string) => (name === 'token' ? 'cannot be used' : `is "${text}"`)

/** What stands on the command line. The parser takes `--no-hints` for a switch `hints` that is turned off. */
function onCommandLine(command: Command): Record<string, string | boolean> {
  const flags = Object.entries<string | boolean>(command.opts())
  const given = flags.filter(([name]) => command.getOptionValueSource(name) === 'cli')
  return Object.fromEntries(
    given.map(([name, value]) =>
      value === false ? [`no${name[0]!.toUpperCase()}${name.slice(1)}`, true] : [name, value],
    ),
  )
}

/** What a flag was given before, and what it is given now. */
const joined = (text: string, before?: string) => (before === undefined ? text : `${before},${text}`)

function withSettings(command: Command): Command {
  for (const name of names) {
    const { flag, help, initial, initially, alsoEnv, isList } = settings[name]
    const usual = initially ?? (Array.isArray(initial) ? '' : String(initial ?? ''))
    const notes = [
      usual && usual !== 'false' && `default: ${usual}`,
      `env: ${environmentName(name)}${alsoEnv ? ` or ${alsoEnv}` : ''}`,
    ]
    const text = `${help}${isList ? '; may be given again' : ''} (${notes.filter(Boolean).join(', ')})`
    if (isList) command.option(flag, text, joined)
    else command.option(flag, text)
  }
  const variable = environmentName('config')
  command.option(
    '--config <file>',
    `settings by the names of these flags, in YAML or JSON (env: ${variable})`,
  )
  return command
}

function effective<Name extends keyof Config>(
  name: Name,
  flags: Record<string, string | boolean>,
  environment: NodeJS.ProcessEnv,
  file: ReadonlyMap<string, FileSetting>,
): Config[Name] {
  const { flag, initial, parse, alsoEnv } = settings[name]
  const variable = [environmentName(name), alsoEnv].find(key => key && environment[key] !== undefined)
  const given = flags[name]
  const text = given === undefined ? variable && environment[variable] : String(given)
  // Orchestrators pass what is not set as an empty variable.
  if (text === undefined || (given === undefined && text === '')) {
    const setting = file.get(flagOf(name))
    return setting === undefined ? initial : fromFile(name, setting)
  }
  try {
    return parse(text)
  } catch (error) {
    const source = given === undefined ? variable : flag.split(' ')[0]
    throw new ConfigError(`${source} ${seenOf(name, text)}: ${(error as Error).message}`)
  }
}

/** Whoever mistypes a command hears which ones there are: to the parser it is an argument too many. */
function unknownCommand({ code }: CommanderError, program: Command): string | undefined {
  const [word] = program.args
  const commands = program.commands.map(it => it.name())
  if (code !== 'commander.excessArguments' || word === undefined || commands.includes(word)) return undefined
  return `"${word}" is no command; possible: ${commands.join(', ')}, or none to start the mock`
}

/** To the parser a switch with a value is an option that it does not know. */
function switchWithValue({ code, message }: CommanderError, { options }: Command): string | undefined {
  const [, flag] = /'(--[^'=]+)=/.exec(message) ?? []
  const known = options.find(it => it.long === flag)
  const isMeant = code === 'commander.unknownOption' && known && !known.required && !known.optional
  return isMeant ? `option '${flag}' takes no value` : undefined
}

/** The parser's message as one sentence. */
const sentence = (error: CommanderError, command: Command) =>
  `${(switchWithValue(error, command) ?? error.message)
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')}; --help shows what is possible`
