import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { choices, failures } from '../../src/contract/verify/verify-result.ts'
import { type DialName, type DialValues, dialNames, dials } from '../../src/service/dials.ts'
import { Recording } from './answers.ts'
import { sendTo, verified, withDials } from './mock-target.ts'
import { together } from './together.ts'

/** Dials that nobody can read from outside, and why. */
const hidden: Partial<Record<DialName, string>> = {
  'cursor-expiry': 'a cursor would have to be kept for a minute at least, and for a day to be sure',
  'sync-token-expiry': 'a token would have to be kept for a day',
  'transaction-expiry': 'a transaction ID would have to be kept for a day',
  'repeat-after-500-status': 'nobody outside can make the service answer 500',
  'date-header': "the clock of a deployment is the machine's",
}
/** Values that look the same from outside as the default: nothing of the service changes a mailing. */
const hiddenValues: readonly string[] = ['synchronization-modified-by=own']

const turned = dialNames
  .filter(name => !(name in hidden))
  .flatMap(name =>
    Object.keys(dials[name].values)
      .filter(value => value !== dials[name].default && !hiddenValues.includes(`${name}=${value}`))
      .map(value => [name, value] as const),
  )

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
      expect(choices(found).map(it => it.turn?.name)).toContain(name)
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
        .map(name => [
          name,
          Object.keys(dials[name].values).find(
            value => value !== dials[name].default && !hiddenValues.includes(`${name}=${value}`),
          )!,
        ]),
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
