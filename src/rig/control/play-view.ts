import { z } from 'zod'
import { operationIds } from '../../service/operations.ts'
import { sendingState, truth } from '../../store/rows.ts'
import type { Hits, Play } from '../play.ts'
import type { Rule, Scenario } from '../scenarios/scenario.ts'

const anything = z.record(z.string(), z.unknown())

/** One step of a rule, as the engine plays it: durations in milliseconds of the space's clock. */
const step = z.strictObject({
  hits: z.int().describe('How often it struck'),
  phase: z.enum(['before', 'bound', 'partial', 'after']),
  state: sendingState.optional(),
  truth: truth.optional(),
  times: z.int().optional().describe('Attempts that it lasts'),
  for: z.number().optional().describe('Milliseconds that it lasts'),
  answer: anything.optional().describe('What the client gets instead of the true answer'),
  delay: z.union([z.number(), anything]).optional(),
  deliver: z.enum(['late', 'twice']).optional(),
  hold: z.string().optional(),
})

export const ruleView = {
  on: z.union([z.literal('*'), z.array(z.enum(operationIds as [string, ...string[]]))]),
  when: z.array(anything).describe('Conditions, all of which must hold'),
  per: z.enum(['transaction', 'client-request', 'space']),
  chance: z.number().optional(),
  hits: z.int().describe('How often it struck'),
  steps: z.array(step),
}

/** A scenario with what it has done. */
export const playView = {
  name: z.string(),
  source: z.string().describe('Where it comes from'),
  description: z.string(),
  tags: z.array(z.string()),
  expect: z
    .strictObject({ sent: z.int(), belief: z.enum(['sent', 'not-sent', 'unknown']) })
    .nullable()
    .describe('What a correct client reaches'),
  struck: z.boolean().describe('Whether any rule has: a test whose fault never fired proves nothing'),
  rules: z.array(z.strictObject(ruleView)),
}

const none = (rule: Rule, index: number): Hits => ({
  rule: index,
  on: rule.on,
  hits: 0,
  steps: rule.steps.map(() => 0),
})

export function shownRule(rule: Rule, { hits, steps }: Hits) {
  return {
    on: rule.on === '*' ? rule.on : [...rule.on],
    when: rule.when.map(condition => ({ ...condition })),
    per: rule.per,
    ...(rule.chance !== undefined && { chance: rule.chance }),
    hits,
    steps: rule.steps.map((it, at) => ({ hits: steps[at] ?? 0, ...given(it) })),
  }
}

/** Without the members that are undefined: JSON has none. */
const given = <T extends object>(it: T): { [Key in keyof T]: Exclude<T[Key], undefined> } =>
  Object.fromEntries(Object.entries(it).filter(([, value]) => value !== undefined)) as never

/** @param hits of its rules; none struck when left out */
export function shownScenario(
  scenario: Scenario,
  hits = scenario.rules.map(none),
): z.output<z.ZodObject<typeof playView>> {
  const { name, source, description, tags, expect = null, rules } = scenario
  return {
    name,
    source,
    description,
    tags: [...tags],
    expect,
    struck: hits.some(it => it.hits > 0),
    rules: rules.map((rule, at) => shownRule(rule, hits[at]!)) as never,
  }
}

export const shownPlay = (play: Play) => shownScenario(play.scenario, play.hits())
