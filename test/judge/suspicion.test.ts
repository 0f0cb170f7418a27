import { describe, expect, it, test } from 'vitest'
import { causesOfFailure, judge } from '../../src/judge/verdict.ts'
import { asText, resultOf } from '../../src/judge/verdict-text.ts'
import { basic, halType, ids, synchronizationPath } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import { onSocket, sendingsPath, sent, trial } from './stage.ts'

const created = { state: 'CREATED' }
const pending = { state: 'PENDING' }
const failed = { state: 'FAILED' }
const reset = { phase: 'after', answer: { fault: 'reset' } }
const error = { phase: 'after', answer: { status: 500 } }

/** A client that asks under these transaction IDs, one after the other. */
async function asking(steps: readonly object[], ids: readonly (string | null)[]) {
  const client = await trial([onCreate(steps, { per: 'space' })])
  for (const transactionId of ids) {
    await client.post({ transactionId })
    client.wait(5_000)
  }
  return client
}

describe('a mailing that looks as if it was sent twice is suspected', () => {
  test.each([
    ['a new ID after a reset', [reset, created], ['a', 'b']],
    ['a new ID after an error', [error, created], ['a', 'b']],
    ['a new ID while PENDING', [pending, created], ['a', 'b']],
    ['no ID at all after a reset', [reset, created], [null, null]],
  ])('%s', async (_, steps, ids) => {
    const { evidence, verdict } = await asking(steps, ids)
    expect(await verdict()).toMatchObject({ outcome: 'open', suspicion: expect.any(String) })
    // Whoever says what was meant hears of it by rule and harm.
    expect(await verdict(sent)).toMatchObject({ outcome: 'guilty', suspicion: null })
    expect(judge(await evidence(), undefined, { expected: 2 }).suspicion).toBe(null)
  })

  it('when more went out than was expected', async () => {
    const { evidence } = await asking([created], ['a', 'b'])
    expect(judge(await evidence(), undefined, { expected: 1 }).suspicion).toBe(
      '2 mailings were sent, where 1 was expected. The service sends a mailing for each new transactionId: take a new one only after FAILED.',
    )
    expect(judge(await evidence(), undefined, { expected: 2 }).suspicion).toBe(null)
  })
})

it('two mailings that were each told CREATED are not suspected, whatever connections they use', async () => {
  const { mock, evidence } = await trial()
  const { port } = await onSocket(mock)
  for (const transactionId of ['a', 'b', 'c']) {
    const response = await fetch(`http://127.0.0.1:${port}${sendingsPath}`, {
      method: 'POST',
      headers: { authorization: basic('demo'), 'content-type': halType, connection: 'close' },
      body: JSON.stringify({ transactionId }),
    })
    await response.text()
  }
  expect(judge(await evidence()).suspicion).toBe(null)
})

it.each([
  [5, '5, which is a number'],
  [['a'], '["a"], which is an array'],
  [true, 'true, which is a boolean'],
  ['a b', '"a b" of 3 characters'],
])('R20 quotes the transactionId %j as it was sent, with its type', async (transactionId, words) => {
  const client = await trial()
  await client.post({ transactionId })
  const { findings } = await client.verdict()
  expect(findings.map(({ sentence }) => sentence)).toContain(
    `r0-1 has the transactionId ${words}; it must be a string of 1 to 100 letters, digits, dots, colons, hyphens and underscores.`,
  )
})

it('where several synchronizations were sent more often than meant, those that were sent again are named, and they alone are marked', async () => {
  const client = await trial()
  for (const [transactionId, path] of [
    ['a', undefined],
    ['b', undefined],
    ['c', synchronizationPath(ids.both, '/sendings')],
  ] as const) {
    await client.post({ transactionId }, path)
    client.wait(60_000)
  }
  const verdict = await client.verdict({ believes: 'sent', expected: 1 })
  expect(resultOf(verdict).sentence).toMatch(
    /^R\d\d was broken: [a-z].*\. 3 mailings were sent, where 1 was meant\.$/,
  )
  expect(verdict.harm.findings).toEqual([
    {
      kind: 'DOUBLE',
      status: 'certain',
      sentence:
        '3 mailings were sent, where 1 was meant. For one synchronization: r0-1 and r1-2. The service sends a mailing for each new transactionId: take a new one only after FAILED.',
      evidence: ['r0-1', 'r1-2'],
      surplus: 2,
    },
  ])
  expect(asText(verdict)).toContain('  2 sent too many: 3 mailings were sent')
  const meant = await client.verdict({ believes: 'sent', expected: 3 })
  expect(meant.harm.findings).toEqual([])
})

/** Five mailings of a client that repeats two of them under new IDs, between those of another one that repeats none. */
async function repeatingTwoOfSeveral(isBesideAnother: boolean) {
  const client = await trial([onCreate([reset, created, created, reset, created, created], { per: 'space' })])
  const other = synchronizationPath(ids.both, '/sendings')
  for (const [transactionId, name] of [
    ['a', 'A'],
    ['a2', 'A'],
    ['b', 'B'],
    ['c', 'C'],
    ['c2', 'C'],
    ['d', 'D'],
  ]) {
    await client.post({ transactionId, name })
    client.wait(60_000)
  }
  if (isBesideAnother)
    for (const transactionId of ['x', 'y']) {
      await client.post({ transactionId, name: transactionId }, other)
      client.wait(60_000)
    }
  return { ...client, sent: isBesideAnother ? 8 : 6 }
}

describe.each([
  ['one client', false],
  ['two clients', true],
])('of several mailings of %s', (_, isBesideAnother) => {
  it('those that look like repeats are what was sent too often, where the number meant leaves just as many, and their rule stays suspected', async () => {
    const client = await repeatingTwoOfSeveral(isBesideAnother)
    const { sent } = client
    const verdict = await client.verdict({ believes: 'sent', expected: sent - 2 })
    expect(verdict.harm.findings).toEqual([
      {
        kind: 'DOUBLE',
        status: 'certain',
        sentence: `${sent} mailings were sent, where ${sent - 2} were meant. Sent for what looks like one: r0-1 and r1-2; r3-4 and r4-5. The service sends a mailing for each new transactionId: take a new one only after FAILED.`,
        evidence: ['r0-1', 'r1-2', 'r3-4', 'r4-5'],
        surplus: 2,
      },
    ])
    expect(resultOf(verdict)).toMatchObject({
      word: 'harm',
      sentence: `R02 is suspected: new transactionId after an error or a timeout. ${sent} mailings were sent, where ${sent - 2} were meant.`,
    })
    expect(asText(verdict)).toContain('  R02 suspected: ')
    expect(causesOfFailure(verdict)).toEqual(['sent-too-often', 'R02'])
    expect(verdict.failure).toBe('the client did harm: 2 sent too many')
  })

  it.each([
    [3, 'What looks like a repeat may explain 2 of them: r0-1 and r1-2; r3-4 and r4-5.'],
    [1, 'What looks like a repeat may explain them: r0-1 and r1-2; r3-4 and r4-5.'],
  ])(
    'those that look like repeats are merely suspected where %i were sent too many, and no other is',
    async (surplus, explanation) => {
      const client = await repeatingTwoOfSeveral(isBesideAnother)
      const { sent } = client
      const verdict = await client.verdict({ believes: 'sent', expected: sent - surplus })
      const [whole, ...copies] = verdict.harm.findings
      expect(whole).toMatchObject({ kind: 'DOUBLE', status: 'certain', evidence: [], surplus })
      expect(whole!.sentence).toContain(
        `${sent} mailings were sent, where ${sent - surplus} were meant: ${surplus} too many. ${explanation}`,
      )
      expect(copies).toMatchObject([
        { kind: 'DOUBLE', status: 'open', evidence: ['r0-1', 'r1-2'] },
        { kind: 'DOUBLE', status: 'open', evidence: ['r3-4', 'r4-5'] },
      ])
      expect(verdict.findings.filter(({ rule }) => rule === 'R02')).toHaveLength(2)
      expect(asText(verdict)).toContain('  R02 suspected: ')
    },
  )

  it('none is named for what was sent too often where nothing looks like a repeat', async () => {
    const client = await trial()
    for (const transactionId of ['a', 'b', 'c'])
      await client.post(
        { transactionId, name: transactionId },
        transactionId === 'c' && isBesideAnother ? synchronizationPath(ids.both, '/sendings') : undefined,
      )
    const verdict = await client.verdict({ believes: 'sent', expected: 2 })
    expect(verdict.harm.findings).toMatchObject([
      { kind: 'DOUBLE', status: 'certain', evidence: [], surplus: 1 },
    ])
    expect(verdict.harm.findings[0]!.sentence).toContain(
      'where 2 were meant: 1 too many. Nothing tells which.',
    )
    expect(verdict.failure).toBe('the client did harm: 1 sent too many')
  })

  it('those that look like repeats alone are named where only the number meant was said', async () => {
    const client = await repeatingTwoOfSeveral(isBesideAnother)
    const { suspicion } = judge(await client.evidence(), undefined, { expected: client.sent - 2 })
    expect(suspicion).toContain('Sent for what looks like one: r0-1 and r1-2; r3-4 and r4-5.')
  })
})

it('a finding names a member that was meant to be the transactionId', async () => {
  const client = await trial([onCreate([reset, created], { per: 'space' })])
  await client.post({ transactionId: 'a' })
  client.wait(5_000)
  await client.post({ transactionID: 'a' })
  expect((await client.verdict({ believes: 'sent' })).findings[0]!.sentence).toContain(
    'came with no transactionId (but with "transactionID", which the service ignores) instead of the same one.',
  )
})

it('a repeat without a transactionId names that member as well', async () => {
  const client = await trial([onCreate([reset, created], { per: 'space' })])
  await client.post({ transactionID: 'a' })
  client.wait(5_000)
  await client.post({ transactionID: 'a' })
  const { findings } = await client.verdict({ believes: 'sent' })
  expect(findings.find(({ rule }) => rule === 'R01')!.sentence).toContain(
    'r0-1, which has no transactionId (but with "transactionID", which the service ignores), got no response',
  )
})

it('a verdict as text has one line for harm, and one for findings, where there are none', async () => {
  const { evidence } = await asking([created], ['a'])
  expect(asText(judge(await evidence(), { believes: 'sent' }))).toMatch(
    /^INNOCENT: no rule was broken\.\n\nHarm \(1 sent of 1 meant, the client reports: sent\): none\n\nFindings: none\n\nSynchronization /m,
  )
})

it('harm without a broken rule comes before the acquittal in the text, with its reason', async () => {
  const { evidence } = await asking([created, created], [null, null])
  const text = asText(judge(await evidence(), { believes: 'sent' }))
  expect(text).toMatch(
    /^Verdict on space demo\nHARM: one mailing was sent twice, and no rule could be proved broken\.$/m,
  )
  expect(text).toContain('The service sends a mailing for each request without a transactionId')
})

it.each([
  [
    'guilty',
    [reset, created],
    ['a', 'b'],
    1,
    'R02 was broken: new transactionId after an error or a timeout. One mailing was sent twice.',
  ],
  [
    'guilty',
    [reset, reset, created],
    ['a', 'b', 'c'],
    1,
    'R02 was broken: new transactionId after an error or a timeout. One mailing was sent 3 times.',
  ],
  [
    'harm',
    [reset, reset, created],
    ['a', 'b', 'c'],
    2,
    'R02 is suspected: new transactionId after an error or a timeout. 3 mailings were sent, where 2 were meant.',
  ],
  [
    'harm',
    [created],
    ['a'],
    0,
    '1 mailing was sent, where none was meant, and no rule could be proved broken.',
  ],
  ['innocent', [created], ['a'], 1, 'no rule was broken.'],
] as const)(
  'the result is %s, with what was sent after %j for the IDs %j, where %i were meant',
  async (...row) => {
    const [word, steps, ids, expected, sentence] = row
    const { evidence } = await asking([...steps], [...ids])
    const verdict = judge(await evidence(), { believes: 'sent', expected, workers: 1 })
    expect(resultOf(verdict)).toEqual({ word, sentence })
    expect(asText(verdict)).toContain(`\n${word.toUpperCase()}: ${sentence}\n`)
  },
)

describe('nothing is suspected of', () => {
  test.each([
    ['the same ID after a reset', [reset, created], ['a', 'a']],
    ['a new ID after FAILED', [failed, created], ['a', 'b']],
    ['two mailings, each CREATED', [created], ['a', 'b']],
    ['one attempt that nothing answered', [reset], ['a']],
    ['one that is PENDING', [pending], ['a', 'a', 'a']],
  ])('%s', async (_, steps, ids) => {
    const { verdict } = await asking(steps, ids)
    expect((await verdict()).suspicion).toBe(null)
  })
})

it.each([
  ['with one ID each', (at: number) => `id-${at}`],
  ['with the same ID', () => 'same'],
])('the text of a verdict on 30 attempts %s names each kind once, and is short', async (_, idOf) => {
  const { verdict } = await asking(
    [reset],
    Array.from({ length: 30 }, (_, at) => idOf(at)),
  )
  const text = asText(await verdict())
  const rules = text.match(/^ {2}R\d\d .*$/gm) ?? []
  expect(rules).toEqual([...new Set(rules)])
  expect(text.split('\n').length).toBeLessThanOrEqual(60)
})

it('the text of a verdict has nothing that a terminal obeys, wherever a name or an ID stands in it', async () => {
  const { verdict } = await asking([reset, created], ['id', 'id'])
  const hostile = { ...(await verdict()), space: 'demo+\u009b31m\u202ex\u001b[2J', hint: '\u2066hint' }
  const text = asText(hostile)
  expect(text).toMatch(/^Verdict on space demo\+\?31m\?x\?\[2J\n/)
  expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u)
})

it('what may have been sent twice stands before a rule that is proved and harmed nobody, and the rule that is suspected after it, in the text and in the reason of a failed test', async () => {
  const { verdict } = await asking([reset, created], ['a', 'b', 'bad id !'])
  const all = await verdict()
  const suspected = 'Also suspected: R02, new transactionId after an error or a timeout'
  expect(asText(all)).toMatch(
    `Verdict on space demo\nGUILTY: it looks as if one mailing was sent twice. R20 was broken: malformed transactionId.\n${suspected}.\n2 mailings were sent`,
  )
  expect(asText(all)).toContain('  R02 suspected: New transactionId after an error or a timeout [4.1/8]')
  expect(all.failure).toBe(
    `it looks as if one mailing was sent twice. R20 was broken: malformed transactionId; 2 mailings sent. ${suspected}`,
  )
  expect(causesOfFailure(all)).toEqual(['R20', 'R02'])
})

it('the reason of a failed test says how many may have been sent too many, where several mailings may have been sent twice', async () => {
  const client = await repeatingTwoOfSeveral(false)
  expect((await client.verdict()).failure).toBe(
    'R02 is suspected: new transactionId after an error or a timeout; 6 mailings sent (2 sent too many?)',
  )
  await client.post({ transactionId: 'bad id !' })
  expect((await client.verdict()).failure).toBe(
    'it looks as if 2 mailings were sent twice. R20 was broken: malformed transactionId; 6 mailings sent (2 sent too many?). Also suspected: R02, new transactionId after an error or a timeout',
  )
})

it('a rule that sent a mailing twice stands before one that harmed nobody, where both are proved', async () => {
  const lost = { phase: 'bound', answer: { fault: 'reset' } }
  const client = await trial([onCreate([lost], { when: { transactionId: 'a' } })])
  await client.post({ transactionId: 'a' })
  await client.get(sendingsPath)
  client.wait(5_000)
  for (const transactionId of ['b', 'bad id !']) await client.post({ transactionId })
  expect(resultOf(await client.verdict(sent)).sentence).toMatch(
    /^R22 was broken: relied on the collection without includeAllStates \(so was R20\)/,
  )
})

it('of many sendings the text of a verdict has those first that a finding cites', async () => {
  const { verdict } = await asking(
    [created],
    [...Array.from({ length: 12 }, (_, at) => `good-${at}`), 'bad id !'],
  )
  const [first] = asText(await verdict()).match(/^Synchronization .*$/gm) ?? []
  expect(first).toContain('bad id !')
})
