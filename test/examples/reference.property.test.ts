import fc from 'fast-check'
import { expect, it } from 'vitest'
import { send } from '../../examples/clients/reference/send.mjs'
import { seededChance } from '../../src/rig/chance.ts'
import { ids, startMock } from '../mock.ts'
import { repetitions } from '../repetitions.ts'
import { anyScenario } from '../rig/any-scenario.ts'
import { play } from './virtual-time.ts'

const runs = Number(process.env.RUNS ?? repetitions(50, 150))

it('whatever happens, the reference client never sends twice and never believes what is not so', async () => {
  const mock = await startMock()
  let played = 0
  await fc.assert(
    fc.asyncProperty(anyScenario, fc.integer(), async (scenario, seed) => {
      const user = `demo+${++played}`
      await mock.as(user).get('/mailings')
      mock.rig(user).scenarios.arm(scenario)
      let drawn = 0
      const chance = seededChance(seed, user)
      const random = () => chance.fraction('jitter', ++drawn)
      const { belief, sent, creates } = await play(mock, send, { user, synchronizationId: ids.ready, random })
      if (belief === 'sent') expect(sent).toBe(1)
      else if (belief === 'not-sent') expect(sent).toBe(0)
      else expect(sent).toBeLessThanOrEqual(1)
      expect(new Set(creates.map(({ body }) => body?.transactionId)).size).toBeLessThanOrEqual(4)
    }),
    { numRuns: runs },
  )
})
