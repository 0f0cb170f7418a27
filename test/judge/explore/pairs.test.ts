import { describe, expect, test } from 'vitest'
import { clientOfPair, pairs } from '../../../examples/clients/mutants/pairs.mjs'
import { explore } from '../../../src/index.ts'
import { explored } from './clients.ts'

describe('explore', () => {
  test.each(pairs.map(it => [it.id, it.fault, it] as const))(
    'explore finds %s with a plan of exactly two troubles: %s',
    async (_, _fault, pair) => {
      const { groups } = await explore({
        client: explored(clientOfPair(pair)),
        depth: 0,
        first: [pair.plan],
      })
      const found = groups.find(({ rule }) => rule === pair.rule)
      expect(groups.map(({ rule, plan }) => `${rule} in ${plan}`)).toContain(`${pair.rule} in ${found?.plan}`)
      expect(groups.map(({ troubles }) => troubles.length)).toEqual(groups.map(() => 2))
      expect(found).toMatchObject({ confirmed: 3, isFlaky: false })
    },
  )
})
