import { z } from 'zod'
import { featureNames, featureWords, situations } from './decisions.ts'

/** The shape of a portrait: for its file, the JSON Schema and types. */

/** Words about a decision. A file may come from anywhere, and they end up in a terminal. */
const words = z.string().max(200)

const count = z.int().nonnegative()
const share = z.number().min(0).max(1)

const condition = z
  .union([
    z.strictObject({
      feature: z.enum(featureNames),
      is: z.enum(['at most', 'more than']),
      value: z.number(),
    }),
    z.strictObject({
      feature: z.enum(featureNames),
      is: z.enum(['one of', 'none of']),
      value: z.array(words),
    }),
  ])
  .describe(
    `About what the client knows: ${featureNames.map(it => `\`${it}\` (${featureWords[it]})`).join(', ')}; times in seconds, -1 for none`,
  )

export const counters = ['attempts', 'times', 'requests', 'ids'] as const

const pause = z
  .strictObject({
    by: z.enum(counters).describe('What the pauses are counted by'),
    first: z.number().describe('Seconds'),
    factor: z.number().describe('By which each is longer than the one before'),
    longest: z.number().describe('Seconds'),
    least: z.number().describe('Share of a pause that is always taken; the rest is drawn'),
    lengths: z
      .array(z.number())
      .min(1)
      .optional()
      .describe(
        'Seconds: all lengths, where they are exact, and the client counts them by something else. Then `first`, `longest` and `least` are their range',
      ),
    heedsRetryAfter: z
      .enum(['always', 'sometimes', 'never'])
      .nullable()
      .describe('null: no response asked for a wait'),
    count: count.describe('Pauses for which no response asked'),
    asked: count.describe('Pauses for which a response asked'),
    growth: z.enum(['grows', 'constant', 'unknown']).describe('unknown: too few pauses'),
  })
  .describe('How long a client pauses in one situation')

const row = z.strictObject({
  when: z.array(condition).describe('All of them hold; none for all of the situation'),
  action: words
    .nullable()
    .describe(
      '`same ID`, `new ID`, `earlier ID`, `no ID` (each perhaps with `, other body`), `reads …`, `end: …` with what it then believes, or `waits for ever`; null where nothing is claimed',
    ),
  pause: pause.nullable(),
  decisions: count.describe('How often it was seen'),
  others: count.describe('How often of these it did something else'),
  objection: words.nullable().describe('Why that is not what the document wants; null if it is'),
  shownBy: z.strictObject({ name: z.string(), isPlan: z.boolean() }).describe('A run in which it did so'),
  reproduce: z.string().nullable().describe('A command line that plays that run'),
})

const situation = z.strictObject({
  name: z.enum(situations),
  document: z.string().describe('What the document wants'),
  decisions: count,
  isExplained: z
    .enum(['yes', 'not deterministic', 'more history than this table shows'])
    .describe('not deterministic: it did different things after it had got the same bytes at the same times'),
  rows: z.array(row),
})

const change = z
  .strictObject({
    situations: z.array(z.enum(situations)),
    when: z
      .array(condition)
      .optional()
      .describe('All of them hold where it differs; none for all of the situations'),
    before: z.string(),
    now: z.string(),
  })
  .describe('What it does otherwise than the portrait before, in one or more situations')

const advice = z.strictObject({
  situation: z.enum(situations),
  row: count.describe('Index of the row'),
  mends: count.describe('Plans that pass if the client does what the document wants in this row'),
  replayed: count.describe('Failed plans that were replayed with a client made of the table'),
  met: count.describe('Failed plans in which the client was there'),
  failed: count.describe('Failed plans in all'),
})

const accuracy = z
  .strictObject({
    decisions: count,
    right: share.describe('Share of the next actions that are predicted'),
    pauses: count,
    inRange: share.describe('Share of their pauses that lie in the stated range'),
  })
  .nullable()

export const portrait = z.strictObject({
  version: z.literal(1).describe('Of this form'),
  client: z.string(),
  seed: z.int(),
  runs: count.describe('Runs that it was learned from'),
  leftOut: count.describe(
    'Runs from which nothing could be learned: inconclusive, or with two workers at a time',
  ),
  stopped: count.describe('Runs in which the client was stopped before it ended'),
  decisions: count.describe('Distinct ones'),
  accuracy: accuracy.describe(
    'How a table of four fifths of the runs predicts the others, drawn by the seed; null for too few runs',
  ),
  predicted: accuracy.describe(
    'How the portrait that it was compared with predicts these runs; null for none',
  ),
  patience: z
    .number()
    .nullable()
    .describe('Seconds that it waits for a response at most; null if it never gave one up'),
  rule: z.string().describe('When a situation has several rows'),
  situations: z.array(situation),
  unseen: z.array(z.enum(situations)).describe('Situations that the client never was in'),
  advice: z
    .array(advice)
    .describe('Which row mends most plans, the best first; empty where none was computed'),
  changes: z.array(change).nullable().describe('Since the portrait that it was compared with; null for none'),
  isCoarse: z
    .boolean()
    .optional()
    .describe(
      'Whether `changes` shows only actions that are new in a situation or gone from it, since one of the two portraits predicts its own client badly',
    ),
})

export type Portrait = z.infer<typeof portrait>
export type Condition = z.infer<typeof condition>
export type PauseModel = z.infer<typeof pause>
export type PortraitRow = z.infer<typeof row>
export type PortraitSituation = z.infer<typeof situation>
export type Advice = z.infer<typeof advice>
export type Change = z.infer<typeof change>

export const portraitJsonSchema = () => ({
  title: 'Portrait of a client of mailing-sync-mock',
  ...z.toJSONSchema(portrait),
})
