import { describe, expect, test } from 'vitest'
import { AnswerBodies } from '../../src/contract/verify/exchange.ts'
import type { Fetch } from '../../src/contract/verify/target.ts'
import { junitReport, markdownReport, terminalReport } from '../../src/contract/verify/verify-reports.ts'
import { type VerifyResult, verifyResult } from '../../src/contract/verify/verify-result.ts'
import type { Json } from '../mock.ts'
import { repetitions } from '../repetitions.ts'
import { lying } from './lies.ts'
import { mockTarget, sendTo, sharedTarget, verified } from './mock-target.ts'

/** The same numbers for the same seed (mulberry32). */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const values = [
  null,
  true,
  0,
  -1,
  1e300,
  '',
  'x',
  'http://[',
  '/',
  '%',
  '{',
  [],
  [null],
  [[]],
  {},
  { href: 5 },
  { href: '' },
  { _links: 1 },
]

/** The document with some of its parts replaced by what nobody expects there. */
function spoilt(json: Json, next: () => number, share: number): Json {
  if (next() < share) return structuredClone(values[Math.floor(next() * values.length)])
  if (Array.isArray(json)) return json.map(it => spoilt(it, next, share))
  if (typeof json !== 'object' || json === null) return json
  return Object.fromEntries(
    Object.entries(json)
      .filter(() => next() >= share / 2)
      .map(([name, it]) => [name, spoilt(it, next, share)]),
  )
}

const truth = sharedTarget()

describe('whatever a target answers', () => {
  test.each(Array.from({ length: repetitions(8, 24) }, (_, at) => at + 1))(
    'no check breaks (seed %i)',
    async seed => {
      const next = numbers(seed)
      const share = [0.002, 0.02, 0.1, 0.4][seed % 4]!
      let count = 0
      const lie = lying(truth.fresh(), (told, { path }) => {
        // By these it is known to be such a service, to be there still, and to have the list to send to.
        if (++count <= 3 || /^\/mailings$|\/harbour-group\/lists$/.test(path)) return
        told.json = spoilt(told.json, next, share)
        if (next() < share / 2) told.status = [200, 204, 301, 400, 404, 500][Math.floor(next() * 6)]!
        if (next() < share / 2) told.headers['content-type'] = 'text/html'
        if (next() < share / 2) told.headers.location = 'http://['
        if (next() < share / 4) told.json = undefined
      })
      const result = await verified(lie, { allowWrites: true, sendTo })
      expect(result.incomplete).toBe(null)
      expect(result.counts['not run']).toBe(0)
      if (share > 0.01) expect(result.counts.differs).toBeGreaterThan(0)
      expect(verifyResult.parse(result)).toEqual(result)
      for (const report of [
        junitReport(result),
        markdownReport(result),
        terminalReport(result, { colours: false, width: 80 }),
      ])
        expect(report.match(/.{0,60}(?:undefined|\[object).{0,40}/g) ?? []).toEqual([])
    },
  )
})

describe('long and deep answers', () => {
  const filled = (fetch: Fetch, padding: Json) => {
    let count = 0
    return lying(fetch, told => {
      // The first three tell that it is such a service.
      if (++count > 3 && told.json !== undefined) told.json.padding = padding
    })
  }
  const seenOf = (result: VerifyResult, clause: string) =>
    result.clauses.find(it => it.clause === clause) as { status: string; seen?: string }

  test('are a finding where more than 32 MiB of long ones have come', async () => {
    const { fetch } = await mockTarget()
    const long = 'x'.repeat(2 << 20)
    const result = await verified(filled(fetch, long), { filter: ['2 hal', '4.1', '2.2 id'] })
    expect(seenOf(result, '2 hal')).toMatchObject({
      status: 'differs',
      seen: 'one that is one of too many long ones',
    })
  })

  test('end the verification with a sentence where a page has more entries than any of the service', async () => {
    const { fetch } = await mockTarget()
    const full = lying(fetch, told => {
      for (const [name, all] of Object.entries(told.json?._embedded ?? {}))
        if (name === 'svc:test-profiles')
          told.json._embedded[name] = Array.from({ length: 10_001 }, () => (all as Json[])[0])
    })
    const result = await verified(full)
    expect(result.incomplete).toMatch(
      /test-profiles has 10001 entries; no page of the service has more than 10000/,
    )
  })

  test('are a finding where they are nested too deeply', async () => {
    const { fetch } = await mockTarget()
    const deep = JSON.parse('['.repeat(1_000) + ']'.repeat(1_000))
    const result = await verified(filled(fetch, deep), { allowWrites: true, sendTo })
    expect(result.incomplete).toBe(null)
    expect(result.counts['not run']).toBe(0)
    expect(seenOf(result, '2 hal')).toMatchObject({
      status: 'differs',
      seen: 'one that is nested more than 64 levels deep',
    })
  })
})

describe('of an answer', () => {
  const kept = (text: string, bodies = new AnswerBodies()) => bodies.read([Buffer.from(text)])

  test('the first 64 Ki characters and the digest of all are kept', async () => {
    const [one, other] = await Promise.all(['a', 'b'].map(end => kept(`"${'x'.repeat(100_000)}${end}"`)))
    expect(one!.text).toHaveLength(65_536)
    expect(one!.text).toBe(other!.text)
    expect(one!.digest).not.toBe(other!.digest)
    expect(one!.json).toHaveLength(100_001)
  })

  test('long ones are kept whole while they have 32 MiB in all', async () => {
    const bodies = new AnswerBodies()
    const areWhole: boolean[] = []
    for (let n = 0; n < 5; n++)
      areWhole.push((await kept(`"${'x'.repeat(8_000_000)}"`, bodies)).json !== undefined)
    expect(areWhole).toEqual([true, true, true, true, false])
    expect((await kept('{"short":1}', bodies)).json).toEqual({ short: 1 })
  })

  test('long ones are looked into while they hold a million values in all', async () => {
    const bodies = new AnswerBodies()
    const long = `[${'1,'.repeat(400_000)}1]`
    const all = [await kept(long, bodies), await kept(long, bodies), await kept(long, bodies)]
    expect(all.map(it => it.excess)).toEqual([undefined, undefined, 'is one of too many long ones'])
    expect(all[2]!.json).toBe(undefined)
    expect((await kept('[1,2]', bodies)).json).toEqual([1, 2])
  })

  test('letters of several bytes are whole where the text is cut', async () => {
    const { text } = await kept(`"${'ж€'.repeat(100_000)}"`)
    expect(text).toBe(`"${'ж€'.repeat(32_767)}ж`)
  })

  test.each([
    ['not JSON', 'x', undefined],
    ['nested', '['.repeat(100_000), 'is nested more than 64 levels deep'],
    ['many values', `[${'1,'.repeat(1_000_001)}1]`, 'holds more than 1000000 values'],
  ])('what is %s has no parsed form', async (_, text, excess) => {
    expect(await kept(text)).toMatchObject({ json: undefined, excess })
  })
})
