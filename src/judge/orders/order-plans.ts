import { scenarioFrom } from '../../rig/scenarios/read.ts'
import type { Scenario } from '../../rig/scenarios/scenario.ts'
import { caseOfScenario, type ExamCase, undisturbedExpectation } from '../exam/cases.ts'
import { expectationOf, scenarioOfPlan, type Trouble, troubles, troublesByName } from '../explore/plans.ts'
import type { Choose, Step } from './search.ts'

/** A choice that differs from the first of all that was possible: the position of the step in the run, and its label. */
export interface Turn {
  readonly at: number
  readonly label: string
}

/** What happens to workers, and not to an attempt, so that it may happen after each step. */
const eventWords = {
  killed: 'One of them is killed.',
  overtaken: 'A wait of one of them ends while the other one waits for an answer.',
} as const

/** What happens besides the order: nothing, one of these events, or one attempt meets this trouble. */
export type JointTrouble = Trouble | keyof typeof eventWords | undefined

const isEvent = (trouble: unknown): trouble is keyof typeof eventWords =>
  typeof trouble === 'string' && Object.hasOwn(eventWords, trouble)

/** Two workers with one store. */
export interface OrderPlan {
  readonly trouble: JointTrouble
  /** Where the order differs from that in which one worker follows the other; undefined for every order. */
  readonly turns: readonly Turn[] | undefined
}

const prefix = 'two-workers:'
const inTurn = 'in-turn'

/** All troubles. A kill is none of an attempt here: it is tried after each step. */
export const jointTroubles: readonly JointTrouble[] = [
  undefined,
  'killed',
  'overtaken',
  ...troubles.filter(it => !it.kills),
]

/** Such as `undisturbed`, `killed` or `told-failed`. */
export const nameOfTrouble = (trouble: JointTrouble): string =>
  trouble === undefined ? 'undisturbed' : isEvent(trouble) ? trouble : trouble.name

const orderText = (turns: readonly Turn[]) =>
  turns.map(({ at, label }) => `${at}${label}`).join('-') || inTurn

/** Such as `two-workers:undisturbed`, which is every order, or `two-workers:told-failed@12start-20x2.1`, which is one. */
export const orderPlanName = ({ trouble, turns }: OrderPlan): string =>
  prefix + nameOfTrouble(trouble) + (turns ? `@${orderText(turns)}` : '')

/** Whether a name is meant for two workers. */
export const isOrderPlanName = (name: string): boolean => name.startsWith(prefix)

/** Undefined for what is no name of orders. */
export function orderPlanOfName(name: string): OrderPlan | undefined {
  if (!isOrderPlanName(name)) return undefined
  const [named = '', order, ...more] = name.slice(prefix.length).split('@')
  const trouble = isEvent(named) ? named : troublesByName.get(named)
  if (
    more.length > 0 ||
    (named !== 'undisturbed' && !trouble) ||
    (typeof trouble === 'object' && trouble.kills)
  )
    return undefined
  if (order === undefined) return { trouble, turns: undefined }
  const turns = order === inTurn ? [] : order.split('-').map(turnOf)
  return turns.every(it => it !== undefined) ? { trouble, turns } : undefined
}

/** The name of the file of a plan of orders, without its extension. */
export const fileOfOrderPlan = (name: string): string => name.replace(':', '---')

/** The plan of such a file; undefined for a file of another origin. */
export function orderPlanOfFile(name: string): string | undefined {
  const plan = name.replace('---', ':')
  return orderPlanOfName(plan) && plan
}

function turnOf(text: string): Turn | undefined {
  const [, at, label] = /^(\d{1,6})([a-z][a-z0-9.]{0,15})$/.exec(text) ?? []
  return label === undefined ? undefined : { at: Number(at), label }
}

/** Takes the turns where they are possible, and the first step elsewhere. */
export function following(turns: readonly Turn[]): Choose {
  let at = 0
  return possible => {
    const turn = turns.find(it => it.at === at)
    at++
    return possible.find(({ label }) => label === turn?.label) ?? possible[0]
  }
}

/** Where the steps of a run differ from the first ones that were possible. */
export const turnsOf = (
  moments: readonly { readonly possible: readonly Step[]; readonly chosen: Step }[],
): Turn[] =>
  moments.flatMap(({ possible, chosen }, at) => (chosen === possible[0] ? [] : [{ at, label: chosen.label }]))

/** What the attempt that meets the trouble, and those after it, get. */
export const strikingScenario = (trouble: Trouble): Scenario =>
  scenarioFrom(scenarioOfPlan({ mode: 'once', troubles: [trouble] }), trouble.name, 'the exam')

/** A sentence about it. */
export function troubleWords(trouble: JointTrouble): string {
  if (trouble === undefined) return 'Nothing is disturbed.'
  return isEvent(trouble) ? eventWords[trouble] : `One attempt ${trouble.words}.`
}

export function caseOfOrders(plan: OrderPlan, synchronizationId: string): ExamCase {
  const { trouble, turns } = plan
  const expect =
    typeof trouble === 'object'
      ? expectationOf({ mode: 'once', troubles: [trouble] })
      : undisturbedExpectation
  const order = turns ? ' in one order of their steps' : ''
  const description = `Two workers of the client send the same mailing with the same store${order}. ${troubleWords(trouble)}`
  const scenario = scenarioFrom(
    { description, rules: [], ...(expect && { expect }) },
    'two-workers',
    'the exam',
  )
  return {
    ...caseOfScenario(scenario, synchronizationId),
    name: orderPlanName(plan),
    isPlan: true,
    isAvoidable: true,
    runPlan: { kind: 'two-workers' },
  }
}
