import { describe, expect, it, test } from 'vitest'
import { transactionIdWords } from '../../src/judge/rules/finding-words.ts'
import { rules } from '../../src/judge/rules/registry.ts'
import type { ClientEnd } from '../../src/judge/terms.ts'
import { asText } from '../../src/judge/verdict-text.ts'
import { ids, synchronizationPath, type TestMockOptions } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, notSent, sent, type Trial, trial, unknown } from './stage.ts'

const second = 1_000
const minute = 60_000
const reset = { phase: 'after', answer: { fault: 'reset' } }
const before500 = { phase: 'before' }
const pending = { state: 'PENDING' }
const failed = { state: 'FAILED' }
const indeterminate = { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }
const created = { state: 'CREATED' }
const failingReads = { on: 'listSendings', steps: [{ phase: 'before', answer: { status: 500 } }] }

interface Misdeed {
  readonly rules?: readonly object[]
  readonly does: (client: Trial) => Promise<void>
  readonly end?: ClientEnd
  readonly options?: TestMockOptions
  /** All that is found, errors and warnings alone. */
  readonly found: readonly string[]
}

const sendings = synchronizationPath(ids.ready, '/sendings')

/** So many attempts with the same transactionId, with these pauses between them. */
const attempts =
  (pauses: readonly number[], id = 'one') =>
  async (client: Trial) => {
    await client.post({ transactionId: id })
    for (const pause of pauses) {
      client.wait(pause)
      await client.post({ transactionId: id })
    }
  }

const pagedSendings = synchronizationPath(ids.both, '/sendings')

/** A lost response, at most so many pages of all sendings, and a new transactionId. */
const readingPages =
  (count: number, pageSize = 1) =>
  async (client: Trial) => {
    await client.post({ transactionId: 'one' }, pagedSendings)
    let next = `${pagedSendings}?includeAllStates=true&pageSize=${pageSize}`
    for (let page = 0; page < count && next; page++)
      next = (await client.get(next))._links.next?.href.replace(/^https?:..[^/]*/, '')
    client.wait(second)
    await client.post({ transactionId: 'two' }, pagedSendings)
  }

/** A second request after a second, whatever has become of the first. */
const hedging = (body: object) => async (client: Trial) => {
  const { answer } = await client.ask(body)
  client.wait(second)
  await client.post(body)
  client.wait(30 * second)
  await answer
}

const doubling = [1, 2, 4, 8, 16, 32, 64, 128].map(it => it * second)

const misdeeds: Record<string, Misdeed> = {
  'R01: repeats without a transactionId after silence': {
    rules: [onCreate([reset, created])],
    async does(client) {
      await client.post({})
      client.wait(second)
      await client.post({})
    },
    end: sent,
    found: ['R01 guilty'],
  },
  'R02: uses a new transactionId after a 500': {
    rules: [onCreate([{ phase: 'after', answer: { status: 500 } }], { when: { transactionId: 'one' } })],
    async does(client) {
      await client.post({ transactionId: 'one' })
      client.wait(second)
      await client.post({ transactionId: 'two' })
    },
    end: sent,
    found: ['R02 guilty'],
  },
  'R02: uses a new transactionId after a read that failed as well': {
    rules: [onCreate([reset], { when: { transactionId: 'one' } }), failingReads],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(`${sendings}?includeAllStates=true`)
      client.wait(second)
      await client.post({ transactionId: 'two' })
    },
    end: sent,
    found: ['R02 guilty'],
  },
  ...Object.fromEntries(
    [401, 429].map(status => [
      `R02: uses a new transactionId after silence and a ${status}`,
      {
        rules: [
          onCreate([reset, { phase: 'before', answer: { status } }], { when: { transactionId: 'one' } }),
        ],
        async does(client: Trial) {
          await attempts([second])(client)
          client.wait(second)
          await client.post({ transactionId: 'two' })
        },
        end: sent,
        found: ['R02 guilty'],
      },
    ]),
  ),
  'R02: goes on without a transactionId after silence': {
    rules: [onCreate([reset], { when: { transactionId: 'one' } })],
    async does(client) {
      await client.post({ transactionId: 'one' })
      client.wait(second)
      await client.post({})
    },
    end: sent,
    found: ['R02 guilty'],
  },
  'R02: uses a new transactionId after it read a page of all states that is not the last': {
    rules: [onCreate([reset, reset], { when: { transactionId: 'one' } })],
    does: readingPages(1),
    end: unknown,
    found: ['R02 guilty'],
  },
  'R03: uses a new transactionId while PENDING': {
    rules: [onCreate([pending], { when: { transactionId: 'one' } })],
    async does(client) {
      await client.post({ transactionId: 'one' })
      client.wait(second)
      await client.post({ transactionId: 'two' })
    },
    end: sent,
    found: ['R03 guilty'],
  },
  'R04: creates anew after INDETERMINATE_FAILURE': {
    rules: [onCreate([indeterminate], { when: { transactionId: 'one' } })],
    async does(client) {
      await client.post({ transactionId: 'one' })
      client.wait(second)
      await client.post({ transactionId: 'two' })
    },
    end: sent,
    found: ['R04 guilty'],
  },
  'R05: repeats after INDETERMINATE_FAILURE': {
    rules: [onCreate([indeterminate])],
    does: attempts([second]),
    end: unknown,
    found: ['R05 guilty'],
  },
  'R06: repeats with the same transactionId after FAILED': {
    rules: [onCreate([failed])],
    does: attempts([second]),
    end: notSent,
    found: ['R06 guilty'],
  },
  'R05: repeats twice after it read INDETERMINATE_FAILURE': {
    rules: [onCreate([{ ...indeterminate, answer: { fault: 'reset' }, times: 2 }, indeterminate])],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(`${sendings}?includeAllStates=true`)
      await attempts([second])(client)
    },
    end: unknown,
    found: ['R05 guilty'],
  },
  'R06: repeats twice after it read FAILED': {
    rules: [onCreate([{ ...failed, answer: { fault: 'reset' }, times: 2 }, failed])],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(`${sendings}?includeAllStates=true`)
      await attempts([second])(client)
    },
    end: notSent,
    found: ['R06 guilty'],
  },
  'R07: recreates four times': {
    rules: [onCreate([failed])],
    async does(client) {
      for (const [at, id] of ['a', 'b', 'c', 'd', 'e'].entries()) {
        await client.post({ transactionId: id })
        client.wait(doubling[at]!)
      }
    },
    end: notSent,
    found: ['R07 guilty'],
  },
  'R08: recreates after sixteen minutes': {
    rules: [onCreate([failed])],
    async does(client) {
      await client.post({ transactionId: 'a' })
      client.wait(16 * minute)
      await client.post({ transactionId: 'b' })
    },
    end: notSent,
    found: ['R08 guilty'],
  },
  'R09: pursues PENDING for more than five minutes': {
    rules: [onCreate([pending])],
    does: attempts([...doubling, 128 * second, 200 * second, 256 * second]),
    end: unknown,
    found: ['R09 guilty'],
  },
  'R10: abandons PENDING after seven seconds': {
    rules: [onCreate([pending])],
    does: attempts(doubling.slice(0, 3)),
    end: unknown,
    found: ['R10 guilty'],
  },
  'R10: abandons PENDING after a read that showed it once more': {
    rules: [onCreate([pending])],
    async does(client) {
      const { id } = await client.post({ transactionId: 'one' })
      client.wait(second)
      await client.get(`${sendings}/${id}`)
    },
    end: notSent,
    found: ['R10 guilty'],
  },
  'R11: never repeats after a 500': {
    rules: [onCreate([before500])],
    does: attempts([]),
    end: notSent,
    found: ['R11 guilty'],
  },
  'R10: abandons PENDING after a read that failed': {
    rules: [onCreate([pending]), failingReads],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(`${sendings}?includeAllStates=true`)
    },
    end: unknown,
    found: ['R10 guilty'],
  },
  'R11: never repeats after silence and a read that failed': {
    rules: [onCreate([reset]), failingReads],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(`${sendings}?includeAllStates=true`)
    },
    end: notSent,
    found: ['R11 guilty'],
  },
  'R12: changes the subject on a repeat': {
    rules: [onCreate([reset, created])],
    async does(client) {
      await client.post({ transactionId: 'one', subject: 'x' })
      client.wait(second)
      await client.post({ transactionId: 'one', subject: 'y' })
    },
    end: sent,
    found: ['R12 guilty'],
  },
  'R12: counts its attempts in the payload': {
    rules: [onCreate([pending, created])],
    async does(client) {
      await client.post({ transactionId: 'one', attempt: 1 })
      client.wait(second)
      await client.post({ transactionId: 'one', attempt: 2 })
    },
    end: sent,
    found: ['R12 guilty'],
  },
  'R13: computes the date anew for each attempt': {
    rules: [onCreate([pending, created])],
    async does(client) {
      await client.post({ transactionId: 'one', scheduleDate: '2026-12-01T10:00:00Z' })
      client.wait(second)
      await client.post({ transactionId: 'one', scheduleDate: '2026-12-01T10:00:01Z' })
    },
    end: sent,
    found: ['R13 guilty'],
  },
  'R14: repeats a refused request unchanged': {
    async does(client) {
      for (let n = 0; n < 2; n++) {
        await client.post({ transactionId: 'one', scheduleDate: '2020-01-01T00:00:00Z' })
        client.wait(second)
      }
    },
    end: notSent,
    found: ['R14 guilty'],
  },
  'R14: repeats a refused request unchanged, and is told 500 for the second refusal': {
    rules: [
      onCreate([
        { phase: 'after', times: 1 },
        { phase: 'after', answer: { status: 500 } },
      ]),
    ],
    async does(client) {
      for (let n = 0; n < 2; n++) {
        await client.post({ scheduleDate: '2020-01-01T00:00:00Z' })
        client.wait(second)
      }
    },
    end: notSent,
    found: ['R14 guilty'],
  },
  'R14: repeats what a scenario refuses in the name of the service': {
    rules: [onCreate([{ phase: 'before', answer: { status: 400, by: 'service' } }])],
    does: attempts([second, second]),
    end: notSent,
    found: ['R14 guilty'],
  },
  'R15: repeats without a pause': {
    rules: [onCreate([{ ...before500, times: 4 }, created])],
    does: attempts([0, 0, 0]),
    end: unknown,
    found: ['R15 guilty'],
  },
  'R15: pauses now and then, and in between does not': {
    rules: [onCreate([{ ...before500, times: 12 }, created])],
    does: attempts(Array.from({ length: 12 }, (_, nth) => (nth % 2 === 0 ? 5 : 120))),
    end: sent,
    found: ['R15 guilty'],
  },
  'R16: always waits five seconds': {
    rules: [onCreate([pending])],
    does: attempts(Array.from({ length: 59 }, () => 5 * second)),
    end: unknown,
    found: ['R16 guilty'],
  },
  'R17: asks again while the first request is under way': {
    rules: [onCreate([{ delay: '30s', times: 1 }, created])],
    does: hedging({ transactionId: 'one' }),
    end: sent,
    found: ['R17 guilty'],
  },
  'R17: does so without a transactionId': {
    rules: [onCreate([{ delay: '30s', times: 1 }, created])],
    does: hedging({}),
    end: sent,
    found: ['R17 guilty'],
  },
  'R18: comes earlier than Retry-After asked': {
    rules: [onCreate([{ phase: 'before', answer: { status: 503, retryAfter: 120 }, times: 1 }, created])],
    does: attempts([30 * second]),
    end: sent,
    found: ['R18 guilty'],
  },
  'R19: uses a transactionId for another mailing': {
    async does(client) {
      await client.post({ transactionId: 'one', subject: 'x' })
      client.wait(second)
      await client.post({ transactionId: 'one', subject: 'y' })
    },
    end: { believes: 'sent', expected: 2 },
    found: ['R19 guilty'],
  },
  'R19: has one transactionId for two mailings': {
    async does(client) {
      await client.post({ transactionId: 'newsletter' })
      client.wait(second)
      await client.post({ transactionId: 'newsletter' })
    },
    end: { believes: 'sent', expected: 2 },
    found: ['R19 guilty'],
  },
  'R20: has a transactionId of 101 characters': {
    does: attempts([], 'x'.repeat(101)),
    end: notSent,
    found: ['R20 guilty'],
  },
  'R21: creates without asking whether it is ready': {
    async does(client) {
      await client.post({ transactionId: 'one' }, synchronizationPath(ids.draftOnly, '/sendings'))
    },
    end: notSent,
    found: ['R21 guilty'],
  },
  'R21: does so where errors tell nothing but their status': {
    options: { dials: { 'error-body': 'minimal' } },
    async does(client) {
      await client.post({ transactionId: 'one' }, synchronizationPath(ids.draftOnly, '/sendings'))
    },
    end: notSent,
    found: ['R21 guilty'],
  },
  'R22: looks where its sending cannot be seen': {
    rules: [onCreate([{ phase: 'bound', answer: { fault: 'reset' } }], { when: { transactionId: 'one' } })],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(sendings)
      client.wait(second)
      await client.post({ transactionId: 'two' })
    },
    end: sent,
    found: ['R22 guilty'],
  },
  'R23: creates another one after CREATED': {
    async does(client) {
      await client.post({ transactionId: 'one' })
      client.wait(second)
      await client.post({ transactionId: 'two' })
    },
    end: sent,
    found: ['R23 guilty'],
  },
  'R24: takes any success for sent': {
    rules: [onCreate([pending])],
    does: attempts([]),
    end: sent,
    found: ['R24 guilty'],
  },
  'R24: takes the sending of another client for its own': {
    rules: [onCreate([{ phase: 'before', answer: { fault: 'reset' } }])],
    async does(client) {
      // The fixture has a sending there in state CREATED.
      const path = synchronizationPath(ids.both, '/sendings')
      await client.post({}, path)
      await client.get(path)
    },
    end: sent,
    found: ['R24 guilty'],
  },
  'R25: follows a redirect with a GET': {
    rules: [onCreate([{ phase: 'before', answer: { fault: 'redirect-303' } }])],
    async does(client) {
      await client.post({ transactionId: 'one' })
      await client.get(sendings)
    },
    end: sent,
    found: ['R25 guilty'],
  },
  'R26: goes on with credentials that are refused': {
    rules: [onCreate([{ phase: 'before', answer: { status: 401 } }])],
    does: attempts(doubling.slice(0, 2)),
    end: notSent,
    found: ['R26 guilty'],
  },
  'R28: repeats a mailing-upload after silence': {
    rules: [{ on: 'createMailingUpload', steps: [{ phase: 'after', answer: { fault: 'reset' } }] }],
    async does(client) {
      for (let n = 0; n < 2; n++) {
        await client.post({}, synchronizationPath(ids.ready, '/mailing-uploads'))
        client.wait(second)
      }
    },
    end: unknown,
    found: ['R28 guilty'],
  },
  'R30: sends its credentials elsewhere': {
    does: attempts([]),
    end: { believes: 'sent', leakedTo: ['evil.example'] },
    found: ['R30 guilty'],
  },
}

describe('each misdeed is found by its rule, and by no other', () => {
  test.each(Object.entries(misdeeds))(
    'each misdeed is found by its rule, and by no other: %s',
    async (_, misdeed) => {
      const { does, end, found, options } = misdeed
      const client = await trial(misdeed.rules, options)
      await does(client)
      const verdict = await client.verdict(end)
      expect(accusedIn(verdict)).toEqual(found)
      // Whoever reads it finds the requests. What R30 is about went elsewhere.
      const without = verdict.findings.filter(({ evidence }) => evidence.length === 0)
      expect(without.map(({ rule }) => rule)).toEqual(found.includes('R30 guilty') ? ['R30'] : [])
    },
  )
})

it('there is a misdeed for each rule; R27 and R29 have theirs below, R31 in test/tls', () => {
  const shown = new Set(Object.keys(misdeeds).map(name => name.slice(0, 3)))
  expect(rules.map(({ id }) => id).filter(id => !shown.has(id))).toEqual(['R27', 'R29', 'R31'])
})

it.each([
  ['all pages of all states', Number.POSITIVE_INFINITY, {}],
  ['the first page of all states, where it has the newest', 1, { 'collection-order': 'newest-first' }],
] as const)('R02 acquits a client that read %s', async (_, count, dials) => {
  const lost = { phase: 'before', answer: { fault: 'reset' } }
  const client = await trial([onCreate([lost], { when: { transactionId: 'one' } })], { dials })
  await readingPages(count)(client)
  expect(await client.accused(unknown)).toEqual([])
})

it('R02 convicts a client that read one page of several, though its end with the link is not recorded with it', async () => {
  const lost = { phase: 'before', answer: { fault: 'reset' } }
  const client = await trial([onCreate([lost], { when: { transactionId: 'one' } })])
  for (let earlier = 0; earlier < 30; earlier++) {
    await client.post({ transactionId: `earlier-${earlier}`, name: `number ${earlier}` }, pagedSendings)
    client.wait(second)
  }
  await readingPages(1, 28)(client)
  expect((await client.accused(unknown)).filter(it => it.startsWith('R02'))).toEqual(['R02 guilty'])
})

it('R22 leaves to a client without a transactionId a collection of what is CREATED, its only state (3/1)', async () => {
  const client = await trial([onCreate([{ phase: 'before', answer: { status: 500 } }])])
  await client.post({})
  await client.get(sendings)
  client.wait(second)
  await client.post({ transactionId: 'one' })
  expect((await client.accused(unknown)).filter(it => it.startsWith('R22'))).toEqual([])
})

describe('R23 tells, and does not accuse, a client that received CREATED and asks again', () => {
  const past = '2020-01-01T00:00:00Z'

  it.each<[string, readonly object[], string]>([
    [
      'with the same transactionId',
      [{ transactionId: 'one' }, { transactionId: 'one' }],
      '#1 was told CREATED under transactionId "one", and the same came again 2 times.',
    ],
    [
      'with another one, which is refused',
      [{ transactionId: 'two', scheduleDate: past }],
      'transactionId "one" was told CREATED (#2), yet #3 asked for the same mailing once more with transactionId "two"; the service refused that.',
    ],
  ])(
    'R23 tells, and does not accuse, a client that received CREATED and asks again %s',
    async (_, again, sentence) => {
      const client = await trial()
      const { id } = await client.post({ transactionId: 'one' })
      // It uses what only that response told.
      await client.get(`${sendings}/${id}`)
      for (const body of again) {
        client.wait(second)
        await client.post(body)
      }
      const { findings } = await client.verdict(sent)
      const shown = findings.filter(({ rule }) => rule === 'R23')
      expect(shown.map(it => [it.severity, it.status, it.sentence.replaceAll(/r\d+-/g, '#')])).toEqual([
        ['information', 'guilty', sentence],
      ])
    },
  )
})

describe('with a transactionId that has expired', () => {
  const reuse = async (name: string) => {
    const client = await trial([], { dials: { 'transaction-expiry': '72h' } })
    await client.post({ transactionId: 'one', name: 'first' })
    client.wait(73 * 60 * minute)
    await client.post({ transactionId: 'one', name })
    return client
  }

  it('R19 says that the other mailing was accepted, and no harm is certain', async () => {
    const { findings, harm } = await (await reuse('second')).verdict()
    expect(findings.map(({ rule, sentence }) => [rule, sentence.replaceAll(/r\d+-/g, '#')])).toEqual([
      [
        'R19',
        'transactionId "one" was CREATED by #1, and #2 used it for another mailing, which was accepted only because the transactionId had expired.',
      ],
    ])
    expect(harm.findings.map(({ kind, status }) => `${kind} ${status}`)).toEqual(['DOUBLE open'])
  })

  it('R19 does not say of a mailing with the same payload that it was never sent', async () => {
    const client = await reuse('first')
    expect(await client.accused({ ...sent, expected: 2 })).toEqual([])
    expect((await client.verdict()).harm.findings).toMatchObject([{ kind: 'DOUBLE', status: 'certain' }])
  })
})

it('R28 has one finding for all repeats of the uploads of a synchronization', async () => {
  const client = await trial([{ on: 'createMailingUpload', steps: [before500] }])
  for (const id of [ids.ready, ids.ready, ids.ready, ids.both, ids.both]) {
    await client.post({}, synchronizationPath(id, '/mailing-uploads'))
    client.wait(second)
  }
  const { findings } = await client.verdict(unknown)
  const shown = findings.map(({ evidence, sentence }) => [
    evidence.length,
    sentence.replaceAll(/r\d+-/g, '#'),
  ])
  expect(shown).toEqual([
    [3, '#1 got 500, and #2 asked for the same again, as 2 repeats did in all.'],
    [2, '#4 got 500, and #5 asked for the same again.'],
  ])
})

it.each([
  ['read the latest one in between, as R28 says', 404, []],
  ['could not read the latest one', 500, ['R28 guilty']],
])('a client that repeats a mailing-upload after silence, and %s', async (_, status, found) => {
  const lost = {
    on: 'createMailingUpload',
    steps: [{ phase: 'before', answer: { fault: 'reset' }, times: 1 }],
  }
  const reads = { on: 'getMailingUpload', steps: [{ phase: 'before', answer: { status } }] }
  const client = await trial(status === 404 ? [lost] : [lost, reads])
  const uploads = synchronizationPath(ids.ready, '/mailing-uploads')
  await client.post({}, uploads)
  await client.get(`${uploads}/latest`)
  client.wait(second)
  await client.post({}, uploads)
  expect(await client.accused(unknown)).toEqual(found)
})

it.each([
  ['a collection', ids.ready],
  ['all pages of a collection', ids.both],
])('R11 convicts a client that ends after it read %s that leaves its sending out', async (_, id) => {
  const client = await trial([onCreate([{ phase: 'bound', answer: { fault: 'reset' } }])])
  const path = synchronizationPath(id, '/sendings')
  await client.post({ transactionId: 'one' }, path)
  for (let next = `${path}?pageSize=1`; next; )
    next = (await client.get(next))._links.next?.href.replace(/^https?:..[^/]*/, '')
  expect(await client.accused(notSent)).toEqual(['R11 guilty'])
  await client.get(`${path}?includeAllStates=true`)
  expect(await client.accused(notSent)).toEqual([])
})

it.each([
  ['R11', []],
  ['R02', [{ transactionId: 'two' }]],
])('%s convicts a client that asked for all sendings with HEAD, which shows none', async (rule, more) => {
  const client = await trial([onCreate([reset], { when: { transactionId: 'one' } })])
  await client.post({ transactionId: 'one' })
  await client.mock.as('demo').send('HEAD', `${sendings}?includeAllStates=true`)
  client.wait(second)
  for (const body of more) await client.post(body)
  expect(await client.accused(notSent)).toEqual([`${rule} guilty`])
})

it('R02 does not tell a client to repeat a request that had no transactionId (4.1/3)', async () => {
  const client = await trial([onCreate([before500])])
  await client.post({})
  client.wait(second)
  await client.post({ transactionId: 'one' })
  const { findings } = await client.verdict(unknown)
  expect(findings.map(({ rule, sentence, remedy }) => [rule, sentence, remedy])).toContainEqual([
    'R02',
    'r0-1 with no transactionId got 500; r0-2 came with transactionId "one". The first one may have been sent.',
    rules.find(({ id }) => id === 'R01')!.remedy,
  ])
})

it.each([3, 7, 8, 9])(
  'R10 convicts a client that gives up on PENDING after %d quick attempts',
  async count => {
    const client = await trial([onCreate([{ state: 'PENDING' }])])
    for (let nth = 0; nth < count; nth++) {
      client.wait(200 + nth * 11)
      await client.post({ transactionId: 'one' })
    }
    expect(accusedIn(await client.verdict(unknown))).toContain('R10 guilty')
  },
)

it('R10 says no time of a client that asked once while PENDING', async () => {
  const client = await trial([onCreate([pending])])
  await client.post({ transactionId: 'one' })
  const { findings } = await client.verdict()
  expect(findings.map(({ sentence }) => sentence)).toEqual([
    'transactionId "one" was last told PENDING, after it was asked for once. Only the end of the client shows whether it has given up.',
  ])
})

it('two requests at a time are a warning with a transactionId, which makes them one mailing, and an error without', async () => {
  const severities = []
  for (const body of [{ transactionId: 'one' }, {}]) {
    const client = await trial([onCreate([{ delay: '30s', times: 1 }, created])])
    await hedging(body)(client)
    const { findings, harm } = await client.verdict(sent)
    severities.push([findings[0]!.severity, harm.sent])
  }
  expect(severities).toEqual([
    ['warning', 1],
    ['error', 2],
  ])
})

describe('what hangs on who meant what', () => {
  it.each(['R01', 'R02', 'R03', 'R04', 'R07', 'R22'])(
    'what hangs on who meant what is open without an exam (%s)',
    async rule => {
      const [, misdeed] = Object.entries(misdeeds).find(([name]) => name.startsWith(rule))!
      const client = await trial(misdeed.rules)
      await misdeed.does(client)
      const { findings, outcome } = await client.verdict()
      expect(findings.filter(it => it.rule === rule).map(({ status }) => status)).toEqual(['open'])
      expect(outcome).toBe('open')
    },
  )
})

describe('where nobody says what was meant, a new transactionId', () => {
  async function anew(state: object, milliseconds: number, more = {}): Promise<string[]> {
    const client = await trial([onCreate([state], { when: { transactionId: 'one' } })])
    await client.post({ transactionId: 'one' })
    client.wait(milliseconds)
    await client.post({ transactionId: 'two', ...more })
    return (await client.accused()).filter(it => !/^R1[01]/.test(it))
  }

  it.each([
    [
      'twenty minutes after INDETERMINATE_FAILURE may be the same mailing',
      indeterminate,
      20 * minute,
      ['R04 open'],
    ],
    ['two days after it is another one', indeterminate, 2 * 24 * 60 * minute, []],
    ['twenty minutes after PENDING is another one', pending, 20 * minute, []],
  ])('where nobody says what was meant, a new transactionId: %s', async (_, state, milliseconds, found) => {
    expect(await anew(state, milliseconds)).toEqual(found)
  })

  it('with another payload is another one', async () => {
    expect(await anew(indeterminate, second, { subject: 'x' })).toEqual([])
  })

  it('where nobody says what was meant, a new transactionId may be the same mailing though another one was sent in between', async () => {
    const client = await trial([onCreate([before500], { when: { transactionId: 'one' } })])
    await client.post({ transactionId: 'one', subject: 'x' })
    await client.post({ transactionId: 'other', subject: 'y' })
    client.wait(second)
    await client.post({ transactionId: 'two', subject: 'x' })
    expect(await client.accused()).toEqual(['R02 open'])
  })
})

it.each([
  ['R12', { subject: 'x' }, { subject: 'y' }],
  ['R13', { scheduleDate: '2026-12-01T10:00:00Z' }, { scheduleDate: '2026-12-01T10:00:01Z' }],
])(
  '%s tells a client with one mailing not to change it after CREATED, where R19 would advise a new transactionId',
  async (rule, one, other) => {
    const client = await trial()
    for (const payload of [one, other]) {
      await client.post({ transactionId: 'one', ...payload })
      client.wait(second)
    }
    expect(await client.accused(sent)).toEqual([`${rule} guilty`])
    expect(await client.accused({ ...sent, expected: 2 })).toEqual(['R19 guilty'])
  },
)

describe('a restarted client', () => {
  it('that lost its transactionId is R29, not R02', async () => {
    const client = await trial([onCreate([reset], { when: { transactionId: 'one' } })])
    await client.post({ transactionId: 'one' })
    client.wait(second)
    await client.post({ transactionId: 'two' })
    const { attempts } = await client.evidence()
    const restarts = [attempts[1]!.arrived.real]
    expect(await client.accused({ believes: 'sent', restarts })).toEqual(['R29 guilty'])
  })

  it('that kept its transactionId is innocent', async () => {
    const client = await trial([onCreate([reset, created])])
    await attempts([second])(client)
    const { attempts: asked } = await client.evidence()
    expect(await client.accused({ believes: 'sent', restarts: [asked[1]!.arrived.real] })).toEqual([])
  })

  it('R06 convicts a client that repeats after FAILED that it was told after its restart', async () => {
    const client = await trial([onCreate([failed])])
    await attempts([second, 2 * second, 4 * second])(client)
    const { attempts: asked } = await client.evidence()
    const restarts = [asked[1]!.arrived.real - 1]
    expect(await client.accused({ ...notSent, restarts })).toEqual(['R06 guilty'])
    const last = [asked[3]!.arrived.real - 1]
    expect(
      await client.accused({ ...notSent, restarts: [...restarts, asked[2]!.arrived.real - 1, ...last] }),
    ).toEqual([])
  })

  it('R29 leaves another transactionId after a refusal to the client, also after a restart', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one', scheduleDate: '2000-01-01T00:00:00Z' })
    client.wait(second)
    await client.post({ transactionId: 'two' })
    const { attempts } = await client.evidence()
    expect(await client.accused({ ...sent, restarts: [attempts[1]!.arrived.real] })).toEqual([])
  })
})

it('a finding cites all requests of a long series, and its text the first of them', async () => {
  const client = await trial([onCreate([before500])])
  await attempts(Array.from({ length: 29 }, () => 0))(client)
  const verdict = await client.verdict({ believes: 'unknown' })
  expect(verdict.findings.find(({ rule }) => rule === 'R15')!.evidence).toHaveLength(30)
  expect(asText(verdict)).toMatch(/ requests: r0-1, .*r0-12, the first of 30$/m)
})

describe('pauses that do not grow', () => {
  it.each([
    [[5_000, 5_000, 5_000, 5_000], 'lasted 5 s each.'],
    [[5_000, 5_000, 4_940, 5_000], 'lasted from 4.9 s to 5 s; the first one 5 s.'],
  ])('pauses that do not grow are told with their lengths: %j', async (pauses, words) => {
    const client = await trial([onCreate([pending])])
    await attempts(pauses)(client)
    const { findings } = await client.verdict({ believes: 'unknown', workers: 1 })
    expect(findings.find(({ rule }) => rule === 'R16')!.sentence).toContain(words)
  })
})

describe('retries at two layers', () => {
  it('retries at two layers are mentioned, and held against nobody', async () => {
    const client = await trial([onCreate([before500])])
    const short = 500
    await attempts([short, short, 9_000, short, short, 30_000, short, short])(client)
    const { findings, outcome } = await client.verdict({ believes: 'unknown' })
    expect(findings.map(({ rule, severity }) => [rule, severity])).toEqual([['R27', 'information']])
    expect(outcome).toBe('innocent')
  })
})

test('a sentence of the judge cuts a long transaction ID in its middle, where two of them do not differ', () => {
  const start = `newsletter-${'2026-'.repeat(14)}group-5`
  const uuids = [ids.ready, ids.draftOnly]
  const words = [start, `${start}-second`, ...uuids].map(transactionId =>
    transactionIdWords({ transactionId }),
  )
  expect(new Set(words).size).toBe(4)
  expect(words[1]).toMatch(/\.\.\..*group-5-second"$/)
  expect(Math.max(...words.map(it => it.length))).toBeLessThan(85)
})
