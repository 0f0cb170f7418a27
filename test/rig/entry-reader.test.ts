import { describe, expect, it } from 'vitest'
import { RecordReader } from '../../src/rig/record-reader.ts'
import type { RequestRecord } from '../../src/rig/request-record.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { recordOf } from './records.ts'

const ended = { real: 1, clock: 1 }

/** Makes something of entries, and counts how often. */
function counting() {
  const made: RequestRecord[] = []
  const make = (entry: RequestRecord) => {
    made.push(entry)
    return { status: entry.truth?.status }
  }
  return { made, make }
}

describe('what is made of an entry', () => {
  it('what is made of an entry is made once, when that has come to its end', () => {
    const reader = new RecordReader('mailing-platform')
    const { made, make } = counting()
    const entry = recordOf({ ended })
    expect(reader.memoize(entry, make)).toBe(reader.memoize(entry, make))
    expect(made).toEqual([entry])
  })

  it('what is made of an entry is made anew each time while it is under way', () => {
    const reader = new RecordReader('mailing-platform')
    const { made, make } = counting()
    const entry = recordOf()
    reader.memoize(entry, make)
    reader.memoize(entry, make)
    expect(made).toHaveLength(2)
  })

  it('what is made of an entry is made anew when the work is done after the client has left', () => {
    const reader = new RecordReader('mailing-platform')
    const { make } = counting()
    const entry = recordOf({ ended, delivered: 'aborted' })
    expect(reader.memoize(entry, make)).toEqual({ status: undefined })
    entry.truth = { status: 201, headers: {}, body: '' }
    expect(reader.memoize(entry, make)).toEqual({ status: 201 })
  })

  it('what is made of an entry is another thing for everybody who makes one', () => {
    const reader = new RecordReader('mailing-platform')
    const entry = recordOf({ ended })
    expect([reader.memoize(entry, () => 'one'), reader.memoize(entry, () => 'other')]).toEqual([
      'one',
      'other',
    ])
  })
})

describe('what follows from a body', () => {
  const bodyOf = (n: number) => Buffer.from(JSON.stringify({ n, text: 'x'.repeat(5_000) }))

  it('is made once, also while its request is under way', () => {
    const reader = new RecordReader('mailing-platform')
    const { made, make } = counting()
    const body = bodyOf(1)
    for (const more of [{}, { ended }]) reader.memoizeOfBody(recordOf({ body, ...more }), make)
    expect(made).toHaveLength(1)
    expect(reader.digest(recordOf({ body }))).toBe(reader.digest(recordOf({ body, ended })))
  })

  it('is made of a whole journal in several turns of the event loop', async () => {
    const reader = new RecordReader('mailing-platform')
    const records = Array.from({ length: 100 }, (_, n) => recordOf({ body: bodyOf(n) }))
    const madeIn = new Map<number, number>()
    let turn = 0
    let isOver = false
    const count = () => {
      turn++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const make = () => madeIn.set(turn, (madeIn.get(turn) ?? 0) + 1)
    await reader.prepare(records, make)
    isOver = true
    expect([...madeIn.values()].reduce((sum, each) => sum + each, 0)).toBe(100)
    expect(Math.max(...madeIn.values())).toBeLessThanOrEqual(7)
  })

  it('is forgotten when memory is short, and its memory is given back', () => {
    const budget = new MemoryBudget()
    const reader = new RecordReader('mailing-platform', undefined, budget.share('caches'))
    const record = recordOf({ body: bodyOf(1), ended })
    const digest = reader.digest(record)
    expect(budget.use().kinds.caches).toBeGreaterThan(5_000)
    reader.clear()
    expect(budget.use().kinds.caches).toBe(0)
    expect(reader.digest(record)).not.toBe(digest)
  })
})
