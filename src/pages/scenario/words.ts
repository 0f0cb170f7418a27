import { counted, durationText, quoted, ruleWords } from '../../rig/explain/words.ts'
import { limitOf } from '../../rig/plan.ts'
import type { Condition, Rule, Scenario, Step } from '../../rig/scenarios/scenario.ts'

/** To which requests a rule applies, without a full stop. */
export function appliesTo(rule: Rule): string {
  const { when, chance } = rule
  const conditions = when.map(conditionWords)
  return [
    ruleWords(rule),
    ...(conditions.length > 0 ? [`only when ${conditions.join(' and ')}`] : []),
    ...(chance === undefined ? [] : [`on ${Number((chance * 100).toPrecision(3))} % of them`]),
  ].join('; ')
}

function conditionWords({ subject, present, equals, prefix, glob, from, to }: Condition): string {
  const parts = [
    ...(present === undefined ? [] : [present ? 'is there' : 'is not there']),
    ...(equals === undefined ? [] : [`is ${quoted(equals)}`]),
    ...(prefix === undefined ? [] : [`begins with ${quoted(prefix)}`]),
    ...(glob === undefined ? [] : [`is like ${quoted(glob)}`]),
    ...(from === undefined ? [] : [`is not below ${quoted(from)}`]),
    ...(to === undefined ? [] : [`is not above ${quoted(to)}`]),
  ]
  return `${subject} ${parts.join(' and ')}`
}

/** How long a step lasts. */
export function lastsWords(steps: readonly Step[], index: number): string {
  const { for: lasts } = steps[index]!
  const times = limitOf(steps, index)
  const limits = [
    ...(Number.isFinite(times) ? [times === 1 ? 'once' : counted(times, 'time')] : []),
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

/** What a correct client reaches under a scenario; undefined where the scenario does not say. */
export function expectWords({ expect }: Pick<Scenario, 'expect'>): string | undefined {
  if (!expect) return undefined
  return `${counted(expect.sent, 'sending')} truly ${expect.sent === 1 ? 'goes' : 'go'} out, and it believes ${beliefs[expect.belief]}`
}
