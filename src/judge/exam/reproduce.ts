import { relative } from 'node:path'
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

/** The line for a shell that opens a capsule. @param started of the command; a test suite that runs an exam has the package */
export function openLine(
  capsule: string,
  { program = process.argv[1] ?? '', ...rest }: Parameters<typeof programWords>[0] = {},
): string {
  const isCommand = /(?:^|\/)(?:mailing-sync-mock|dist\/main\.js|scripts\/start\.mjs)$/.test(program)
  const words = isCommand ? programWords({ program, ...rest }) : ['npx', 'mailing-sync-mock']
  return [...words, 'open', capsule].map(quoteForShell).join(' ')
}

/** The program as the user started it, as far as Node and npm show. */
export function programWords({
  program = process.argv[1] ?? '',
  nodeOptions = process.execArgv,
  environment = process.env,
}: Pick<ReplaySettings, 'program' | 'nodeOptions' | 'environment'> = {}): string[] {
  if (program.includes('node_modules/.bin/')) return ['npx', 'mailing-sync-mock']
  if (!/\.m?js$/.test(program)) return ['mailing-sync-mock']
  const near = relative(process.cwd(), program)
  const words = ['node', ...nodeOptions, near.startsWith('..') ? program : near]
  const { npm_lifecycle_script: script, npm_lifecycle_event: name = '' } = environment
  if (script !== words.join(' ')) return words
  return ['npm', ...(name === 'start' ? ['start'] : ['run', name]), '--']
}
