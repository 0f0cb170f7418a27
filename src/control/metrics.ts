import { z } from 'zod'
import { problems } from '../service/problem.ts'
import { route, WrittenAnswer } from './route.ts'
import type { ControlTools } from './tools.ts'

/** Media type of the text format, version 0.0.4. */
const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

export const metricsRoute = route('GET /metrics', 'getMetrics', {
  rel: 'metrics',
  summary: 'Figures for Prometheus, if the mock was started with --metrics',
  description:
    'In its text format. Where the mock has a token, the collector sends it as Authorization: Bearer.',
  answer: z.string(),
  answerType: metricsType,
  also: { 404: 'The mock was started without --metrics' },
  handle({ tools }) {
    if (!tools.metrics) throw problems.notFound('metrics here: start the mock with --metrics')
    return new WrittenAnswer(metricsText(tools), { 'Content-Type': metricsType })
  },
})

type Kind = 'counter' | 'gauge'
type Sample = readonly [value: number, label?: string]

function metricsText({ spaces, rigs, run }: ControlTools): string {
  const open = spaces.names().flatMap(name => {
    const space = spaces.getOpen(name)
    return (space && rigs.known(space)) ?? []
  })
  const requests = open.reduce((sum, it) => sum + it.journal.count - it.earlierRequests, run.requests)
  const memory = rigs.budget.use()
  const { user, system } = process.cpuUsage()
  return [
    metric('requests_total', 'counter', 'Requests to the service in its spaces.', [[requests]]),
    metric('spaces', 'gauge', 'Spaces that are open.', [[spaces.names().length]]),
    metric(
      'spaces_ended_total',
      'counter',
      'Spaces that ended, by why they did.',
      Object.entries(run.ended).map(([why, count]) => [count, `why="${why}"`]),
    ),
    metric('rejected_logins', 'gauge', 'Requests with wrong credentials that are on record.', [
      [rigs.rejectedLogins.latest.length],
    ]),
    metric(
      'memory_bytes',
      'gauge',
      'Memory that counts towards the limit, by kind.',
      Object.entries(memory.kinds).map(([kind, bytes]) => [bytes, `kind="${kind}"`]),
    ),
    metric('memory_limit_bytes', 'gauge', 'As --memory-limit has it.', [[memory.limit]]),
    metric('memory_reclaims_total', 'counter', 'How often journals and caches made room.', [
      [memory.madeRoom],
    ]),
    metric('process_resident_memory_bytes', 'gauge', 'Resident memory.', [[process.memoryUsage.rss()]], ''),
    metric('process_cpu_seconds_total', 'counter', 'Processor time.', [[(user + system) / 1e6]], ''),
    metric('process_start_time_seconds', 'gauge', 'When it started.', [[performance.timeOrigin / 1_000]], ''),
  ].join('')
}

/** One metric in the text format. @param samples each with the label that tells it from the others */
function metric(
  name: string,
  kind: Kind,
  help: string,
  samples: readonly Sample[],
  prefix = 'mailing_sync_mock_',
) {
  const whole = prefix + name
  const lines = samples.map(
    ([value, label]) => `${whole}${label === undefined ? '' : `{${label}}`} ${value}\n`,
  )
  return `# HELP ${whole} ${help}\n# TYPE ${whole} ${kind}\n${lines.join('')}`
}
