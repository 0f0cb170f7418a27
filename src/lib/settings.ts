import { z } from 'zod'
import { withoutLastDot } from '../http/host-names.ts'
import { type LogLevel, logLevels } from '../http/logger.ts'
import { earliestTime, latestTime } from '../rig/clock.ts'
import { duration } from '../rig/duration.ts'
import { type SelectionChannel, selectionChannels } from '../rig/scenarios/selection.ts'
import { profileNames } from '../service/dials.ts'
import { defaultNames } from '../service/links.ts'
import type { Durability } from '../store/files.ts'
import { defaultFixture } from '../store/fixtures.ts'
import { defaultMemoryLimit } from '../store/memory-budget.ts'
import { UserError } from '../store/user-error.ts'
import { describeUnknownKey, findNearest } from '../store/validation-messages.ts'

/*
 * Every setting, written once: its flag, environment variable, key in a settings file, library option, default and help
 * follow from here. Values are parsed from the text of a flag, not by zod: each message says what that text may be.
 */

/** A setting, or a flag of a command. */
export interface Setting<Value> {
  /** The flag without its leading hyphens: also its key in a settings file. */
  readonly name: string
  /** The flag on the command line; without a `<value>` it is a switch. */
  readonly flag: string
  readonly help: string
  readonly parse: Parse<Value>
  readonly defaultValue: Value
  /** The default in the help. Empty if there is none. */
  readonly defaultText: string
  /** Whether it takes several comma-separated values. Repeated flags add values. */
  readonly isList?: true
  /** A second environment variable with lower precedence; of a flag of a command, its only one. */
  readonly otherVariable?: string
  readonly isRequired?: true
  /** Flags that do nothing beside this one, by name, each with the end of the sentence that says so. */
  readonly silences?: Readonly<Record<string, string>>
  /** Name of the flag without which this one does nothing. */
  readonly needs?: string
}

export type ValuesOf<Settings> = {
  readonly [Name in keyof Settings]: Settings[Name] extends Setting<infer Value> ? Value : never
}

/** @throws an Error whose message says what is possible */
type Parse<Value> = ((text: string) => Value) & {
  /** JSON Schema of the value in a settings file; any text by default. */
  readonly schema?: Readonly<Record<string, unknown>>
}
type More = Partial<Pick<Setting<unknown>, 'defaultText' | 'isList' | 'otherVariable' | 'silences' | 'needs'>>

const base = <Value>(flag: string, help: string, parse: Parse<Value>) => {
  const [name] = flag.slice(2).split(' ')
  return { name: name!, flag, help, parse }
}

/** A setting with a default, which is written as users write it. */
export const setting = <Value>(
  flag: string,
  help: string,
  parse: Parse<Value>,
  defaultText: string,
  more: More = {},
): Setting<Value> => ({ ...base(flag, help, parse), defaultValue: parse(defaultText), defaultText, ...more })

/** A setting without a default. */
export const optional = <Value>(
  flag: string,
  help: string,
  parse: Parse<Value>,
  more: More = {},
): Setting<Value | undefined> => ({
  ...base<Value | undefined>(flag, help, parse),
  defaultValue: undefined,
  defaultText: '',
  ...more,
})

/** A setting that is off unless it is given. */
export const toggle = (flag: string, help: string, more: More = {}): Setting<boolean> =>
  setting(flag, help, parseSwitch, 'false', { defaultText: '', ...more })

/** A setting with several comma-separated values. */
const list = <Value>(
  flag: string,
  help: string,
  parse: Parse<Value>,
  defaultValue: Value,
  defaultText: string,
): Setting<Value> => ({ ...base(flag, help, parse), defaultValue, defaultText, isList: true })

const numberOf =
  (form: RegExp, words: string, type: string) =>
  (least: number, most: number, unit = ''): Parse<number> =>
    Object.assign(
      (text: string) => {
        const value = form.test(text) ? Number(text) : Number.NaN
        if (value >= least && value <= most) return value
        throw new Error(
          least === most ? `expected ${least}` : `expected a ${words}${unit} from ${least} to ${most}`,
        )
      },
      { schema: { type, minimum: least, maximum: most } },
    )
const wholeNumber = numberOf(/^\d{1,16}$/, 'whole number', 'integer')
export const decimalNumber = numberOf(/^\d{1,4}(\.\d{1,3})?$/, 'number', 'number')

/** Any text that is not empty. @param what is expected, for the message */
export const nonEmpty = (what: string) => matchingText(/./s, what)

/** A text that matches a pattern. @param what describes the pattern, for the message */
export const matchingText = (pattern: RegExp, what: string) => (text: string) => {
  if (!pattern.test(text)) throw new Error(`expected ${what}`)
  return text
}

export const oneOf = <const Word extends string>(words: readonly Word[], last = ', '): Parse<Word> =>
  Object.assign(
    (text: string) => {
      const known = words.find(word => word === text)
      if (known !== undefined) return known
      const near = findNearest(text, words)
      throw new Error(`expected ${words.join(last)}${near === undefined ? '' : `; did you mean ${near}?`}`)
    },
    { schema: { enum: words } },
  )

/** A switch as written in an environment variable. */
function parseSwitch(text: string): boolean {
  if (['true', '1', 'yes', 'on'].includes(text.toLowerCase())) return true
  if (['false', '0', 'no', 'off', ''].includes(text.toLowerCase())) return false
  throw new Error('expected true or false')
}

/** A duration in milliseconds. */
const boundedDuration =
  (least = 0, most = Number.POSITIVE_INFINITY, refusal = '') =>
  (text: string) => {
    const read = duration.safeParse(text)
    // `wrongValue` says what was given.
    if (!read.success) throw new Error(read.error.issues[0]!.message.replace(/, got .*$/s, ''))
    if (read.data < least || read.data > most) throw new Error(refusal)
    return read.data
  }

const timeout = boundedDuration(1, 3_600_000, 'expected 1ms to 1h, such as 10s')
export const deadline = boundedDuration(1, 2 ** 31 - 1, 'expected a duration from 1ms to 24d')

function parseBaseUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isPlain = /^[!$->@-[\]-~\u0080-\uffff]*$/.test(text)
  if (!url || !isPlain || !/^https?:$/.test(url.protocol) || url.username || url.password)
    throw new Error(
      'expected an http or https address without query, such as https://mock.example.com/mailing',
    )
  return text
}

/** Comma-separated `name=value` pairs. */
function parsePairs(text: string): Readonly<Record<string, string>> {
  const given = text.split(',').map(part => part.split('='))
  if (!given.every(pair => pair.length === 2 && pair[0] && pair[1]))
    throw new Error('expected names with values, such as error-body=minimal,rate-limit=60')
  return Object.fromEntries(given.map(pair => [pair[0]!.trim(), pair[1]!.trim()]))
}

/** Ways of choosing a scenario, or `none`. */
function parseChannels(text: string): readonly SelectionChannel[] {
  const words = text === 'none' ? [] : text.split(',').filter(Boolean)
  return words.map(oneOf(selectionChannels, ', '))
}

const hostName = /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/

function parseHostNames(text: string): readonly string[] {
  const names = text
    .toLowerCase()
    .split(',')
    .map(name => withoutLastDot(name.trim()))
    .filter(Boolean)
  const wrong = names.find(name => !hostName.test(name))
  if (wrong?.includes('*')) throw new Error('expected each host name in full, since wildcards are not read')
  if (wrong !== undefined) {
    // Of an address, or a name with a port.
    const meant = wrong.replace(/^[a-z]+:\/\//, '').replace(/[:/].*/, '')
    const guess = hostName.test(meant) ? `; did you mean "${meant}"?` : ''
    throw new Error(`expected comma-separated host names without port${guess}`)
  }
  return names
}

const zonedDateTime = z.union([
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
])

/** A date-time with a zone, converted to UTC. */
function parseDateTime(text: string): string {
  // Date takes February 30 for March 2.
  const time = zonedDateTime.safeParse(text).success ? Date.parse(text) : Number.NaN
  if (time >= earliestTime && time <= latestTime) return new Date(time).toISOString()
  throw new Error('expected a date-time with a zone, from year 0001 to 9999, such as 2026-11-01T10:00:00Z')
}

const count = wholeNumber(1, 1_000_000)
const countOrNone = wholeNumber(0, 1_000_000)
export const smallNumber = wholeNumber(0, 999_999_999)
const jobCount = wholeNumber(1, 1000)
export const path = matchingText(/^(?!--$)./s, 'a path')
const address = nonEmpty('an address')
const directory = nonEmpty('a directory')
export const portNumber = wholeNumber(0, 65_535)

/** All settings by their library options, in the order of the help. */
export const settings = {
  port: setting('--port <number>', 'port to listen on; 0 chooses a free one', portNumber, '4025', {
    otherVariable: 'PORT',
  }),
  /** `localhost` stands for both loopback addresses. */
  host: setting(
    '--host <address>',
    'address to listen on; localhost is this machine, 0.0.0.0 every interface',
    text => address(text).replace(/^\[(.*)\]$/, '$1'),
    'localhost',
  ),
  data: setting('--data <directory>', 'where the data is kept over restarts', directory, './data'),
  inMemory: toggle('--in-memory', 'keep nothing on disk'),
  /** Whether spaces go on from their files in `content/` of the data directory, where a person has edited them. */
  acceptEdits: toggle('--accept-edits', 'go on from what was edited in content/ of the data directory'),
  /** What an answered change survives: `os` (default) a process's end; `fsync`, some ms slower, also a power loss. */
  durability: setting(
    '--durability <level>',
    'what an answered change survives: os, the end of the process; fsync, also a loss of power',
    oneOf<Durability>(['os', 'fsync'], ' or '),
    'os',
  ),
  fixtures: setting(
    '--fixtures <path>',
    'what the spaces start with: a file, or a directory of files',
    path,
    defaultFixture,
    { defaultText: 'the packaged one, space demo' },
  ),
  /** Seed of everything that looks random. */
  seed: setting(
    '--seed <number>',
    'where IDs and figures come from; the same seed and requests give the same responses',
    wholeNumber(0, Number.MAX_SAFE_INTEGER),
    '1',
  ),
  generate: list(
    '--generate <counts>',
    'more content, such as mailings=10000,synchronizations=2000',
    text => text,
    '',
    'none',
  ),
  relationPrefix: setting(
    '--relation-prefix <name>',
    'prefix of link relations',
    matchingText(/^[a-z][a-z0-9-]*$/i, 'letters, digits and hyphens'),
    defaultNames.relationPrefix,
  ),
  platformSegment: setting(
    '--platform-segment <name>',
    'middle segment of integration paths',
    matchingText(
      /^[a-z0-9][a-z0-9._~-]*$/i,
      'one path segment of letters, digits, dots, hyphens, tildes and underscores',
    ),
    defaultNames.platformSegment,
  ),
  publicUrl: optional(
    '--public-url <url>',
    'base of all links; without it, the host that a request names',
    parseBaseUrl,
  ),
  /** Base of the links to editor, previews and report, where public documentation has another host than the API's. */
  pagesUrl: optional(
    '--pages-url <url>',
    'base of links to editor, previews and report; without it, that of all links',
    parseBaseUrl,
  ),
  allowedHosts: list(
    '--allow-host <names>',
    'host names to answer for, comma-separated, beside local ones and IP addresses',
    parseHostNames,
    [],
    '',
  ),
  trustProxy: toggle('--trust-proxy', 'believe X-Forwarded-Host, -Proto and -Prefix'),
  /** Requests per minute for each space; 0 is no limit. The dial of this name decides when not given. */
  rateLimit: optional(
    '--rate-limit <number>',
    'requests a minute for each space; 0 is no limit, whatever the dial says (default: no limit)',
    countOrNone,
  ),
  /** Name of the scenario that is in force in every space from its beginning. */
  scenario: optional(
    '--scenario <name>',
    'scenario that is in force in every space from the start',
    nonEmpty('the name of a scenario'),
  ),
  /** A folder with your own scenarios. */
  scenarios: optional(
    '--scenarios <directory>',
    'scenarios of your own, beside the packaged ones; changed files are read again while it runs',
    directory,
  ),
  /** A known-file, docs/known-findings.md: rules that it accepts everywhere fail no test. Read at the start. */
  known: optional(
    '--known <file>',
    'a list of what is accepted of clients for now: it fails no verdict',
    path,
  ),
  /** Whether test synchronizations are left out of the list of synchronizations, so that a client's own are not behind them. */
  hideTestSynchronizations: toggle(
    '--hide-test-synchronizations',
    'leave test synchronizations out of the list of synchronizations; under their IDs they are still there',
  ),
  /** Choices where the document is silent, by the names of the dials. */
  dials: list(
    '--dial <names=values>',
    'what to do where the document is silent, comma-separated; GET /_mock/dials lists the dials',
    parsePairs,
    {},
    'none',
  ),
  /** A named set of dials; single dials have precedence. */
  profile: optional(
    '--profile <name>',
    `set of dials: ${profileNames.join(' or ')}, as docs/dials.md lists them; --dial has precedence`,
    oneOf(profileNames, ' or '),
  ),
  /** Start time of each space's clock, as a date-time; the time of `clock` by default. */
  now: optional(
    '--now <date-time>',
    'time at which the clock of a space begins, with a zone, such as 2026-11-01T10:00:00Z',
    parseDateTime,
  ),
  /** Whether the clocks are frozen until they are moved. */
  frozen: toggle('--frozen', 'clocks are frozen until a control call moves them'),
  /** The ways in which a request chooses a scenario; all of them by default. */
  selection: list(
    '--selection <ways>',
    `ways in which a request chooses a scenario, comma-separated: ${selectionChannels.join(', ')}; or none`,
    parseChannels,
    selectionChannels,
    'all',
  ),
  /** Whether `GET /_mock/metrics` answers, in the text format of Prometheus. */
  metrics: toggle('--metrics', 'answer GET /_mock/metrics, in the text format of Prometheus'),
  /** Whether answers carry X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint; true by default. */
  hints: setting(
    '--no-hints',
    'no X-Mock-Request-Id, X-Mock-Scenario and X-Mock-Hint in responses',
    text => !parseSwitch(text),
    'false',
    { defaultText: '' },
  ),
  /** Requests that the journal of a space keeps, with 16 KiB for each on average; 1000 by default. */
  journal: setting(
    '--journal <number>',
    'requests that the journal of a space keeps; 0 keeps none',
    countOrNone,
    '1000',
  ),
  /** Whether the journals are kept in the data directory, so that requests and verdicts survive a restart. */
  journalOnDisk: toggle(
    '--journal-on-disk',
    'keep the journals in the data directory, too: requests and verdicts survive a restart',
  ),
  /** Maximum number of private spaces; 2000 by default. */
  spaceLimit: setting(
    '--space-limit <number>',
    'maximum number of private spaces; above it, unused ones are evicted, unchanged ones first',
    count,
    '2000',
  ),
  /** Milliseconds that a private space may be unused; one hour by default. */
  spaceIdle: setting(
    '--space-idle <duration>',
    'how long a private space may be unused before it is evicted',
    boundedDuration(),
    '1h',
  ),
  /** Milliseconds after which a start removes a private space that nobody used from the data directory. */
  spaceKeep: optional(
    '--space-keep <duration>',
    'how long unused private spaces stay in the data directory; a start removes older ones, such as with 30d (default: until somebody removes them)',
    boundedDuration(),
  ),
  /** Bytes of a request body. Control calls have their own limits, since some accept whole spaces. */
  bodyLimit: setting(
    '--body-limit <bytes>',
    "maximum size of a request's body; control calls have limits of their own",
    wholeNumber(1, 1 << 30),
    '1048576',
  ),
  /** Bytes of a request line and its headers together. */
  headerLimit: setting(
    '--header-limit <bytes>',
    'maximum size of the request line and headers',
    wholeNumber(1_000, 1 << 24),
    '16384',
  ),
  /** Milliseconds within which the headers must arrive. */
  headerTimeout: setting(
    '--header-timeout <duration>',
    'how long the headers of a request may take to arrive',
    timeout,
    '10s',
  ),
  /** Milliseconds within which the whole request must arrive. The response may take longer. */
  requestTimeout: setting(
    '--request-timeout <duration>',
    'how long a whole request may take to arrive; its response may take longer',
    timeout,
    '30s',
  ),
  /** Connections at the same time, for each port. */
  connectionLimit: setting(
    '--connection-limit <number>',
    'connections at the same time, for each port; further ones are answered 503',
    count,
    '20000',
  ),
  /** Requests of a space that are held or delayed at the same time, including those whose client has left. */
  holdLimit: setting(
    '--hold-limit <number>',
    'requests of a space that are held or delayed at the same time; further ones are answered 503',
    count,
    '20000',
  ),
  /** MiB for journals, changes, spaces and requests together; by default half of Node's heap, at most a quarter of a container. */
  memoryLimit: setting(
    '--memory-limit <MiB>',
    'memory for journals, changes, spaces and requests together; at the limit journals are cut, then requests get 503',
    wholeNumber(16, 1 << 20, ' of MiB'),
    String(Math.max(16, defaultMemoryLimit())),
    { defaultText: "half of Node's heap, at most a quarter of a container's memory" },
  ),
  /** Required on every control call except health when given: `Authorization: Bearer` or `X-Mock-Token`. */
  token: optional(
    '--token <text>',
    'what control calls must carry in the header X-Mock-Token, or as a bearer token',
    matchingText(/^[\x21-\x7e]{8,200}$/, 'at least 8 printable characters without blanks'),
    { defaultText: 'none' },
  ),
  controlPort: optional(
    '--control-port <number>',
    'port of the control API alone; 0 chooses a free one',
    portNumber,
    { defaultText: 'the same port' },
  ),
  /** Serves HTTPS instead of HTTP. */
  tls: toggle('--tls', 'serve HTTPS with a certificate authority of its own, which clients have to trust'),
  tlsPort: optional('--tls-port <number>', 'port for HTTPS beside HTTP; 0 chooses a free one', portNumber, {
    defaultText: 'none',
  }),
  /** A file in PEM with a certificate of your own for HTTPS. */
  tlsCert: optional(
    '--tls-cert <file>',
    'certificate of your own for HTTPS, in PEM, with those behind it; for every host name',
    nonEmpty('a file'),
  ),
  /** A file in PEM with the private key of that certificate. */
  tlsKey: optional('--tls-key <file>', 'private key of that certificate, in PEM', nonEmpty('a file')),
  logLevel: setting('--log-level <level>', logLevels.join(', '), oneOf<LogLevel>(logLevels, ', '), 'warn'),
  quiet: toggle('--quiet', 'print the ready line only'),
  stopWithInput: toggle(
    '--stop-with-input',
    'stop when the standard input ends, as it does when the program at its other end has ended',
  ),
}

/**
 * Default speed for a client that may ask for its waits, so that the speed divides only the time limits of its requests. Of the
 * usual 30 seconds half a second of real time is left, and a busy machine is late by less.
 */
export const warmSpeed = 60

/** Options of `runExam` that are flags of `exam`, too. */
export const examSettings = {
  slow: toggle(
    '--slow',
    'also cases in which a client has to wait for minutes, which are left out in real time',
  ),
  depth: optional(
    '--depth <number>',
    'maximum number of troubles in a plan; 0 for the cases alone (default: 1 in virtual time or with --speed, otherwise 0)',
    wholeNumber(0, 8),
  ),
  sample: setting(
    '--sample <number>',
    'maximum number of plans of each depth from 3 on',
    wholeNumber(1, 1_000_000),
    '1000',
  ),
  workers: optional(
    '--workers <number>',
    '2: play every order of the steps of two workers with one store, in place of cases and plans; needs --module, or --warm with a client that asks for its waits',
    wholeNumber(2, 2),
  ),
  /** Milliseconds. */
  budget: optional('--budget <duration>', 'begin no more plans after this time, such as 5m', deadline),
  seed: setting('--seed <number>', 'where IDs, chances and samples come from', settings.seed.parse, '1'),
  jobs: optional('--jobs <number>', 'cases at a time (default: by the number of processors)', jobCount),
  /** Milliseconds. */
  timeout: optional('--timeout <duration>', 'how long a client may take for a case, such as 90s', deadline),
  speed: optional(
    '--speed <number>',
    `how many times as fast as real time the service's clock runs (default: 1; ${warmSpeed} for a warm client that asks for its waits)`,
    decimalNumber(1, 1000),
  ),
  warm: toggle('--warm', 'the client stays alive and takes one case after another from its standard input'),
  tls: toggle('--tls', 'over HTTPS; variables name the file of the authority that the client has to trust'),
  scenarios: optional('--scenarios <directory>', 'scenarios of your own, as cases beside the others', path),
  strict: toggle('--strict', 'fail also for warnings'),
  bail: toggle('--bail', 'end as soon as something has failed and 20 seconds are over'),
  capsules: optional(
    '--capsules <directory>',
    'keep each case that failed, and the smallest plan of each mistake, in a file for the command open',
    path,
  ),
}

export type Config = ValuesOf<typeof settings>

export const settingNames = Object.keys(settings) as (keyof Config)[]

/** The environment variable of a setting. @param name its flag without hyphens in front */
export const environmentVariable = (name: string) =>
  `MAILING_SYNC_MOCK_${name.replaceAll('-', '_').toUpperCase()}`

const { port, host, inMemory, controlPort, tlsPort, quiet, stopWithInput, ...mockSettings } = settings

/** The settings that are also options of the library, but for those of which it takes more than a text. */
export type SettingOptions = Omit<ValuesOf<typeof mockSettings>, 'data' | 'fixtures' | 'generate'>

/** Fills in the defaults. An option that is present but undefined counts as not given. */
export const withDefaults = (options: Partial<SettingOptions>): SettingOptions =>
  Object.fromEntries(
    settingNames.map(name => [name, options[name as keyof SettingOptions] ?? settings[name].defaultValue]),
  ) as unknown as SettingOptions

/** Options of `createMock` that take objects, and have checks of their own. */
const objects = ['dials', 'generate', 'fixtures', 'clock']
const mockOptions = { ...mockSettings, ...Object.fromEntries(objects.map(name => [name, undefined])) }

/** @throws UserError for an unknown key, with the nearest one */
export function checkKeys(place: string, given: object, possible: readonly string[]): void {
  const unknown = Object.keys(given).find(key => !possible.includes(key))
  if (unknown !== undefined) throw new UserError(`${place}: ${describeUnknownKey(unknown, possible)}`)
}

/** Checks the options of `createMock`, which JavaScript does not. @throws UserError that says what is possible */
export function checkOptions(options: Readonly<Record<string, unknown>>, caller = 'createMock'): void {
  const own = Object.keys(mockOptions)
  for (const key of Object.keys(options)) {
    const meant = own.includes(key) || findNearest(key, own) ? undefined : findNearest(key, ['port', 'host'])
    if (meant !== undefined)
      throw new UserError(
        `${caller} takes no ${key}: give ${key === meant ? 'it' : meant} to mock.listen({ ${meant} })`,
      )
  }
  // What only the program gives.
  const { hasControlPort, hasTlsPort, ...given } = options
  checkCall(caller, given, mockOptions)
  for (const name of ['dials', 'generate'])
    if (typeof (given[name] ?? {}) !== 'object' || Array.isArray(given[name]))
      throw new UserError(`${caller}: ${name} is "${given[name]}": expected an object of names and values`)
  const { clock } = options as { readonly clock?: { readonly now?: unknown } | null }
  const time = typeof clock?.now === 'function' ? clock.now() : undefined
  if (clock !== undefined && !(typeof time === 'number' && time >= earliestTime && time <= latestTime))
    throw new UserError(
      `${caller} expects a clock with a function now() that returns milliseconds since 1970, such as new ManualClock()`,
    )
}

/** @param others names of options that are no settings @throws UserError that says what is possible */
export function checkCall(
  caller: string,
  options: object,
  possible: Readonly<Record<string, Setting<unknown> | undefined>>,
  ...others: readonly string[]
): void {
  checkKeys(caller, options, [...Object.keys(possible), ...others])
  for (const [name, given] of Object.entries(options)) {
    const { parse } = possible[name] ?? {}
    if (!parse || given === undefined) continue
    // A number without a schema is a duration in milliseconds.
    const text = typeof given === 'number' && !parse.schema ? `${given / 1000}s` : textOf(given)
    try {
      const value = parse(text)
      if (typeof value !== typeof given || (Array.isArray(value) && !isListOfTexts(given, value.length)))
        throw new Error(`expected ${kinds[typeof value]}`)
    } catch (error) {
      throw wrongValue(`${caller}: ${name}`, name, given, error)
    }
  }
}

/** @param place the setting and where it was given, for the message */
export function wrongValue(place: string, name: string, given: unknown, error: unknown): UserError {
  // Logs keep what a start printed.
  const value = name === 'token' ? 'cannot be used' : `is "${textOf(given)}"`
  return new UserError(`${place} ${value}: ${(error as Error).message}`)
}

/** What has no text, such as an object without prototype, is named by its type. */
function textOf(given: unknown): string {
  try {
    return String(given)
  } catch {
    return typeof given
  }
}

const kinds: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  boolean: 'true or false',
  object: 'a list of single names',
}

/** A text with a comma in it would be checked as two. */
const isListOfTexts = (given: unknown, length: number): boolean =>
  Array.isArray(given) && given.length === length && given.every(it => typeof it === 'string')

/**
 * A UserError that says what to do when the mock cannot listen; any other error as it is.
 * @param flags those of the command that name a port
 */
export function explainListenError(error: unknown, flags = '--port, --control-port, --tls-port'): unknown {
  const { code, syscall, address, hostname, port } = error as NodeJS.ErrnoException &
    Record<'address' | 'hostname' | 'port', string | undefined>
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return error
  const place = `${address ?? 'the address'}${port === undefined ? '' : `:${port}`}`
  const noAddress = `--host ${hostname ?? address} names no address of this machine; 127.0.0.1 is this machine only, 0.0.0.0 every interface`
  const sentences: Readonly<Record<string, string>> = {
    EADDRINUSE: `${place} is in use; give another port (${flags}), or 0 to have one chosen`,
    EACCES: `listening on ${place} is not allowed; give a --port above 1023`,
    EADDRNOTAVAIL: noAddress,
    ENOTFOUND: noAddress,
    EAI_AGAIN: noAddress,
  }
  const sentence = sentences[code ?? '']
  return sentence === undefined ? error : new UserError(sentence)
}
