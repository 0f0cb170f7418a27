import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import { type DialValues, dialNames, dials } from '../../src/service/dials.ts'
import { Recording } from './answers.ts'
import { sendTo, verified, withDials } from './mock-target.ts'
import { together } from './together.ts'
import { hidden, readingClause, turned } from './turned-dials.ts'

type Turned = (typeof turned)[number]
const dialsOf = (some: readonly Turned[]): Partial<DialValues> => Object.fromEntries(some)

const foundWith = together(
  turned,
  6,
  async some => {
    const target = await withDials(dialsOf(some))
    const recording = new Recording(target.fetch)
    const found = await verified(recording.fetch, { allowWrites: true, sendTo })
    // What was found are the dials of this target itself.
    const compared = await verified(recording.again(), {
      allowWrites: true,
      sendTo,
      expected: { dials: found.config.dial as Partial<DialValues> },
    })
    return { found, compared }
  },
  ({ found }, some) =>
    isDeepStrictEqual(found.config, { dial: dialsOf(some) }) && failures(found).length === 0,
)

describe('a target that chose otherwise', () => {
  test.each(turned.map(it => [...it, it] as const))(
    '%s=%s is found out, and the mock set so is the same',
    async (name, _, it) => {
      const [{ found, compared }, some] = await foundWith(it)
      expect(found.incomplete).toBe(null)
      expect(failures(found).map(it => [it.clause, it.expected, it.seen])).toEqual([])
      expect(found.config).toEqual({ dial: dialsOf(some) })
      const told = choices(found).filter(it => it.turn?.name === name)
      expect(told.map(it => it.clause)).toContain(readingClause(name))
      expect(found.verdict).toBe('faithful')

      expect(choices(compared).map(it => [it.clause, it.expected, it.seen])).toEqual([])
      expect(compared.config).toEqual(found.config)
    },
  )

  test('all of them at once are found out as well', async () => {
    const all = Object.fromEntries(
      dialNames
        // With another form of error there is no type to look at.
        .filter(name => !(name in hidden) && name !== 'rate-limit' && name !== 'problem-type')
        .map(name => [name, Object.keys(dials[name].values).find(value => value !== dials[name].default)!]),
    ) as Partial<DialValues>
    const target = await withDials(all)
    const found = await verified(target.fetch, { allowWrites: true, sendTo })
    expect(failures(found).map(it => [it.clause, it.expected, it.seen])).toEqual([])
    expect(found.config.dial).toEqual(all)
  })
})

test('what nobody can read from outside is told as unseen', async () => {
  const { fetch } = await withDials({})
  const result = await verified(fetch, { allowWrites: true, sendTo })
  expect(result.unseenDials.toSorted()).toEqual(Object.keys(hidden).toSorted())
})

test.each([
  ['600', 'holds', null],
  ['60', 'otherwise', '8 rate limit'],
] as const)('the size of a limit of %s is told once', async (limit, status, see) => {
  const { fetch } = await withDials({ 'rate-limit': limit })
  const result = await verified(fetch, { filter: ['S rate limit', '8 rate limit'] })
  const { status: told, see: where } = result.clauses.find(it => it.clause === 'S rate limit')!
  expect([told, where]).toEqual([status, see])
  expect(choices(result).map(it => it.clause)).toEqual(['8 rate limit'])
})
