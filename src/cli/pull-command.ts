import type { CrawlProgress } from '../contract/pull/crawl.ts'
import { checkOutFile, writeWholeFile } from '../contract/pull/out-file.ts'
import { type PullResult, pull } from '../contract/pull/pull.ts'
import { forTerminal, quoteForShell } from '../judge/exam/report-text.ts'
import { programWords } from '../judge/exam/reproduce.ts'
import { countNoun } from '../rig/words.ts'
import { defaultNames } from '../service/links.ts'
import { type FlagsOf, resolveTarget } from './command-flags.ts'
import { progressLine } from './progress-line.ts'
import { onInterruption } from './terminal.ts'

/** Answers between two lines of progress, if the output is no terminal. */
const answersPerLine = 100

/** Shows the progress of a pull: one changing line on a terminal, otherwise a new line from time to time. */
function pullProgress() {
  const screen = process.stderr
  const line = screen.isTTY && process.env.TERM !== 'dumb' ? progressLine(screen) : undefined
  let lastText = ''
  let lastCount = 0
  function write(text: string): void {
    if (line) line.draw(text)
    else if (text !== lastText) screen.write(`${forTerminal(text)}\n`)
    lastText = text
  }
  return {
    show({ now, done, all, answered }: CrawlProgress): void {
      if (!line && done !== all && answered - lastCount < answersPerLine) return
      lastCount = answered
      write(`${now}: ${all === undefined ? done : `${done}/${all}`}; ${answered} responses`)
    },
    /** Shows a pause, so that it does not look like a hang. */
    wait: (seconds: number, why: string): void => write(`waiting ${Math.ceil(seconds)} s: ${why}`),
    /** Removes the line before other output. */
    end: (): void => line?.end(),
  }
}

/** Runs `pull`. @returns the exit code: 0 whole, 1 interrupted, 3 when something is lacking @throws UserError */
export async function pullCommand(flags: FlagsOf<'pull'>): Promise<number> {
  const target = resolveTarget('pull', flags)
  const { out } = flags
  checkOutFile(out, flags.force)
  const progress = pullProgress()
  using interrupted = onInterruption(1)
  try {
    const pulled = await pull({
      ...flags,
      ...target,
      signal: interrupted.signal,
      onProgress: progress.show,
      onWait: progress.wait,
    })
    writeWholeFile(out, `${JSON.stringify(pulled.fixture, null, 2)}\n`)
    progress.end()
    process.stdout.write(forTerminal(formatSummary(pulled, flags)))
    if (pulled.isComplete) return 0
    process.stderr.write(`mailing-sync-mock: ${out} lacks some of what the service has, as said above\n`)
    return 3
  } catch (error) {
    progress.end()
    if (!interrupted.signal.aborted) throw error
    process.stderr.write('mailing-sync-mock: interrupted; nothing was written\n')
    return 1
  }
}

function formatSummary(
  { fixture, notes, relationPrefix, platformSegment, isNewestFirst, answered }: PullResult,
  { out }: FlagsOf<'pull'>,
): string {
  const counted = [
    countNoun(fixture.mailings.length, 'mailing'),
    countNoun(fixture.synchronizations.length, 'synchronization'),
    countNoun(fixture.sendings.length, 'sending'),
    countNoun(fixture.mailingUploads.length, 'mailing-upload'),
    countNoun(fixture.customers.length, 'customer'),
    countNoun(fixture.lists.length, 'list'),
  ]
  const start = [
    ...programWords().map(quoteForShell),
    // With data that is kept, a space that was changed before would stay as it is.
    '--in-memory',
    `--fixtures ${quoteForShell(out)}`,
    ...(platformSegment === defaultNames.platformSegment
      ? []
      : [`--platform-segment ${quoteForShell(platformSegment)}`]),
    ...(relationPrefix === defaultNames.relationPrefix
      ? []
      : [`--relation-prefix ${quoteForShell(relationPrefix)}`]),
    ...(isNewestFirst ? ['--dial collection-order=newest-first'] : []),
  ]
  const [user] = fixture.users
  return [
    `${out}: ${counted.join(', ')}, from ${answered} responses.`,
    ...(notes.length > 0 ? ['Differences from the original:', ...notes.map(it => `  - ${it}`)] : []),
    `Start it: ${start.join(' ')}`,
    'To imitate its other choices, run verify --write-config, then start with --config.',
    `Your client then uses user ${user!.name} and password ${user!.password}, which are in the file.`,
    '',
  ].join('\n')
}
