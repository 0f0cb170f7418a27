import { beforeAll, describe, expect, test } from 'vitest'
import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { lossNames } from '../../../src/rig/scenarios/loss-matrix.ts'
import { convictions } from '../../examples/convictions.ts'
import { play } from '../../examples/virtual-time.ts'
import { ids, packagedScenarios, startMock, type TestMock } from '../../mock.ts'
import { explore, explored } from './clients.ts'

const library = await packagedScenarios
let mock: TestMock
beforeAll(async () => {
  await Promise.all(lossNames.map(name => library.get(name)))
  mock = await startMock()
})

describe('a mistake where two troubles meet', () => {
  test.each(pairs.map(it => [it.id, it.fault, it] as const))(
    '%s passes every case of the catalogue and every plan with one trouble: %s',
    async (id, fault, pair) => {
      const send = clientOfPair(pair)
      const [convicted] = await convictions([{ id, fault, rules: [], send }])
      expect(convicted!.convictions).toEqual([])
      const { causes, exploration } = await explore(explored(send), { depth: 1 })
      expect(causes).toEqual([])
      expect(exploration.levels.every(({ isComplete }) => isComplete)).toBe(true)
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
