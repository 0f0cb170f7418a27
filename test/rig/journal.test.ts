import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Journal } from '../../src/rig/journal.ts'
import { RequestContext } from '../../src/rig/request-context.ts'
import { digestOf } from '../../src/rig/request-facts.ts'
import { type RequestRecord, recordBody } from '../../src/rig/request-record.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { startMock } from '../mock.ts'
import { recordOf } from './records.ts'

function journal(entries = 1_000, bytes = 1 << 20): Journal {
  let time = 0
  return new Journal({ entries, bytes }, new MemoryBudget().share('journals'), () => ++time)
}

function open(of: Journal, more: Partial<RequestRecord> = {}): RequestRecord {
  const record = recordOf({ id: `r0-${of.count + 1}`, number: of.count + 1, ...more })
  of.open(record)
  return record
}

/** Changes a record as a request does, and tells the journal. */
function change(of: Journal, record: RequestRecord, what: 'read' | 'answered' | 'closed', length = 0): void {
  if (what === 'read') {
    record.read = { real: 1, clock: 1 }
    recordBody(record, new Uint8Array(length))
  } else if (what === 'closed') record.ended = { real: 2, clock: 2 }
  of.changed(record, what)
}

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
          const under: RequestRecord[] = []
          let cleared = 0
          for (const { what, at, length } of happenings) {
            const entry = under[at % Math.max(1, under.length)]
            if (what === 'open') under.push(open(subject))
            else if (what === 'clear') {
              subject.clear()
              cleared = subject.count
            } else if (!entry) continue
            else if (what === 'read' && !entry.read) change(subject, entry, 'read', length)
            else if (what === 'answered' && !entry.truth) entry.truth = answer(length)
            else if (what === 'tell' && !entry.response) {
              entry.response = length % 2 === 0 && entry.truth ? entry.truth : answer(length)
              change(subject, entry, 'answered')
            } else if (what === 'close') change(subject, entry, 'closed')

            const kept = subject.entries()
            expect(kept.length).toBeLessThanOrEqual(count)
            expect(subject.bytes).toBeLessThanOrEqual(bytes)
            expect(subject.bytes).toBe(kept.reduce((sum, { chargedBytes }) => sum + chargedBytes!, 0))
            // The numbers from the oldest that is kept to the last one have no hole, and the rest was dropped.
            expect(kept.map(({ number }) => number)).toEqual(
              Array.from({ length: kept.length }, (_, n) => subject.count - kept.length + 1 + n),
            )
            expect(subject.dropped).toBe(subject.count - cleared - kept.length)
            expect(subject.isComplete(cleared)).toBe(subject.dropped === 0)
            expect(subject.isComplete(subject.count - kept.length)).toBe(true)
            expect(under.filter(({ chargedBytes }) => chargedBytes !== undefined)).toEqual(kept)
          }
        },
      ),
    )
  })

  it('the journal counts every byte that it keeps: headers, body, the true response and another one that was told', () => {
    const subject = journal()
    const entry = open(subject, { headers: { 'x-long': 'h'.repeat(5_000) } })
    const opened = subject.bytes
    expect(opened).toBeGreaterThan(5_000)
    change(subject, entry, 'read', 100)
    Object.assign(entry, { truth: answer(200), response: answer(400) })
    change(subject, entry, 'answered')
    expect(subject.bytes).toBe(opened + 700)
  })

  it('the journal counts an answer once that is told as it truly is', () => {
    const subject = journal()
    const entry = open(subject)
    const opened = subject.bytes
    const truth = answer(200)
    Object.assign(entry, { truth, response: truth })
    change(subject, entry, 'answered')
    expect(subject.bytes).toBe(opened + 200)
  })

  it('an entry that was dropped while it was open goes on without harm, and weighs nothing', () => {
    const subject = journal(1)
    const dropped = open(subject)
    const kept = open(subject)
    const before = subject.bytes
    change(subject, dropped, 'read', 5_000)
    Object.assign(dropped, { truth: answer(5_000), response: answer(5_000) })
    change(subject, dropped, 'answered')
    change(subject, dropped, 'closed')
    expect(subject.bytes).toBe(before)
    expect(subject.entries()).toEqual([kept])
    expect(dropped.chargedBytes).toBeUndefined()
    expect(subject.find('r0-1')).toBeUndefined()
  })

  it('with room for none, counts all and keeps none', () => {
    const subject = journal(0)
    for (let n = 0; n < 3; n++) change(subject, open(subject), 'closed')
    expect([subject.count, subject.dropped, subject.entries(), subject.bytes]).toEqual([3, 3, [], 0])
    expect(subject.isComplete()).toBe(false)
  })

  it('a request closes once: how it left first is how it left', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    const rig = mock.rig()
    const account = mock.spaces.directory.account('demo')!
    const context = new RequestContext(rig, {
      request: new Request('http://localhost/mailings'),
      target: '/mailings',
      account,
      base: 'http://localhost',
      header: () => undefined,
      headers: {},
      arrival: { connection: 0, position: 1, remotePort: undefined, unfitTls: undefined, clientLeft: never },
      body: async () => Buffer.alloc(0),
    })
    context.close('aborted', 0)
    const { ended } = context.record
    context.close('handed', 10)
    expect(context.record).toMatchObject({ delivered: 'aborted', bytesSent: 0, ended })
  })

  it('of a long body keeps the beginning, and what tells it from others', () => {
    const record = recordOf()
    const body = Buffer.from(JSON.stringify({ name: 'n'.repeat(20_000), transactionId: 'order:1' }))
    recordBody(record, body)
    expect([record.body!.length, record.bodyBytes]).toEqual([16 << 10, body.length])
    expect(record.digest).toEqual(digestOf(body))
    expect(record.digest!.transactionId).toBe('order:1')
  })

  it('a record keeps a copy of the beginning of a long body, not the whole of it', () => {
    const record = recordOf()
    recordBody(record, new Uint8Array(1 << 20))
    expect(record.body!.buffer.byteLength).toBe(16 << 10)
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
    change(subject, entry, 'read')
    change(subject, entry, 'closed')
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
