import { describe, expect, it } from 'vitest'
import { RecordReader } from '../../src/rig/record-reader.ts'
import type { RequestRecord } from '../../src/rig/request-record.ts'
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
