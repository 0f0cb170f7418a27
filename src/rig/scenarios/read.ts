import { z } from 'zod'
import type { StepLimits } from '../../service/steps.ts'
import { pathText } from '../../store/validation-messages.ts'
import { readYaml, type TextProblem, type YamlText } from '../../store/yaml-text.ts'
import { faults } from '../faults/fault-registry.ts'
import {
  type AnswerSpec,
  type Condition,
  type FaultSpec,
  type Rule,
  type Scenario,
  ScenarioError,
  type Step,
  type Subject,
  type WrittenForm,
} from './scenario.ts'
import {
  answerMembers,
  type RuleFile,
  type ScenarioFile,
  type StepFile,
  scenarioFile,
  stepLimits,
  stepMembers,
} from './schema.ts'
import { describeIssues, type InvalidValue } from './zod-issues.ts'

const besideAnswer = '"…" belongs to the answer of a step: write it in answer: { … }'
const withinAnswer = '"…" belongs to the step: write it beside answer, not in it'

/** Members of an answer that stand beside it, and the other way round. @param value the whole scenario, unchecked */
function findMisplaced(value: unknown): InvalidValue[] {
  const misplaced: InvalidValue[] = []
  const look = (
    parent: unknown,
    path: InvalidValue['path'],
    members: readonly string[],
    sentence: string,
  ) => {
    for (const key of Object.keys(Object(parent)).filter(it => members.includes(it)))
      misplaced.push({ path: [...path, key], ofKey: true, problem: sentence.replace('…', key) })
  }
  for (const [nth, rule] of listProperty(value, 'rules').entries()) {
    look(rule, ['rules', nth], answerMembers, besideAnswer)
    for (const [at, step] of listProperty(rule, 'steps').entries()) {
      const path = ['rules', nth, 'steps', at]
      const answer = propertyOf(step, 'answer')
      const stepOnly = stepMembers.filter(key => !isSettingOf(propertyOf(answer, 'fault'), key))
      look(step, path, answerMembers, besideAnswer)
      look(answer, [...path, 'answer'], stepOnly, withinAnswer)
    }
  }
  return misplaced
}

function isSettingOf(fault: unknown, key: string): boolean {
  const settings = typeof fault === 'string' ? faults.get(fault)?.settings : undefined
  return settings instanceof z.ZodObject && key in settings.shape
}

const propertyOf = (value: unknown, name: string): unknown => Object(value)[name]

function listProperty(value: unknown, name: string): readonly unknown[] {
  const list = propertyOf(value, name)
  return Array.isArray(list) ? list : []
}

/**
 * A scenario from the text of a file.
 * @param source the file, for messages
 * @throws ScenarioError with file, line and column
 */
export function readScenario(text: string, name: string, source: string): Scenario {
  const yaml = readYaml(text, 'scenario')
  const toSentence = ({ place, problem }: TextProblem) =>
    `${source}:${place.line}:${place.column}: ${problem}`
  if (!('value' in yaml)) throw new ScenarioError(yaml.map(toSentence))
  const tell = (problems: readonly InvalidValue[]) => locateProblems(problems, yaml).map(toSentence)
  return scenarioOf(checkFile(yaml.value, keepLetters(yaml), yaml.letters), name, source, tell)
}

/** Checks the text of a scenario: returns its value for a control call, or all problems. */
export function checkScenarioText(
  text: string,
): { readonly definition: WrittenForm } | { readonly problems: readonly TextProblem[] } {
  const yaml = readYaml(text, 'scenario')
  if (!('value' in yaml)) return { problems: yaml }
  const checked = checkFile(yaml.value, keepLetters(yaml), yaml.letters)
  return 'file' in checked
    ? { definition: checked.written }
    : { problems: locateProblems(checked.problems, yaml) }
}

/**
 * Gives conditions on texts the letters that stand in the file: `transactionId: 004711` is no number. What a condition on a
 * member of the body means cannot be known, since that may be a number.
 * @returns such conditions whose letters would be lost
 */
function keepLetters({ value, letters }: YamlText): InvalidValue[] {
  const unclear: InvalidValue[] = []
  const keep = (owner: Record<string, unknown>, key: string, path: InvalidValue['path'], isText: boolean) => {
    const written = letters(path)
    const read = owner[key]
    if (written === undefined || written === String(read)) return
    if (isText) owner[key] = written
    else unclear.push({ path, ofKey: false, problem: lostLettersText(written, read) })
  }
  for (const [nth, rule] of listProperty(value, 'rules').entries()) {
    const when = propertyOf(rule, 'when')
    for (const [subject, condition] of Object.entries(Object(when))) {
      const path = ['rules', nth, 'when', subject]
      const isText = !subject.startsWith('body:')
      keep(when as Record<string, unknown>, subject, path, isText)
      const parts = Object(condition)
      for (const part of ['equals', 'prefix', 'glob'])
        if (part in parts) keep(parts, part, [...path, part], isText || part !== 'equals')
    }
  }
  return unclear
}

/** @param read the number or Boolean that the parser makes of it */
function lostLettersText(written: string, read: unknown): string {
  const isExact = typeof read === 'boolean' || Math.abs(read as number) <= Number.MAX_SAFE_INTEGER
  const other = isExact ? `, or ${read}` : ''
  return `${written} counts as ${read}: write "${written}" with its quotation marks for the text${other}`
}

const locateProblems = (problems: readonly InvalidValue[], yaml: YamlText): TextProblem[] =>
  problems
    .map(it => ({ place: yaml.place(it.path, it.ofKey), problem: problemText(it) }))
    .toSorted(({ place: one }, { place: other }) => one.line - other.line || one.column - other.column)

/**
 * A scenario from a JSON value of the same form, given by a control call.
 * @throws ScenarioError with the path of the member
 */
export const scenarioFrom = (value: unknown, name: string, source: string): Scenario =>
  scenarioOf(checkFile(value), name, source, asSentences(source))

/**
 * The rule of a one-shot fault from a JSON value. Each of its steps ends, the last one, too, after one attempt by default.
 * @throws ScenarioError with the path of the member
 */
export function ruleFrom(value: unknown, source: string): Rule {
  const [rule] = scenarioOf(checkFile({ rules: [value] }), source, source, asSentences(source), 2).rules
  return { ...rule!, steps: rule!.steps.map(step => ({ ...step, ...defaultLimits(step, true) })) }
}

const asSentences = (source: string) => (problems: readonly InvalidValue[]) =>
  problems.map(it => `${source}: ${problemText(it)}`)

function problemText(value: InvalidValue): string {
  const where = fieldPath(value)
  return where === '' ? value.problem : `${where}: ${value.problem}`
}

const fieldPath = ({ path, ofKey }: InvalidValue) => pathText(ofKey ? path.slice(0, -1) : path)

type CheckedFile =
  | { readonly file: ScenarioFile; readonly written: WrittenFile }
  | { readonly problems: readonly InvalidValue[] }

/**
 * @param unclear problems that are known already
 * @param letters of a number in the text, for the messages
 */
function checkFile(
  value: unknown,
  unclear: readonly InvalidValue[] = [],
  letters?: YamlText['letters'],
): CheckedFile {
  const { data, error } = scenarioFile.safeParse(value)
  if (error) return { problems: problemsIn(error.issues, value, unclear, letters) }
  return unclear.length > 0 ? { problems: unclear } : { file: data!, written: value as WrittenFile }
}

/** @param around number of leading path parts that the caller's value does not have */
function scenarioOf(
  checked: CheckedFile,
  name: string,
  source: string,
  tell: (problems: readonly InvalidValue[]) => readonly string[],
  around = 0,
): Scenario {
  if ('file' in checked) return toScenario(checked.file, checked.written, name, source)
  const problems = checked.problems.map(it => ({ ...it, path: it.path.slice(around) }))
  const members = problems.map(it => ({ field: fieldPath(it), problem: it.problem }))
  throw new ScenarioError(tell(problems), members)
}

/** Where a member is misplaced, other problems of the object that it stands in are left out. */
function problemsIn(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  unclear: readonly InvalidValue[],
  letters?: YamlText['letters'],
): InvalidValue[] {
  const misplaced = findMisplaced(value)
  const owners = [
    ...misplaced.map(({ path }) => pathText(path.slice(0, -1))),
    ...unclear.map(({ path }) => pathText(path)),
  ]
  const others = describeIssues(issues, value, letters).filter(
    ({ path }) => !owners.some(owner => pathText(path).startsWith(owner)),
  )
  return [...misplaced, ...unclear, ...others]
}

type WrittenFile = WrittenForm & { readonly rules?: readonly Rule['written'][] }

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
  steps: steps.map((step, at) => toStep(step, at < steps.length - 1)),
  appliesBeforeBody: steps.some(
    ({ answer }) => answer && 'fault' in answer && faults.get(answer.fault)!.applies === 'before body',
  ),
  written,
})

type ConditionFile = NonNullable<RuleFile['when']>[string]

function toCondition(subject: Subject, condition: ConditionFile): Condition {
  if (condition === 'present' || condition === 'absent') return { subject, present: condition === 'present' }
  return (
    typeof condition === 'object' ? { subject, ...condition } : { subject, equals: condition }
  ) as Condition
}

/** @param ends whether the step ends after one attempt by default */
const toStep = (step: StepFile, ends: boolean): Step => ({
  ...step,
  ...defaultLimits(stepLimits(step), ends),
  phase: step.phase ?? 'after',
  answer: step.answer && toAnswer(step.answer),
})

const defaultLimits = ({ times, for: lasts }: StepLimits, ends: boolean) => ({
  times: times ?? (lasts === undefined && ends ? 1 : undefined),
  for: lasts,
})

function toAnswer(answer: NonNullable<StepFile['answer']>): AnswerSpec | FaultSpec {
  if ('fault' in answer) return { fault: faults.get(answer.fault)!, settings: answer.settings }
  const { status, headers = {}, retryAfter, body = status >= 400 ? 'problem' : 'empty', by } = answer
  return { status, headers, retryAfter, body, by }
}
