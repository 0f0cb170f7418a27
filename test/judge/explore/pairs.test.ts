import { describe, expect, test } from 'vitest'
import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { explore, explored } from './clients.ts'

describe('explore', () => {
  test.each(pairs.map(it => [it.id, it.fault, it] as const))(
    'explore finds %s with a plan of exactly two troubles: %s',
    async (_, _fault, pair) => {
      const { causes } = await explore(explored(clientOfPair(pair)), { depth: 0, first: [pair.plan] })
      const found = causes.find(({ rule }) => rule === pair.rule)
      expect(causes.map(({ plan }) => plan!.troubles.length)).toEqual(causes.map(() => 2))
      expect(found?.plan).toMatchObject({ confirmed: 3, isFlaky: false })
    },
  )
})
