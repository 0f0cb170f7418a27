import { z } from 'zod'
import { dialNames, dials } from '../../service/dials.ts'

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
  .meta({ description: 'A request and its answer.' })

export const statusMeanings = {
  holds: 'The clause holds.',
  differs: 'The target does otherwise than the document says.',
  otherwise: 'The target chose otherwise where we assumed; no failure.',
  'not testable': 'This target has nothing at which it could be seen.',
  outside: 'It cannot be seen from outside.',
  skipped: 'It was not looked at: it takes --allow-writes, or --filter left it out.',
  'not run': 'Verifying ended before it.',
} as const
export type Status = keyof typeof statusMeanings

const clauseResultSchema = z.strictObject({
  clause: z.string().meta({ description: 'ID in the fidelity register, such as 4.1/5.' }),
  says: z.string(),
  standing: z.enum(['specified', 'documented', 'house style', 'assumed']),
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
})
export type ClauseResult = z.infer<typeof clauseResultSchema>

export const verifyResult = z
  .strictObject({
    format: z.literal(1),
    verdict: z.enum(['faithful', 'differs', 'incomplete']).meta({
      description: 'faithful: every clause that could be looked at and is specified or documented holds.',
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
  clauses.filter(it => it.status === 'differs' && it.see === null)

/** Choices of the target, each once. */
export const choices = ({ clauses }: VerifyResult): ClauseResult[] =>
  clauses.filter(it => it.status === 'otherwise' && it.see === null)

/**
 * The settings that make the mock behave like the target, in the format of --config.
 * @param isJson JSON has no comments
 */
export function configText(result: VerifyResult, isJson: boolean): string {
  const { config, target, incomplete, unseenDials } = result
  const { dial, ...settings } = config
  const isTurned = Object.keys(dial).length > 0
  if (isJson) return `${JSON.stringify(isTurned ? config : settings, null, 2)}\n`
  return [
    '# Written by "mailing-sync-mock verify"; "mailing-sync-mock --config" takes it.',
    `# Makes the mock behave like ${JSON.stringify(target.url)}, as far as could be seen.`,
    ...(incomplete === null
      ? []
      : ['# INCOMPLETE: verifying ended early, so choices of the target may be missing.']),
    ...Object.entries(settings).map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
    ...(isTurned ? ['dial:'] : []),
    ...Object.entries(dial).flatMap(([name, value]) => [
      `  # ${dials[name as keyof typeof dials].description}`,
      `  ${name}: ${JSON.stringify(value)}`,
    ]),
    ...(unseenDials.length === 0 ? [] : ['# Not seen, so as the mock has them:']),
    ...(unseenDials.join(', ').match(/.{1,96}(?: |$)/g) ?? []).map(it => `#   ${it.trimEnd()}`),
    '',
  ].join('\n')
}
