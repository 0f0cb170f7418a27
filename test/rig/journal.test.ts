import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Asked, type Entry, Journal } from '../../src/rig/journal.ts'
import { digestOf } from '../../src/rig/request-facts.ts'

const asked = (id: string): Asked => ({
  id,
  user: 'demo',
  method: 'POST',
  target: '/mailings',
  headers: { host: 'localhost' },
  connection: 1,
  position: 1,
  remotePort: undefined,
  twinOf: undefined,
})

function journal(entries = 1_000, bytes = 1 << 20): Journal {
  let time = 0
  return new Journal({ now: () => time }, { entries, bytes }, () => ++time)
}

const open = (of: Journal, id = 'r0-1') => of.open(asked(id), 0)
const answer = (length: number) => ({ status: 200, headers: {}, body: 'x'.repeat(length) })
const never = new Promise<void>(() => {})

/** What can happen to requests, in any order: `at` chooses one of those that are under way. */
const happening = fc.oneof(
  { weight: 3, arbitrary: fc.constant({ what: 'open' as const, at: 0, length: 0 }) },
  fc.record({
    what: fc.constantFrom('read' as const, 'answered' as const, 'tell' as const, 'close' as const),
    at: fc.nat(20),
    length: fc.nat(30_000),
  }),
  { weight: 1, arbitrary: fc.constant({ what: 'clear' as const, at: 0, length: 0 }) },
)

describe('the journal', () => {
  it('the journal keeps its limits whatever happens, drops the oldest first and knows how many', () => {
    fc.assert(
      fc.property(
        fc.array(happening, { maxLength: 200 }),
        fc.nat(12),
        fc.integer({ min: 1_000, max: 60_000 }),
        (happenings, count, bytes) => {
          const subject = journal(count, bytes)
          const under: Entry[] = []
          let cleared = 0
          for (const { what, at, length } of happenings) {
            const entry = under[at % Math.max(1, under.length)]
            if (what === 'open') under.push(open(subject, `r0-${under.length + 1}`))
            else if (what === 'clear') {
              subject.clear()
              cleared = subject.count
            } else if (!entry) continue
            else if (what === 'read' && !entry.read) subject.recordBody(entry, new Uint8Array(length))
            else if (what === 'answered' && !entry.truth) subject.recordTrueAnswer(entry, answer(length))
            else if (what === 'tell' && !entry.told)
              subject.recordResponse(entry, answer(length), length % 2 === 0)
            else if (what === 'close') subject.close(entry, 'handed', length)

            const kept = subject.entries()
            expect(kept.length).toBeLessThanOrEqual(count)
            expect(subject.bytes).toBeLessThanOrEqual(bytes)
            expect(subject.bytes).toBe(kept.reduce((sum, { chargedBytes }) => sum + chargedBytes, 0))
            // The numbers from the oldest that is kept to the last one have no hole, and the rest was dropped.
            expect(kept.map(({ number }) => number)).toEqual(
              Array.from({ length: kept.length }, (_, n) => subject.count - kept.length + 1 + n),
            )
            expect(subject.dropped).toBe(subject.count - cleared - kept.length)
            expect(subject.isComplete(cleared)).toBe(subject.dropped === 0)
            expect(subject.isComplete(subject.count - kept.length)).toBe(true)
            expect(under.filter(({ isDropped }) => !isDropped)).toEqual(kept)
          }
        },
      ),
    )
  })

  it('the journal counts every byte that it keeps: headers, body, the true answer and another one that was told', () => {
    const subject = journal()
    const entry = subject.open({ ...asked('r0-1'), headers: { 'x-long': 'h'.repeat(5_000) } }, 0)
    const opened = subject.bytes
    expect(opened).toBeGreaterThan(5_000)
    subject.recordBody(entry, new Uint8Array(100))
    subject.recordTrueAnswer(entry, answer(200))
    subject.recordResponse(entry, answer(400), false)
    expect(subject.bytes).toBe(opened + 700)
  })

  it('the journal counts an answer once that is told as it truly is', () => {
    const subject = journal()
    const entry = open(subject)
    const opened = subject.bytes
    subject.recordTrueAnswer(entry, answer(200))
    subject.recordResponse(entry, answer(200), true)
    expect(subject.bytes).toBe(opened + 200)
  })

  it('an entry that was dropped while it was open goes on without harm, and weighs nothing', () => {
    const subject = journal(1)
    const dropped = open(subject, 'r0-1')
    const kept = open(subject, 'r0-2')
    const before = subject.bytes
    subject.recordBody(dropped, new Uint8Array(5_000))
    subject.recordTrueAnswer(dropped, answer(5_000))
    subject.recordResponse(dropped, answer(5_000), false)
    subject.close(dropped, 'handed', 5_000)
    expect(subject.bytes).toBe(before)
    expect(subject.entries()).toEqual([kept])
    expect([dropped.isDropped, dropped.delivered]).toEqual([true, 'handed'])
    expect(subject.find('r0-1')).toBeUndefined()
  })

  it('with room for none, counts all and keeps none', () => {
    const subject = journal(0)
    for (let n = 0; n < 3; n++) subject.close(open(subject), 'handed', 1)
    expect([subject.count, subject.dropped, subject.entries(), subject.bytes]).toEqual([3, 3, [], 0])
    expect(subject.isComplete()).toBe(false)
  })

  it('the journal closes an entry once: how it left first is how it left', () => {
    const subject = journal()
    const entry = open(subject)
    subject.close(entry, 'aborted', 0)
    const { ended } = entry
    subject.close(entry, 'handed', 10)
    expect([entry.delivered, entry.bytesSent, entry.ended]).toEqual(['aborted', 0, ended])
  })

  it('of a long body keeps the beginning, and what tells it from others', () => {
    const subject = journal()
    const entry = open(subject)
    const body = Buffer.from(JSON.stringify({ name: 'n'.repeat(20_000), transactionId: 'order:1' }))
    subject.recordBody(entry, body)
    expect([entry.body!.length, entry.bodyBytes]).toEqual([16 << 10, body.length])
    expect(entry.digest).toEqual(digestOf(body))
    expect(entry.digest!.transactionId).toBe('order:1')
  })

  it('the journal keeps a copy of the beginning of a long body, not the whole of it', () => {
    const subject = journal()
    const entry = open(subject)
    subject.recordBody(entry, new Uint8Array(1 << 20))
    expect(entry.body!.buffer.byteLength).toBe(16 << 10)
  })
})

describe('waiting for the journal', () => {
  it('waiting for the journal is over at once when what is waited for is there', async () => {
    const subject = journal()
    open(subject)
    expect(await subject.waitUntil(() => subject.count === 1, never)).toBe(true)
  })

  it('waiting for the journal is over when an entry opens, is read or closes that makes the condition hold', async () => {
    const subject = journal()
    const seen: string[] = []
    const met = subject.waitUntil(changed => {
      if (!changed) return false
      seen.push(changed.ended ? 'closed' : changed.read ? 'read' : 'opened')
      return seen.length === 3
    }, never)
    const entry = open(subject)
    subject.recordBody(entry, new Uint8Array())
    subject.close(entry, 'handed', 0)
    expect(await met).toBe(true)
    expect(seen).toEqual(['opened', 'read', 'closed'])
    expect(subject.waiting).toBe(0)
  })

  it('waiting for the journal sees entries that have to make room at once', async () => {
    const subject = journal(0)
    const met = subject.waitUntil(changed => changed?.number === 2, never)
    open(subject)
    open(subject)
    expect(await met).toBe(true)
  })

  it('waiting for the journal ends in vain when whoever waits has left, and looks at nothing any more', async () => {
    const subject = journal()
    let leave = () => {}
    const left = new Promise<void>(resolve => {
      leave = resolve
    })
    let looked = 0
    const met = subject.waitUntil(() => ++looked > 1, left)
    leave()
    expect(await met).toBe(false)
    open(subject)
    expect([looked, subject.waiting]).toEqual([1, 0])
  })

  it('waiting for the journal ends in vain when the space ends, also for who comes too late', async () => {
    const subject = journal()
    const met = subject.waitUntil(() => false, never)
    subject.end()
    expect(await met).toBe(false)
    expect(await subject.waitUntil(() => false, never)).toBe(false)
  })

  it('waiting for the journal asks each of many waiters about a new entry only', async () => {
    const subject = journal()
    for (let n = 0; n < 500; n++) open(subject)
    let looked = 0
    const all = Array.from({ length: 200 }, () =>
      subject.waitUntil(changed => {
        if (changed) looked++
        return changed !== undefined
      }, never),
    )
    open(subject)
    await Promise.all(all)
    expect(looked).toBe(200)
  })
})
