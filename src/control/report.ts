import { z } from 'zod'
import type { KnownFindings } from '../judge/known/known-findings.ts'
import { type ReportFormat, reportFormats } from '../judge/run/report-formats.ts'
import { type RunReport, runReport } from '../judge/run/run-result.ts'
import type { JudgedSpace } from '../judge/run/space-result.ts'
import { realTime } from '../rig/clock.ts'
import { faults } from '../rig/faults/fault-registry.ts'
import { phases } from '../rig/scenarios/terms.ts'
import { operationIds } from '../service/operations.ts'
import { type ProblemName, problemKinds, problems } from '../service/problem.ts'
import { formatDateTime } from '../service/response.ts'
import { matchesGlob, maxGlobLength, maxGlobStars } from '../store/glob.ts'
import { sendingState } from '../store/rows.ts'
import { nextTurn } from '../store/turns.ts'
import { wantsPage } from './accept.ts'
import { isDemonstration } from './demonstrations.ts'
import { each } from './outgoing.ts'
import { type IncomingCall, route, WrittenAnswer } from './route.ts'
import { isUnused } from './run-record.ts'
import { document, link, members } from './schemas.ts'
import type { ControlTools } from './tools.ts'

const label = z
  .string()
  .min(1)
  .max(maxGlobLength)
  .refine(it => it.split('*').length <= maxGlobStars + 1, `expected at most ${maxGlobStars} stars`)
  .optional()
  .describe('Only spaces with such names: `*` stands for any characters, `?` for one, as in demo+ci-4711-*')

/** What a call for a report asks. */
export const reportQuery = members({
  label,
  format: z
    .enum(reportFormats)
    .optional()
    .describe(
      'json, unless given, and html for a browser: one file without scripts. All others are those of the command report',
    ),
})

const reportDocument = document({
  ...runReport.omit({ cases: true }).shape,
  cases: z
    .array(
      runReport.shape.cases.element.extend({
        _links: z
          .record(z.string(), link)
          .describe('Of a space that is open: its pages, its verdict, and its capsule'),
      }),
    )
    .describe('By result, failed ones first, and of those the ones with harm; then by name'),
})

const entry = z.record(z.string(), z.unknown(), { error: 'expected an entry such as { rule, case, reason }' })

const description =
  'All spaces since the start to which a request came: those that are open, and those that were reset, removed, or made room for others, whose verdict was taken then. Those of the page "Break it" are left out. Each is judged for what the last call for its verdict said of the client. The name of a space is that of a case.'

const also = { 400: 'The label is none, or an entry of known is wrong' }

export const reportRoutes = [
  route('GET /report', 'getReport', {
    rel: 'report',
    summary: 'What all clients of the run did, as one report',
    description: `${description} It fails nothing: \`mailing-sync-mock report\` ends with a code for that.`,
    query: reportQuery,
    answer: reportDocument,
    also,
    handle: call => reportAnswer(call, call.tools.known),
  }),
  route('POST /report', 'postReport', {
    summary: 'The same, with a list of what is accepted for now',
    description: 'In place of the list that the mock was started with.',
    query: reportQuery,
    body: members({
      known: z.array(entry).max(1_000).describe('Entries as a known-file has them (docs/known-findings.md)'),
    }),
    example: { known: [{ rule: 'R14', case: 'demo+orders-*', reason: 'to be mended in May' }] },
    answer: reportDocument,
    also,
    async handle(call) {
      return reportAnswer(call, await readEntries(call.body.known))
    },
  }),
]

/** @throws Problem 400 */
async function readEntries(entries: readonly object[]): Promise<KnownFindings> {
  const { KnownFileError, readKnownFindings } = await import('../judge/known/known-findings.ts')
  try {
    const text = entries.map(it => `- ${JSON.stringify(it)}\n`).join('') || '[]'
    return readKnownFindings(text, { source: 'known', today: formatDateTime(realTime()).slice(0, 10) })
  } catch (error) {
    if (!(error instanceof KnownFileError)) throw error
    throw problems.validation(error.problems.map(problem => ({ field: 'known', problem })))
  }
}

type ReportQuery = z.output<typeof reportQuery>

async function reportAnswer(
  call: IncomingCall<unknown, ReportQuery>,
  accepted: KnownFindings | undefined,
): Promise<WrittenAnswer | z.input<typeof reportDocument>> {
  const { format = wantsPage(call.header('accept')) ? 'html' : 'json' } = call.query
  const collected = await collectReport(call.tools, call.query.label, accepted)
  // Of a space that is gone nothing is left but this report.
  const withCapsule = (it: RunReport['cases'][number]) =>
    it.state === 'open' ? { ...it, capsule: call.spaceLink(it.space, '/capsule').href } : it
  const report = { ...collected, cases: collected.cases.map(withCapsule) }
  if (format === 'html')
    return new WrittenAnswer(await call.tools.reportHtml(report, call.link('').href), htmlHeaders)
  if (format !== 'json') {
    const [type, writer] = texts[format]
    const text = (await import('../judge/run/run-text.ts'))[writer](report)
    return new WrittenAnswer(text, { 'Content-Type': `${type}; charset=utf-8` })
  }
  const { cases, ...rest } = report
  const search = new URLSearchParams(report.label === null ? {} : { label: report.label })
  return {
    ...rest,
    cases: each(cases, it => ({ ...it, _links: linksOf(call, it) })),
    _links: { self: call.link(`/report${search.size === 0 ? '' : `?${search}`}`) },
  }
}

/** Media type, and what writes it. */
const texts = {
  junit: ['application/xml', 'runJunit'],
  markdown: ['text/markdown', 'runMarkdown'],
  text: ['text/plain', 'runText'],
  github: ['text/plain', 'runAnnotations'],
} as const satisfies Record<Exclude<ReportFormat, 'json' | 'html'>, readonly [string, string]>

const htmlHeaders = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'",
}

/** Where to go from a case. */
function linksOf(call: IncomingCall, { space, state }: RunReport['cases'][number]) {
  if (state !== 'open') return {}
  return {
    space: call.spaceLink(space),
    verdict: call.spaceLink(space, '/verdict'),
    capsule: call.spaceLink(space, '/capsule'),
  }
}

/** The problems that the service gives to requests in a space. */
const refusals = () =>
  (Object.keys(problemKinds) as ProblemName[]).filter(
    name => name !== 'malformed-target' && problemKinds[name].clause !== undefined,
  )

/** Real milliseconds of judging in one turn of the event loop. */
const longestTurn = 10

/** The report on all spaces whose name matches, or on all. */
export async function collectReport(
  { spaces, rigs, run, scenarios }: ControlTools,
  label: string | undefined,
  accepted: KnownFindings | undefined,
): Promise<RunReport> {
  const isWanted = (name: string) => label === undefined || matchesGlob(label, name)
  const { makeRunReport } = await import('../judge/run/run-report.ts')
  const gone = await run.gone()
  // Nothing is awaited between this and the spaces that are gone: one that goes now is here, and not there.
  const wanted = spaces.names().flatMap(name => {
    const space = isWanted(name) ? spaces.getOpen(name) : undefined
    return (space && rigs.known(space)) ?? []
  })
  const open = wanted.filter(({ space }) => !isDemonstration(space.name))
  const used = open.filter(it => !isUnused(it))
  // A space that made room and is open again with the journal that was kept on disk is one case.
  const continued = new Set(open.flatMap(it => (it.earlierRequests > 0 ? [it.space.name] : [])))
  const judged: JudgedSpace[] = gone.spaces.filter(
    ({ result }) => isWanted(result.space) && !(result.state === 'made room' && continued.has(result.space)),
  )
  let turn = realTime()
  for (const rig of used) {
    judged.push(await run.judge(rig, 'open', run.endOf(rig)))
    if (realTime() - turn < longestTurn) continue
    await nextTurn()
    turn = realTime()
  }
  const unused = open.length - used.length + gone.unused.filter(isWanted).length
  return makeRunReport(
    {
      label: label ?? null,
      began: formatDateTime(Math.floor(run.began)),
      at: formatDateTime(Math.floor(realTime())),
      unused,
      demonstrations: wanted.length - open.length,
      leftOut: gone.leftOut,
    },
    judged,
    {
      operations: operationIds,
      refusals: refusals(),
      states: sendingState.options,
      phases,
      faults: [...faults.keys()],
      scenarios: scenarios.names(),
    },
    accepted,
  )
}
