import { existsSync, readFileSync, statSync } from 'node:fs'
import { clauses } from '../contract/clauses.ts'
import { acceptDifferences } from '../contract/verify/known-differences.ts'
import { registry } from '../contract/verify/registry.ts'
import { chooseClauses, type Expected, verify } from '../contract/verify/verify.ts'
import { junitReport, markdownReport, terminalReport } from '../contract/verify/verify-reports.ts'
import {
  configText,
  isWrittenConfig,
  readWrittenDials,
  type VerifyResult,
} from '../contract/verify/verify-result.ts'
import { forTerminal, quoteForShell } from '../judge/exam/report-text.ts'
import { programWords } from '../judge/exam/reproduce.ts'
import { knownClausesText } from '../judge/known/known-text.ts'
import { readKnownFile } from '../lib/known-file.ts'
import { dials as dialDefinitions, readDials } from '../service/dials.ts'
import { UserError } from '../store/user-error.ts'
import { type FlagsOf, resolveTarget } from './command-flags.ts'
import { readSettings } from './command-line.ts'
import { progressLine } from './progress-line.ts'
import { jsonReport, prepareReports, writeFiles } from './report-files.ts'
import { hasColours, onInterruption } from './terminal.ts'

const isFile = (path: string) => statSync(path, { throwIfNoEntry: false })?.isFile() === true

const reportWriters = {
  junit: junitReport,
  json: jsonReport,
  markdown: markdownReport,
  'write-config': (result: VerifyResult, file: string) => {
    const earlier = isFile(file) ? readWrittenDials(readFileSync(file, 'utf8'), result) : {}
    return configText(result, /\.json$/i.test(file), earlier)
  },
}

/**
 * An incomplete run cannot say which known differences are gone. Of its settings it writes a new YAML file, with a comment about missing
 * clauses: JSON has no comments, and a part does not replace a whole file.
 */
const isWorthWriting = ({ incomplete }: VerifyResult, form: string, file: string): boolean =>
  incomplete === null || (form === 'write-config' && !/\.json$/i.test(file) && !existsSync(file))

/** Writes the reports. @returns what is to be said of that, and a message for each file that could not be written */
function writeReports(
  result: VerifyResult,
  wanted: readonly { readonly form: string; readonly file: string; readonly content: () => string }[],
  { writeConfig }: FlagsOf<'verify'>,
) {
  const skipped = wanted.filter(
    ({ form, file }) => form.startsWith('write-') && !isWorthWriting(result, form, file),
  )
  const written = wanted.filter(it => !skipped.includes(it))
  const unwritten = writeFiles(written)
  const isWhole = result.incomplete === null && writeConfig !== undefined
  const start = [...programWords(), '--config', writeConfig ?? ''].map(quoteForShell).join(' ')
  const lines = [
    ...(written.length > 0 ? [`Written: ${written.map(({ file }) => file).join(', ')}`] : []),
    ...skipped.map(({ file }) => `Not written, as the run is incomplete: ${file}`),
    ...(isWhole ? [`Start a mock like it: ${start}`] : []),
  ]
  return { lines: unwritten.length > 0 ? [] : lines, unwritten }
}

/** Settings written or changed by hand are kept: those that verify writes can be had again. @throws UserError */
function keepSettingsByHand(file: string | undefined): void {
  if (file === undefined || !isFile(file)) return
  if (isWrittenConfig(readFileSync(file, 'utf8'))) return
  throw new UserError(
    `--write-config: ${file} exists and was not written by verify, or was changed since; give another name, or remove it`,
  )
}

const claimOf = (clause: string) => clauses.find(({ id }) => id === clause)?.says ?? ''

/** Runs `verify`. @returns the exit code: 1 a clause differs; 2 not carried out, or not reported @throws UserError */
export async function verifyCommand(flags: FlagsOf<'verify'>): Promise<number> {
  if (flags.list) return printClauses(flags)
  const expected = await readExpected(flags.config)
  const known =
    flags.known === undefined
      ? undefined
      : readKnownFile(flags.known, { clauses: clauses.map(({ id }) => id) })
  const earlier =
    flags.writeKnown !== undefined && existsSync(flags.writeKnown)
      ? readKnownFile(flags.writeKnown, { isDraft: true }).entries
      : []
  const reports = prepareReports(
    { ...flags, 'write-config': flags.writeConfig, 'write-known': flags.writeKnown },
    {
      ...reportWriters,
      'write-known': ({ clauses: checked }: VerifyResult) => knownClausesText(checked, earlier, claimOf),
    },
  )
  keepSettingsByHand(flags.writeConfig)
  using line = progressLine(process.stderr)
  const say = (text: string) => {
    line.end()
    process.stderr.write(`${forTerminal(text)}\n`)
  }
  const interruptionNotices = [
    'Interrupted. What was changed is put back first, and then reported; a second interruption ends it at once.',
    'Ended at once: a configuration that was announced above may still be changed.',
  ]
  using interrupted = onInterruption(2, () => {
    const sentence = flags.allowWrites && interruptionNotices.shift()
    if (sentence) say(sentence)
  })
  const target = resolveTarget('verify', flags)
  const seen = await verify({
    ...flags,
    ...target,
    platformSegment: flags.platformSegment ?? expected.platformSegment,
    expected,
    signal: interrupted.signal,
    onProgress: ({ done, all, now }) => line.draw(`${done}/${all} clauses; now ${now}`),
    onAnnounce: lines => say(['This creates or changes:', ...lines.map(it => `  - ${it}`)].join('\n')),
    onWait: seconds => say(`The target limits requests; going on in ${seconds} s.`),
  })
  line.end()
  const result = known ? acceptDifferences(seen, known) : seen
  const width = process.stdout.columns || 100
  // If nothing was checked or created, the message that says why is enough.
  const isTold = result.counts['not run'] < result.clauses.length || result.created.length > 0
  if (isTold)
    process.stdout.write(terminalReport(result, { colours: hasColours(), width, verbose: flags.verbose }))
  const { lines, unwritten } = writeReports(result, reports(result), flags)
  for (const one of lines) say(one)
  for (const sentence of unwritten) say(`mailing-sync-mock: ${sentence}`)
  if (result.incomplete !== null) say(`mailing-sync-mock: ${result.incomplete}`)
  if (result.incomplete !== null || unwritten.length > 0) return 2
  return result.verdict === 'faithful' ? 0 : 1
}

/** The settings of the mock that the target is compared with. */
async function readExpected(file: string | undefined): Promise<Expected> {
  if (file === undefined) return { dials: {} }
  const {
    dials = {},
    relationPrefix,
    platformSegment,
    publicUrl,
    pagesUrl,
    rateLimit,
  } = await readSettings(file)
  // The setting does what the dial of its name does, with more values.
  const limit = rateLimit === 0 ? 'off' : String(rateLimit)
  const isOfDial = limit in dialDefinitions['rate-limit'].values
  const chosen = readDials({ ...dials, ...(isOfDial && { 'rate-limit': limit }) })
  return {
    dials: chosen,
    relationPrefix,
    platformSegment,
    publicUrl,
    // Which paths pages have is the target's business.
    pagesUrl: pagesUrl && new URL(pagesUrl).origin,
    rateLimit,
  }
}

function printClauses({ filter = [] }: FlagsOf<'verify'>): number {
  const ids = clauses.map(({ id }) => id)
  const chosen = chooseClauses(ids, filter)
  const width = Math.max(...[...chosen].map(it => it.length))
  for (const { id, standing } of clauses) {
    if (!chosen.has(id)) continue
    const entry = registry.find(it => it.clause === id)!
    const how =
      'outside' in entry
        ? `outside: ${entry.outside}`
        : 'follows' in entry
          ? `as ${entry.follows.join(', ')}`
          : `${entry.looksAt}${entry.needsWrites ? ' (writes)' : ''}`
    process.stdout.write(`${id.padEnd(width)}  ${standing.padEnd(11)}  ${how}\n`)
  }
  return 0
}
