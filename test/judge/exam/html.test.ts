import { describe, expect, it } from 'vitest'
import type { CaseFinding, CaseResult } from '../../../src/judge/exam/exam-result.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { examOf, hostileResult } from './hostile.ts'

const one = 'a4f7ebd5-5077-4a4c-a7aa-ca6697dae02e'
const two = '29c9e232-1b5d-4a1d-9b23-2bfbabb09133'

const silence: CaseFinding = {
  rule: 'R02',
  severity: 'error',
  status: 'guilty',
  sentence: `r1-1 with transactionId "${one}" got no response; r1-2 came with transactionId "${two}" instead of the same one.`,
  clause: '4.1/8',
  evidence: ['r1-1', 'r1-2'],
  remedy: 'Repeat with the same one.',
  times: 4,
}
const late: CaseFinding = { ...silence, rule: 'R18', severity: 'warning', sentence: 'Too early.', times: 1 }

const attempt = (at: number, transactionId: string | null): CaseResult['attempts'][number] => ({
  ...hostileResult().cases[0]!.attempts[0]!,
  id: `r1-${at + 1}`,
  at,
  until: at + 0.5,
  transactionId,
  told: 'nothing (reset)',
  truth: '201 CREATED, sent',
})

/** A case in which a client sent twice. */
const twice = (name: string, more: Partial<CaseResult> = {}): CaseResult => ({
  ...hostileResult().cases[0]!,
  name,
  description: 'The connection breaks.',
  reason: null,
  findings: [silence],
  attempts: [attempt(0, one), attempt(1, two)],
  attemptsLeftOut: 0,
  brokenConnections: 0,
  ...more,
})

const report = (cases: readonly CaseResult[]): string => htmlReport(examOf(cases))

const text = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ')

it('the HTML report gives times that are rounded up to a whole minute as such', () => {
  const late = { ...attempt(0, one), at: 179.6, until: 299.97 }
  const shown = text(report([twice('one', { attempts: [late] })]))
  expect(shown).toContain(' 0 to 5 min, not to scale ')
  expect(shown).toContain(' 3 min 1. ID A ')
})

describe('the HTML report tells a stranger', () => {
  it('what a rule means, by a link within the report, since it may be read without a mock', () => {
    const html = report([twice('one', { findings: [silence, late] })])
    const links = [...html.matchAll(/<a class="chip \w+" href="#([^"]+)"/g)].map(([, id]) => id)
    expect([...new Set(links)]).toEqual(['error-R02', 'warning-R18'])
    for (const id of links)
      expect(html).toContain(`<li class="${/^e/.test(id!) ? 'bad' : 'warn'}" id="${id}">`)
  })

  it('first what is wrong in all, each thing once, with the gravest and most frequent first', () => {
    const html = report([
      twice('one', { findings: [late] }),
      twice('two', { findings: [silence, late] }),
      twice('three'),
    ])
    const [, summary = ''] = /<section class="summary">(.*?)<\/section>/s.exec(html) ?? []
    expect(text(summary)).toMatch(
      /What is wrong The folder docs .* R02 New transactionId after an error or a timeout in 2 cases, shown by two The client uses another transactionId.* Document: 4\.1\/8\. Read: docs\/conduct\.md#r02 Do: Repeat with the same one\. R18 Retry-After ignored in 2 cases/,
    )
  })

  it('where to read on, by a path in the package, since a link to a file of this machine is dead elsewhere', () => {
    const html = report([twice('one')])
    expect(text(html)).toContain('a running mock shows it under /_mock/docs.')
    expect(text(html)).toContain('Read: docs/conduct.md#r02')
    expect(html).not.toContain('file:')
  })

  it('nothing of that where nothing is wrong', () => {
    const html = report([twice('one', { findings: [], status: 'passed' })])
    expect(html).not.toContain('What is wrong')
  })

  it('what was expected, what was reached, and that they differ', () => {
    const html = report([twice('one'), twice('two', { reached: { sent: 1, belief: 'sent' } })])
    expect(text(html)).toContain(
      'Expected sent once, client reports "sent" Got sent 2 times, client reports "unknown"',
    )
    expect(html.match(/class="differs"/g)).toHaveLength(1)
  })

  it('which rule was broken, in words, how often, and by which requests', () => {
    expect(text(report([twice('one')]))).toContain(
      'R02 New transactionId after an error or a timeout r1-1 with ID A got no response; r1-2 came with ID B instead of the same one. And 3 more like it. Document: 4.1/8. Requests r1-1, r1-2',
    )
  })

  it('that something cannot be known', () => {
    const html = report([twice('one', { findings: [{ ...silence, status: 'open' }] })])
    expect(text(html)).toContain('(it cannot be known)')
  })

  it('at a glance what was found in a case that is folded', () => {
    const [, summary = ''] = /<summary>(.*?)<\/summary>/s.exec(report([twice('one')])) ?? []
    expect(text(summary)).toMatch(/one R02 1\.5 s/)
  })

  it('what its signs mean, of those that it draws', () => {
    const html = report([twice('one', { effects: [] })])
    expect(text(html)).toContain('asks for a sending, and the case disturbs it')
    expect(text(html)).not.toContain('really sent')
  })

  it('that connections broke before a request could come', () => {
    const html = report([twice('one', { brokenConnections: 2 })])
    expect(text(html)).toContain(
      '2 connections met the trouble of this case before a request could come over them',
    )
  })
})

describe('of many failed cases, the HTML report unfolds', () => {
  const opened = (html: string) =>
    [...html.matchAll(/<details class="case bad" id="([^"]+)" open="">/g)].map(([, name]) => name)

  it('the one that shows each thing best', () => {
    const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map(name =>
      twice(name, name === 'e' ? { findings: [silence, late] } : {}),
    )
    expect(opened(report(many))).toEqual(['a', 'e'])
  })
})

describe('of many requests, the HTML report draws', () => {
  const flood = Array.from({ length: 60 }, (_, at) => attempt(at, one))

  it('the first and the last, and counts those between', () => {
    const html = report([twice('one', { attempts: flood, attemptsLeftOut: 300 })])
    expect(html.match(/<td class="step-track">/g)).toHaveLength(30)
    expect(text(html)).toContain('330 more requests are not drawn')
    expect(text(html)).toContain('360. ID A r1-60')
  })

  it('all where they are few', () => {
    const html = report([twice('one', { attempts: flood.slice(0, 30) })])
    expect(html.match(/<td class="step-track">/g)).toHaveLength(30)
    expect(html).not.toContain('not drawn')
  })
})
