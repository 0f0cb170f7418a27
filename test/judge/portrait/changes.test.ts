import { expect, it } from 'vitest'
import { changesSince } from '../../../src/judge/portrait/changes.ts'
import type { Decision } from '../../../src/judge/portrait/decisions.ts'
import type { PortraitRow, PortraitSituation } from '../../../src/judge/portrait/portrait-shape.ts'
import { features } from './features.ts'

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
  changesSince(
    { accuracy: { ...accuracy, right }, situations: [situation(...rows)] },
    [situation(row('end: not-sent', 5))],
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
  ['a row of few decisions', 0.95, split(2), [change]],
  ['the only row of a situation', 0.781, [row('same ID', 2)], [change]],
  ['a row without a claim', 0.781, [row(null, 9)], []],
])(
  'what changed since a portrait, held against %s in a table that predicts %d',
  (_, right, rows, changes) => {
    expect(changesFrom(right, ...rows)).toEqual(changes)
  },
)
