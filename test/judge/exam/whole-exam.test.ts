import { expect, test } from 'vitest'
import type { ClientCall, Ending } from '../../../src/judge/exam/client.ts'
import { headline, whyNotPassed } from '../../../src/judge/exam/text-reports.ts'
import { examine as runExam } from '../../../src/lib/run-exam.ts'
import type { Belief } from '../../../src/rig/scenarios/terms.ts'
import { basic, halType, synchronizationPath } from '../../mock.ts'

/** Examines a client that makes one attempt with this body, or none and ends like that. */
async function examine(
  only: readonly string[],
  body?: (call: ClientCall) => object,
  ending: Partial<Ending> = {},
  attempts = 1,
) {
  let runs = 0
  const run = async (call: ClientCall) => {
    runs++
    const path = synchronizationPath(call.synchronizationId, '/sendings')
    const attempt = async () =>
      body &&
      (await fetch(call.url + path, {
        method: 'POST',
        headers: { authorization: basic(call.user, call.password), 'content-type': halType },
        body: JSON.stringify(body(call)),
      }).catch(() => undefined))
    let answer: Response | undefined
    for (let nth = 0; nth < attempts; nth++) answer = await attempt()
    const believes: Belief = answer?.ok ? 'sent' : 'not-sent'
    return {
      believes,
      exitCode: answer?.ok ? 0 : 1,
      signal: undefined,
      error: undefined,
      output: '',
      ...ending,
    }
  }
  const client = { isProcess: true, name: 'a function', run }
  const result = await runExam({ client, only, jobs: 1, startDelayMeter: () => () => 0 })
  return { result, runs }
}

const dated = ['clock-behind', 'clock-ahead-date-passed']

test('a client that sends at once in each case with a date gets a note, and no failure for it', async () => {
  const { result } = await examine(dated, () => ({ transactionId: 'one' }))
  const reason = 'the client sends at once, whatever date it is given: it seems not to schedule'
  expect(result.cases.map(it => it.reason)).toEqual([reason, reason])
  expect(result.cases.flatMap(it => it.findings).map(({ rule }) => rule)).not.toContain('wrong-time')
})

test('a client that is given a date in one case only is not taken for one that never schedules', async () => {
  const { result } = await examine(['clock-behind', 'happy-path'], () => ({ transactionId: 'one' }))
  const found = new Map(result.cases.map(({ name, findings }) => [name, findings.map(({ rule }) => rule)]))
  expect(found.get('clock-behind')).toContain('wrong-time')
})

test.each<[what: string, ending: Partial<Ending>, why: string]>([
  [
    'ends with exit code 3',
    { exitCode: 3, output: 'no configuration\n' },
    'ended … anything: no configuration.',
  ],
  ['prints nothing', { exitCode: 3 }, 'ended … anything.'],
  [
    'throws',
    { error: "Error: Cannot find module '/x.mjs'" },
    "crashed … anything: Cannot find module '/x.mjs'.",
  ],
  ['is killed', { exitCode: undefined, signal: 'SIGSEGV' }, 'crashed … anything.'],
  ['claims that it sent', { believes: 'sent', exitCode: 0 }, 'ended … anything.'],
])('a client that %s before it sends is not played through all cases', async (_, ending, why) => {
  const { result, runs } = await examine(['*'], undefined, ending)
  expect(runs).toBe(3)
  expect(result).toMatchObject({ isWhole: false, failed: 3, isPassed: false })
  expect(result.notPlayed).toBeGreaterThan(60)
  expect(headline(result)).toMatch(/^Not passed: 3 of 3 cases failed, \d+ not played; 1 mistake$/)
  expect(result.cases[0]!.findings[0]!.remedy).toMatch(
    /^(?:Send one mailing to MAILING_SYNC_URL .*; run by hand .* it prints what is in the way\.$|Take address)/,
  )
  const words = why.replace('…', 'before it sent')
  expect(whyNotPassed(result)).toBe(`The exam was ended: the client ${words} Run it by hand.`)
})

test('a case names what the client did wrong before what followed from it', async () => {
  let attempt = 0
  const { result } = await examine(['close-after'], () => ({ transactionId: `${++attempt}` }), undefined, 2)
  const rules = result.cases[0]!.findings.map(({ rule }) => rule)
  expect(rules.indexOf('R02')).toBe(0)
  expect(rules.indexOf('sent-too-often')).toBeGreaterThan(0)
})

test('a sending of another synchronization tells no client that its own was sent, also without a transactionId', async () => {
  const { result } = await examine(['foreign-sending'], () => ({}), { believes: 'unknown', exitCode: 3 })
  const { findings } = result.cases[0]!
  expect(findings.map(({ sentence }) => sentence).join(' ')).not.toContain('told the client that it was sent')
})

test('CREATED under a wrong media type is no proof for a client that reports that it does not know', async () => {
  const { result } = await examine(['wrong-content-type'], () => ({}), { believes: 'unknown', exitCode: 3 })
  expect(result.cases[0]!.findings.map(({ rule, severity }) => `${rule} ${severity}`)).toEqual([
    'unaware warning',
  ])
})

test('an informational response is shown before the response that it preceded', async () => {
  const { result } = await examine(['early-hints'], () => ({ transactionId: 'one' }))
  expect(result.cases[0]!.attempts.map(({ told }) => told)).toEqual(['103, then 201 CREATED'])
})

test('a client that sends no transactionId is told to send one, and not to repeat with the same one', async () => {
  const cases = ['close-after', 'close-before']
  const { result } = await examine(cases, () => ({}), { believes: 'unknown', exitCode: 3 })
  const findings = result.cases.flatMap(it => it.findings)
  expect(findings.map(({ rule }) => rule)).toEqual(['unaware', 'given-up'])
  for (const { remedy } of findings) expect(remedy).toMatch(/^Send a transactionId with every sending/)
  expect(findings[0]!.sentence).toContain('With a transactionId, a repeat would have told it;')
})
