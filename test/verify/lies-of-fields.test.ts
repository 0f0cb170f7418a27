import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { choices, failures, type VerifyResult } from '../../src/contract/verify/verify-result.ts'
import { repetitions } from '../repetitions.ts'
import { Recording } from './answers.ts'
import { lying } from './lies.ts'
import { liesOfFields as lies } from './lies-of-fields.ts'
import { mockTarget, verified } from './mock-target.ts'
import { caughtElsewhere, together } from './together.ts'

/** What others are inside of, which hides them. */
const alone = new Set(['2.5 responseStatistics', '2.5 sendingStatistics', '2.2 mailingId'])

// Reading changes nothing: the truth behind all these lies is the same.
let truth: Recording
beforeAll(async () => {
  truth = new Recording((await mockTarget()).fetch)
  expect((await verified(truth.fetch)).verdict).toBe('faithful')
})

const clausesOf = (result: VerifyResult) => [...failures(result), ...choices(result)].map(it => it.clause)
const expectedOf = (some: readonly (typeof lies)[number][]) => some.map(([clause]) => clause).toSorted()

const runOf = together(
  lies.filter(([clause]) => !alone.has(clause)),
  repetitions(6, 1),
  some =>
    verified(
      lying(truth.again(), (...args) => {
        for (const [, , lie] of some) lie(...args)
      }),
    ),
  (result, some) => isDeepStrictEqual(clausesOf(result).toSorted(), expectedOf(some)),
)

describe('a target that lies in one field', () => {
  test.each(lies.map(it => [it[0], it[1], it] as const))(
    'a target that lies in one field is caught in %s: %s',
    async (clause, _, lie) => {
      const [result, some] = await runOf(lie)
      expect(result.incomplete).toBe(null)
      const told = [...failures(result), ...choices(result)]
      expect(clausesOf(result).toSorted(), caughtElsewhere(told)).toEqual(expectedOf(some))
      expect(told.find(it => it.clause === clause)!.evidence).not.toEqual([])
      expect(result.verdict).toBe('differs')
    },
  )
})
