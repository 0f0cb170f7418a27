import { once } from 'node:events'
import { createServer } from 'node:net'
import { Command, CommanderError, Option } from 'commander'
import { listenAddress } from '../http/host-names.ts'
import {
  type Config,
  environmentVariable,
  explainListenError,
  type Setting,
  settingNames,
  settings,
  wrongValue,
} from '../lib/settings.ts'
import { UserError } from '../store/user-error.ts'
import { findNearest } from '../store/validation-messages.ts'
import { addCommands, type CommandTask } from './command-flags.ts'
import type { FileSetting } from './config-file.ts'
import { exitWith, explainError } from './terminal.ts'

export type Task =
  | { readonly run: 'serve' | 'health'; readonly config: Config }
  | CommandTask
  | { readonly run: 'nothing' }

/**
 * Reads flags, environment and the settings file. A flag beats a variable, a variable beats the file, the file beats the
 * default. `--help` and `--version` are printed here; the task is then `nothing`.
 * @throws UserError with one sentence
 */
export async function readCommandLine(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  version: string,
): Promise<Task> {
  refuseFlagsTakenByNpm(argv, environment)
  let asked = { run: 'serve' } as { readonly run: 'serve' | 'health' } | CommandTask
  const program = addSettings(new Command('mailing-sync-mock'))
    .description('A high-fidelity test double of the Mailing Synchronization Service.')
    .version(version)
    .helpCommand(false)
    .allowExcessArguments(false)
    .enablePositionalOptions()
    .action(() => {})
  const health = addSettings(program.command('health'), name => addressSettings.test(name))
    .description('exit with 0 when the mock with these settings answers, else with 1')
    .action(() => {
      asked = { run: 'health' }
    })
  const others = addCommands(program, argv, task => {
    asked = task
  })
  let reading = program
  for (const command of [program, health, ...others])
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
    throw new UserError(explainParseError(error, program, reading, argv))
  }
  const before = givenFlags(program)
  if ('flags' in asked) {
    if (before.size === 0) return asked
    throw new UserError(`flags of ${asked.run} stand behind that word; ${asked.run} --help shows them`)
  }
  const flags = new Map([...before, ...(asked.run === 'health' ? givenFlags(health) : [])])
  checkVariables(environment)
  const path = flags.get('config') ?? (environment[environmentVariable('config')] || undefined)
  const file = path === undefined ? new Map<string, FileSetting>() : await loadConfigFile(path)
  const entries = settingNames.map(name => [name, resolveSetting(settings[name], flags, environment, file)])
  const config = Object.freeze(Object.fromEntries(entries)) as unknown as Config
  checkPorts(config)
  const without = ['data', 'durability'].find(name => flags.has(name) && config.inMemory)
  if (without)
    throw new UserError(
      `--${without} does nothing with --in-memory, which keeps nothing on disk; give one of them`,
    )
  return { run: asked.run, config }
}

/** @throws UserError for ports that exclude each other, wherever they were set */
function checkPorts({ port, controlPort, tls, tlsPort }: Config): void {
  if (tls && tlsPort !== undefined)
    throw new UserError(
      '--tls makes the one port speak HTTPS, and --tls-port adds a second one that does; give one of them',
    )
  const given = Object.entries({
    '--port': port,
    '--control-port': controlPort,
    '--tls-port': tlsPort,
  }).filter(([, it]) => it !== undefined && it !== 0)
  const [flag, number] = given.find(([, it], at) => given.findIndex(([, other]) => other === it) !== at) ?? []
  if (flag) throw new UserError(`${flag} is ${number}, as another port of this mock is; give each its own`)
}

/** `npm start` without `--` keeps the flags, and not all values arrive. @throws UserError that says what to type */
function refuseFlagsTakenByNpm(argv: readonly string[], environment: NodeJS.ProcessEnv): void {
  if (environment.npm_lifecycle_event !== 'start' || environment.npm_package_name !== 'mailing-sync-mock')
    return
  const taken = Object.values(settings).flatMap(({ name, flag }) => {
    const value = environment[`npm_config_${name.replaceAll('-', '_')}`]
    return value === undefined ? [] : [value === 'true' ? flag : `--${name} ${value}`]
  })
  if (taken.length === 0) return
  const names = taken.map(it => it.split(' ')[0]).join(', ')
  // Of several values it cannot be known whose they are.
  const typed = argv.length === 1 ? taken.join(' ').replace(/<.+?>/, argv[0]!) : taken.join(' ')
  throw new UserError(`npm kept ${names} for itself; type: npm start -- ${typed}`)
}

/** Names that Kubernetes gives to variables of services whose names begin like this one's, and that the kits read. */
const variablesOfOthers =
  /_(?:SERVICE_HOST|SERVICE_PORT\w*|PORT|PORT_\d+_[A-Z]+\w*)$|_MOCK_(?:COMMAND|START_TIMEOUT|CAPSULES)$/

/** @returns variables with our prefix that no program is known to use @throws UserError for one that was probably meant as a setting */
export function checkVariables(environment: NodeJS.ProcessEnv): string[] {
  const prefix = environmentVariable('')
  const known = [...Object.values(settings).map(({ name }) => name), 'config'].map(environmentVariable)
  const names = known.map(it => it.slice(prefix.length))
  return Object.keys(environment).filter(given => {
    if (!given.startsWith(prefix) || known.includes(given)) return false
    const meant = findNearest(given.slice(prefix.length), names)
    if (meant) throw new UserError(`${given} is no setting; did you mean ${prefix}${meant}?`)
    return !variablesOfOthers.test(given)
  })
}

/** The YAML reader is loaded only when a file is given. */
const loadConfigFile = async (file: string) => (await import('./config-file.ts')).readConfigFile(file)

/** The settings of a file, each value checked. @throws UserError */
export async function readSettings(file: string): Promise<Partial<Config>> {
  const given = await loadConfigFile(file)
  const entries = settingNames.flatMap(option => {
    const found = given.get(settings[option].name)
    return found === undefined ? [] : [[option, parseFileSetting(settings[option], found)]]
  })
  return Object.fromEntries(entries)
}

const parseFileSetting = (setting: Setting<unknown>, { text, at }: FileSetting) =>
  parseSetting(setting, text, `${at}: ${setting.name}`)

/** @param place where the text comes from, for the message */
function parseSetting({ name, parse }: Setting<unknown>, text: string, place: string): unknown {
  try {
    return parse(text)
  } catch (error) {
    throw wrongValue(place, name, text, error)
  }
}

/** Texts of the flags given on the command line, by their names. */
type Flags = ReadonlyMap<string, string>

const givenFlags = (command: Command): Flags =>
  new Map(
    command.options
      .map(option => [option, option.attributeName()] as const)
      .filter(([, attribute]) => command.getOptionValueSource(attribute) === 'cli')
      .map(([{ long, negate }, attribute]) => [
        long!.slice(2),
        negate ? 'true' : String(command.getOptionValue(attribute)),
      ]),
  )

const joinLists = (text: string, before?: string) => (before === undefined ? text : `${before},${text}`)

/** Names of the settings that `health` reads. */
const addressSettings = /^(?:host|port|tls|tls-port)$/

/** The first setting of each part of the help. */
const helpParts: Readonly<Record<string, string>> = {
  port: 'Where it listens, and what it keeps:',
  fixtures: 'Content:',
  'relation-prefix': 'Addresses and links:',
  'rate-limit': 'Behaviour of the service, and its clock:',
  journal: 'Limits:',
  token: 'Access and HTTPS:',
  'log-level': 'Output:',
}

/** @param shown whether a setting is in the help; all are by default */
function addSettings(command: Command, shown: (name: string) => boolean = () => true): Command {
  for (const { name, flag, help, defaultText, otherVariable, isList } of Object.values(settings)) {
    const notes = [defaultText && `default: ${defaultText}`, otherVariable && `env: ${otherVariable}`]
    const told = notes.filter(Boolean).join(', ')
    const text = `${help}${isList ? '; may be given again' : ''}${told && ` (${told})`}`
    const option = new Option(flag, text).hideHelp(!shown(name))
    if (isList) option.argParser(joinLists)
    if (helpParts[name]) command.optionsGroup(helpParts[name])
    command.addOption(option)
  }
  return command
    .optionsGroup('Options:')
    .option('--config <file>', 'settings by the names of these flags, in YAML or JSON')
    .addHelpText(
      'after',
      `\nAll but help and version can also be set in the environment: --tls-port as ${environmentVariable('tls-port')}.`,
    )
}

function resolveSetting(
  setting: Setting<unknown>,
  flags: Flags,
  environment: NodeJS.ProcessEnv,
  file: ReadonlyMap<string, FileSetting>,
): unknown {
  const { name, otherVariable } = setting
  // The address that Kubernetes puts into MAILING_SYNC_MOCK_PORT for a service of this name is no setting.
  const variable = [environmentVariable(name), otherVariable].find(
    // Orchestrators pass unset values as empty variables.
    key => key && environment[key] && !/^(?:tcp|udp):\/\//.test(environment[key]),
  )
  const given = flags.get(name)
  const text = given === undefined ? variable && environment[variable] : given
  if (text === undefined) {
    const found = file.get(name)
    return found === undefined ? setting.defaultValue : parseFileSetting(setting, found)
  }
  return parseSetting(setting, text, given === undefined ? variable! : `--${name}`)
}

const delays = [
  '--scenario slow-but-fine delays responses, and --scenario hang-after gives none',
  '--only "slow-*" plays slow responses',
]
const failures = [
  '--scenario error-500-before answers 500; /_mock/scenarios lists all others',
  '--strict fails for warnings, too',
]
const logs = ['--log-level info prints each request', '--verbose prints more']
const jobs = ['--jobs 4 plays four cases at a time']
const places = ['--host ADDRESS is where it listens', '--url ADDRESS is where the service is']
const data = ['--data DIRECTORY keeps the data']
const times = [
  '--now 2026-11-01T10:00:00Z is when the clock begins',
  '--speed 60 lets the clock run 60 times as fast',
]
const cases = ['--only NAMES plays some cases']
const reports = ['--junit FILE and --json FILE write reports', '--format says in which form it is printed']

/** What people type for flags that have other names. The first text counts whose flag the command has. */
export const otherFlags: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    ...{ delay: delays, latency: delays, timeout: delays },
    ...{ fail: failures, error: failures, errors: failures },
    ...{ verbose: logs, log: logs, logs, debug: logs },
    ...{ parallel: jobs, concurrency: jobs, threads: jobs },
    ...{ host: places, hostname: places, address: places, bind: places, listen: places },
    ...{ db: data, dir: data, storage: data, persist: data },
    ...{ time: times, date: times, clock: times },
    ...{ report: reports, reporter: reports, output: reports, out: reports },
    rate: ['--rate-limit 60 allows 60 requests a minute', '--speed 60 lets the clock run 60 times as fast'],
    watch: [
      '--log-level info prints each request, and /_mock shows it; changed files of --scenarios are read again',
      '--verbose prints a line for each case',
    ],
    memory: ['--in-memory keeps nothing on disk'],
    silent: ['--quiet prints the ready line only'],
    https: ['--tls stands for HTTPS'],
    ssl: ['--tls stands for HTTPS'],
    cert: ['--tls-cert FILE is the certificate'],
    key: ['--tls-key FILE is the private key'],
    proxy: ['--trust-proxy believes X-Forwarded-Host, -Proto and -Prefix'],
    reset: ['--in-memory starts with fresh data each time; POST /_mock/reset resets a running mock'],
    ...{ filter: cases, case: cases, cases },
    only: ['--filter CLAUSES checks some clauses'],
  }),
)

/** What the parser reports, and what was probably meant. */
function explainParseError(
  { code, message }: CommanderError,
  program: Command,
  reading: Command,
  argv: readonly string[],
): string {
  if (argv[0] === 'explore') return 'explore is part of the exam: write exam --depth 2 in its place'
  if (code === 'commander.excessArguments') {
    const [word] = program.args
    const commands = program.commands.map(it => it.name())
    const url =
      reading.options.some(it => it.long === '--url') && reading.args.find(it => /^https?:/.test(it))
    if (url) return `write --url ${url}: an address has this flag`
    // `examine` is `exam` with an ending.
    const near = word && (findNearest(word, commands) ?? commands.find(it => word.startsWith(it)))
    if (word !== undefined && !commands.includes(word))
      return `"${word}" is no command;${near ? ` did you mean ${near}?` : ''} possible: ${commands.join(', ')}, or none to start the mock`
  }
  const [, flag] = /unknown option '(--[^'=]+)/.exec(message) ?? []
  const find = ({ options }: Command) => options.find(it => it.long === flag)
  const meant = reading === program && program.commands.find(it => argv.includes(it.name()) && find(it))
  if (meant)
    return `${flag} is a flag of ${meant.name()} and stands behind that word; ${meant.name()} --help shows them`
  const known = find(reading)
  if (!known && reading.name() === 'exam' && find(program))
    return `${reading.name()} has no ${flag}: it starts a mock of its own; ${reading.name()} --help shows its flags`
  const has = (text: string) => reading.options.some(it => it.long === text.split(' ')[0])
  const other = known ? undefined : otherFlags.get(flag?.slice(2) ?? '')?.find(has)
  if (other) return `unknown option '${flag}': ${other}; --help shows what is possible`
  // A switch with a value is reported as an unknown option.
  const isSwitch = known && !known.required && !known.optional
  const sentence = (isSwitch ? `option '${flag}' takes no value` : message)
    .replace(/^error: /, '')
    .replace(/\.$/, '')
    .replaceAll(/\s*\n\s*/g, ' ')
  return `${sentence}; --help shows what is possible`
}

/**
 * `npm start` calls it before it builds: reads the command line and tries the ports, since a build takes many seconds.
 * It ends the process after `--help` and `--version`, and with a message when the mock could not start.
 */
export async function checkStart(
  argv: readonly string[],
  environment: NodeJS.ProcessEnv,
  version: string,
): Promise<void> {
  try {
    const task = await readCommandLine(argv, environment, version)
    if (task.run === 'nothing') process.exit()
    if (task.run !== 'serve') return
    const { host, port, controlPort, tlsPort } = task.config
    for (const each of [port, controlPort, tlsPort]) {
      if (each === undefined) continue
      const server = createServer().listen({ port: each, host: listenAddress(host) })
      await once(server, 'listening')
      server.close()
    }
  } catch (error) {
    const problems = explainError(explainListenError(error))
    if (problems === undefined) throw error
    exitWith(2, problems)
  }
}
