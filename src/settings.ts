import { type Limits, usualLimits } from './limits.ts'
import { type LogLevel, logLevels } from './log.ts'
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

/** The settings in force. */
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

/** What can be set, and how it is said. */
export interface Setting<Value> {
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

/** All settings, in the order of the help. */
export const settings: Settings = {
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

export const settingNames = Object.keys(settings) as (keyof Config)[]

/** What a setting is called in a file of settings: its flag without the hyphens. */
export const flagOf = (name: keyof Config) => settings[name].flag.split(' ')[0]!.slice(2)

/** The environment variable of a setting, or of another flag of the mock. */
export const environmentName = (name: string) =>
  `MAILING_SYNC_MOCK_${name.replaceAll(/[A-Z]/g, '_$&').toUpperCase()}`
