import { describe, expect, it } from 'vitest'
import { changesSince } from '../../../src/judge/portrait/changes.ts'
import type { Decision } from '../../../src/judge/portrait/decisions.ts'
import type { Portrait, PortraitRow, PortraitSituation } from '../../../src/judge/portrait/portrait-shape.ts'
import { changeLines } from '../../../src/judge/portrait/portrait-text.ts'
import { features } from './features.ts'

const changesBetween = (...them: Parameters<typeof changesSince>) => changesSince(...them).changes

const row = (action: string | null, decisions: number, when: PortraitRow['when'] = []): PortraitRow => ({
  ...{ when, action, pause: null, decisions, others: 0, objection: null },
  ...{ shownBy: { name: 'undisturbed', isPlan: true }, reproduce: null },
})
const situation = (...rows: PortraitRow[]): PortraitSituation => ({
  ...{ name: 'another 4xx', document: '', decisions: 5, isExplained: 'yes', rows },
})
const attempts = (is: 'at most' | 'more than') => ({ feature: 'attempts', is, value: 1 }) as const
const decision: Decision = {
  ...{ situation: 'another 4xx', features: { ...features, attempts: 2 }, action: 'end: not-sent' },
  ...{ pause: undefined, history: '', moves: [], run: 0 },
}
const accuracy = { decisions: 32, right: 0.781, pauses: 0, inRange: 1 }
const changesFrom = (right: number, ...rows: PortraitRow[]) =>
  changesBetween(
    { accuracy: { ...accuracy, right }, situations: [situation(...rows)] },
    { accuracy: null, situations: [situation(row('end: not-sent', 5))] },
    [decision],
  )

/** A situation that is split by a limit, with so many decisions above it. */
const split = (decisions: number) => [
  row('end: not-sent', 3, [attempts('at most')]),
  row('same ID', decisions, [attempts('more than')]),
]
const change = {
  situations: ['another 4xx'],
  before: 'repeats the same ID',
  now: 'ends: "not sent"',
}

it.each([
  ['a row that rests on few decisions', 0.781, split(2), []],
  ['a row that rests on many decisions', 0.781, split(20), [change]],
  ['a row of few decisions', 0.95, split(2), [{ ...change, when: [attempts('more than')] }]],
  ['the only row of a situation', 0.781, [row('same ID', 2)], [change]],
  ['a row without a claim', 0.781, [row(null, 9)], []],
])(
  'what changed since a portrait, held against %s in a table that predicts %d',
  (_, right, rows, changes) => {
    expect(changesFrom(right, ...rows)).toEqual(changes)
  },
)

it('a change of a limit alone says between which limits, and after which answers, it does otherwise', () => {
  const refused = { feature: 'answer', is: 'one of', value: ['400', '401'] } as const
  const after = (limit: number) => [
    row('same ID', 8, [
      { feature: 'attempts', is: 'at most', value: limit },
      { ...refused, value: ['400', '401'] },
    ]),
    row('end: unknown', 8, [{ feature: 'attempts', is: 'more than', value: limit }]),
  ]
  const decisions = [4, 5].map(count => ({
    ...{ ...decision, action: 'same ID' },
    features: { ...features, attempts: count, answer: '401' },
  }))
  const tables = [3, 5].map(limit => ({ accuracy, situations: [situation(...after(limit))] }))
  const [before, today] = tables.map(it => ({ ...it, accuracy: { ...accuracy, right: 1 } }))
  const changes = changesBetween(before!, today!, decisions)
  expect(changes).toEqual([
    {
      situations: ['another 4xx'],
      when: [
        { feature: 'attempts', is: 'more than', value: 3 },
        { feature: 'attempts', is: 'at most', value: 5 },
        { ...refused, value: ['401'] },
      ],
      before: 'ends: "unknown"',
      now: 'repeats the same ID',
    },
  ])
  const portrait = { changes, predicted: accuracy, accuracy: null } as Partial<Portrait> as Portrait
  expect(changeLines(portrait)[0]).toBe(
    'Another 4xx; attempts with this ID > 3; attempts with this ID ≤ 5; it got 401: it was "ends: "unknown"", it is "repeats the same ID"',
  )
})

describe('where one of two portraits predicts its own client badly', () => {
  const bad = { ...accuracy, right: 0.8 }
  const good = { ...accuracy, right: 0.99 }
  /** Of today all attempts but the first are followed by the same ID, and so they are in a row of before. */
  const before = situation(
    row('same ID', 20, [attempts('at most')]),
    row('end: unknown', 20, [attempts('more than')]),
  )
  const today = (...rows: PortraitRow[]) =>
    changesBetween(
      { accuracy: good, situations: [before] },
      { accuracy: bad, situations: [situation(...rows)] },
      [{ ...decision, action: 'same ID' }],
    )
  const both = (decisions: number) => [
    row('end: unknown', 9, [attempts('at most')]),
    row('same ID', decisions, [attempts('more than')]),
  ]

  it.each([
    ['today', good, bad],
    ['earlier', bad, good],
  ])('rows that hold under other conditions are no change, if it is the one of %s', (_, was, is) => {
    const [one, other] = [before, situation(...both(20))]
    const [earlier, now] = [
      { accuracy: was, situations: [one] },
      { accuracy: is, situations: [other] },
    ]
    expect(changesBetween(earlier, now, [{ ...decision, action: 'same ID' }])).toEqual([])
    expect(
      changesBetween({ ...earlier, accuracy: good }, { ...now, accuracy: good }, [
        { ...decision, action: 'same ID' },
      ]),
    ).toHaveLength(1)
  })

  it('an action that no earlier row has is a change, unless its row rests on few decisions', () => {
    const rowsWith = (count: number) => [...both(20), row('new ID', count, [attempts('more than')])]
    const words = { before: 'repeats the same ID or ends: "unknown"', now: 'sends a new ID' }
    expect(today(...rowsWith(5))).toEqual([{ situations: ['another 4xx'], ...words }])
    expect(today(...rowsWith(4))).toEqual([])
  })

  it('an action that no row has any more is a change, whatever the pauses are', () => {
    const words = { before: 'ends: "unknown"', now: 'repeats the same ID' }
    expect(today(row('same ID', 20))).toEqual([{ situations: ['another 4xx'], ...words }])
  })

  it('a situation of which today nothing is claimed shows no change', () => {
    expect(today(row(null, 20))).toEqual([])
  })

  it('a situation that was never seen before is a change', () => {
    const now = { accuracy: bad, situations: [situation(row('same ID', 1))] }
    const words = { before: 'never seen', now: 'repeats the same ID' }
    expect(changesBetween({ accuracy: good, situations: [] }, now, [])).toEqual([
      { situations: ['another 4xx'], ...words },
    ])
  })
})
