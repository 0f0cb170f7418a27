import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { quoteForShell } from './report-text.ts'

/** What the line that plays something again has to repeat. */
export interface ReplaySettings {
  /** Path of the program's file, as Node has it. */
  readonly program?: string
  readonly nodeOptions?: readonly string[]
  /** What npm says of the script that started the program, if one did. */
  readonly environment?: NodeJS.ProcessEnv
  readonly seed: number
  readonly speed?: number
  readonly module?: boolean
  readonly warm?: boolean
  readonly workers?: number | undefined
  readonly tls?: boolean
  readonly strict?: boolean
  /** Milliseconds. */
  readonly timeout?: number | undefined
  readonly scenarios?: string | undefined
  readonly command: readonly string[]
}

/** The line for a shell that plays a case of an exam, or a plan, again. */
export function reproduceLine(
  exam: { readonly name: string; readonly isPlan: boolean },
  replay: ReplaySettings,
) {
  const { seed, speed, module, warm, workers, tls, strict, timeout, scenarios, command } = replay
  const words = [
    ...['exam', exam.isPlan ? '--plan' : '--only', exam.name, '--seed', String(seed)],
    ...(module ? ['--module'] : []),
    ...(warm ? ['--warm'] : []),
    ...(workers === undefined ? [] : ['--workers', String(workers)]),
    ...(speed === undefined || (speed === 1 && !warm) ? [] : ['--speed', String(speed)]),
    ...(tls ? ['--tls'] : []),
    ...(strict ? ['--strict'] : []),
    ...(timeout === undefined ? [] : ['--timeout', `${timeout}ms`]),
    ...(scenarios === undefined ? [] : ['--scenarios', scenarios]),
  ]
  return [...programWords(replay), ...words, '--', ...command].map(quoteForShell).join(' ')
}

/** The folder of this package. */
const ownFolder = fileURLToPath(new URL('../../../', import.meta.url)).replace(/\/$/, '')

/** Files as which this package is started. Any other program, such as that of a test runner, has loaded it as a library. */
const ownPrograms = /(?:^|\/)(?:dist\/main\.js|scripts\/start\.mjs|mailing-sync-mock)$/

/**
 * The program as the user started it, as far as Node and npm show; where the package was loaded as a library, as the user can start it.
 */
export function programWords(
  settings: Pick<ReplaySettings, 'program' | 'nodeOptions' | 'environment'> = {},
): string[] {
  const { program = process.argv[1] ?? '' } = settings
  return ownPrograms.test(program) ? startedWords({ ...settings, program }) : installedWords(ownFolder)
}

/** How a package in this folder is started: a dependency by its name, a clone by npm. */
export function installedWords(folder: string, current = process.cwd()): string[] {
  if (folder.includes('/node_modules/')) return ['npx', 'mailing-sync-mock']
  if (folder === current) return ['npm', 'start', '--']
  const program = `${folder}/dist/main.js`
  const near = relative(current, program)
  return ['node', near.startsWith('..') ? program : near]
}

function startedWords({
  program,
  nodeOptions = process.execArgv,
  environment = process.env,
}: Pick<ReplaySettings, 'nodeOptions' | 'environment'> & { readonly program: string }): string[] {
  if (program.includes('node_modules/.bin/')) return ['npx', 'mailing-sync-mock']
  if (!/\.m?js$/.test(program)) return ['mailing-sync-mock']
  const near = relative(process.cwd(), program)
  const words = ['node', ...nodeOptions, near.startsWith('..') ? program : near]
  const { npm_lifecycle_script: script, npm_lifecycle_event: name = '' } = environment
  if (script !== words.join(' ')) return words
  return ['npm', ...(name === 'start' ? ['start'] : ['run', name]), '--']
}

/** What opens a capsule, by the way in which the mock was started. */
export const openLine = (capsule: string): string =>
  [...programWords(), 'open', capsule].map(quoteForShell).join(' ')
