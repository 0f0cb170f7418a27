import { expect, test } from 'vitest'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { runExam } from '../../../src/index.ts'
import { countPlans } from '../../../src/judge/explore/plans.ts'
import { explored } from './clients.ts'

test('the reference client survives every plan with two troubles', { timeout: 900_000 }, async () => {
  const { causes, exploration, isPassed } = await runExam({
    client: explored(reference),
    depth: 2,
    only: ['happy-path'],
  })
  const { divergence, levels } = exploration!
  expect({ causes, divergence, isPassed }).toEqual({ causes: [], divergence: null, isPassed: true })
  const [, , pairs] = levels
  expect(pairs).toMatchObject({ plans: countPlans(2), isComplete: true })
  expect(pairs!.played + pairs!.covered!).toBe(countPlans(2))
})
