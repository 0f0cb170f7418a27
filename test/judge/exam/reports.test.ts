import { describe, expect, it } from 'vitest'
import { type CaseFinding, type ExamResult, examJsonSchema } from '../../../src/judge/exam/exam-result.ts'
import { forTerminal } from '../../../src/judge/exam/report-text.ts'
import { examText, junitReport, whyNotPassed } from '../../../src/judge/exam/text-reports.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { examOf, hostileResult, hostileText, ordersOf } from './hostile.ts'

const html = htmlReport(hostileResult())
const junit = junitReport(hostileResult())
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/

/** The names of elements and attributes in a text of tags. */
const tagsIn = (text: string) => [...text.matchAll(/<\/?([a-zA-Z!?][^\s>/]*)([^>]*)>/g)]

describe('the HTML report', () => {
  it('the HTML report has no element that is not its own, whatever a client sends', () => {
    const names = new Set(tagsIn(html).map(([, name]) => name!.toLowerCase()))
    expect([...names].sort()).toEqual(
      expect.not.arrayContaining(['script', 'svg', 'img', 'iframe', 'link', 'object', 'form']),
    )
    expect(names).toContain('details')
  })

  it('the HTML report has no attribute that would run something', () => {
    for (const [, , attributes] of tagsIn(html)) {
      const bare = attributes!.replaceAll(/"[^"]*"/g, '""')
      expect(bare).not.toMatch(/\bon\w+\s*=/)
      expect(bare).not.toMatch(/'/)
    }
  })

  it('the HTML report shows what was sent as text, controls written out', () => {
    expect(html).toContain('&lt;/script&gt;&lt;svg/onload=alert(1)&gt;')
    expect(html).toContain('\\u001b[2J')
    expect(html).not.toMatch(controls)
  })

  it('the HTML report loads nothing and forbids scripts', () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/\bsrc=|url\(|@import/)
    for (const [, to] of html.matchAll(/\bhref="([^"]*)"/g))
      expect(to).toMatch(/^(?:file:\/\/.*\/docs\/conduct\.md)?#[a-zA-Z0-9-]+$/)
  })

  it('the HTML report draws a bar for each request where it was in time, and a mark for what went out', () => {
    const bars = [...html.matchAll(/class="track-bar (\w+)" x="([\d.]+)%" y="3" width="([\d.]+)%"/g)]
    const [disturbed, other] = bars.map(([, kind, x, width]) => ({
      kind,
      x: Number(x),
      width: Number(width),
    }))
    // From 0 to 1 s of 2 s, on a logarithmic scale, and at 2 s.
    expect(disturbed).toMatchObject({ kind: 'disturbed', x: 0 })
    expect(disturbed!.width).toBeGreaterThan(50)
    expect(disturbed!.width).toBeLessThan(80)
    expect(other).toEqual({ kind: 'other', x: 99.2, width: 0.8 })
    const [, mark] = /class="track-mark sent" x="([\d.]+)%"/.exec(html)!
    expect(Number(mark)).toBeCloseTo(disturbed!.width / 2, 1)
    expect(html).toContain('<title>sent at 0.50 s</title>')
  })

  it('the HTML report does not call an exam passed that proved too little, and says why', () => {
    const unproved = { status: 'inconclusive', reason: 'it never fired', findings: [] } as const
    const text = htmlReport(examOf(hostileResult({ ...unproved, findings: [] }).cases))
    expect(text).toContain('<title>Not passed: ')
    expect(text).toContain('Nothing was proved.')
  })

  it('the HTML report is fit for light, dark and paper', () => {
    expect(html).toContain('color-scheme: light dark')
    expect(html).toContain('--text: light-dark(')
    expect(html).toContain('@media print')
  })

  it('the HTML report says so when requests are not drawn', () => {
    expect(htmlReport(hostileResult({ attemptsLeftOut: 7 }))).toContain('7 more requests are not drawn')
  })
})

describe('the JUnit report', () => {
  it('the JUnit report says what harm was done, as the others do', () => {
    const result = hostileResult()
    const cases = result.cases.map(it => ({ ...it, harm: 'Two mailings were sent.' }))
    expect(junitReport({ ...result, cases })).toContain('\nResult: Two mailings were sent.\n')
  })

  it('the JUnit report is well-formed whatever a client sends', () => {
    const open: string[] = []
    for (const [, name, rest] of tagsIn(junit)) {
      if (name === '?xml') continue
      const [text] = [junit.includes(`</${name}>`)]
      expect(text || rest!.endsWith('/')).toBe(true)
      open.push(name!)
    }
    expect(new Set(open)).toEqual(
      new Set([
        'testsuites',
        'testsuite',
        'properties',
        'property',
        'testcase',
        'failure',
        'skipped',
        'system-out',
      ]),
    )
    expect(junit).not.toContain(']]>')
    expect(junit).not.toMatch(controls)
  })

  it('the JUnit report counts failures, and skips what proved nothing', () => {
    expect(junit).toContain('tests="2" failures="1" errors="0" skipped="0"')
    expect([...junit.matchAll(/<(failure|skipped) /g)].map(([, name]) => name)).toEqual([
      'failure',
      'skipped',
    ])
  })

  it('the JUnit report counts as a failure what could have proved something and did not', () => {
    const result = hostileResult({ status: 'inconclusive', reason: 'it never fired' })
    const text = junitReport({ ...result, failed: 0, inconclusive: 2 })
    expect(text).toContain('tests="2" failures="1" errors="0" skipped="1"')
    expect(text).toContain('<failure type="unproved" message="It proved nothing: it never fired">')
  })

  it('the JUnit report names the rules that were broken', () => {
    expect(junit).toContain('<failure type="R02"')
    expect(junit).toContain('\nRead: docs/conduct.md#r02\n')
  })
})

describe('the report on a terminal', () => {
  const text = examText(hostileResult(), { colours: false, isVerbose: true })

  it('the report on a terminal lets nothing through that a terminal would obey', () => {
    expect(text).not.toMatch(controls)
    expect(text).toContain('\\u001b[2J')
  })

  it('the report on a terminal has a line for each case', () => {
    expect(text).toMatch(/^a-case +FAILED +1\.5 s +2 requests$/m)
    expect(text).toMatch(/^another-case +nothing proved +1\.5 s/m)
  })

  it('the report on a terminal says what was expected, what was found, and how to play it again', () => {
    expect(text).toContain(
      'Expected: sent once, client reports "sent". Got: sent 2 times, client reports "unknown".',
    )
    expect(text).toContain('- error R02: ')
    expect(text).toMatch(/^ {2}Reproduce: /m)
  })

  it('mentions what is held against nobody, once', () => {
    const bursts: CaseFinding = {
      ...hostileResult().cases[0]!.findings[0]!,
      rule: 'R27',
      severity: 'information',
      sentence: '9 attempts came in 3 bursts.',
      times: 1,
    }
    const [one] = hostileResult({ status: 'passed', findings: [bursts] }).cases
    const text = examText(examOf([one!, { ...one!, name: 'b' }]), { colours: false, isVerbose: true })
    expect(text).toMatch(
      /^Not held against the client, but worth a look:\n {2}a-case: information R27: 9 attempts came in 3 bursts\./m,
    )
    expect(text.match(/R27/g)).toHaveLength(1)
  })

  it('colours only where it is wanted', () => {
    expect(examText(hostileResult(), { colours: true, isVerbose: true })).toContain('\u001b[31mFAILED')
  })

  it('the report on a terminal says what ended an exam early', () => {
    const ended = examOf([], { ended: 'it was interrupted', isBrokenOff: true })
    expect(examText(ended, { colours: false, isVerbose: true })).toMatch(
      /^Not passed: nothing was played; nothing found .*\nIt ended early: it was interrupted\.$/m,
    )
  })

  it('an exam that ended early and has not passed says both why it ended and why it has not passed', () => {
    const exploration = { runs: 4, inconclusive: 2, unproved: '500-sent: this machine was late' }
    const ended = {
      ...examOf([], { ended: 'the budget is used up' }),
      exploration: exploration as ExamResult['exploration'],
    }
    expect(whyNotPassed({ ...ended, isPassed: false })).toBe(
      'It ended early: the budget is used up. Some plans proved nothing, such as 500-sent: this machine was late',
    )
    expect(whyNotPassed({ ...ended, isPassed: true })).toBe('It ended early: the budget is used up.')
  })
})

it('text without anything odd stays as it is', () => {
  expect(forTerminal('PENDING ⏎ ✓ ä €\n\ttab')).toBe('PENDING ⏎ ✓ ä €\n\ttab')
  expect(forTerminal(hostileText)).not.toMatch(controls)
})

it('the JSON report has a JSON Schema that describes every member', () => {
  const schema = examJsonSchema()
  const members = Object.keys((schema as unknown as { properties: object }).properties)
  const { orders } = ordersOf(hostileText)
  expect(members.sort()).toEqual(Object.keys({ ...hostileResult(), orders }).sort())
})

describe('reports of two workers', () => {
  const shown = ordersOf('takes the lock')

  it('the text shows two columns and the moment from which on both took the mailing for theirs', () => {
    expect(examText(shown, { colours: false, isVerbose: false })).toContain(
      [
        '             worker 1    worker 2',
        '      0.0 s  starts',
        '      0.5 s              takes the lock',
        '             -- from here on both took the mailing for theirs --',
      ].join('\n'),
    )
  })

  it('the text counts orders, not plans, where a mistake shows', () => {
    const [cause, ...others] = shown.causes
    const many = { ...shown, causes: [{ ...cause!, plan: { ...cause!.plan!, found: 109 } }, ...others] }
    const words = examText(many, { colours: false, isVerbose: false })
    expect(words).toContain('It shows in 109 orders.')
    expect(words).toContain('the smallest of 109 orders that show it')
    expect(htmlReport(many)).toContain('in 109 orders')
  })

  it('JUnit has a test case for each plan, which is skipped if not all its orders were played, and the columns of a mistake', () => {
    const xml = junitReport(shown)
    expect(xml).toContain('classname="exam.orders" name="two-workers:undisturbed"')
    expect(xml).toContain('<skipped message="5 orders were played, not all"')
    expect(xml).toContain('name="R02 in two-workers:told-failed@3start"')
    expect(xml).toContain('-- from here on both took the mailing for theirs --')
  })

  it('the HTML report shows what a client said as text in both columns', () => {
    const html = htmlReport(ordersOf('<b>bold</b>'))
    expect(html).toContain('<th>Worker 2</th>')
    expect(html).toContain('&lt;b&gt;bold&lt;/b&gt;')
    expect(html).not.toContain('<b>bold')
  })
})
