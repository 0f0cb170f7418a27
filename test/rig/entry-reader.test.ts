import { describe, expect, it } from 'vitest'
import type { Entry } from '../../src/rig/entry.ts'
import { EntryReader } from '../../src/rig/entry-reader.ts'
import { Journal } from '../../src/rig/journal.ts'

const journal = new Journal({ now: () => 0 })
const opened = () =>
  journal.open(
    {
      id: 'r1',
      user: 'demo',
      method: 'POST',
      target: '/mailings',
      headers: {},
      connection: 0,
      position: 1,
      remotePort: undefined,
      twinOf: undefined,
    },
    0,
  )

/** Makes something of entries, and counts how often. */
function counting() {
  const made: Entry[] = []
  const make = (entry: Entry) => {
    made.push(entry)
    return { status: entry.truth?.status }
  }
  return { made, make }
}

describe('what is made of an entry', () => {
  it('is made once, when that has come to its end', () => {
    const reader = new EntryReader('mailing-platform')
    const { made, make } = counting()
    const entry = opened()
    journal.close(entry, 'handed', 0)
    expect(reader.once(entry, make)).toBe(reader.once(entry, make))
    expect(made).toEqual([entry])
  })

  it('is made anew each time while it is under way', () => {
    const reader = new EntryReader('mailing-platform')
    const { made, make } = counting()
    const entry = opened()
    reader.once(entry, make)
    reader.once(entry, make)
    expect(made).toHaveLength(2)
  })

  it('is made anew when the work is done after the client has left', () => {
    const reader = new EntryReader('mailing-platform')
    const { make } = counting()
    const entry = opened()
    journal.close(entry, 'aborted', 0)
    expect(reader.once(entry, make)).toEqual({ status: undefined })
    journal.answered(entry, { status: 201, headers: {}, body: '' })
    expect(reader.once(entry, make)).toEqual({ status: 201 })
  })

  it('is another thing for everybody who makes one', () => {
    const reader = new EntryReader('mailing-platform')
    const entry = opened()
    journal.close(entry, 'handed', 0)
    expect([reader.once(entry, () => 'one'), reader.once(entry, () => 'other')]).toEqual(['one', 'other'])
  })
})
