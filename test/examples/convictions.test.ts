import { readFileSync } from 'node:fs'
import { expect, it, test } from 'vitest'
import { accused, convictions } from './convictions.ts'

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

it('the judge finds nothing against the reference client in any case in which a mutant is convicted', async () => {
  const [reference] = await convictions(
    accused.filter(({ id }) => id === 'reference'),
    cases,
  )
  expect(reference!.convictions).toEqual([])
  expect(reference!.suspectedIn).toEqual([])
})

const mutants = accused.filter(({ id }) => id !== 'reference')
test.each(mutants.map(it => [it.id, it.fault, it] as const))(
  'the judge convicts %s (%s) of the same in the cases that docs/convictions.json names as in all',
  async (id, _, mutant) => {
    const known = documented.find(({ client }) => client === id)!.convictions
    // What convicts nobody of one is tried in all of them.
    const own = known.length > 0 ? known.map(found => found.case) : cases
    const [convicted] = await convictions([mutant], own)
    const found = convicted!.convictions
    expect(found.map(({ rule, severity }) => ({ rule, severity }))).toEqual(
      known.map(({ rule, severity }) => ({ rule, severity })),
    )
  },
)
