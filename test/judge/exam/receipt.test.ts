import { expect, test } from 'vitest'
import { compareReceipts, makeReceipt, readReceipt, TraceDigests } from '../../../src/judge/exam/receipt.ts'
import { examOf, hostileResult } from './hostile.ts'

const settings = {
  ...{
    seed: 1,
    depth: 1,
    speed: 1,
    isModule: true,
    isWarm: false,
    workers: null,
    tls: false,
    slow: false,
    sample: 1_000,
  },
  edition: null,
  ...{ only: [], tags: [], plans: [] },
}
const [one] = hostileResult().cases

/** @param began null in virtual time */
function receiptOf(cases = [one!], { began = null, version = '1', file = 'text' }: Options = {}) {
  const traces = new TraceDigests()
  for (const it of cases) traces.add({ name: it.name, isPlan: false }, it)
  const files = [['client.mjs', Buffer.from(file)]] as const
  return makeReceipt(examOf(cases, { began }), { version, settings, traces, files })
}
interface Options {
  readonly began?: string | null
  readonly version?: string
  readonly file?: string
}

test('a receipt is an in-toto statement of a test result', () => {
  expect(receiptOf()).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'client.mjs', digest: { sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } }],
    predicateType: 'https://in-toto.io/attestation/test-result/v0.1',
    predicate: { result: 'FAILED', failedTests: ['R02 in a-case'] },
  })
})

test('a receipt of a command without files names its line', () => {
  const traces = new TraceDigests()
  const receipt = makeReceipt(examOf([one!]), { version: '1', settings, traces, files: [] })
  expect(receipt.subject).toMatchObject([{ name: 'a' }])
})

test('a receipt that is written can be read, and agrees with itself', () => {
  const receipt = receiptOf()
  expect(compareReceipts(readReceipt(JSON.stringify(receipt), 'r.json'), receipt)).toEqual([])
})

test('the order of runs changes no digest, and what is played again counts once', () => {
  const [first, second] = hostileResult().cases
  const traces = (order: readonly (typeof first)[]) => {
    const digests = new TraceDigests()
    for (const it of order) digests.add({ name: it!.name, isPlan: false }, it!)
    return digests.parts
  }
  expect(traces([second, first, { ...second!, attempts: [] }])).toEqual(traces([first, second]))
  expect(traces([first])).not.toEqual(traces([first, second]))
})

const otherwise = { ...one!, attempts: one!.attempts.map(it => ({ ...it, at: it.at + 1 })) }

test.each([
  ['another file', receiptOf([one!], { file: 'other' }), ['client.mjs is not the file of the receipt']],
  ['another version', receiptOf([one!], { version: '2' }), ['the receipt was made by version 1, this is 2']],
  [
    'a mistake less',
    receiptOf([{ ...one!, findings: [], status: 'passed' }]),
    [
      'found then and not now: R02 in a-case',
      'the result was FAILED and is PASSED',
      'what the client did in the cases is not the same',
    ],
  ],
  ['another time', receiptOf([otherwise]), ['what the client did in the cases is not the same']],
])('a receipt is not confirmed by %s, and says what differs', (_, now, sentences) => {
  expect(compareReceipts(receiptOf(), now)).toEqual(sentences)
})

test('in real time times decide nothing', () => {
  const began = '2026-11-01T10:00:00.000Z'
  expect(compareReceipts(receiptOf([one!], { began }), receiptOf([otherwise], { began }))).toEqual([])
})

test.each([
  ['no JSON', '{', /^r\.json is no JSON: /],
  ['another document', '{"_type": "x"}', /^r\.json is no receipt of an exam: _type: /],
  [
    'a statement of another program',
    JSON.stringify(receiptOf()).replace('"mailing-sync-mock exam"', '"other"'),
    /^r\.json is no receipt of an exam: predicate\.configuration\.0\.name: /,
  ],
])('a receipt that is %s is refused with a sentence', (_, text, sentence) => {
  expect(() => readReceipt(text, 'r.json')).toThrow(sentence)
})
