import { ruleWords, stepWords } from '../control/explain/words.ts'
import type { Hits } from '../rig/scenarios/play.ts'
import type { Condition, Rule, Scenario, Step } from '../rig/scenarios/scenario.ts'
import { countNoun, durationText, quote } from '../rig/words.ts'
import { Chip } from './components/chips.tsx'

/** The requests that a rule applies to, without a full stop. */
export function describeRule(rule: Rule): string {
  const { when, chance } = rule
  const conditions = when.map(describeCondition)
  return [
    ruleWords(rule),
    ...(conditions.length > 0 ? [`only when ${conditions.join(' and ')}`] : []),
    ...(chance === undefined ? [] : [`on ${Number((chance * 100).toPrecision(3))} % of them`]),
  ].join('; ')
}

function describeCondition({ subject, present, equals, prefix, glob, from, to }: Condition): string {
  const parts = [
    ...(present === undefined ? [] : [present ? 'is there' : 'is not there']),
    ...(equals === undefined ? [] : [`is ${quote(equals)}`]),
    ...(prefix === undefined ? [] : [`begins with ${quote(prefix)}`]),
    ...(glob === undefined ? [] : [`is like ${quote(glob)}`]),
    ...(from === undefined ? [] : [`is not below ${quote(from)}`]),
    ...(to === undefined ? [] : [`is not above ${quote(to)}`]),
  ]
  return `${subject} ${parts.join(' and ')}`
}

export function describeDuration(steps: readonly Step[], index: number): string {
  const { times, for: lasts } = steps[index]!
  const limits = [
    ...(times === undefined ? [] : [times === 1 ? 'once' : countNoun(times, 'time')]),
    ...(lasts === undefined ? [] : [`for ${durationText(lasts)}`]),
  ]
  if (limits.length > 0) return limits.join(', ')
  return steps.length === 1 ? 'every time' : 'from then on'
}

const beliefs = {
  sent: 'that it was sent',
  'not-sent': 'that it was not sent',
  unknown: 'that it cannot know',
} as const

/** The result that a correct client reaches; undefined when the scenario does not say. */
export function describeExpectation({ expect }: Pick<Scenario, 'expect'>): string | undefined {
  if (!expect) return undefined
  return `${countNoun(expect.sent, 'sending')} truly ${expect.sent === 1 ? 'goes' : 'go'} out, and it believes ${beliefs[expect.belief]}`
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
            <span>Rule: {describeRule(rule)}</span> {hits && <HitCount count={hits[at]!.hits} />}
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

/** How often a fault was applied. */
const HitCount = ({ count }: { count: number }) => (
  <Chip tone={count > 0 ? 'good' : 'calm'}>{count === 0 ? 'not yet' : `fired ${count}×`}</Chip>
)
