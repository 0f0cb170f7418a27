import { describe, expect, it } from 'vitest'
import { progressLine } from '../../../src/cli/progress-line.ts'
import { TruncatedOutput } from '../../../src/judge/exam/output-tail.ts'

it.each([
  ['what fits, as it is', 4, ['abc', 'def'], 'abcdef'],
  ['both ends of what does not', 4, ['abcdef', 'ghijklmnop'], 'abcd\n[8 bytes left out]\nmnop'],
  ['a character that comes in two pieces', 4, [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])], '€'],
])('bounded output keeps %s', (_, most, pieces, text) => {
  const bounded = new TruncatedOutput(most)
  for (const piece of pieces) bounded.add(Buffer.from(piece))
  expect(bounded.text).toBe(text)
})

const progress = (name: string, more: object = {}) => ({
  done: 1,
  all: 3,
  running: ['another\u001b[2J'],
  ended: { name, status: 'failed', realSeconds: 1.25, findings: [], ...more } as never,
})

it('shows progress with live counts on one line of a terminal, no wider than it', () => {
  let shown = ''
  const line = progressLine({ write: text => (shown += text), isTTY: true, columns: 40 })
  line.show(progress('a-case'))
  expect(shown).toBe('\r\u001b[K1/3: 0 passed, 1 failed; now another\\u…')
  line.end()
  expect(shown.endsWith('\r\u001b[K')).toBe(true)
})

it.each([
  [
    'what failed, and what proved nothing though it could have',
    false,
    '1/3 failed a (1.3 s)\n1/3 proved nothing: c (1.3 s)\n',
  ],
  [
    'each case with --verbose',
    true,
    '1/3 failed a (1.3 s)\n1/3 passed b (1.3 s)\n1/3 proved nothing: c (1.3 s)\n1/3 proved nothing: d (1.3 s)\n',
  ],
])('the progress of an exam, where there is no terminal, has a line for %s', (_, isVerbose, lines) => {
  let shown = ''
  const line = progressLine({ write: text => (shown += text) }, isVerbose)
  line.show(progress('a'))
  line.show(progress('b', { status: 'passed' }))
  line.show(progress('c', { status: 'inconclusive', mayProveNothing: false }))
  line.show(progress('d', { status: 'inconclusive', mayProveNothing: true }))
  expect(shown).toBe(lines)
})

describe('after ten cases the progress of an exam says what was wrong in each of them', () => {
  const note = (last: object) => {
    let shown = ''
    const line = progressLine({ write: text => (shown += text) })
    for (let done = 1; done <= 11; done++)
      line.show({
        ...progress('a', done === 10 ? last : { findings: [found('R11'), found('R02')] }),
        done,
        all: 20,
      })
    return shown.split('\n').filter(it => it.startsWith('Each'))
  }
  const found = (rule: string) => ({
    rule,
    severity: 'error',
    status: 'guilty',
    sentence: `what ${rule} says.`,
  })

  it('after ten cases with the same finding the user learns it once', () => {
    expect(note({ findings: [found('R02')] })).toEqual([
      'Each of the first 10 cases failed with R02: what R02 says. Ctrl-C ends the exam and reports what was played.',
    ])
  })

  it('after ten cases of which one has passed there is no such line', () => {
    expect(note({ status: 'passed' })).toEqual([])
  })
})

it('takes 80 columns for granted on a terminal that reports none', () => {
  let shown = ''
  const line = progressLine({ write: text => (shown += text), isTTY: true, columns: 0 })
  line.show(progress('a-case'))
  expect(shown).toBe('\r\u001b[K1/3: 0 passed, 1 failed; now another\\u001b[2J')
})
