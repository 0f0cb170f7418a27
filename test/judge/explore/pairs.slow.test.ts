import { beforeAll, describe, expect, test } from 'vitest'
import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { runExam } from '../../../src/index.ts'
import { lossNames } from '../../../src/rig/scenarios/loss-matrix.ts'
import { play } from '../../examples/virtual-time.ts'
import { ids, packagedScenarios, startMock, type TestMock } from '../../mock.ts'
import { explored } from './clients.ts'

const library = await packagedScenarios
let mock: TestMock
beforeAll(async () => {
  await Promise.all(lossNames.map(name => library.get(name)))
  mock = await startMock()
})

describe('a mistake where two troubles meet', () => {
  test.each(pairs.map(it => [it.id, it.fault, it] as const))(
    '%s passes every case of the catalogue and every plan with one trouble: %s',
    { timeout: 300_000 },
    async (_, _fault, pair) => {
      const { cases, causes, exploration } = await runExam({
        client: explored(clientOfPair(pair)),
        depth: 1,
      })
      expect(causes).toEqual([])
      expect(cases.filter(({ status }) => status === 'failed')).toEqual([])
      expect(cases.length).toBeGreaterThan(90)
      expect(exploration!.levels.every(({ isComplete }) => isComplete)).toBe(true)
    },
  )

  test.each(pairs.map(it => [it.id, it] as const))('%s survives the loss matrix', async (id, pair) => {
    for (const name of lossNames) {
      const user = `demo+${id}-${name}`
      await mock.as(user).get('/mailings')
      mock.rig(user).scenarios.arm(library.loaded(name))
      const { belief, sent } = await play(mock, clientOfPair(pair), { user, synchronizationId: ids.ready })
      expect({ sent, belief }, name).toEqual(library.loaded(name)!.expect)
    }
  })
})
