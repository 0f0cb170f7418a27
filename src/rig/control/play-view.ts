import { z } from 'zod'
import { operationIds } from '../../service/operations.ts'
import type { Hits, Play } from '../play.ts'
import type { Rule, Scenario } from '../scenarios/scenario.ts'
import { component } from './shapes.ts'

const anything = z.record(z.string(), z.unknown())

/** One rule in the form of a file, with what it has done. */
export const ruleView = {
  on: z.union([z.enum(['*', ...operationIds]), z.array(z.enum(operationIds))]),
  when: anything.optional().describe('Conditions, all of which must hold'),
  per: z.enum(['transaction', 'client-request', 'space']).optional(),
  chance: z.number().optional(),
  hits: z.int().describe('How often it struck'),
  steps: z
    .array(z.looseObject({ hits: z.int().describe('How often it struck') }))
    .describe('Each as a file has it, durations with their units'),
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
  definition: component('Scenario', 'The whole in the form of a file: a PUT takes it as it is'),
}

const none = (rule: Rule, index: number): Hits => ({
  rule: index,
  on: rule.on,
  hits: 0,
  steps: rule.steps.map(() => 0),
})

export const shownRule = ({ written }: Rule, { hits, steps }: Hits): z.input<z.ZodObject<typeof ruleView>> =>
  ({
    ...written,
    hits,
    steps: written.steps.map((step, at) => ({ hits: steps[at] ?? 0, ...step })),
  }) as never

/** @param hits of its rules; none struck when left out */
export function shownScenario(
  scenario: Scenario,
  hits = scenario.rules.map(none),
): z.output<z.ZodObject<typeof playView>> {
  const { name, source, description, tags, expect = null, rules, definition } = scenario
  return {
    name,
    source,
    description,
    tags: [...tags],
    expect,
    struck: hits.some(it => it.hits > 0),
    rules: rules.map((rule, at) => shownRule(rule, hits[at]!)),
    definition,
  }
}

export const shownPlay = (play: Play) => shownScenario(play.scenario, play.hits())
