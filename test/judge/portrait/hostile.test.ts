import { beforeAll, describe, expect, it } from 'vitest'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import { type Portrait, portrait as shape } from '../../../src/judge/portrait/portrait-shape.ts'
import { portraitLines, portraitMarkdown } from '../../../src/judge/portrait/portrait-text.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { hostileResult, hostileText } from '../exam/hostile.ts'
import { explore, explored } from '../explore/clients.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what must not be there
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u202e]/

/** With hostile text wherever a client, its command line, somebody's scenario or an earlier portrait can put it. */
let hostile: Portrait
beforeAll(async () => {
  const plans = ['undisturbed', '500-nothing', 'told-failed']
  const { portrait } = await explore(explored(reference), { plans })
  hostile = {
    ...portrait!,
    client: hostileText.repeat(1_000),
    situations: portrait!.situations.map(it => ({
      ...it,
      rows: it.rows.map(row => ({
        ...row,
        action: hostileText,
        objection: hostileText,
        when: [{ feature: 'answer', is: 'one of', value: [hostileText] }],
        shownBy: { name: hostileText, isPlan: false },
        reproduce: hostileText,
      })),
    })),
    advice: [{ situation: 'FAILED', row: 0, mends: 1, replayed: 1, met: 1, failed: 1 }],
    predicted: { decisions: 1, right: 1, pauses: 0, inRange: 1 },
    changes: [{ situations: ['FAILED'], before: hostileText, now: hostileText }],
  }
})

describe('a portrait with hostile text', () => {
  it('the terminal gets no control character, and one line for each row', () => {
    const lines = portraitLines(hostile)
    expect(lines.join('')).not.toMatch(controls)
    expect(lines.filter(line => line.includes('\n'))).toEqual([])
    expect(lines.length).toBeLessThanOrEqual(30)
  })

  it('the Markdown has no element, no further cell, and a heading of bounded length', () => {
    const text = portraitMarkdown(hostile)
    expect(text).not.toMatch(/<\/?[a-z]/i)
    expect(text).not.toMatch(controls)
    for (const line of text.split('\n').filter(it => it.startsWith('|')))
      expect(line.match(/(?<!\\)\|/g)).toHaveLength(7)
    expect(text.split('\n')[0]!.length).toBeLessThan(1_000)
  })

  it('the HTML report has no element that is not its own', () => {
    const text = htmlReport({ ...hostileResult(), portrait: hostile })
    expect(text).toContain('What the client does')
    expect(text).not.toMatch(/<script|<svg\/onload|<[^>"]*("[^"]*"[^>"]*)*\bon\w+=/i)
    expect(text).not.toMatch(controls)
  })

  it('an earlier portrait with words that no portrait has is refused', () => {
    const [situation, ...others] = hostile.situations
    const rows = situation!.rows.map(row => ({ ...row, action: 'x'.repeat(1_000) }))
    expect(shape.safeParse({ ...hostile, situations: [{ ...situation, rows }, ...others] }).success).toBe(
      false,
    )
  })
})
