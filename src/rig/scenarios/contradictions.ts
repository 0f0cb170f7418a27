import type { SendingState } from '../../store/rows.ts'
import type { Fault } from '../faults/fault.ts'
import type { RuleFile, ScenarioFile, StepFile } from './schema.ts'

/** Something that each part allows and that still cannot be. */
export interface Contradiction {
  readonly path: readonly (string | number)[]
  readonly problem: string
}

type Faults = ReadonlyMap<string, Fault>

/** Everything in a scenario that cannot be together. */
export function contradictions({ rules = [] }: ScenarioFile, faults: Faults): Contradiction[] {
  return rules.flatMap((rule, index) => [
    ...neverReached(rules, index),
    ...ofConditions(rule).map(within('rules', index)),
    ...ofRule(rule, faults).map(within('rules', index)),
  ])
}

const within =
  (...path: (string | number)[]) =>
  (found: Contradiction): Contradiction => ({ ...found, path: [...path, ...found.path] })

/** A rule behind one that takes every request for ever. */
function neverReached(rules: readonly RuleFile[], index: number): Contradiction[] {
  const { on } = rules[index]!
  const earlier = rules.slice(0, index).findIndex(rule => {
    const { times, for: lasts } = endOf(rule.steps.at(-1)!)
    const takesAll = Object.keys(rule.when ?? {}).length === 0 && rule.chance === undefined
    return takesAll && times === undefined && lasts === undefined && covers(rule.on, on)
  })
  if (earlier === -1) return []
  const problem = `it can never apply: rules[${earlier}] takes every request that it is about, for ever; put it in front, or limit that rule`
  return [{ path: ['rules', index], problem }]
}

const covers = (one: RuleFile['on'], other: RuleFile['on']) =>
  one === '*' || (other !== '*' && listed(other).every(operation => listed(one).includes(operation)))
const listed = <Name extends string>(on: Name | Name[]): Name[] => (Array.isArray(on) ? on : [on])

function ofConditions({ when = {} }: RuleFile): Contradiction[] {
  return Object.entries(when).flatMap(([subject, condition]) => {
    if (typeof condition !== 'object') return []
    const path = ['when', subject]
    const { from, to, present, ...others } = condition
    const parts = Object.keys(condition)
    if (parts.length === 0)
      return [
        { path, problem: 'a condition without any part; expected equals, prefix, glob, from, to or present' },
      ]
    if (present === false && parts.length > 1)
      return [{ path, problem: `what is not present has no ${parts.find(it => it !== 'present')}` }]
    if (from === undefined || to === undefined) return []
    if (typeof from !== typeof to)
      return [{ path, problem: 'from and to must both be numbers or both date-times' }]
    const isEmpty = typeof from === 'number' ? from > Number(to) : Date.parse(from) > Date.parse(String(to))
    if (isEmpty) return [{ path, problem: `nothing lies between from ${from} and to ${to}` }]
    return 'equals' in others ? [{ path, problem: 'equals leaves nothing for from and to' }] : []
  })
}

function ofRule(rule: RuleFile, faults: Faults): Contradiction[] {
  return [
    ...rule.steps.flatMap((step, index) =>
      [...ofState(rule, step), ...ofAnswer(step), ...ofDelivery(step), ...ofFault(rule, step, faults)].map(
        within('steps', index),
      ),
    ),
    ...ofSequence(rule),
  ]
}

/** States that a phase leaves a sending in; the first is the default. */
const statesOfPhase: Readonly<Record<'bound' | 'partial', readonly SendingState[]>> = {
  bound: ['PENDING'],
  partial: ['FAILED', 'INDETERMINATE_FAILURE', 'PENDING'],
}
const truthOfState: Partial<Record<SendingState, 'sent' | 'not-sent'>> = {
  CREATED: 'sent',
  FAILED: 'not-sent',
  PENDING: 'not-sent',
}

function ofState({ on }: RuleFile, { state, truth, phase = 'after' }: StepFile): Contradiction[] {
  const isCreate = listed(on).every(operation => operation === 'createSending')
  const ofSendings = [state && 'state', truth && 'truth'].filter(key => key !== undefined)
  if (phase === 'bound' || phase === 'partial') ofSendings.push('phase')
  if (!isCreate)
    return ofSendings.map(key => ({
      path: [key],
      problem: `${key === 'phase' ? `phase ${phase}` : key} tells of a sending that is created, so the rule must be on createSending only`,
    }))
  if (phase === 'before')
    return ofSendings.map(key => ({
      path: [key],
      problem: `in phase before nothing is done, so there is no ${key} to tell`,
    }))
  const possible = phase === 'after' ? undefined : statesOfPhase[phase]
  if (state && possible && !possible.includes(state))
    return [
      { path: ['state'], problem: `phase ${phase} leaves no ${state}; possible: ${possible.join(', ')}` },
    ]
  const told = state ?? possible?.[0] ?? 'CREATED'
  if (told === 'INDETERMINATE_FAILURE') return ofIndeterminate(phase, truth)
  const real = truthOfState[told]
  return truth && truth !== real
    ? [{ path: ['truth'], problem: `${told} is always ${real}; only INDETERMINATE_FAILURE may be either` }]
    : []
}

function ofIndeterminate(phase: string, truth: StepFile['truth']): Contradiction[] {
  if (!truth) return [{ path: ['state'], problem: 'INDETERMINATE_FAILURE needs its truth: sent or not-sent' }]
  if (phase === 'partial' && truth === 'sent')
    return [
      { path: ['truth'], problem: 'in phase partial nothing is sent; for truth sent leave the phase out' },
    ]
  return []
}

/** What has no end may not be followed by something else for the same transaction. */
function ofSequence({ on, per = 'transaction', steps }: RuleFile): Contradiction[] {
  if (per !== 'transaction' || !listed(on).every(operation => operation === 'createSending')) return []
  let final: { state: SendingState; truth: StepFile['truth']; index: number } | undefined
  const found: Contradiction[] = []
  for (const [index, step] of steps.entries()) {
    const { state, truth, phase = 'after' } = step
    if (phase === 'before') continue
    const told = state ?? (phase === 'after' ? undefined : statesOfPhase[phase][0])
    if (final) {
      const isSame = told === undefined || (told === final.state && truth === final.truth)
      if (!isSame)
        found.push({
          path: ['steps', index, state ? 'state' : 'phase'],
          problem: `${told} can never be shown: with per: transaction the sending is ${final.state} since steps[${final.index}] and stays so; to count across transaction IDs use per: client-request`,
        })
      continue
    }
    const reached = told ?? 'CREATED'
    if (reached !== 'PENDING') final = { state: reached, truth, index }
  }
  return found
}

function ofAnswer({ answer, delay }: StepFile): Contradiction[] {
  const found: Contradiction[] = []
  if (answer && 'status' in answer) {
    const { status, body, headers = {}, retryAfter } = answer
    const hasNoBody = status === 204 || status === 205 || status === 304
    if (hasNoBody && body !== undefined && body !== 'empty')
      found.push({
        path: ['answer', 'body'],
        problem: `an answer with status ${status} has no body; expected empty`,
      })
    const header = Object.keys(headers).find(name => name.toLowerCase() === 'retry-after')
    if (header !== undefined && retryAfter !== undefined)
      found.push({
        path: ['answer', 'headers', header],
        problem: 'it is given here and as retryAfter; say it once',
      })
  }
  if (typeof delay === 'object') {
    const [low, high, names] =
      'min' in delay ? [delay.min, delay.max, 'min and max'] : [delay.median, delay.p99, 'median and p99']
    if (low > high) found.push({ path: ['delay'], problem: `${names} are the wrong way round` })
    if (low === 0 && 'median' in delay)
      found.push({ path: ['delay'], problem: 'expected a median longer than 0' })
  }
  return found
}

function ofDelivery({ deliver, delay, phase = 'after' }: StepFile): Contradiction[] {
  if (deliver && phase !== 'after')
    return [
      { path: ['deliver'], problem: `deliver needs phase after; in phase ${phase} nothing is delivered` },
    ]
  if (deliver === 'late' && delay === undefined)
    return [{ path: ['deliver'], problem: 'deliver: late needs a delay, which says how late' }]
  return []
}

function ofFault(
  { per = 'transaction', when = {} }: RuleFile,
  { answer, phase = 'after' }: StepFile,
  faults: Faults,
): Contradiction[] {
  if (!answer || !('fault' in answer)) return []
  const fault = faults.get(answer.fault)
  const problems: string[] = []
  if (fault?.onlyReused && phase !== 'before' && phase !== 'after')
    problems.push(`${answer.fault} needs phase before or after, not ${phase}`)
  if (fault?.early) {
    const why = `${answer.fault} strikes before the request's body is read`
    if (phase !== 'before') problems.push(`${why}: it needs phase before`)
    if (per !== 'space')
      problems.push(`${why}, so attempts of a transaction cannot be counted: it needs per: space`)
    const looksInside = Object.keys(when).find(
      subject => subject === 'transactionId' || subject.startsWith('body:'),
    )
    if (looksInside !== undefined) problems.push(`${why}: the rule cannot have a condition on ${looksInside}`)
  }
  return problems.map(problem => ({ path: ['answer', 'fault'], problem }))
}

/** How a step is limited: phase bound lasts a moment where nothing is said, the others as long as steps last. */
export function endOf({ phase, times, for: lasts }: StepFile): {
  times: number | undefined
  for: number | undefined
} {
  const isOpen = times === undefined && lasts === undefined
  return { times, for: phase === 'bound' && isOpen ? boundLasts : lasts }
}

/** Milliseconds. */
const boundLasts = 5000
