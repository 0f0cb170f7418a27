import fc from 'fast-check'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { testSynchronizations } from '../../scripts/default-fixture/test-synchronizations.ts'
import { collectEvidence } from '../../src/judge/evidence.ts'
import { judge } from '../../src/judge/verdict.ts'
import type { Verdict } from '../../src/judge/verdict-shape.ts'
import { seededChance } from '../../src/rig/chance.ts'
import { lossNames } from '../../src/rig/scenarios/loss-matrix.ts'
import type { Scenario } from '../../src/rig/scenarios/scenario.ts'
import { ids, packagedScenarios, startMock, type TestMock } from '../mock.ts'
import { anyScenario } from '../rig/any-scenario.ts'
import { families, ModelClient, type Patience } from './model-client.ts'

const library = await packagedScenarios
const catalogue = await library.all()
const cells = await Promise.all(lossNames.map(name => library.get(name)))

/** A client that keeps to the document, as patient as it likes. */
const anyPatience: fc.Arbitrary<Patience> = fc
  .record({
    family: fc.constantFrom(...(Object.keys(families) as Patience['family'][])),
    base: fc.constantFrom(500, 1_000, 2_000, 5_000),
    // A limit close to the first pause leaves no room to grow.
    growth: fc.constantFrom(6, 20, 60, 600),
    timeout: fc.constantFrom(5_000, 30_000, 60_000),
    silence: fc.constantFrom(2, 5, 20).map(minutes => minutes * 60_000),
    seed: fc.integer({ min: 1, max: 1_000_000 }),
  })
  .map(({ seed, growth, ...rest }) => ({ ...rest, cap: rest.base * growth, draw: drawing(seed) }))

function drawing(seed: number): () => number {
  const chance = seededChance(seed, 'a client')
  let count = 0
  return () => chance.fraction(`${count++}`)
}

const patient = (name: string): Patience => ({
  family: (Object.keys(families) as Patience['family'][])[name.length % Object.keys(families).length]!,
  base: 1_000,
  cap: 30_000,
  timeout: 30_000,
  silence: 15 * 60_000,
  draw: drawing(name.length),
})

const runs = Number(process.env.RUNS ?? 200)
vi.setConfig({ testTimeout: Math.max(120_000, runs * 500) })

let count = 0

/** What the judge says of the model client, in a space of its own. */
async function judged(
  mock: TestMock,
  { scenario, synchronizationId, payload, patience }: Played,
): Promise<Verdict> {
  const user = `demo+judged-${count++}`
  await mock.as(user).get('/mailings')
  const rig = mock.rig(user)
  if (scenario) rig.scenarios.arm(scenario)
  const believes = await new ModelClient({ mock, user, synchronizationId, payload, patience }).send()
  const evidence = await collectEvidence(rig)
  // Nor is it suspected where a test does not say how it ended.
  expect(judge(evidence).suspicion).toBe(null)
  return judge(evidence, { believes })
}

interface Played {
  readonly scenario?: Scenario
  readonly synchronizationId: string
  readonly payload: object
  readonly patience: Patience
}

const accusations = ({ findings }: Verdict) =>
  findings.filter(({ severity }) => severity !== 'information').map(it => `${it.rule}: ${it.sentence}`)

describe('a client that keeps to the document is never accused', () => {
  let mock: TestMock
  beforeAll(async () => {
    mock = await startMock()
  })

  test.each(catalogue.map(it => [it.name, it] as const))(
    'a client that keeps to the document is never accused: %s',
    async (name, scenario) => {
      const synchronizationId = testSynchronizations.find(it => it.scenario === name)!.id
      const inSeconds = new Date(mock.clock.now() + 5_000).toISOString()
      const payload = scenario.tags.includes('scheduled') ? { scheduleDate: inSeconds } : {}
      const verdict = await judged(mock, { synchronizationId, payload, patience: patient(name) })
      expect(accusations(verdict)).toEqual([])
      expect(verdict.outcome).toBe('innocent')
    },
  )

  test.each(cells.map(it => [it.name, it] as const))(
    'a client that keeps to the document is never accused: %s',
    async (name, scenario) => {
      const verdict = await judged(mock, {
        scenario,
        synchronizationId: ids.ready,
        payload: {},
        patience: patient(name),
      })
      expect(accusations(verdict)).toEqual([])
      expect(verdict.harm.findings).toEqual([])
    },
  )

  test('whatever the scenario, and however it draws its pauses', async () => {
    let attempts = 0
    await fc.assert(
      fc.asyncProperty(anyScenario, anyPatience, async (scenario, patience) => {
        const verdict = await judged(mock, {
          scenario,
          synchronizationId: ids.ready,
          payload: { subject: 'x' },
          patience,
        })
        expect(accusations(verdict)).toEqual([])
        expect(verdict.harm.findings.map(({ kind }) => kind)).not.toContain('DOUBLE')
        attempts += verdict.sendings.reduce((sum, { attempts }) => sum + attempts.length, 0)
      }),
      { numRuns: runs, seed: Number(process.env.SEED ?? 20_261_121) },
    )
    // Otherwise it would prove nothing.
    expect(attempts).toBeGreaterThan(500)
  })
})
