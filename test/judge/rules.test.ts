import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { harmName } from '../../src/judge/harm.ts'
import { transactionIdWords } from '../../src/judge/rules/finding-words.ts'
import { rules } from '../../src/judge/rules/registry.ts'
import { asText } from '../../src/judge/verdict-text.ts'
import { ids, synchronizationPath } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import {
  attempts,
  before500,
  created,
  failed,
  hedging,
  indeterminate,
  type Misdeed,
  minute,
  pagedSendings,
  pending,
  readingPages,
  reset,
  ruleProofs,
  second,
  sendings,
} from './rule-proofs.ts'
import { accusedIn, notSent, sent, trial, unknown } from './stage.ts'

/** What the judge says of a misdeed. @param knowsEnd whether it is told how the client ended */
async function verdictOn({ rules, options, does, end }: Misdeed, knowsEnd = true) {
  const client = await trial(rules, options)
  await does(client)
  if (!knowsEnd) return client.verdict()
  return client.verdict(typeof end === 'function' ? end(await client.evidence()) : end)
}

describe('each misdeed is found by its rule, and by no other', () => {
  const all = Object.entries(ruleProofs).flatMap(([rule, { misdeeds }]) =>
    Object.entries(misdeeds).map(([name, misdeed]) => [`${rule}: ${name}`, rule, misdeed] as const),
  )

  test.each(all)('each misdeed is found by its rule, and by no other: %s', async (_, rule, misdeed) => {
    const { findings } = await verdictOn(misdeed)
    expect(findings.map(finding => `${finding.rule} ${finding.status}`)).toEqual([`${rule} guilty`])
    // Whoever reads it finds the requests. What R30 is about went elsewhere.
    expect(findings[0]!.evidence.length > 0).toBe(rule !== 'R30')
  })

  it.each(Object.entries(ruleProofs))(
    '%s has a misdeed, or tests elsewhere',
    (rule, { misdeeds, provedIn }) => {
      if (provedIn === undefined) expect(Object.keys(misdeeds)).not.toEqual([])
      else expect(readFileSync(provedIn, 'utf8')).toContain(`'${rule}'`)
    },
  )
})

it('R27 is advice, and held against nobody', async () => {
  for (const misdeed of Object.values(ruleProofs.R27.misdeeds))
    expect(await verdictOn(misdeed)).toMatchObject({
      outcome: 'innocent',
      findings: [{ severity: 'information' }],
    })
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
    'r0-1 with no transactionId got 500; r0-2 came with transactionId "one". The client could not know whether the first one was sent.',
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

// Without an exam R08's mailing may be another one, after so long, and nobody knows of R29's restart.
const openWithoutExam = rules.filter(
  ({ id, dependsOn }) => dependsOn === 'intent' && id !== 'R08' && id !== 'R29',
)
it.each(openWithoutExam.map(({ id }) => id))(
  'what depends on who meant what is open without an exam (%s)',
  async rule => {
    const [misdeed] = Object.values(ruleProofs[rule].misdeeds)
    const { findings, outcome } = await verdictOn(misdeed!, false)
    expect(findings.filter(it => it.rule === rule).map(({ status }) => status)).toEqual(['open'])
    expect(outcome).toBe('open')
  },
)

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

it('R19 says both dates where only scheduleDate differs', async () => {
  const client = await trial()
  for (const scheduleDate of ['2026-12-01T10:00:00Z', '2026-12-02T10:00:00Z']) {
    await client.post({ transactionId: 'one', scheduleDate })
    client.wait(second)
  }
  const { findings, harm } = await client.verdict({ ...sent, expected: 2 })
  expect(harm.findings.map(it => harmName([it], 2))).toContain('another date')
  expect(findings.map(({ sentence }) => sentence.replaceAll(/r\d+-/g, '#'))).toEqual([
    'transactionId "one" was CREATED by #1, and #2 used it for another mailing with scheduleDate 2026-12-02T10:00:00.000Z in place of 2026-12-01T10:00:00.000Z, which was never sent, although the response says CREATED.',
  ])
})

describe('a restarted client', () => {
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
