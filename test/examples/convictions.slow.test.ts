import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { mutants } from '../../examples/clients/mutants/registry.mjs'
import { convictionsText } from '../../scripts/make-convictions.ts'
import { accused, type Convicted, convictions } from './convictions.ts'
import { naiveConvictions } from './naive-convictions.ts'

/** What docs/conduct.md shows of it. */
const file = fileURLToPath(new URL('../../docs/convictions.json', import.meta.url))

const all = new Map<string, Convicted>()
const errorsOf = ({ convictions }: Convicted) =>
  convictions.filter(({ severity }) => severity === 'error').map(({ rule }) => rule)
const accusationsOf = ({ convictions }: Convicted) =>
  convictions.filter(({ severity }) => severity !== 'information').map(({ rule }) => rule)

describe('the judge', () => {
  it('the judge finds nothing against the reference client, and suspects it of nothing', async () => {
    const [reference] = await convictions(accused.filter(({ id }) => id === 'reference'))
    all.set('reference', reference!)
    expect(reference!.convictions).toEqual([])
    expect(reference!.suspectedIn).toEqual([])
  })

  test.each(mutants.map(({ id, fault, rules }) => [id, fault, rules] as const))(
    'the judge convicts %s (%s) of what it does wrong, and of nothing else',
    async (id, _, rules) => {
      const [convicted] = await convictions(accused.filter(it => it.id === id))
      const [main] = rules
      if (main !== undefined) expect(convicted!.convictions.map(({ rule }) => rule)).toContain(main)
      expect(rules).toEqual(expect.arrayContaining(errorsOf(convicted!)))
      expect(rules).toEqual(expect.arrayContaining(accusationsOf(convicted!)))
      all.set(id, convicted!)
    },
  )

  // They live in real time: on a machine that is busy with something else a loop without pauses may seem to have some.
  it('the judge convicts each naive use of a library of what it does wrong only, and suspects those that make another ID', {
    retry: 5,
  }, async () => {
    for (const convicted of await naiveConvictions()) {
      all.set(convicted.id, convicted)
      const { id, rules, suspectedIn } = convicted
      expect(accusationsOf(convicted), id).toEqual([...rules].sort())
      const makesAnother = rules.some(rule => ['R01', 'R02'].includes(rule))
      if (makesAnother) expect(suspectedIn, id).toContain('lost-answers')
      else expect(suspectedIn, id).toEqual([])
    }
  })
})

it('docs/convictions.json says what was found', () => {
  expect([...all.keys()]).toEqual(expect.arrayContaining(mutants.map(({ id }) => id)))
  const isFresh = readFileSync(file, 'utf8') === convictionsText([...all.values()])
  expect(isFresh, 'docs/convictions.json is stale: run "npm run generate -- --slow"').toBe(true)
})
