import { stepWords } from '../../rig/explain/words.ts'
import type { Hits } from '../../rig/play.ts'
import type { Rule } from '../../rig/scenarios/scenario.ts'
import { Chip } from '../components/chips.tsx'
import { appliesTo, lastsWords } from './words.ts'

/** So many rules or steps are shown of one scenario. */
const mostShown = 50

/** Rules with their steps, in words. @param props.hits how often they struck, where they are in force */
export function Rules({ rules, hits }: { rules: readonly Rule[]; hits?: readonly Hits[] }) {
  if (rules.length === 0) return <p class="soft">It has no rules: every request is answered truly.</p>
  return (
    <ol class="rules">
      {rules.slice(0, mostShown).map((rule, at) => (
        <li>
          <p class="rule">
            <span>Rule: {appliesTo(rule)}</span> {hits && <Struck count={hits[at]!.hits} />}
          </p>
          <Steps rule={rule} hits={hits?.[at]} />
        </li>
      ))}
      {rules.length > mostShown && <li class="soft">and {rules.length - mostShown} more rules</li>}
    </ol>
  )
}

/** The steps of a rule, each with how long it lasts. */
export function Steps({ rule: { steps }, hits }: { rule: Rule; hits?: Hits | undefined }) {
  return (
    <ol class="steps">
      {steps.slice(0, mostShown).map((step, at) => (
        <li>
          <span class="lasts">{lastsWords(steps, at)}:</span> {stepWords(step)}{' '}
          {hits && steps.length > 1 && <Struck count={hits.steps[at] ?? 0} />}
        </li>
      ))}
      {steps.length > mostShown && <li class="soft">and {steps.length - mostShown} more steps</li>}
    </ol>
  )
}

/** How often something struck. */
export const Struck = ({ count }: { count: number }) => (
  <Chip tone={count > 0 ? 'good' : 'calm'}>{count === 0 ? 'not yet' : `struck ${count}×`}</Chip>
)
