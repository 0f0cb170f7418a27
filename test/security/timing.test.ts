import { expect, it } from 'vitest'
import { Token } from '../../src/control/sign-in.ts'
import { Credentials } from '../../src/service/access.ts'
import { Content } from '../../src/store/content.ts'
import { noFiles } from '../../src/store/files.ts'
import { defaultFixture, readFixtures } from '../../src/store/fixtures.ts'
import { TenantDirectory } from '../../src/store/tenant-directory.ts'
import { basic } from '../mock.ts'

const samples = 10_000

/** Nanoseconds that each of two acts takes, taken in turns, so that whatever else the machine does strikes both alike. */
function measured(one: (at: number) => void, other: (at: number) => void): [number[], number[]] {
  const taken: [number[], number[]] = [[], []]
  const acts = [one, other]
  for (let at = 0; at < samples * 2 + 2_000; at++) {
    // Not strictly by turns: what is always second may find warm what the first has fetched.
    const which = (at ^ (at >> 3) ^ (at >> 7)) & 1
    const before = process.hrtime.bigint()
    acts[which]!(at)
    const after = process.hrtime.bigint()
    if (at >= 2_000) taken[which]!.push(Number(after - before))
  }
  return taken
}

/**
 * How often a value of the first is above one of the second, ties by half: 0.5 where nobody can tell them apart. It is
 * the statistic of Mann and Whitney, as a share of all pairs.
 */
function superiority(first: readonly number[], second: readonly number[]): number {
  const all = [
    ...first.map(value => ({ value, isFirst: true })),
    ...second.map(value => ({ value, isFirst: false })),
  ]
  all.sort((a, b) => a.value - b.value)
  let ranks = 0
  for (let at = 0; at < all.length; ) {
    let end = at
    while (end < all.length && all[end]!.value === all[at]!.value) end++
    const rank = (at + 1 + end) / 2
    for (; at < end; at++) if (all[at]!.isFirst) ranks += rank
  }
  return (ranks - (first.length * (first.length + 1)) / 2) / (first.length * second.length)
}

it('tells times apart where there is a difference', () => {
  const work = (rounds: number) => () => {
    for (let at = 0; at < rounds; at++) basic(`user ${at}`)
  }
  const [longer, shorter] = measured(work(4), work(2))
  expect(superiority(longer, shorter)).toBeGreaterThan(0.75)
})

const wrongly = (credentials: Credentials, header: string) => {
  try {
    credentials.check(header)
  } catch {
    return
  }
  throw new Error('it was let in')
}

it('behaviour 6: the time of a refusal does not tell an unknown user from a wrong password', async () => {
  const [fixture] = await readFixtures(defaultFixture)
  const homes = new TenantDirectory([new Content(fixture!)], noFiles)
  const credentials = new Credentials(name => homes.account(name))
  const known = (at: number) => wrongly(credentials, basic('demo', `wrong-${at % 10}`))
  const unknown = (at: number) => wrongly(credentials, basic('omed', `wrong-${at % 10}`))
  const [ofKnown, ofUnknown] = measured(known, unknown)
  expect(Math.abs(superiority(ofKnown, ofUnknown) - 0.5)).toBeLessThan(0.2)
})

it('behaviour 5: the time of a refusal does not tell how much of a token is right', () => {
  const token = new Token('a-token-of-forty-characters-in-all-00000')
  const nearly = () => void token.isRight('a-token-of-forty-characters-in-all-00001')
  const hardly = () => void token.isRight('b-token-of-forty-characters-in-all-00000')
  const [ofNearly, ofHardly] = measured(nearly, hardly)
  expect(Math.abs(superiority(ofNearly, ofHardly) - 0.5)).toBeLessThan(0.2)
})
