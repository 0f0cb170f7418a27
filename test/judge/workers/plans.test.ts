import { describe, expect, test } from 'vitest'
import { runExam } from '../../../src/index.ts'
import {
  caseOfOrders,
  fileOfOrderPlan,
  following,
  jointTroubles,
  orderPlanName,
  orderPlanOfFile,
  orderPlanOfName,
  strikingScenario,
  turnsOf,
} from '../../../src/judge/orders/order-plans.ts'

const names = jointTroubles.map(trouble => orderPlanName({ trouble, turns: undefined }))

describe('plans of two workers', () => {
  test('each plan of two workers has a name and a file from which it can be made again', () => {
    expect(new Set(names).size).toBe(jointTroubles.length)
    for (const name of [...names, `${names[1]}@in-turn`, `${names[0]}@3start-20x2.1-21early`]) {
      expect(orderPlanName(orderPlanOfName(name)!)).toBe(name)
      expect(orderPlanOfFile(fileOfOrderPlan(name))).toBe(name)
      expect(fileOfOrderPlan(name)).not.toContain(':')
    }
  })

  test.each([
    'undisturbed',
    'two-workers:',
    'two-workers:unheard-of',
    'two-workers:killed-sent',
    'two-workers:undisturbed@',
    'two-workers:undisturbed@start',
    'two-workers:undisturbed@3start@4start',
  ])('%s is no name of a plan of two workers', name => {
    expect(orderPlanOfName(name)).toBeUndefined()
  })

  test('a turn that is not possible where it stands is left out, and the first step is taken', () => {
    const choose = following([
      { at: 0, label: 'gone' },
      { at: 1, label: 'b' },
    ])
    const possible = ['a', 'b'].map(label => ({ label, reads: [], writes: [] }))
    const moments = [0, 1, 2].map(() => ({ possible, chosen: choose(possible)! }))
    expect(moments.map(({ chosen }) => chosen.label)).toEqual(['a', 'b', 'a'])
    expect(turnsOf(moments)).toEqual([{ at: 1, label: 'b' }])
  })

  test('a plan of two workers expects one sending, and its trouble strikes one attempt', () => {
    const undisturbed = caseOfOrders({ trouble: undefined, turns: undefined }, 'a')
    expect(undisturbed).toMatchObject({
      expect: { sent: 1, belief: 'sent' },
      runPlan: { kind: 'two-workers' },
    })
    const [trouble] = jointTroubles.filter(it => typeof it === 'object')
    expect(strikingScenario(trouble!).rules[0]!.steps[0]).toMatchObject({ times: 1 })
  })
})

describe('runExam with workers', () => {
  const client = async () => 'sent' as const

  test.each([
    ['a function', { client, workers: 2 }, 'two workers need a client whose steps can be told apart'],
    ['three workers', { client, workers: 3 }, 'workers is "3": expected 2'],
    [
      'a plan of one worker',
      { client, workers: 2, plans: ['500-sent'] },
      '"500-sent" is no plan of two workers',
    ],
    ['an unknown plan', { client, workers: 2, plans: ['two-workers:x'] }, 'there is no plan "two-workers:x"'],
    ['a plan of two for one', { client, plans: ['two-workers:killed'] }, 'is a plan of two workers, which'],
    [
      'cases',
      { client: new URL('file:///a.mjs'), workers: 2, only: ['reset-after' as const] },
      'only does nothing',
    ],
  ])('runExam refuses %s', async (_, options, message) => {
    await expect(runExam(options)).rejects.toThrow(message)
  })
})
