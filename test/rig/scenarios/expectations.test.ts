import { beforeAll, describe, expect, test } from 'vitest'
import { testSynchronizations } from '../../../scripts/default-fixture/test-synchronizations.ts'
import { lossNames } from '../../../src/rig/scenarios/loss-matrix.ts'
import type { Scenario } from '../../../src/rig/scenarios/scenario.ts'
import { ids, packagedScenarios, startMock, synchronizationPath, type TestMock } from '../../mock.ts'
import { sendCarefully } from './correct-client.ts'

const library = await packagedScenarios
const catalogue = await library.all()
const cells = await Promise.all(lossNames.map(name => library.get(name)))
const ready = ids.ready

let mock: TestMock
beforeAll(async () => {
  mock = await startMock()
})

/** Plays a scenario to a correct client in a space of its own, and tells what came of it. */
async function played(scenario: Scenario, synchronizationId: string, payload: object) {
  const user = `demo+${scenario.name}`
  await mock.as(user).get('/mailings')
  const space = mock.space(user)
  const belief = await sendCarefully({ mock, user, synchronizationId, payload })
  // What is still under way comes to its end, and a look at it brings the ledger up to date.
  mock.clock.advance(10 * 60_000)
  await mock.as(user).get(synchronizationPath(synchronizationId, '/sendings?includeAllStates=true'))
  const { platformSendings } = space.data.tables
  const rig = mock.rig(user)
  const { active, all } = rig.scenarios
  const scenarios = active ? [active] : all
  return {
    outcome: {
      sent: platformSendings.changes().filter(({ row }) => row.stoppedAt === undefined).length,
      belief,
    },
    /** How often each step of the first rule fired. */
    hits: scenario.rules[0]?.steps.map((_, at) =>
      scenarios.reduce((sum, it) => sum + it.hits()[0]!.steps[at]!, 0),
    ),
  }
}

describe('a correct client reaches what the scenario expects, on its test synchronization', () => {
  test.each(catalogue.map(it => [it.name, it] as const))(
    'a correct client reaches what the scenario expects, on its test synchronization: %s',
    async (_, scenario) => {
      const id = idOf(scenario.name)
      const inSeconds = new Date(mock.clock.now() + 5000).toISOString()
      const payload = scenario.tags.includes('scheduled') ? { scheduleDate: inSeconds } : {}
      const { outcome, hits } = await played(scenario, id, payload)
      expect(outcome).toEqual(scenario.expect)
      if (scenario.rules.length > 0 && !mayPassBy(scenario)) expect(hits![0]).toBeGreaterThan(0)
    },
  )
})

const idOf = (scenario: string) => testSynchronizations.find(it => it.scenario === scenario)!.id

/** By chance, or because without a socket no connection is ever used again. */
const mayPassBy = ({ tags }: Scenario) => tags.includes('seeded') || tags.includes('keep-alive')

describe('a correct client survives the loss matrix', () => {
  test.each(cells.map(it => [it.name, it] as const))(
    'a correct client survives the loss matrix: %s',
    async (name, scenario) => {
      const attempt = Number(name.at(-1))
      const rig = await mock
        .as(`demo+${name}`)
        .get('/mailings')
        .then(() => mock.rig(`demo+${name}`))
      rig.scenarios.arm(scenario)
      const { outcome, hits } = await played(scenario, ready, {})
      expect(outcome).toEqual(scenario.expect)
      expect(hits!.slice(0, attempt > 1 ? 2 : 1)).toEqual(attempt > 1 ? [attempt - 1, 1] : [1])
    },
  )
})
