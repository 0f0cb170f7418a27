import { relative } from 'node:path'

/** What every case of an exam was played with. */
export interface Replay {
  /** How the program was started: the path of its file, as Node has it. */
  readonly program: string
  readonly seed: number
  readonly speed: number
  readonly limit: number | undefined
  readonly scenarios: string | undefined
  readonly command: readonly string[]
}

/** One line for a shell that plays exactly one case again. */
export function reproduceLine(name: string, replay: Replay): string {
  const { seed, speed, limit, scenarios, command } = replay
  const words = [
    ...programOf(replay.program),
    'exam',
    ...['--only', name, '--seed', String(seed)],
    ...(speed === 1 ? [] : ['--speed', String(speed)]),
    ...(limit === undefined ? [] : ['--timeout', `${limit}ms`]),
    ...(scenarios === undefined ? [] : ['--scenarios', scenarios]),
    '--',
    ...command,
  ]
  return words.map(shellWord).join(' ')
}

/** As the person started it, as far as Node tells. */
function programOf(path: string): string[] {
  if (path.includes('node_modules/.bin/')) return ['npx', 'mailing-sync-mock']
  if (!path.endsWith('.js')) return ['mailing-sync-mock']
  const near = relative(process.cwd(), path)
  return ['node', near.startsWith('..') ? path : near]
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: a line that is pasted has none
const control = /[\u0000-\u001f\u007f]/g

/** As one word of a shell, on one line whatever is in it. */
export function shellWord(text: string): string {
  if (/^[\w@%+=:,./-]+$/.test(text)) return text
  if (text.search(control) < 0) return `'${text.replaceAll("'", "'\\''")}'`
  const written = text
    .replaceAll(/['\\]/g, '\\$&')
    .replaceAll(control, it => `\\x${it.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `$'${written}'`
}
