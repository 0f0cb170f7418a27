import { readSettings } from '../config.ts'
import { ConfigError } from '../config-error.ts'
import { clauses } from '../contract/clauses.ts'
import { ProgressLine } from '../judge/exam/progress.ts'
import { readDials } from '../service/dials.ts'
import { chosenClauses } from '../verify/choice.ts'
import { registry } from '../verify/registry.ts'
import { terminalReport } from '../verify/reports/terminal.ts'
import { type VerifyOptions, verify } from '../verify/verify.ts'
import { onInterruption } from './interruption.ts'
import { prepareFiles } from './report-files.ts'
import { targetOf } from './target-flags.ts'
import type { VerifyFlags } from './verify-flags.ts'
import { wantedFiles, writeReports } from './verify-reports.ts'

type Expected = NonNullable<VerifyOptions['expected']>

/**
 * `mailing-sync-mock verify`: asks, shows how it goes, writes the reports.
 * @returns the exit code: 0 when the target is faithful, 1 when a clause differs, 2 when it could not be carried out or a
 * report could not be written
 * @throws CannotVerify, ConfigError, ConfigFileError, ReportError: what whoever typed it can do something about
 */
export async function verifyCommand(flags: VerifyFlags): Promise<number> {
  process.stdout.on('error', () => {})
  if (flags.list) return list(flags)
  const expected = await expectedBy(flags.config)
  prepareFiles(wantedFiles(flags))
  const interrupted = onInterruption(2)
  const { url, user, password } = given(flags)
  const segment = flags.platformSegment ?? expected.platformSegment
  const line = new ProgressLine(process.stderr)
  const say = (text: string) => {
    line.end()
    process.stderr.write(`${text}\n`)
  }
  try {
    const result = await verify({
      url,
      user,
      password,
      ...(segment !== undefined && { platformSegment: segment }),
      allowWrites: flags.allowWrites,
      ...(flags.sendTo && { sendTo: flags.sendTo }),
      ...(flags.filter && { filter: flags.filter }),
      seed: flags.seed,
      timeout: flags.timeout,
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
    }
    // Where nothing was looked at or left behind, the sentence that says why is all there is to say.
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

function given(flags: VerifyFlags): { url: string; user: string; password: string } {
  const target = targetOf('verify', flags)
  if (typeof target === 'string') throw new ConfigError(target)
  return target
}

/** How the mock stands that the target is compared with. */
async function expectedBy(file: string | undefined): Promise<Expected> {
  if (file === undefined) return { dials: {} }
  const { dial = {}, relationPrefix, platformSegment, publicUrl, rateLimit } = await readSettings(file)
  return {
    dials: readDials(dial),
    ...(relationPrefix !== undefined && { relationPrefix }),
    ...(platformSegment !== undefined && { platformSegment }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(rateLimit !== undefined && { rateLimit }),
  }
}

function list({ filter = [] }: VerifyFlags): number {
  const ids = clauses.map(({ id }) => id)
  const chosen = chosenClauses(ids, filter)
  const width = Math.max(...[...chosen].map(it => it.length))
  for (const { id, standing } of clauses) {
    if (!chosen.has(id)) continue
    const entry = registry.find(it => it.clause === id)!
    const how =
      'outside' in entry
        ? `out of sight: ${entry.outside}`
        : 'follows' in entry
          ? `as ${entry.follows.join(', ')}`
          : `${entry.looksAt}${entry.needsWrites ? ' (writes)' : ''}`
    process.stdout.write(`${id.padEnd(width)}  ${standing.padEnd(11)}  ${how}\n`)
  }
  return 0
}
