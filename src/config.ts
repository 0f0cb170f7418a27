import { Command, CommanderError } from 'commander'
import { addExam, type ExamFlags } from './commands/exam-flags.ts'
import { addPull, type PullFlags } from './commands/pull-flags.ts'
import { addVerify, type VerifyFlags } from './commands/verify-flags.ts'
import { ConfigError } from './config-error.ts'
import type { FileSetting } from './config-file.ts'
import { type Config, environmentName, flagOf, settingNames, settings } from './settings.ts'

/** What the command line asks for. */
export type Task =
  | { readonly run: 'serve' | 'health'; readonly config: Config }
  | CommandTask
  | { readonly run: 'nothing' }

/** A command that has flags of its own. */
type CommandTask =
  | { readonly run: 'exam'; readonly flags: ExamFlags }
  | { readonly run: 'verify'; readonly flags: VerifyFlags }
  | { readonly run: 'pull'; readonly flags: PullFlags }

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
  let asked = { run: 'serve' } as { readonly run: 'serve' | 'health' } | CommandTask
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
      asked = { run: 'health' }
    })
  const commands = [
    program,
    health,
    addExam(program, flags => (asked = { run: 'exam', flags })),
    addVerify(program, flags => (asked = { run: 'verify', flags })),
    addPull(program, flags => (asked = { run: 'pull', flags })),
  ]
  let reading = program
  for (const command of commands)
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
  const before = onCommandLine(program)
  if ('flags' in asked) return checked(asked, before)
  const flags = { ...before, ...(asked.run === 'health' && onCommandLine(health)) }
  const file = await settingsOf(flags, environment)
  const entries = settingNames.map(name => [name, effective(name, flags, environment, file)])
  return { run: asked.run, config: Object.freeze(Object.fromEntries(entries)) as unknown as Config }
}

/** @throws ConfigError when its flags do not go together, or some stand before it: those are of the mock */
function checked(task: CommandTask, before: Record<string, string | boolean>): CommandTask {
  if (Object.keys(before).length > 0)
    throw new ConfigError(`flags of ${task.run} stand behind that word; ${task.run} --help shows them`)
  const wrong = wrongIn(task)
  if (wrong !== undefined) throw new ConfigError(wrong)
  return task
}

/** What is wrong with flags that are right one by one. */
function wrongIn(task: CommandTask): string | undefined {
  if (task.run === 'exam' && task.flags.command.length === 0 && !task.flags.list)
    return 'exam needs a client: give its command after --, such as exam -- node client.mjs'
  if (task.run === 'verify' && task.flags.sendTo && !task.flags.allowWrites)
    return '--send-to does nothing without --allow-writes'
  if (task.run === 'pull' && task.flags.seed !== undefined && !task.flags.anonymise)
    return '--seed does nothing without --anonymise'
  return undefined
}

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
  (await import('./config-file.ts')).readConfigFile(file, settingNames.map(flagOf))

/**
 * What a file of settings says, each value checked.
 * @throws ConfigError or ConfigFileError
 */
export async function readSettings(file: string): Promise<Partial<Config>> {
  const given = await readFile(file)
  const entries = settingNames.flatMap(name => {
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
  for (const name of settingNames) {
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
