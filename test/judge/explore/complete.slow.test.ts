import { expect, test } from 'vitest'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { explore } from '../../../src/index.ts'
import { countPlans } from '../../../src/judge/explore/plans.ts'
import { explored } from './clients.ts'

test('the reference client survives every plan with two troubles', { timeout: 900_000 }, async () => {
  const { groups, divergence, levels, isPassed } = await explore({ client: explored(reference), depth: 2 })
  expect({ groups, divergence, isPassed }).toEqual({ groups: [], divergence: null, isPassed: true })
  const [, , pairs] = levels
  expect(pairs).toMatchObject({ plans: countPlans(2), isComplete: true })
  expect(pairs!.played + pairs!.covered!).toBe(countPlans(2))
})
