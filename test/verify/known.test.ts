import { beforeAll, describe, expect, test } from 'vitest'
import { acceptDifferences } from '../../src/contract/verify/known-differences.ts'
import { junitReport, markdownReport, terminalReport } from '../../src/contract/verify/verify-reports.ts'
import { failures, type VerifyResult, verifyResult } from '../../src/contract/verify/verify-result.ts'
import { readKnownFindings } from '../../src/judge/known/known-findings.ts'
import { knownClausesText } from '../../src/judge/known/known-text.ts'
import { inEach, lying } from './lies.ts'
import { mockTarget, verified } from './mock-target.ts'

/** Of a target that differs in one clause, which others follow. */
let differing: VerifyResult
/** The same after it was mended. */
let mended: VerifyResult
beforeAll(async () => {
  const { fetch } = await mockTarget()
  const lie = inEach('test-mail group', it => {
    it.name = ['a list']
  })
  differing = await verified(lying(fetch, lie))
  mended = await verified(fetch, { filter: ['2.8 name'] })
})

const known = (expires = '2027-01-01', clause = '2.8 name') =>
  readKnownFindings(`- clause: ${clause}\n  reason: "mended in *May*"\n  expires: ${expires}`, {
    source: 'known.yaml',
    today: '2026-03-31',
  })
const terminal = (result: VerifyResult) => terminalReport(result, { colours: false, width: 200 })

test('a clause that does not hold and is known does not fail a verification, with what follows from it', () => {
  expect(failures(differing).map(({ clause }) => clause)).toEqual(['2.8 name'])
  const result = acceptDifferences(differing, known())
  expect(result.verdict).toBe('faithful')
  expect(failures(result)).toEqual([])
  expect(verifyResult.parse(JSON.parse(JSON.stringify(result)))).toEqual(result)
  const text = terminal(result)
  expect(text).toMatch(/^FAITHFUL: .*, except as is known\.$/m)
  expect(text).toMatch(/ hold, 0 differ, 1 known to differ/)
  expect(text).toMatch(
    /^Known, so it does not fail \(known\.yaml\):\n {2}2\.8 name: mended in \*May\* \(seen: /m,
  )
  expect(markdownReport(result)).toContain('- 2.8 name: mended in \\*May\\* (seen: ')
  const junit = junitReport(result)
  expect(junit).toContain('failures="0"')
  expect(junit).toContain('<skipped message="known: mended in *May*"/>')
})

test('an entry of a clause that holds again fails a verification', () => {
  const result = acceptDifferences(mended, known())
  expect(mended.verdict).toBe('faithful')
  expect(result).toMatchObject({ verdict: 'differs', known: { stale: [{ line: 1, clause: '2.8 name' }] } })
  const text = terminal(result)
  expect(text).toMatch(/^NOT PASSED: known\.yaml accepts differences that there are no longer\.$/m)
  expect(text).toContain('\nHolds again, so it must be removed:\n  known.yaml:1: 2.8 name\n')
  expect(junitReport(result)).toMatch(/name="known\.yaml:1: 2\.8 name">\s*<failure type="stale"/)
})

test('an entry of a clause that was not checked is not stale', () => {
  expect(acceptDifferences(mended, known('2027-01-01', '4.1/5'))).toMatchObject({
    verdict: 'faithful',
    known: { stale: [] },
  })
})

test('an entry of a clause that has expired counts no more', () => {
  const result = acceptDifferences(differing, known('2026-03-30'))
  expect(result).toMatchObject({
    verdict: 'differs',
    known: { expired: [{ clause: '2.8 name' }], stale: [] },
  })
  expect(terminal(result)).toContain(
    '\nExpired, so it counts no more:\n  known.yaml:1: 2.8 name, on 2026-03-30\n',
  )
})

describe('--write-known of a verification', () => {
  const entries = (text: string, isDraft = true) =>
    readKnownFindings(text, { source: 'known.yaml', today: '2026-03-31', isDraft }).entries
  const written = (result: VerifyResult, text = '[]') =>
    knownClausesText(result.clauses, entries(text), clause => `what ${clause} says`)

  test('names each clause that differs, but none that differs only since another one does, and wants a reason', () => {
    const text = written(differing)
    expect(entries(text).map(({ clause }) => clause)).toEqual(['2.8 name'])
    expect(text).toContain('\n# what 2.8 name says\n- clause: 2.8 name\n')
    expect(() => entries(text, false)).toThrow('reason: say why it is accepted for now')
    const accepted = readKnownFindings(text.replace('to be filled in', 'mended in May'), {
      source: 'known.yaml',
      today: '2026-03-31',
    })
    expect(acceptDifferences(differing, accepted).verdict).toBe('faithful')
  })

  test('keeps rules, reasons, dates and what was not checked, and removes what holds again', () => {
    const before = `- { rule: R02, reason: later }
- { clause: 2.8 name, reason: MAIL-1, expires: 2026-12-31 }
- { clause: 4.1/5, reason: MAIL-2 }`
    expect(entries(written(differing, before))).toMatchObject(
      entries(before).map(({ line: _, ...entry }) => entry),
    )
    expect(entries(written(mended, before)).map(({ clause, rule }) => clause ?? rule)).toEqual([
      'R02',
      '4.1/5',
    ])
  })
})
