import type { z } from 'zod'
import { endOf } from './contradictions.ts'
import { misplaced } from './misplaced.ts'
import type { AnswerSpec, Condition, FaultSpec, Rule, Scenario, Step, Subject, Written } from './scenario.ts'
import { ScenarioError } from './scenario-error.ts'
import { type RuleFile, type ScenarioFile, type StepFile, scenarioFile } from './schema.ts'
import { type Finding, findings, pathText } from './sentences.ts'
import { readYaml, type TextProblem, type YamlText } from './yaml-text.ts'

/**
 * A scenario from the text of a file.
 * @param source the file, for messages
 * @throws ScenarioError with file, line and column
 */
export function readScenario(text: string, name: string, source: string): Scenario {
  const yaml = readYaml(text)
  if (!('value' in yaml))
    throw new ScenarioError(
      yaml.map(({ place, problem }) => `${source}:${place.line}:${place.column}: ${problem}`),
    )
  return scenarioOf(yaml.value, name, source, found =>
    placed(found, yaml).map(({ place, problem }) => `${source}:${place.line}:${place.column}: ${problem}`),
  )
}

/** The text of a scenario, checked: its value as a control call takes it, or everything that is wrong with it. */
export function checkText(
  text: string,
): { readonly definition: Written } | { readonly problems: readonly TextProblem[] } {
  const yaml = readYaml(text)
  if (!('value' in yaml)) return { problems: yaml }
  const { success, error } = scenarioFile.safeParse(yaml.value)
  return success
    ? { definition: yaml.value as Written }
    : { problems: placed(findings(error.issues, yaml.value), yaml) }
}

/** What was found by the places where it stands, in the order of the text. */
const placed = (found: readonly Finding[], yaml: YamlText): TextProblem[] =>
  found
    .map(it => ({ place: yaml.place(it.path, it.ofKey), problem: told(it) }))
    .toSorted(({ place: one }, { place: other }) => one.line - other.line || one.column - other.column)

/**
 * A scenario from a JSON value of the same form, as a control call gives it.
 * @throws ScenarioError with the path of the member
 */
export const scenarioFrom = (value: unknown, name: string, source: string): Scenario =>
  scenarioOf(value, name, source, asValue(source))

/**
 * One rule from a JSON value, as a one-shot fault is.
 * @throws ScenarioError with the path of the member
 */
export function ruleFrom(value: unknown, source: string): Rule {
  const [rule] = scenarioOf({ rules: [value] }, source, source, asValue(source), 2).rules
  return rule!
}

const asValue = (source: string) => (found: readonly Finding[]) => found.map(it => `${source}: ${told(it)}`)

function told(found: Finding): string {
  const where = memberOf(found)
  return where === '' ? found.problem : `${where}: ${found.problem}`
}

const memberOf = ({ path, ofKey }: Finding) => pathText(ofKey ? path.slice(0, -1) : path)

/** @param around how many parts of each path are not of what was given */
function scenarioOf(
  value: unknown,
  name: string,
  source: string,
  tell: (found: readonly Finding[]) => readonly string[],
  around = 0,
): Scenario {
  const result = scenarioFile.safeParse(value)
  if (!result.success) {
    const found = problemsIn(result.error.issues, value).map(it => ({ ...it, path: it.path.slice(around) }))
    const members = found.map(it => ({ field: memberOf(it), problem: it.problem }))
    throw new ScenarioError(tell(found), members)
  }
  return toScenario(result.data, value as WrittenFile, name, source)
}

/** Whoever wrote a member of the step into its answer need not hear what that answer lacks. */
function problemsIn(issues: readonly z.core.$ZodIssue[], value: unknown): Finding[] {
  const wrong = misplaced(value)
  const answers = wrong.map(({ path }) => pathText(path.slice(0, -1)))
  const others = findings(issues, value).filter(
    ({ path }) => !answers.some(answer => pathText(path).startsWith(answer)),
  )
  return [...wrong, ...others]
}

type WrittenFile = Written & { readonly rules?: readonly Rule['written'][] }

const toScenario = (file: ScenarioFile, written: WrittenFile, name: string, source: string): Scenario => ({
  name,
  source,
  description: file.description ?? '',
  rules: (file.rules ?? []).map((rule, at) => toRule(rule, written.rules![at]!)),
  expect: file.expect,
  tags: file.tags ?? [],
  dials: (file.dials ?? {}) as Scenario['dials'],
  definition: written,
})

const toRule = (
  { on, when = {}, per = 'transaction', chance, steps }: RuleFile,
  written: Rule['written'],
): Rule => ({
  on: on === '*' ? on : Array.isArray(on) ? on : [on],
  when: Object.entries(when).map(([subject, condition]) => toCondition(subject as Subject, condition)),
  per,
  ...(chance !== undefined && { chance }),
  steps: steps.map(toStep),
  written,
})

type ConditionFile = NonNullable<RuleFile['when']>[string]

function toCondition(subject: Subject, condition: ConditionFile): Condition {
  if (condition === 'present' || condition === 'absent') return { subject, present: condition === 'present' }
  return (
    typeof condition === 'object' ? { subject, ...condition } : { subject, equals: condition }
  ) as Condition
}

const toStep = (step: StepFile): Step => ({
  state: step.state,
  truth: step.truth,
  ...endOf(step),
  phase: step.phase ?? 'after',
  answer: step.answer && toAnswer(step.answer),
  delay: step.delay,
  deliver: step.deliver,
  hold: step.hold,
})

function toAnswer(answer: NonNullable<StepFile['answer']>): AnswerSpec | FaultSpec {
  if ('fault' in answer) return answer
  const { status, headers = {}, retryAfter, body = status >= 400 ? 'problem' : 'empty' } = answer
  return {
    status,
    headers,
    retryAfter:
      typeof retryAfter === 'object' && 'dateAgo' in retryAfter
        ? { dateIn: -retryAfter.dateAgo }
        : retryAfter,
    body,
  }
}
