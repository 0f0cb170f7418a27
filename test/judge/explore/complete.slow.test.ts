import { expect, test } from 'vitest'
import { countPlans } from '../../../src/judge/explore/plans.ts'
import { examined } from './examined.ts'

test('the reference client survives every plan with two troubles', { timeout: 900_000 }, async () => {
  const args = ['--depth', '2', '--only', 'happy-path']
  const { causes, exploration, isPassed } = await examined(args)
  const { divergence, levels } = exploration!
  expect({ causes, divergence, isPassed }).toEqual({ causes: [], divergence: null, isPassed: true })
  const [, , pairs] = levels
  expect(pairs).toMatchObject({ plans: countPlans(2), isComplete: true })
  expect(pairs!.played + pairs!.covered!).toBe(countPlans(2))
})
