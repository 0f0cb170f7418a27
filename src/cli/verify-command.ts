import { clauses } from '../contract/clauses.ts'
import { registry } from '../contract/verify/registry.ts'
import { chooseClauses, type Expected, verify } from '../contract/verify/verify.ts'
import { junitReport, markdownReport, terminalReport } from '../contract/verify/verify-reports.ts'
import { configText, type VerifyResult } from '../contract/verify/verify-result.ts'
import { readDials } from '../service/dials.ts'
import { resolveTarget, type VerifyFlags } from './command-flags.ts'
import { readSettings } from './command-line.ts'
import { prepareFiles, wantedFiles, writeFiles } from './report-files.ts'
import { onInterruption, ProgressLine } from './terminal.ts'

const reportWriters = {
  junit: junitReport,
  json: (result: VerifyResult) => `${JSON.stringify(result, null, 2)}\n`,
  markdown: markdownReport,
  'write-config': (result: VerifyResult, file: string) => configText(result, /\.json$/i.test(file)),
}

const wantedReports = ({ junit, json, markdown, writeConfig }: VerifyFlags) =>
  wantedFiles({ junit, json, markdown, 'write-config': writeConfig })

/** @returns a message for each file that could not be written; the others are written */
export const writeReports = (result: VerifyResult, flags: VerifyFlags): string[] =>
  writeFiles(
    wantedReports(flags)
      // A JSON settings file has no place for a comment about missing clauses.
      .filter(
        ({ form, file }) => form !== 'write-config' || result.incomplete === null || !/\.json$/i.test(file),
      )
      .map(({ form, file }) => ({ file, content: () => reportWriters[form](result, file) })),
  )

/**
 * `mailing-sync-mock verify`: checks the target, shows progress, writes the reports.
 * @returns the exit code: 0 when the target is faithful, 1 when a clause differs, 2 when it could not be carried out or a
 * report could not be written
 * @throws UserError
 */
export async function verifyCommand(flags: VerifyFlags): Promise<number> {
  process.stdout.on('error', () => {})
  if (flags.list) return printClauses(flags)
  const expected = await readExpected(flags.config)
  prepareFiles(wantedReports(flags))
  const interrupted = onInterruption(2)
  const target = resolveTarget('verify', flags)
  const line = new ProgressLine(process.stderr)
  const say = (text: string) => {
    line.end()
    process.stderr.write(`${text}\n`)
  }
  try {
    const result = await verify({
      ...flags,
      ...target,
      platformSegment: flags.platformSegment ?? expected.platformSegment,
      expected,
      signal: interrupted.signal,
      onProgress: ({ done, all, now }) => line.draw(`${done}/${all} clauses; now ${now}`),
      onAnnounce: lines => say(['This creates:', ...lines.map(it => `  - ${it}`)].join('\n')),
      onWait: seconds => say(`The target limits requests; going on in ${seconds} s.`),
    })
    line.end()
    const style = {
      colours: process.stdout.isTTY === true && !process.env.NO_COLOR,
      width: process.stdout.columns || 100,
      verbose: flags.verbose,
    }
    // If nothing was checked or created, the message that says why is enough.
    if (result.counts['not run'] < result.clauses.length || result.created.length > 0)
      process.stdout.write(terminalReport(result, style))
    const unwritten = writeReports(result, flags)
    for (const sentence of unwritten) say(`mailing-sync-mock: ${sentence}`)
    if (result.incomplete !== null) say(`mailing-sync-mock: ${result.incomplete}`)
    if (result.incomplete !== null || unwritten.length > 0) return 2
    return result.verdict === 'faithful' ? 0 : 1
  } finally {
    line.end()
    interrupted.off()
  }
}

/** The settings of the mock that the target is compared with. */
async function readExpected(file: string | undefined): Promise<Expected> {
  if (file === undefined) return { dials: {} }
  const { dials = {}, relationPrefix, platformSegment, publicUrl, rateLimit } = await readSettings(file)
  return { dials: readDials(dials), relationPrefix, platformSegment, publicUrl, rateLimit }
}

function printClauses({ filter = [] }: VerifyFlags): number {
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
