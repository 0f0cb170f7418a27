import { z } from 'zod'
import { beliefs } from '../../rig/scenarios/terms.ts'
import { findingShape } from '../exam/exam-result.ts'

/* The shape of a run report: the JSON of `GET /_mock/report`, from which its other forms are made. */

const count = z.int().nonnegative()
const dateTime = z.iso.datetime({ precision: 3 })
const names = z.array(z.string())

const statuses = ['passed', 'failed', 'warning', 'unproved', 'known'] as const

/** One space from one beginning to the next: a test case of the report. */
export const spaceResult = z.strictObject({
  name: z.string().describe('The space; a later life of the same name has its number behind it: demo (2)'),
  space: z.string(),
  state: z
    .enum(['open', 'made room', 'reset', 'removed'])
    .describe(
      'What became of the space: its verdict was taken when it was reset, removed, or made room for others',
    ),
  status: z
    .enum(statuses)
    .describe(
      'failed: a test with this client should fail; warning: it broke only what is good practice; unproved: nothing was found, and not all could be judged; known: it would have failed, and all for which it would is accepted',
    ),
  reason: z.string().nullable().describe('Why it failed, or proves less than it could'),
  end: z
    .strictObject({
      believes: z.enum(beliefs).nullable(),
      expected: count.nullable(),
      workers: count.nullable(),
    })
    .describe('What the last call for the verdict said of the client; null for what it did not say'),
  began: dateTime.describe("The machine's time, as are the seconds"),
  seconds: z.number().nonnegative().describe('From its beginning to its last request'),
  requests: count,
  open: count.describe('Requests that are still under way'),
  missing: count.describe('Requests that are no longer on record, so that they could not be judged'),
  sent: count.describe('Sendings to lists that were sent, or will be'),
  scheduled: count.describe('How many of these had not gone out when it was judged'),
  stopped: count.describe('Sendings to lists beside these that the platform stopped'),
  causes: names.describe('Rules for which it fails; none where it fails since what was armed met nothing'),
  findings: z.array(findingShape).describe('One for each rule, the gravest first'),
  timeline: names.describe(
    'What was asked, told and true, a line for each request, of many those that a finding cites; only where something was found',
  ),
  capsule: z
    .string()
    .optional()
    .describe(
      'Address of its capsule, with all that happened in it, of a space that is open; with --capsules the file',
    ),
})

export const neverMetShape = z.strictObject({
  operations: names,
  refusals: names.describe('Problems of the service that no response had'),
  states: names.describe('States of a sending that no response had'),
  phases: names.describe('How far the service had got when a step acted'),
  faults: names,
  scenarios: names.describe('Of the catalogue and of your folder'),
  rules: z
    .array(z.strictObject({ id: z.string(), title: z.string() }))
    .describe('Rules of conduct that no space gave a chance to be broken'),
  troubles: names.describe('Kinds of trouble, as an exam plays them, that no attempt met'),
})

export const runReport = z.strictObject({
  version: z.literal(1).describe('Of this form'),
  label: z.string().nullable().describe('Glob for the names of spaces; null for all'),
  began: dateTime.describe('When the mock was started'),
  at: dateTime,
  isPassed: z.boolean().describe('Whether there is a space and none failed'),
  spaces: count,
  passed: count,
  failed: count,
  warnings: count.describe('Spaces that broke only what is good practice'),
  unproved: count,
  known: count,
  requests: count,
  open: count.describe('Requests that are still under way'),
  sent: count.describe('Of all spaces, as are the next two'),
  scheduled: count,
  stopped: count,
  unused: count.describe('Spaces to which no request came, and in which nothing was armed'),
  demonstrations: count.describe(
    'Open spaces of the page "Break it", whose clients show what can go wrong: no case is made of them',
  ),
  leftOut: z
    .strictObject({
      spaces: count.describe('In all, whatever their names'),
      failed: count.describe('How many of them failed'),
      unjudged: count.describe('How many of them went too fast to be judged'),
    })
    .describe('Spaces that have ended and are not listed, because the report keeps a limited number'),
  neverMet: neverMetShape,
  share: z
    .strictObject({ met: count, of: count, means: z.string() })
    .describe('How much of what an exam tries the run has met'),
  coverage: names.describe(
    'As in the result of an exam. A line for each kind of trouble at the first attempt: a letter for it alone, with a date, and with several mailings, then one for each kind at the second attempt. p: passed, w: warning, f: failed, i: unproved, -: not met',
  ),
  accepted: z
    .strictObject({
      file: z.string(),
      unmatched: names.describe('Entries that accept nothing in these spaces'),
    })
    .optional()
    .describe('What is accepted for now'),
  cases: z.array(spaceResult),
})

export type SpaceResult = z.infer<typeof spaceResult>
export type RunReport = z.infer<typeof runReport>
export type NeverMet = z.infer<typeof neverMetShape>

/** What a space met, by names. */
export type MetNames = Readonly<Record<Exclude<keyof NeverMet, 'troubles'> | 'plans', readonly string[]>>
