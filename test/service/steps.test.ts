import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scenarioFrom } from '../../src/rig/scenarios/read.ts'
import { planFrom } from '../../src/rig/scenarios/step-plan.ts'
import {
  countStepAttempt,
  reachedSteps,
  type StepLimits,
  type StepProgress,
} from '../../src/service/steps.ts'

const start: StepProgress = { step: 0, attempts: 0, since: 1_000 }
const twice = { times: 2 }
const tenSeconds = { for: 10_000 }

describe('the machine for steps', () => {
  const cases: [
    string,
    StepLimits[],
    StepProgress,
    number,
    StepProgress | undefined,
    StepProgress | undefined,
  ][] = [
    ['a step without limits lasts', [{}], start, 9_000, { ...start, attempts: 1 }, { ...start, attempts: 1 }],
    [
      'a step ends after its attempts',
      [twice, {}],
      { ...start, attempts: 2 },
      3_000,
      { step: 1, attempts: 1, since: 3_000 },
      { step: 1, attempts: 1, since: 3_000 },
    ],
    [
      'a step ends by time at the moment at which it is over',
      [tenSeconds, {}],
      start,
      11_000,
      { step: 1, attempts: 1, since: 11_000 },
      { step: 1, attempts: 1, since: 11_000 },
    ],
    [
      'time passes several steps',
      [tenSeconds, tenSeconds, {}],
      start,
      60_000,
      { step: 2, attempts: 1, since: 21_000 },
      { step: 2, attempts: 1, since: 21_000 },
    ],
    [
      'the last step stops or stays after its attempts',
      [twice],
      { ...start, attempts: 2 },
      3_000,
      { ...start, attempts: 3 },
      undefined,
    ],
    [
      'the last step stops or stays after its time',
      [tenSeconds],
      start,
      11_000,
      { ...start, attempts: 1 },
      undefined,
    ],
    [
      'one millisecond before its end a step is still there',
      [tenSeconds, {}],
      start,
      10_999,
      { ...start, attempts: 1 },
      { ...start, attempts: 1 },
    ],
  ]
  it.each(cases)('the machine for steps: %s', (_, steps, from, now, stays, stops) => {
    expect(countStepAttempt(steps, from, now, 'stays')).toEqual(stays)
    expect(countStepAttempt(steps, from, now, 'stops')).toEqual(stops)
  })

  it('reachedSteps gives every step that time has entered, with the moment', () => {
    expect(reachedSteps([tenSeconds, twice, {}], start, 99_000, 'stays')).toEqual([
      start,
      { step: 1, attempts: 0, since: 11_000 },
    ])
  })

  it('a rule and the plan of the sending that it creates are always in steps with the same state', () => {
    const limits = fc.record<StepLimits>({
      times: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
      for: fc.option(fc.integer({ min: 1, max: 20 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(
        fc.array(limits, { minLength: 1, maxLength: 4 }),
        fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 12 }),
        (given, pauses) => {
          const written = [...given, {}].map((it, at) => ({
            state: at === given.length ? 'CREATED' : 'PENDING',
            ...(it.times !== undefined && { times: it.times }),
            ...(it.for !== undefined && { for: `${it.for}ms` }),
          }))
          const { rules } = scenarioFrom(
            { rules: [{ on: 'createSending', steps: written }] },
            'any',
            'the test',
          )
          const { steps } = rules[0]!
          let now = 1_000
          let ofRule = countStepAttempt(steps, { step: 0, attempts: 0, since: now }, now, 'stops')!
          const plan = planFrom(steps, ofRule, now)
          let ofPlan: StepProgress = { step: 0, attempts: 1, since: now }
          for (const pause of pauses) {
            now += pause
            ofRule = countStepAttempt(steps, ofRule, now, 'stops')!
            ofPlan = countStepAttempt(plan, ofPlan, now, 'stays')!
            expect(plan[ofPlan.step]!.state).toBe(steps[ofRule.step]!.state)
          }
        },
      ),
    )
  })
})
