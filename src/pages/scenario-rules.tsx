import { ruleWords, stepWords } from '../control/explain/words.ts'
import type { Hits } from '../rig/scenarios/rule-state.ts'
import type { Condition, Rule, Scenario, Step } from '../rig/scenarios/scenario.ts'
import { countNoun, writtenDuration } from '../rig/words.ts'
import { quote } from '../store/validation-messages.ts'
import { Chip } from './components/chips.tsx'

/** The requests that a rule applies to, without a full stop. */
export function describeScenarioRule(rule: Rule): string {
  const { when, chance } = rule
  const conditions = when.map(describeCondition).join(' and ')
  const share = chance === undefined ? '' : `; on ${Number((chance * 100).toPrecision(3))} % of them`
  return ruleWords(rule) + (conditions && `; only when ${conditions}`) + share
}

function describeCondition({ subject, present, equals, prefix, glob, from, to }: Condition): string {
  const parts = [
    present !== undefined && (present ? 'is there' : 'is not there'),
    equals !== undefined && `is ${quote(equals)}`,
    prefix !== undefined && `begins with ${quote(prefix)}`,
    glob !== undefined && `is like ${quote(glob)}`,
    from !== undefined && `is not below ${quote(from)}`,
    to !== undefined && `is not above ${quote(to)}`,
  ]
  return `${subject} ${parts.filter(Boolean).join(' and ')}`
}

export function describeDuration(steps: readonly Step[], index: number): string {
  const { times, for: lasts } = steps[index]!
  const often = times !== undefined && (times === 1 ? 'once' : countNoun(times, 'time'))
  const long = lasts !== undefined && `for ${writtenDuration(lasts)}`
  const limits = [often, long].filter(Boolean).join(', ')
  return limits || (steps.length === 1 ? 'every time' : 'from then on')
}

const beliefWords = { sent: 'it was sent', 'not-sent': 'it was not sent', unknown: 'it cannot know' } as const

/** The result that a correct client reaches; undefined when the scenario does not say. */
export function describeExpectation({ expect }: Pick<Scenario, 'expect'>): string | undefined {
  if (!expect) return undefined
  const sent = countNoun(expect.sent, 'sending truly goes', 'sendings truly go')
  return `${sent} out, and it reports that ${beliefWords[expect.belief]}`
}

/** Maximum number of rules, and of steps, shown for one scenario. */
const maxRules = 50

/** Rules with their steps, in words. @param props.hits hit counts when the scenario is armed */
export function Rules({ rules, hits }: { rules: readonly Rule[]; hits?: readonly Hits[] }) {
  if (rules.length === 0) return <p class="soft">It has no rules: every request is answered truly.</p>
  return (
    <ol class="plain">
      {rules.slice(0, maxRules).map((rule, at) => (
        <li>
          <p class="flush">
            <span>Rule: {describeScenarioRule(rule)}</span> {hits && <HitCount count={hits[at]!.hits} />}
          </p>
          <Steps rule={rule} hits={hits?.[at]} />
        </li>
      ))}
      {rules.length > maxRules && <li class="soft">and {rules.length - maxRules} more rules</li>}
    </ol>
  )
}

/** The steps of a rule, each with its duration. */
export function Steps({ rule: { steps }, hits }: { rule: Rule; hits?: Hits | undefined }) {
  return (
    <ol class="steps">
      {steps.slice(0, maxRules).map((step, at) => (
        <li>
          <span class="soft">{describeDuration(steps, at)}:</span> {stepWords(step)}{' '}
          {hits && steps.length > 1 && <HitCount count={hits.steps[at] ?? 0} />}
        </li>
      ))}
      {steps.length > maxRules && <li class="soft">and {steps.length - maxRules} more steps</li>}
    </ol>
  )
}

const HitCount = ({ count }: { count: number }) => (
  <Chip tone={count > 0 ? 'good' : 'calm'}>{count === 0 ? 'not yet' : `fired ${count}×`}</Chip>
)
