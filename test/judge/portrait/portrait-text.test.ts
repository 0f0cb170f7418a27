import { beforeAll, describe, expect, it } from 'vitest'
import { send as reference } from '../../../examples/clients/reference/send.mjs'
import type { ClientFunction } from '../../../src/judge/exam/client.ts'
import type { Portrait } from '../../../src/judge/portrait/portrait-shape.ts'
import { noiseLines, portraitLines, portraitMarkdown } from '../../../src/judge/portrait/portrait-text.ts'
import { htmlReport } from '../../../src/pages/exam-report.tsx'
import { hostileResult } from '../exam/hostile.ts'
import { explore, explored } from '../explore/clients.ts'

const plans = [
  'undisturbed',
  '500-nothing',
  'reset-nothing',
  'told-pending',
  '503-nothing',
  'limited-nothing',
]

const htmlOf = (portrait: Portrait) => htmlReport({ ...hostileResult(), portrait })

describe('a row of which nothing is claimed', () => {
  /** Of a client that sends or ends at once without knowing more: one of its ends is against the document. */
  let unclaimed: Portrait
  beforeAll(async () => {
    let calls = 0
    const client: ClientFunction = async call => (++calls % 2 ? explored(reference)(call) : 'unknown')
    unclaimed = (await explore(client, { plans })).portrait!
  })

  it('has no objection, although some of its decisions are against the document', () => {
    const [first] = unclaimed.situations
    expect(first).toMatchObject({
      name: 'first attempt',
      isExplained: 'not deterministic',
      rows: [{ action: null, objection: null }],
    })
  })

  it('is marked with ? on the terminal, and the heading says what that means', () => {
    const lines = portraitLines(unclaimed)
    expect(lines).toContainEqual(
      expect.stringMatching(/^\? first attempt +not deterministic \(2 decisions\)$/),
    )
    expect(lines).toContain('What it does (≠: not what the document wants; ?: nothing is claimed)')
  })

  it('is marked with ? in Markdown and HTML', () => {
    expect(portraitMarkdown(unclaimed)).toMatch(/^\| first attempt \| not deterministic .* \| \? \| 2 \|/m)
    expect(htmlOf(unclaimed)).toMatch(/<td>first attempt<\/td><td>\s*<span class="chip calm">\?<\/span>/)
  })

  it('is shown where rows that are as the document wants have to be left out', () => {
    const [first, ...others] = unclaimed.situations
    const row = others.flatMap(({ rows }) => rows).find(({ objection }) => objection === null)!
    const many = { ...others[0]!, rows: Array.from({ length: 40 }, () => row) }
    const lines = portraitLines({ ...unclaimed, situations: [many, first!] })
    expect(lines.length).toBeLessThanOrEqual(30)
    expect(lines.filter(line => line.startsWith('?'))).toHaveLength(1)
  })
})

describe('a portrait that predicts its own client badly', () => {
  const accuracy = { decisions: 121, right: 0.7777, pauses: 60, inRange: 0.5 }
  const words =
    'Too noisy to trust: it predicts 77.7 % of 121 decisions. --warm with waits, or --module, measures pauses exactly; with --speed on a busy machine they are noise.'
  let noisy: Portrait
  let result: Awaited<ReturnType<typeof explore>>
  beforeAll(async () => {
    result = await explore(explored(reference), { plans })
    noisy = { ...result.portrait!, accuracy }
  })

  it('says so in the first line on the terminal', () => {
    expect(portraitLines(noisy)[0]).toBe(words)
  })

  it('says so below the heading in Markdown and HTML, before the table', () => {
    expect(portraitMarkdown(noisy).split('\n')[2]).toBe(`**${words}**`)
    expect(htmlOf(noisy)).toContain(`<h2>What the client does</h2><p><strong>${words}</strong></p>`)
  })

  it('learned in virtual time has no noise, and is told which depth shows more', () => {
    const exam = { began: null, depth: 1, exploration: null }
    const few = 'Too few decisions: it predicts 77.7 % of 121 decisions; --depth 2 shows more.'
    expect(portraitLines(noisy, exam)[0]).toBe(few)
    expect(portraitMarkdown(noisy, exam).split('\n')[2]).toBe(`**${few}**`)
    expect(htmlReport({ ...hostileResult(), ...exam, portrait: noisy })).toContain(`<strong>${few}</strong>`)
    expect(noiseLines({ accuracy }, { ...exam, depth: 2 })[0]).toContain('; --depth 3 shows more.')
  })

  it('of a client that asks for its waits, and waited in real time all the same, it names what makes that exact', () => {
    const exploration = { ...result.exploration, realWaits: 3 }
    const exam = { began: '2030-01-07T09:00:00.000Z', depth: 1, exploration }
    expect(noiseLines({ accuracy }, exam)).toEqual([
      'Too noisy to trust: it predicts 77.7 % of 121 decisions. It waits in real time for a response that comes late or never: give fewer --jobs, or a lower --speed.',
    ])
    const none = { ...exam, exploration: { ...exploration, realWaits: 0 } }
    expect(noiseLines({ accuracy }, none)).toEqual([words])
  })

  it('what was measured in real time is said to be, and so is a row that was seen once or twice', () => {
    const exam = { began: '2030-01-07T09:00:00.000Z', depth: 1, exploration: null }
    const few = {
      ...noisy,
      patience: 44.7,
      situations: noisy.situations.map(it => ({
        ...it,
        rows: it.rows.map(row => ({ ...row, decisions: 2 })),
      })),
    }
    expect(portraitLines(few, exam)).toContain(
      'It waits about 44.7 s for a response, as measured in real time.',
    )
    expect(portraitLines(few, { ...exam, began: null })).toContain('It waits 44.7 s for a response.')
    expect(portraitLines(few).filter(line => / \(seen twice\)(?:;|$)/.test(line)).length).toBeGreaterThan(2)
    const often = noisy.situations.map(it => ({
      ...it,
      rows: it.rows.map(row => ({ ...row, decisions: 3 })),
    }))
    expect(portraitLines({ ...noisy, situations: often }).join()).not.toContain('(seen ')
  })

  it.each([0.9, 1])('one that predicts %d of its decisions says nothing of the kind', right => {
    expect(noiseLines({ accuracy: { ...accuracy, right } })).toEqual([])
  })

  it('one of too few runs to measure says nothing of the kind', () => {
    expect(noiseLines({ accuracy: null })).toEqual([])
  })
})

it('what changed since an earlier portrait stands below a heading, on the terminal, in Markdown and HTML; without one there is none', async () => {
  const { portrait } = await explore(explored(reference), { plans })
  const change = { situations: ['PENDING' as const], before: 'waits', now: 'ends' }
  const predicted = { decisions: 20, right: 1, pauses: 0, inRange: 0 }
  const compared: Portrait = { ...portrait!, changes: [change], predicted }
  const title = 'What changed since the earlier portrait:'
  const lines = portraitLines(compared)
  expect(lines[lines.indexOf(title) + 1]).toBe('  PENDING: it was "waits", it is "ends"')
  expect(portraitMarkdown(compared)).toContain(`\n${title}\n\n- PENDING: it was`)
  expect(htmlOf(compared)).toMatch(new RegExp(`<p>${title}</p>\\s*<ul><li>PENDING: it was`))
  for (const text of [portraitLines(portrait!).join('\n'), portraitMarkdown(portrait!), htmlOf(portrait!)])
    expect(text).not.toContain(title)
})

describe('a comparison with a portrait that predicts its own client badly', () => {
  const good = { decisions: 20, right: 1, pauses: 0, inRange: 1 }
  const bad = { ...good, right: 0.5 }
  let portrait: Portrait
  beforeAll(async () => {
    portrait = (await explore(explored(reference), { plans })).portrait!
  })

  it.each([
    ['the earlier portrait', good, true],
    ['this portrait', bad, true],
    [undefined, good, false],
  ])('it says that it is coarse, and why: %s', (which, accuracy, isCoarse) => {
    const compared: Portrait = { ...portrait, accuracy, isCoarse, changes: [], predicted: good }
    const words = 'The comparison is coarse'
    const why = `${words}, since ${which} predicts its own client badly: it shows only actions that are new in a situation, or gone from it.`
    for (const text of [portraitLines(compared).join('\n'), portraitMarkdown(compared), htmlOf(compared)])
      expect(text.includes(which ? why : words)).toBe(isCoarse)
  })
})
