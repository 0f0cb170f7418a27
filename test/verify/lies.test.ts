import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { clauses } from '../../src/contract/clauses.ts'
import { choices, failures, type VerifyResult } from '../../src/contract/verify/verify-result.ts'
import { repetitions } from '../repetitions.ts'
import { type Asked, type Lie, lying, type Twist } from './lies.ts'
import { forget, liesOfClauses as lies } from './lies-of-clauses.ts'
import { sendTo, sharedTarget, verified } from './mock-target.ts'
import { caughtElsewhere, together } from './together.ts'

const isGuess = (clause: string) =>
  ['assumed', 'house style'].includes(clauses.find(({ id }) => id === clause)!.standing)

/** Beside these, others do not show, or show elsewhere. */
const alone = new Set([
  'links as an array',
  'a test sending is 200',
  'the ID of a mailing as a number',
  'no statistics',
])

const truth = sharedTarget()

const differing = (result: VerifyResult) => [...failures(result), ...choices(result)]
const clausesOf = (result: VerifyResult) => differing(result).map(it => it.clause)

const runOf = together(
  lies.filter(([, title]) => !alone.has(title)),
  repetitions(6, 1),
  async some => {
    forget()
    const lie: Lie = (...args) => {
      for (const [, , change] of some) change(...args)
    }
    const twist: Twist = asked =>
      some.reduce<Asked | undefined>((it, [, , , turn]) => turn?.(it ?? asked) ?? it, undefined)
    return verified(lying(truth.fresh(), lie, twist), { allowWrites: true, sendTo })
  },
  (result, some) =>
    isDeepStrictEqual(clausesOf(result).toSorted(), some.map(([clause]) => clause).toSorted()),
)

describe('a target that lies in one clause', () => {
  test.each(lies.map(it => [it[0], it[1], it] as const))(
    'a target that lies in one clause is caught in %s: %s',
    async (clause, _, lie) => {
      const [result, some] = await runOf(lie)
      expect(result.incomplete).toBe(null)
      const told = differing(result)
      expect(clausesOf(result).toSorted(), caughtElsewhere(told)).toEqual(some.map(it => it[0]).toSorted())
      const own = told.find(it => it.clause === clause)!
      expect(own.evidence.length + (own.looksAt ? 1 : 0)).toBeGreaterThan(0)
      expect(result.verdict).toBe(some.every(it => isGuess(it[0])) ? 'faithful' : 'differs')
    },
  )
})
