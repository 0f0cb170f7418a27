import { describe, expect, it } from 'vitest'
import type { Decision, Features } from '../../../src/judge/portrait/decisions.ts'
import { growRows } from '../../../src/judge/portrait/rows.ts'
import { seededChance } from '../../../src/rig/chance.ts'
import { features } from './features.ts'

const decide = (action: string, more: Partial<Features> = {}): Decision => ({
  situation: '5xx',
  features: { ...features, ...more },
  action,
  pause: 1,
  history: '',
  moves: [],
  run: 0,
})
const numbers = Array.from({ length: 40 }, (_, at) => at + 1)
const shapeOf = (decisions: readonly Decision[]) =>
  growRows(decisions)?.map(({ when, action }) => [
    when.map(({ feature, is, value }) => `${feature} ${is} ${value}`).join(', '),
    action,
  ])

describe('rows of a situation', () => {
  it('a client that always does the same has one row', () => {
    expect(shapeOf(numbers.map(attempts => decide('same ID', { attempts })))).toEqual([['', 'same ID']])
  })

  it('a client that gives up after five attempts has a row for each side of that limit', () => {
    const decisions = numbers.map(attempts =>
      decide(attempts <= 5 ? 'same ID' : 'end: unknown', { attempts }),
    )
    expect(shapeOf(decisions)).toEqual([
      ['attempts at most 5', 'same ID'],
      ['attempts more than 5', 'end: unknown'],
    ])
  })

  it('what depends on two answers in a row is found', () => {
    const decisions = numbers.flatMap(times =>
      ['PENDING', '429', 'FAILED'].map(previous =>
        decide(previous === '429' && times === 1 ? 'new ID' : 'same ID', { previous, times }),
      ),
    )
    const rows = growRows(decisions)!
    expect(
      rows
        .find(({ action }) => action === 'new ID')!
        .when.map(({ feature, value }) => `${feature} ${value}`)
        .sort(),
    ).toEqual(['previous 429', 'times 1'])
  })

  it('of a client that throws a coin no row is claimed', () => {
    const chance = seededChance(1, 'coin')
    const decisions = numbers.map(attempts =>
      decide(chance.fraction(attempts) < 0.5 ? 'same ID' : 'new ID', {
        attempts,
        idAge: chance.fraction('age', attempts),
      }),
    )
    expect(growRows(decisions)).toBeUndefined()
  })

  it('two decisions are too few for two rows', () => {
    expect(growRows([decide('same ID'), decide('new ID', { attempts: 2 })])).toBeUndefined()
  })
})
