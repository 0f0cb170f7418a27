import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../examples/clients/reference/send.mjs'
import { testSynchronizations } from '../../scripts/default-fixture/test-synchronizations.ts'
import { lossNames } from '../../src/rig/scenarios/loss-matrix.ts'
import { ids, packagedScenarios, startMock, type TestMock } from '../mock.ts'
import { play } from './virtual-time.ts'

const library = await packagedScenarios
const catalogue = await library.all()

let mock: TestMock
beforeAll(async () => {
  await Promise.all(lossNames.map(name => library.get(name)))
  mock = await startMock()
})

const idOf = (scenario: string) => testSynchronizations.find(it => it.scenario === scenario)!.id

describe('the reference client reaches what a scenario expects', () => {
  test.each(catalogue.map(it => [it.name, it] as const))(
    'the reference client reaches what a scenario expects: %s',
    async (name, { expect: expected, tags }) => {
      const scheduleDate = new Date(mock.clock.now() + 20_000).toISOString()
      const { belief, sent } = await play(mock, send, {
        user: `demo+${name}`,
        synchronizationId: idOf(name),
        ...(tags.includes('scheduled') && { scheduleDate }),
      })
      expect({ sent, belief }).toEqual(expected)
    },
  )
})

describe('the reference client survives the loss matrix', () => {
  test.each(lossNames)('the reference client survives the loss matrix: %s', async name => {
    const user = `demo+${name}`
    await mock.as(user).get('/mailings')
    mock.rig(user).scenarios.arm(library.loaded(name))
    const { belief, sent } = await play(mock, send, { user, synchronizationId: ids.ready })
    expect({ sent, belief }).toEqual(library.loaded(name)!.expect)
  })
})
