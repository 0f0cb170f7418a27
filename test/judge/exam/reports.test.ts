import { describe, expect, it } from 'vitest'
import { forTerminal } from '../../../src/judge/exam/reports/escaped.ts'
import { htmlReport } from '../../../src/judge/exam/reports/html.ts'
import { junitReport } from '../../../src/judge/exam/reports/junit.ts'
import { table } from '../../../src/judge/exam/reports/table.ts'
import { type CaseFinding, examJsonSchema } from '../../../src/rig/exam-shape.ts'
import { hostileResult, hostileText } from './hostile.ts'

const html = htmlReport(hostileResult())
const junit = junitReport(hostileResult())
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/

/** The names of elements and attributes in a text of tags. */
const tagsIn = (text: string) => [...text.matchAll(/<\/?([a-zA-Z!?][^\s>/]*)([^>]*)>/g)]

describe('the HTML report', () => {
  it('has no element that is not its own, whatever a client sends', () => {
    const names = new Set(tagsIn(html).map(([, name]) => name!.toLowerCase()))
    expect([...names].sort()).toEqual(
      expect.not.arrayContaining(['script', 'svg', 'img', 'iframe', 'link', 'object', 'form']),
    )
    expect(names).toContain('details')
  })

  it('has no attribute that would run something', () => {
    for (const [, , attributes] of tagsIn(html)) {
      const bare = attributes!.replaceAll(/"[^"]*"/g, '""')
      expect(bare).not.toMatch(/\bon\w+\s*=/)
      expect(bare).not.toMatch(/'/)
    }
  })

  it('shows what was sent as text, controls written out', () => {
    expect(html).toContain('&lt;/script&gt;&lt;svg/onload=alert(1)&gt;')
    expect(html).toContain('\\u001b[2J')
    expect(html).not.toMatch(controls)
  })

  it('loads nothing and forbids scripts', () => {
    expect(html).toContain(`content="default-src 'none'; style-src 'unsafe-inline'"`)
    expect(html).not.toMatch(/\bsrc=|url\(|@import/)
    for (const [, to] of html.matchAll(/\bhref="([^"]*)"/g)) expect(to).toMatch(/^#[a-z0-9-]+$/)
  })

  it('draws a bar for each request where it was in time, and a mark for what went out', () => {
    const bars = [...html.matchAll(/class="bar (\w+)" style="left:([\d.]+)%;width:([\d.]+)%"/g)]
    expect(bars.slice(0, 2).map(([, ...bar]) => bar)).toEqual([
      ['disturbed', '0.00', '50.00'],
      ['other', '100.00', '0.00'],
    ])
    expect(html).toMatch(/class="effect sent" style="left:25\.00%"/)
  })

  it('does not call an exam passed that proved too little, and says why', () => {
    const unproved = { status: 'inconclusive', reason: 'it never struck', findings: [] } as const
    const text = htmlReport({ ...hostileResult({ ...unproved, findings: [] }), failed: 0, inconclusive: 2 })
    expect(text).toContain('<title>Not passed: ')
    expect(text).toContain('Not passed: nothing was proved.')
  })

  it('is fit for light, dark and paper', () => {
    expect(html).toContain('color-scheme: light dark')
    expect(html).toContain('@media (prefers-color-scheme: dark)')
    expect(html).toContain('@media print')
  })

  it('says so when requests are not drawn', () => {
    expect(htmlReport(hostileResult({ attemptsLeftOut: 7 }))).toContain('7 more requests are not drawn')
  })
})

describe('the JUnit report', () => {
  it('is well-formed whatever a client sends', () => {
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

  it('counts failures, and skips what proved nothing', () => {
    expect(junit).toContain('tests="2" failures="1" errors="0" skipped="0"')
    expect([...junit.matchAll(/<(failure|skipped) /g)].map(([, name]) => name)).toEqual([
      'failure',
      'skipped',
    ])
  })

  it('counts as a failure what could have proved something and did not', () => {
    const result = hostileResult({ status: 'inconclusive', reason: 'it never struck' })
    const text = junitReport({ ...result, failed: 0, inconclusive: 2 })
    expect(text).toContain('tests="2" failures="1" errors="0" skipped="1"')
    expect(text).toContain('<failure type="unproved" message="It proved nothing: it never struck">')
  })

  it('names the rules that were broken', () => {
    expect(junit).toContain('<failure type="R02"')
  })
})

describe('the table on a terminal', () => {
  const text = table(hostileResult(), { colours: false, isStrict: false })

  it('lets nothing through that a terminal would obey', () => {
    expect(text).not.toMatch(controls)
    expect(text).toContain('\\u001b[2J')
  })

  it('has a line for each case', () => {
    expect(text).toMatch(/^a-case +FAILED +1\.5 s +2 requests {3}R02$/m)
    expect(text).toMatch(/^another-case +nothing proved +1\.5 s/m)
  })

  it('says what was expected, what was found, and how to play it again', () => {
    expect(text).toContain(
      'Expected: it goes out once; the client believes that it sent. Reached: it went out 2 times; the client believes nothing for sure.',
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
    const text = table(
      { ...hostileResult(), cases: [one!, { ...one!, name: 'b' }] },
      { colours: false, isStrict: false },
    )
    expect(text).toMatch(
      /^Held against nobody, but worth a look:\n {2}a-case: information R27: 9 attempts came in 3 bursts\./m,
    )
    expect(text.match(/R27/g)).toHaveLength(1)
  })

  it('colours only where it is wanted', () => {
    expect(table(hostileResult(), { colours: true, isStrict: false })).toContain('\u001b[31mFAILED')
  })

  it('says that an exam was interrupted', () => {
    expect(table({ ...hostileResult(), isWhole: false }, { colours: false, isStrict: false })).toContain(
      'interrupted',
    )
  })
})

it('text without anything odd stays as it is', () => {
  expect(forTerminal('PENDING ⏎ ✓ ä €\n\ttab')).toBe('PENDING ⏎ ✓ ä €\n\ttab')
  expect(forTerminal(hostileText)).not.toMatch(controls)
})

it('the JSON report has a JSON Schema that describes every member', () => {
  const schema = examJsonSchema()
  const members = Object.keys((schema as unknown as { properties: object }).properties)
  expect(members).toEqual(Object.keys(hostileResult()))
})
