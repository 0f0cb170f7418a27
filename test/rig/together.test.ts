import { describe, expect, it } from 'vitest'
import { EventStreams } from '../../src/control/event-streams.ts'
import { ManualClock, SpaceClock } from '../../src/rig/clock.ts'
import { HeldRequests } from '../../src/rig/held-requests.ts'
import { atOnce } from '../../src/store/turns.ts'

/** Counts what is done in each turn of the event loop until it is stopped. @returns the most that was done in one */
function meter() {
  const counts = new Map<number, number>()
  let turn = 0
  let isOver = false
  const next = () => {
    turn++
    if (!isOver) setImmediate(next)
  }
  setImmediate(next)
  return {
    note: () => {
      counts.set(turn, (counts.get(turn) ?? 0) + 1)
    },
    stop() {
      isOver = true
      return Math.max(...counts.values())
    },
  }
}

const many = 500

describe('what ends together is done in several turns of the event loop', () => {
  it('requests that are released from a hold together', async () => {
    const { note, stop } = meter()
    const holds = new HeldRequests(() => {})
    const held = Array.from({ length: many }, () => holds.runWhenReleased('gate', async () => note()))
    expect(await holds.release('gate')).toBe(many)
    await Promise.all(held)
    expect(stop()).toBeLessThanOrEqual(atOnce)
  })

  it('requests that are held when their space ends', async () => {
    const { note, stop } = meter()
    const holds = new HeldRequests(() => {})
    const held = Array.from({ length: many }, () =>
      holds.runWhenReleased('gate', async () => 'done').then(note),
    )
    holds.end()
    await Promise.all(held)
    expect(stop()).toBeLessThanOrEqual(atOnce)
  })

  it('requests whose space ends while they are released: those that have not been reached do no work', async () => {
    const holds = new HeldRequests(() => {})
    let done = 0
    const held = Array.from({ length: many }, () =>
      holds.runWhenReleased('gate', async () => {
        done++
        if (done === atOnce) setImmediate(() => holds.end())
      }),
    )
    await holds.release('gate')
    await Promise.all(held)
    expect(done).toBeLessThan(many)
  })

  it.each(['moved', 'ended'] as const)('requests that wait for a clock that is %s', async what => {
    const { note, stop } = meter()
    const clock = new SpaceClock(new ManualClock(0), { rate: 0 })
    const work = async () => {}
    const waiting = Array.from({ length: many }, () => clock.after(1_000, work).then(note))
    if (what === 'ended') clock.end()
    else await clock.moveTo(2_000, async () => {})
    await Promise.all(waiting)
    expect(stop()).toBeLessThanOrEqual(atOnce)
  })
})

describe('events of which many streams are told', () => {
  it('are written once, with what was so when they happened', () => {
    const streams = new EventStreams()
    let written = 0
    const data = {
      toJSON() {
        written++
        return { now: 1 }
      },
    }
    const event = { type: 'clock', data } as const
    expect([streams.textOf(event), streams.textOf(event), streams.textOf(event, 'demo')]).toEqual([
      '{"now":1}',
      '{"now":1}',
      '{"space":"demo","now":1}',
    ])
    expect(written).toBe(1)
    expect(streams.textOf({ type: 'reset', data: {} }, 'demo')).toBe('{"space":"demo"}')
  })

  it('are passed on to a few streams in each turn, once to each for all that has happened until then', async () => {
    const { note, stop } = meter()
    const streams = new EventStreams()
    let left = many
    await new Promise<void>(resolve => {
      const passes = Array.from({ length: many }, () => () => {
        note()
        if (--left === 0) resolve()
      })
      for (let event = 0; event < 3; event++) for (const pass of passes) streams.passOn(pass)
    })
    expect(left).toBe(0)
    expect(stop()).toBeLessThanOrEqual(atOnce)
  })

  it('go to 1,000 streams at most', () => {
    const streams = new EventStreams()
    const closes = Array.from({ length: 1_000 }, () => streams.open())
    expect(() => streams.open()).toThrow('1000 streams of events are already open, and no more are allowed')
    closes[0]!()
    expect(() => streams.open()).not.toThrow()
  })
})
