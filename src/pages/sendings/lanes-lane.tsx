import { Chip } from '../components/chips.tsx'
import type { PageCall } from '../page.ts'
import { Sentence } from '../verdict/sentence.tsx'
import { findingMark } from '../verdict/words.ts'
import type { Finding, Lane } from './lanes.ts'
import type { Axis } from './lanes-axis.ts'
import { LaneChart } from './lanes-chart.tsx'
import { grouped } from './lanes-grouped.ts'
import { LaneHead } from './lanes-head.tsx'
import { LaneTable } from './lanes-table.tsx'

/** So many findings are told with their lane; the verdict has all. */
const most = 6

/** What all lanes of a page have in common. */
export interface Scene {
  readonly call: PageCall
  readonly space: string
  /** Of the space's clock. */
  readonly now: number
  /** What leads to the verdict on the same terms. */
  readonly verdict: string
}

/** One sending that was meant: its head, its attempts in time, and what the judge says of them. Without an axis it is shown in rows alone. */
export function LaneArticle(props: { scene: Scene; lane: Lane; axis: Axis | undefined }) {
  const { scene, lane, axis } = props
  const { call, space, now, verdict } = scene
  const { findings } = lane
  const href = (id: string) => call.inSpace(space, `/requests/${encodeURIComponent(id)}`)
  const rules = [...grouped(findings, it => [it.rule]).values()]
  return (
    <article
      class={`lane${findings.length > 0 ? ' has-findings' : ''}`}
      id={lane.id}
      aria-labelledby={`${lane.id}-name`}
    >
      <LaneHead call={call} space={space} lane={lane} />
      {axis && <LaneChart lane={lane} axis={axis} now={now} href={href} />}
      <LaneTable lane={lane} now={now} href={href} />
      {rules.length > 0 && (
        <ul class="lane-findings">
          {rules.slice(0, most).map(([finding, ...others]) => (
            <RuleBroken finding={finding!} others={others.length} lane={lane} href={href} verdict={verdict} />
          ))}
          {rules.length > most && (
            <li>
              <a href={verdict}>and {rules.length - most} more</a>
            </li>
          )}
        </ul>
      )}
    </article>
  )
}

/** What the judge says, with the attempts called as they are numbered here. */
function RuleBroken(props: {
  finding: Finding
  /** How many more there are of the same rule. */
  others: number
  lane: Lane
  href: (requestId: string) => string
  verdict: string
}) {
  const { finding, others, lane, href, verdict } = props
  const numbers = new Map(lane.sending.attempts.map(({ requestId }, at) => [requestId, at + 1]))
  const nameOf = (id: string) => (numbers.has(id) ? `attempt ${numbers.get(id)}` : undefined)
  const { tone, words } = findingMark(finding)
  const { rule, title, status, sentence, evidence } = finding
  return (
    <li id={`${lane.id}-${rule}`}>
      <Chip tone={tone}>{words}</Chip> <a href={`${verdict}#${rule}`}>{title}</a>
      {status === 'open' && ', it seems'}.{' '}
      <Sentence text={sentence} evidence={evidence} href={href} nameOf={nameOf} />
      {others > 0 && <span class="soft"> And {others} more of the kind.</span>}
    </li>
  )
}
