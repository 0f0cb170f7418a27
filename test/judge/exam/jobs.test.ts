import { expect, it, vi } from 'vitest'
import { progressLine } from '../../../src/cli/progress-line.ts'
import { TruncatedOutput } from '../../../src/judge/exam/output-tail.ts'
import { adviceWords, type ExamProgress } from '../../../src/judge/exam/run-exam.ts'
import { type OrderPlayer, playOrders } from '../../../src/judge/orders/play-orders.ts'
import { ordersOf } from './hostile.ts'

it.each([
  ['what fits, as it is', 4, ['abc', 'def'], 'abcdef'],
  ['both ends of what does not', 4, ['abcdef', 'ghijklmnop'], 'abcd\n[8 bytes left out]\nmnop'],
  ['a character that comes in two pieces', 4, [Buffer.from([0xe2, 0x82]), Buffer.from([0xac])], '€'],
])('bounded output keeps %s', (_, most, pieces, text) => {
  const bounded = new TruncatedOutput(most)
  for (const piece of pieces) bounded.add(Buffer.from(piece))
  expect(bounded.text).toBe(text)
})

const pause = (milliseconds: number) => new Promise(resolve => setTimeout(resolve, milliseconds))

const progress = (name: string, more: object = {}, change: Partial<ExamProgress> = {}): ExamProgress => ({
  depth: undefined,
  done: 1,
  all: 3,
  failed: 1,
  running: ['another\u001b[2J'],
  ended: { name, status: 'failed', realSeconds: 1.25, findings: [], ...more } as never,
  ...change,
})

it('shows progress with live counts on one line of a terminal, no wider than it', () => {
  let shown = ''
  const line = progressLine({ write: text => (shown += text), isTTY: true, columns: 40 })
  line.show(progress('a-case'))
  expect(shown).toBe('\r\u001b[K1/3: 1 not passed; now another\\u001b[2J')
  line.end()
  expect(shown.endsWith('\r\u001b[K')).toBe(true)
})

it.each([
  [
    'what failed, and what proved nothing though it could have',
    false,
    '1/3 not passed: a (1.3 s)\n1/3 proved nothing: c (1.3 s)\n',
  ],
  [
    'each case with --verbose',
    true,
    '1/3 not passed: a (1.3 s)\n1/3 passed b (1.3 s)\n1/3 proved nothing: c (1.3 s)\n1/3 proved nothing: d (1.3 s)\n',
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

it('the progress of an exam has a line for each depth of plans that is done', () => {
  let shown = ''
  const line = progressLine({ write: text => (shown += text) })
  const plans = { depth: 1, all: 2, running: [], ended: undefined }
  line.show(progress('', {}, { ...plans, done: 1, failed: 0 }))
  line.show(progress('', {}, { ...plans, done: 2, failed: 1 }))
  expect(shown).toBe('depth 1: 2/2 plans, 1 not passed\n')
})

it('the progress of an exam of two workers has a line for each plan that did not pass, and signs of life', () => {
  let shown = ''
  const line = progressLine({ write: text => (shown += text) })
  const plans = { depth: 1, all: 2, ended: undefined, running: ['two-workers:killed'] }
  const endedPlan = { plan: 'two-workers:undisturbed', runs: 20, failed: 3 }
  line.show(progress('', {}, { ...plans, done: 0, failed: 0 }))
  line.show(progress('', {}, { ...plans, done: 0, failed: 0, isLifeSign: true }))
  line.show(progress('', {}, { ...plans, done: 1, failed: 1, endedPlan }))
  const last = { plan: 'two-workers:killed', runs: 1, failed: 0 }
  line.show(progress('', {}, { ...plans, running: [], done: 2, failed: 1, endedPlan: last }))
  expect(shown).toBe(
    'depth 1: 0/2 plans, 0 not passed, after 0 s; now two-workers:killed\n' +
      '1/2 not passed: two-workers:undisturbed (3 of 20 orders)\n' +
      'depth 1: 2/2 plans, 1 not passed\n',
  )
})

it('two workers are shown at work from the beginning, and every half minute', async () => {
  vi.useFakeTimers()
  const told: ExamProgress[] = []
  const player: OrderPlayer = {
    isExact: true,
    play: async plan => {
      await pause(70_000)
      const { orders } = ordersOf('')
      return { ...orders.plans[0]!, plan, failed: 2, divergence: null, findings: [], digest: '' }
    },
  }
  const settings = { client: 'a', seed: 1, speed: 1, jobs: 1, budget: undefined, isStrict: false }
  const ended = playOrders(
    player,
    { depth: 1, plans: ['two-workers:undisturbed'] },
    {
      ...{ ...settings, endsWithAdvice: false, signal: new AbortController().signal },
      ...{ limitOf: () => 1, reproduce: () => null, onProgress: it => told.push(it) },
    },
  )
  await vi.advanceTimersByTimeAsync(200_000)
  vi.useRealTimers()
  await ended
  expect(told.map(it => [it.running.length, it.isLifeSign ?? false, it.endedPlan?.failed])).toEqual([
    [1, false, undefined],
    [1, true, undefined],
    [1, true, undefined],
    [0, false, 2],
  ])
})

it('the progress of an exam says that a case is still being played, and how long it may take', () => {
  let shown = ''
  progressLine({ write: text => (shown += text) }).show(
    progress('', {}, { ended: undefined, late: { name: 'reset-after', limit: 60_000 } }),
  )
  expect(shown).toBe('reset-after has been played for 30 s; it is ended after 1 min.\n')
})

it('the progress of an exam says what to mend first as soon as it is known', () => {
  let shown = ''
  const advice = '3 of the first 4 runs failed, most of them (2) with R02, New transactionId'
  progressLine({ write: text => (shown += text) }).show(progress('', {}, { ended: undefined, advice }))
  expect(shown).toBe(
    `${advice}. Ctrl-C ends the exam and reports what was played; --bail does that by itself.\n`,
  )
})

it.each([
  [3, 2, '3 of the first 4 runs failed, most of them (2) with R02, New transactionId'],
  [1, 1, '1 of the first 4 runs failed, with R02, New transactionId'],
])(
  'what to mend first after %i failed runs is said of most of them, or of the only one',
  (failed, count, words) => {
    expect(adviceWords({ all: 4, failed, rule: 'R02', count })).toBe(`${words} after an error or a timeout`)
  },
)
