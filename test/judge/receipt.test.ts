import { describe, expect, it, test } from 'vitest'
import type { Evidence } from '../../src/judge/evidence.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { judge } from '../../src/judge/verdict.ts'
import { asText } from '../../src/judge/verdict-text.ts'
import { Citations } from '../../src/pages/timeline/lanes.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, over, sent, trial, unknown, type Wire } from './stage.ts'

const second = 1_000

/** The same transactionId a second after FAILED was told, twice over: PENDING, FAILED, and again. */
async function repeatedAfterFailed(): Promise<Evidence> {
  const client = await trial([onCreate([{ state: 'PENDING', times: 1 }, { state: 'FAILED' }])])
  for (let nth = 0; nth < 3; nth++) {
    await client.post({ transactionId: 'one' })
    client.wait(second)
  }
  return client.evidence()
}

const failed = ['R06 guilty']
/** A single repeat on another connection: the client may have dropped the answer unread. */
const held = ['R06 open']
const nothing: string[] = []

describe('that FAILED was told is held against a client', () => {
  test.each<[string, Wire, string[]]>([
    ['if it left at once', { took: 5, connections: [1, 2, 3] }, held],
    [
      'if the connection was used again, however long it took',
      { took: 29_990, connections: [1, 1, 1] },
      failed,
    ],
    [
      'not if it took so long that the client may have given up',
      { took: 300, connections: [1, 2, 3] },
      nothing,
    ],
    ['if it came soon for a client that is in no hurry', { took: 100, connections: [1, 2, 3] }, held],
    [
      'not if the clock runs so fast that this was six seconds of a time limit',
      { took: 100, connections: [1, 2, 3], rate: 60 },
      nothing,
    ],
    ['if it left at once on a fast clock', { took: 5, connections: [1, 2, 3], rate: 60 }, held],
    [
      'not if a client that keeps its connections then made a new one: it may have given up on this one',
      { took: 5, connections: [1, 1, 2] },
      nothing,
    ],
    [
      'if it then took one of its others, as pools do',
      { took: 5, connections: [1, 1, 2], positions: [1, 2, 7] },
      held,
    ],
    [
      'if it made a new one much later, when the first may have been closed for being idle',
      { took: 5, connections: [1, 1, 2], pause: 10_000 },
      held,
    ],
    [
      'not if the next request was on its way meanwhile',
      { took: 5, connections: [1, 2, 3], pause: 10 },
      nothing,
    ],
  ])('that FAILED was told is held against a client: %s', async (_, wire, found) => {
    const evidence = over(await repeatedAfterFailed(), wire)
    expect(accusedIn(judge(evidence, unknown))).toEqual(found)
  })
})

describe('a verdict says that a request came too soon after a response to prove a rule', () => {
  const hintOn = async (state: string, wire: Wire, end: ClientEnd | undefined) => {
    const client = await trial([
      onCreate([{ state, ...(state.startsWith('INDET') && { truth: 'not-sent' }) }]),
    ])
    for (const transactionId of ['a', 'b']) {
      await client.post({ transactionId })
      client.wait(second)
    }
    const verdict = judge(over(await client.evidence(), wire), end)
    return { ...verdict, text: asText(verdict) }
  }
  const [took, pause] = [5, 6]

  it.each([
    ['PENDING', undefined, 'R03'],
    ['INDETERMINATE_FAILURE', undefined, 'R04'],
    ['CREATED', sent, 'R23'],
  ])('after %s, and names the rule', async (state, end, rule) => {
    const { text, ...verdict } = await hintOn(state, { took, pause, connections: [1, 2] }, end)
    const { hint } = verdict
    expect(verdict.findings.map(it => it.rule)).not.toContain(rule)
    // The pages mark the request with it.
    const [hasty, answered] = hint!.match(/r\d-\d/g)!
    const marks = (id: string) => new Citations(verdict).unprovedOf(id)
    expect(marks(hasty!)).toEqual([{ tone: 'calm', words: `${rule} unproved`, title: hint }])
    expect(marks(answered!)).toEqual([])
    expect(hint).toMatch(
      new RegExp(
        `^r\\d-2 came 6 ms after the response to r\\d-1, on another connection: .* so ${rule} cannot be proved\\. Do: .*\\. To let the judge prove it, reuse the connection, or wait 25 ms`,
      ),
    )
    expect(text).toContain(hint)
    expect(text).not.toContain('INNOCENT')
  })

  it('also where the same rule was proved of another request, and how many more there are', async () => {
    const client = await trial([onCreate([{ state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }])])
    for (const transactionId of ['a', 'b', 'c', 'd']) {
      await client.post({ transactionId })
      client.wait(second)
    }
    const evidence = over(await client.evidence(), { took, pause, connections: [1, 1, 2, 3] })
    const verdict = judge(evidence)
    expect(verdict.findings.filter(it => it.rule === 'R04')).toHaveLength(1)
    expect(verdict.hint).toMatch(/^r2-3 came .* so R04 cannot be proved.* And 1 more of the kind\.$/)
    const proved = judge(evidence, unknown)
    expect(proved.findings).toContainEqual(expect.objectContaining({ rule: 'R04', status: 'guilty' }))
    expect(proved.hint).toMatch(
      /^r2-3 came .* so R04 cannot be proved of it, as of other requests\. And 1 more of the kind\.$/,
    )
  })

  it('if a client that keeps its connections took a new one', async () => {
    const evidence = over(await repeatedAfterFailed(), { took, connections: [1, 1, 2] })
    expect(judge(evidence).hint).toMatch(/came 1 s after .* R06 cannot be proved\. .* wait 4 s between/)
  })

  it.each([
    ['on the same connection', 'PENDING', { took, pause, connections: [1, 1] }],
    ['after a longer pause', 'PENDING', { took, pause: 25, connections: [1, 2] }],
    ['after FAILED, which calls for a new ID', 'FAILED', { took, pause, connections: [1, 2] }],
    ['while another request was under way', 'PENDING', { took, pause: -2, connections: [1, 2] }],
    ['after CREATED, where nobody says that one was meant', 'CREATED', { took, pause, connections: [1, 2] }],
  ])('but not %s', async (_, state, wire) => {
    expect((await hintOn(state, wire, undefined)).hint).toBeUndefined()
  })
})

it.each([102, 103])(
  'a finding about a response after an informational %d says so, and what to do about it',
  async status => {
    const client = await trial([onCreate([{ state: 'CREATED', answer: { fault: 'early-hints', status } }])])
    for (const transactionId of ['a', 'b']) await client.post({ transactionId })
    const [finding] = (await client.verdict(sent)).findings
    expect(finding).toMatchObject({
      rule: 'R23',
      status: 'guilty',
      sentence: `transactionId "a" was told CREATED (r0-1), yet r1-2 created the same mailing once more with transactionId "b". An informational ${status} came before the response to r0-1; perhaps the client took it for the response.`,
      remedy: 'Skip 1xx responses and read on. Stop as soon as a response shows the state CREATED.',
    })
  },
)

it('refusals that may not have been received make no loop of credentials', async () => {
  const refused = { phase: 'before', answer: { status: 401 } }
  const client = await trial([onCreate([refused])])
  for (const pause of [1, 2, 4]) {
    await client.post({ transactionId: 'one' })
    client.wait(pause * second)
  }
  const evidence = await client.evidence()
  const quick = over(evidence, { took: 5, connections: [1, 2, 3] })
  const slow = over(evidence, { took: 300, connections: [1, 2, 3] })
  expect(accusedIn(judge(quick, unknown))).toEqual(['R26 guilty'])
  expect(accusedIn(judge(slow, unknown))).toEqual([])
})

it('a refusal that came slowly and then again unchanged is open, even on a connection that was used again', async () => {
  const client = await trial([])
  for (let nth = 0; nth < 2; nth++) {
    await client.post({ transactionId: 'one', scheduleDate: '2000-01-01T00:00:00Z' })
    client.wait(second)
  }
  const evidence = await client.evidence()
  const took = (milliseconds: number) =>
    accusedIn(judge(over(evidence, { took: milliseconds, connections: [1, 1] }), unknown))
  expect(took(5)).toContain('R14 guilty')
  expect(took(300)).toContain('R14 open')
})

it('refusals before the body came are open, however often they came again: the bodies may differ', async () => {
  const client = await trial([])
  for (let nth = 0; nth < 3; nth++) {
    await client.post({ transactionId: 'one', scheduleDate: '2000-01-01T00:00:00Z' })
    client.wait(second)
  }
  const evidence = over(await client.evidence(), { took: 5, connections: [1, 1, 1] })
  const unread = { isWhole: false, bytes: undefined, payload: undefined }
  const attempts = evidence.attempts.map(it => ({ ...it, request: unread }))
  expect(accusedIn(judge(evidence, unknown))).toContain('R14 guilty')
  expect(accusedIn(judge({ ...evidence, attempts }, unknown))).toEqual(['R14 open'])
})

describe('of several repeats after FAILED, one that is proved convicts', () => {
  async function repeats(connections: readonly number[]) {
    const client = await trial([onCreate([{ state: 'FAILED' }])])
    for (const _ of connections) {
      await client.post({ transactionId: 'one' })
      client.wait(second)
    }
    return over(await client.evidence(), { took: 5, connections })
  }

  test.each([
    ['though the first came on a connection of its own', [1, 2, 2, 2], {}, failed],
    ['though others came in between', [1, 2, 3, 2], {}, failed],
    ['not if each came on a connection of its own', [1, 2, 3, 4], {}, held],
    ['of one worker, though each came on a connection of its own', [1, 2, 3, 4], { workers: 1 }, failed],
    ['not of two workers', [1, 2, 3, 4], { workers: 2 }, held],
  ])('%s', async (_, connections, known, found) => {
    expect(accusedIn(judge(await repeats(connections), undefined, known))).toEqual(found)
  })
})
