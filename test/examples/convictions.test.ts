import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { clientOf, mutants } from '../../examples/clients/mutants/registry.mjs'
import { testSynchronizations } from '../../scripts/default-fixture/test-synchronizations.ts'
import { ruleProofs } from '../judge/rule-proofs.ts'
import { packagedScenarios, startMock } from '../mock.ts'
import { accused, convictions } from './convictions.ts'
import { NeverEnds, play } from './virtual-time.ts'

/*
 * A case for each client. That none is convicted of anything else in the whole catalogue is in convictions.slow.test.ts,
 * which also writes this document.
 */

interface Recorded {
  readonly client: string
  readonly convictions: readonly { readonly rule: string; readonly severity: string; readonly case: string }[]
}
const documented: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('../../docs/convictions.json', import.meta.url), 'utf8'),
)
const cases = [...new Set(documented.flatMap(it => it.convictions.map(found => found.case)))]
const documentedFor = (id: string) => documented.find(({ client }) => client === id)!.convictions

it('the judge finds nothing against the reference client in any case in which a mutant is convicted', async () => {
  const [reference] = await convictions(
    accused.filter(({ id }) => id === 'reference'),
    cases,
  )
  expect(reference!.convictions).toEqual([])
  expect(reference!.suspectedIn).toEqual([])
})

test.each(accused.filter(({ id }) => id !== 'reference').map(it => [it.id, it.fault, it] as const))(
  'the judge convicts %s (%s) of the same in the cases that docs/convictions.json names as in all',
  async (id, _, mutant) => {
    const expected = documentedFor(id)
    // What convicts nobody of one is tried in all of them.
    const own = expected.length > 0 ? expected.map(it => it.case) : cases
    const [convicted] = await convictions([mutant], own)
    expect(convicted!.convictions.map(({ rule, severity }) => ({ rule, severity }))).toEqual(
      expected.map(({ rule, severity }) => ({ rule, severity })),
    )
  },
)

test.each(Object.entries(ruleProofs))(
  '%s is broken by the mutant that test/judge/rule-proofs.ts names for it, or by none',
  (rule, { mutant }) => {
    const breakers = mutants.filter(({ id }) => documentedFor(id).some(it => it.rule === rule))
    if (mutant === null) expect(breakers).toEqual([])
    else expect(breakers.map(({ id }) => id)).toContain(mutant)
  },
)

test.each(mutants.filter(({ rules }) => rules.length > 0).map(it => [it.id, it.scenario] as const))(
  '%s is convicted in the case that it names: %s',
  (id, scenario) => expect(documentedFor(id).map(it => it.case)).toContain(scenario),
)

it('the mutants are numbered from M1 on', () => {
  expect(mutants.map(({ id }) => id)).toEqual(Array.from(mutants, (_, nth) => `M${nth + 1}`))
})

describe('a mutant that breaks no rule is wrong all the same', () => {
  async function playMutant(wanted: string) {
    const mutant = mutants.find(({ id }) => id === wanted)!
    const library = await packagedScenarios
    await library.get(mutant.scenario)
    const mock = await startMock()
    const synchronizationId = testSynchronizations.find(it => it.scenario === mutant.scenario)!.id
    return play(mock, clientOf(mutant), { user: 'demo', synchronizationId })
  }

  it('M17 never learns that its mailing was sent', async () => {
    expect(await playMutant('M17')).toMatchObject({ sent: 1, belief: 'unknown' })
  })

  it('M26 never ends where a body stops halfway', async () => {
    await expect(playMutant('M26')).rejects.toThrow(NeverEnds)
  })
})
