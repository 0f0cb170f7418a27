import { parseDocument } from 'yaml'
import { z } from 'zod'
import { onOneLine } from '../../judge/exam/report-text.ts'
import { standings } from '../../service/claim.ts'
import { type DialName, dialNames, dials } from '../../service/dials.ts'
import { registry } from './registry.ts'

/** The result of a verification, for all reports and for docs/verify.schema.json. */

const exchangeSchema = z
  .strictObject({
    number: z.int().meta({ description: 'Which request it was, counted from 1.' }),
    method: z.string(),
    url: z.string(),
    requestHeaders: z.record(z.string(), z.string()).meta({ description: 'Without credentials.' }),
    requestBody: z.string().nullable(),
    status: z.int(),
    headers: z.record(z.string(), z.string()),
    body: z.string().meta({ description: 'Cut where it is long.' }),
  })
  .meta({ description: 'A request and its response.' })

export const statusMeanings = {
  holds: 'What was looked at agrees with the clause; looksAt says what that is.',
  differs: 'The target does otherwise than the document says.',
  otherwise: 'The target chose otherwise where we assumed; no failure.',
  'not testable': 'This target has nothing at which it could be seen.',
  outside: 'It cannot be seen from outside.',
  skipped: 'It was not checked: it needs --allow-writes, or --filter left it out.',
  'not run': 'Verifying ended before it.',
} as const
export type Status = keyof typeof statusMeanings

const clauseResultSchema = z.strictObject({
  clause: z.string().meta({ description: 'ID in the fidelity register, such as 4.1/5.' }),
  says: z.string(),
  standing: z.enum(standings),
  status: z.enum(Object.keys(statusMeanings) as [Status, ...Status[]]),
  looksAt: z.string().nullable(),
  expected: z.string().nullable(),
  seen: z.string().nullable(),
  reason: z.string().nullable().meta({ description: 'Why it was not looked at, or what else to know.' }),
  see: z.string().nullable().meta({ description: 'The clause that tells more: a difference is told once.' }),
  turn: z
    .strictObject({ name: z.string(), value: z.union([z.string(), z.number()]), isDial: z.boolean() })
    .nullable()
    .meta({ description: 'The dial or setting that makes the mock do the same.' }),
  evidence: z.array(exchangeSchema),
  known: z
    .string()
    .optional()
    .meta({ description: 'Why --known accepts for now that it differs. Then it is no failure.' }),
})
export type ClauseResult = z.infer<typeof clauseResultSchema>

/** Whether the target showed what it does. */
export const wasChecked = ({ status }: ClauseResult): boolean =>
  ['holds', 'differs', 'otherwise'].includes(status)

export const verifyResult = z
  .strictObject({
    format: z.literal(1),
    verdict: z.enum(['faithful', 'differs', 'incomplete']).meta({
      description:
        'faithful: every clause that could be looked at and is specified or documented holds, or --known accepts that it does not.',
    }),
    incomplete: z
      .string()
      .nullable()
      .meta({ description: 'Why verifying ended early; null when it did not.' }),
    target: z.strictObject({
      url: z.string(),
      platformSegment: z.string(),
      relationPrefix: z.string().nullable(),
      user: z.string(),
    }),
    allowWrites: z.boolean(),
    seed: z.int(),
    filter: z.array(z.string()),
    requests: z.int(),
    counts: z.record(z.enum(Object.keys(statusMeanings) as [Status, ...Status[]]), z.int()),
    clauses: z.array(clauseResultSchema),
    known: z
      .strictObject({
        file: z.string(),
        stale: z
          .array(z.strictObject({ line: z.int(), clause: z.string(), reason: z.string() }))
          .meta({ description: 'Entries of clauses that hold again. They are failures.' }),
        expired: z
          .array(z.strictObject({ line: z.int(), clause: z.string(), expires: z.string() }))
          .meta({ description: 'Entries that count no more.' }),
      })
      .optional()
      .meta({ description: 'What became of the entries of --known.' }),
    created: z.array(z.string()).meta({ description: 'What verifying left behind on the target.' }),
    config: z
      .strictObject({
        'relation-prefix': z.string().optional(),
        'platform-segment': z.string().optional(),
        'rate-limit': z.int().optional(),
        dial: z.partialRecord(z.enum(dialNames), z.string()),
      })
      .meta({ description: 'What makes the mock behave like the target, as --config takes it.' }),
    unseenDials: z
      .array(z.enum(dialNames))
      .meta({ description: 'Dials of which this run could not tell how they stand.' }),
  })
  .meta({ title: 'Report of mailing-sync-mock verify' })
export type VerifyResult = z.infer<typeof verifyResult>

/** Differences that are reported under their own clause. */
export const failures = ({ clauses }: VerifyResult): ClauseResult[] =>
  clauses.filter(it => it.status === 'differs' && it.see === null && it.known === undefined)

/** Those of them that are accepted for now. */
export const knownDifferences = ({ clauses }: VerifyResult): ClauseResult[] =>
  clauses.filter(it => it.known !== undefined && it.see === null)

/** Choices of the target, each once. */
export const choices = ({ clauses }: VerifyResult): ClauseResult[] =>
  clauses.filter(it => it.status === 'otherwise' && it.see === null)

const writtenConfig = verifyResult.shape.config.partial()
const configHead = '# Written by "mailing-sync-mock verify"; "mailing-sync-mock --config" takes it.'

const isOwnComment = (comment: string): boolean =>
  /^# (?: {2}\S|INCOMPLETE|Makes the mock behave|Written by|Not seen in this run|Never to be seen)/.test(
    comment,
  ) || dialNames.some(name => comment === `# ${dials[name].description}`)

/** Whether a file holds nothing but settings as verify writes them; JSON has no line that says so. */
export function isWrittenConfig(text: string): boolean {
  if (!text.startsWith(configHead) && !/^\s*\{/.test(text)) return false
  const comments = text.match(/#.*$/gm) ?? []
  if (!comments.every(isOwnComment)) return false
  const yaml = parseDocument(text)
  return yaml.errors.length === 0 && writtenConfig.safeParse(yaml.toJS() ?? {}).success
}

const targetLine = ({ target }: VerifyResult) =>
  `# Makes the mock behave like ${JSON.stringify(target.url)}, as far as could be seen.`

/**
 * The dials of an earlier run against the same target which this run could not see, such as one that only read.
 * @param text of a file that `configText` wrote; JSON does not say of which target
 */
export function readWrittenDials(text: string, result: VerifyResult): VerifyResult['config']['dial'] {
  if (!text.includes(targetLine(result))) return {}
  const { dial = {} } = writtenConfig.parse(parseDocument(text).toJS() ?? {})
  return Object.fromEntries(result.unseenDials.flatMap(it => (it in dial ? [[it, dial[it]]] : [])))
}

/**
 * The settings that make the mock behave like the target, in the format of --config.
 * @param isJson JSON has no comments
 * @param earlier dials that this run could not see, from an earlier one
 */
export function configText(
  result: VerifyResult,
  isJson: boolean,
  earlier: VerifyResult['config']['dial'] = {},
): string {
  const { config, incomplete } = result
  const { dial: seen, ...settings } = config
  const dial = { ...seen, ...earlier }
  const unseenDials = result.unseenDials.filter(it => !(it in earlier))
  const isTurned = Object.keys(dial).length > 0
  if (isJson) return `${JSON.stringify(isTurned ? { ...settings, dial } : settings, null, 2)}\n`
  return [
    configHead,
    targetLine(result),
    ...(incomplete === null
      ? []
      : [`# INCOMPLETE, so choices of the target may be missing: ${onOneLine(incomplete)}`]),
    ...Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(isTurned ? ['dial:'] : []),
    ...Object.entries(dial).flatMap(([name, value]) => [
      `  # ${dials[name as keyof typeof dials].description}`,
      `  ${name}: ${JSON.stringify(value)}`,
    ]),
    ...commentLines(
      'Not seen in this run, so as the mock has them; the report says why:',
      unseenDials.filter(isVisible),
    ),
    ...commentLines(
      'Never to be seen from outside:',
      unseenDials.filter(it => !isVisible(it)),
    ),
    '',
  ].join('\n')
}

/** Whether any request can show a dial's value: its clause has a check. */
export const isVisible = (name: DialName): boolean =>
  registry.some(it => it.clause === dials[name].clause && 'looksAt' in it)

const commentLines = (title: string, names: readonly string[]): string[] =>
  names.length === 0
    ? []
    : [
        `# ${title}`,
        ...names
          .join(', ')
          .match(/.{1,96}(?: |$)/g)!
          .map(it => `#   ${it.trimEnd()}`),
      ]
