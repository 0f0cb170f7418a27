import { describe, expect, it } from 'vitest'
import { asText } from '../../src/judge/verdict-text.ts'
import { ids, synchronizationPath } from '../mock.ts'
import { onCreate } from '../rig/stage.ts'
import { accusedIn, type Trial, trial, unknown } from './stage.ts'

/** What only those know who ran the client: how many mailings were meant, and which. */

const second = 1_000
const error = { phase: 'before', answer: { status: 500 } }
const perTransaction = onCreate([error, { state: 'CREATED' }])
const kinds = async (client: Trial, end: Parameters<Trial['verdict']>[0]) =>
  (await client.verdict(end)).harm.findings.map(({ kind }) => kind)

describe('several mailings that were meant', () => {
  it('several mailings that were meant are each their own where there is a transactionId for each', async () => {
    const client = await trial([perTransaction])
    for (const transactionId of ['a', 'b', 'a', 'b']) {
      await client.post({ transactionId })
      client.wait(second)
    }
    expect((await client.verdict({ believes: 'sent', expected: 2 })).outcome).toBe('innocent')
  })

  it('several mailings that were meant are not told apart where there are more transactionIds than mailings', async () => {
    const client = await trial([perTransaction])
    for (const transactionId of ['a', 'b', 'c', 'b']) {
      await client.post({ transactionId })
      client.wait(second)
    }
    expect(accusedIn(await client.verdict({ believes: 'sent', expected: 2 }))).toContain('R02 open')
  })

  it('several mailings that were meant are not told apart by an ID that stands in two synchronizations', async () => {
    const client = await trial([perTransaction])
    const other = synchronizationPath(ids.scheduled, '/sendings')
    await client.post({ transactionId: 'a' }, other)
    client.wait(second)
    for (const transactionId of ['a', 'b']) {
      await client.post({ transactionId })
      client.wait(second)
    }
    expect(accusedIn(await client.verdict({ believes: 'sent', expected: 2 }))).toContain('R02 open')
  })
})

describe('where nothing was to be sent', () => {
  it('not having sent is no harm', async () => {
    const client = await trial()
    expect(await kinds(client, { believes: 'not-sent', expected: 0 })).toEqual([])
  })

  it('whatever goes out is too much', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one' })
    const { findings } = (await client.verdict({ believes: 'sent', expected: 0 })).harm
    expect(findings).toMatchObject([
      {
        kind: 'DOUBLE',
        sentence: '1 mailing was sent, where none was meant.',
        evidence: [expect.any(String)],
      },
    ])
  })
})

it.each([
  ['none of them is too much, and nobody is unaware of it', 0, ['DOUBLE']],
  ['fewer than were meant are given up', 2, ['GIVEN-UP']],
  ['as many as were meant went out unnoticed', 1, ['UNAWARE']],
] as const)('of mailings that the client reports as not sent, %s', async (_, expected, found) => {
  const client = await trial()
  await client.post({ transactionId: 'one' })
  expect(await kinds(client, { believes: 'not-sent', expected })).toEqual(found)
})

it('a client that read INDETERMINATE_FAILURE and reports a failure is told what to report', async () => {
  const indeterminate = { state: 'INDETERMINATE_FAILURE', truth: 'not-sent' }
  const client = await trial([onCreate([{ ...indeterminate, answer: { fault: 'reset' } }])])
  await client.post({ transactionId: 'one' })
  await client.get(synchronizationPath(ids.ready, '/sendings?includeAllStates=true'))
  const { failure, harm } = await client.verdict({ believes: 'not-sent' })
  expect(failure).toMatch(/did harm/)
  expect(harm.findings[0]!.sentence).toMatch(/ r\d+-2 told it INDETERMINATE_FAILURE/)
})

it('a platform mailing that was never sent is harm, and fails no test of a client that did all it could', async () => {
  const client = await trial([onCreate([{ phase: 'partial' }])])
  await client.post({})
  const { outcome, harm, failure } = await client.verdict(unknown)
  expect([outcome, harm.findings.map(({ kind }) => kind), failure]).toEqual(['innocent', ['ORPHAN'], null])
})

describe('what the client was told to send', () => {
  const task = { synchronizationId: ids.ready, scheduleDate: undefined }

  it('what the client was told to send is lost when another synchronization was sent instead', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one' }, synchronizationPath(ids.scheduled, '/sendings'))
    expect(await kinds(client, { believes: 'sent', task })).toEqual(['ASTRAY', 'LOST'])
  })

  it('what the client was told to send is sent once, whatever else went out', async () => {
    const client = await trial()
    await client.post({ transactionId: 'one' })
    expect(await kinds(client, { believes: 'sent', task })).toEqual([])
  })

  it.each([
    ['at the time that it was to be sent at', '2030-01-01T10:00:00+01:00', []],
    ['at another time', '2030-01-01T11:00:00Z', ['TIME']],
    ['at once', undefined, ['TIME']],
  ])('what the client was told to send goes out %s', async (_, scheduleDate, expected) => {
    const client = await trial()
    await client.post({ transactionId: 'one', scheduleDate })
    const wanted = { ...task, scheduleDate: '2030-01-01T09:00:30.500Z' }
    expect(await kinds(client, { believes: 'sent', task: wanted })).toEqual(expected)
  })
})

describe('an open verdict as text', () => {
  const open = async () => {
    const client = await trial([onCreate([{ phase: 'after', answer: { fault: 'reset' } }])])
    await client.post({ transactionId: 'one' })
    return client
  }

  it('an open verdict as text says how to close it', async () => {
    const text = asText(await (await open()).verdict())
    expect(text).toMatch(/^OPEN: .*\n.*\?believes=sent&expected=1$/m)
  })

  it('an open verdict as text does not ask for what was told', async () => {
    expect(asText(await (await open()).verdict(unknown))).not.toContain('believes=')
  })
})

it('a Retry-After that is a date is told as it stood there', async () => {
  // The judge reads dates by the machine's clock, as clients do.
  const text = new Date(Date.now() + 10_000).toUTCString()
  const answer = { status: 503, retryAfter: { text } }
  const client = await trial([onCreate([{ phase: 'before', answer }, { state: 'CREATED' }])])
  await client.post({ transactionId: 'one' })
  client.wait(second)
  await client.post({ transactionId: 'one' })
  const found = (await client.verdict(unknown)).findings.find(({ rule }) => rule === 'R18')
  expect(found?.sentence).toMatch(/with "Retry-After: \w{3}, .* GMT", which was \d+(\.\d)? s away, and /)
})
