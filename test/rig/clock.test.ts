import { AsyncLocalStorage } from 'node:async_hooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { createMock, ManualClock } from '../../src/index.ts'
import { latestTime, SpaceClock } from '../../src/rig/clock.ts'
import { basic, halType, ids, now, synchronizationPath } from '../mock.ts'
import { eventually } from '../process.ts'
import { onCreate, staged } from './stage.ts'

const start = Date.parse(now)
const nothing = async () => {}
const sendings = synchronizationPath(ids.ready, '/sendings')
const century = 100 * 365.25 * 24 * 3_600_000

/** A space's clock that runs from one which a test moves, or stands still. */
function clocks(kept: { rate?: number } = {}) {
  const source = new ManualClock(start)
  return { source, clock: new SpaceClock(source, kept) }
}

/**
 * Makes timers false.
 * @returns counts those that clocks have set: work that another test file left in this process may set its own
 */
function fakeTimers(options?: Parameters<typeof vi.useFakeTimers>[0]): () => number {
  vi.useFakeTimers(options)
  const { setTimeout: set, clearTimeout: clear } = globalThis
  const live = new Set<unknown>()
  const counting = (act: () => void, milliseconds: number) => {
    const timer = set(() => {
      live.delete(timer)
      act()
    }, milliseconds)
    if (new Error().stack?.includes('/rig/clock.ts')) live.add(timer)
    return timer
  }
  vi.spyOn(globalThis, 'setTimeout').mockImplementation(counting as typeof setTimeout)
  vi.spyOn(globalThis, 'clearTimeout').mockImplementation(timer => {
    live.delete(timer)
    clear(timer)
  })
  return () => live.size
}

describe("a space's clock", () => {
  it("a space's clock runs as its source does, until it is frozen; then it stands still until it is resumed", () => {
    const { source, clock } = clocks()
    source.advance(1_000)
    expect(clock.now()).toBe(start + 1_000)
    clock.freeze()
    source.advance(5_000)
    expect([clock.now(), clock.isFrozen]).toEqual([start + 1_000, true])
    clock.resume()
    source.advance(10)
    expect([clock.now(), clock.isFrozen]).toEqual([start + 1_010, false])
  })

  it.each([
    ['tiny', 0.001, 60_000, 60],
    ['half', 0.5, 60_000, 30_000],
    ['huge', 1_000_000, 60_000, 60_000_000_000],
  ])("a space's clock runs at a %s rate", (_, rate, real, passed) => {
    const { source, clock } = clocks()
    clock.setRate(rate)
    source.advance(real)
    expect(clock.now()).toBe(start + passed)
  })

  it("a space's clock keeps its rate over a freeze; a rate set while it is frozen counts from the resume", () => {
    const { source, clock } = clocks({})
    clock.setRate(60)
    clock.freeze()
    clock.resume()
    expect(clock.rate).toBe(60)
    clock.freeze()
    clock.setRate(10)
    source.advance(1_000)
    expect([clock.rate, clock.now()]).toEqual([0, start])
    clock.resume()
    source.advance(1_000)
    expect(clock.now()).toBe(start + 10_000)
  })

  it('never shows a time that a date-time cannot', () => {
    const { source, clock } = clocks()
    clock.setRate(1_000_000)
    source.advance(century)
    expect(clock.now()).toBe(latestTime)
    expect(new Date(clock.now()).toISOString()).toBe('9999-12-31T23:59:59.999Z')
  })

  it.each([
    ['frozen', 0],
    ['running', 1],
  ])('%s, goes ahead, back, by a century and to 1969', async (_, rate) => {
    const { clock } = clocks({ rate })
    for (const target of [
      start + 1,
      start + century,
      start - century,
      Date.parse('1969-07-20T20:17:40Z'),
      start,
    ]) {
      await clock.moveTo(target, nothing)
      expect(clock.now()).toBe(target)
    }
  })

  it("a space's clock goes back to a time that it has come by itself since it was last set", async () => {
    const { source, clock } = clocks()
    source.advance(3_600_000)
    await clock.moveTo(start + 1_800_000, nothing)
    expect(clock.now()).toBe(start + 1_800_000)
  })

  it("a space's clock is not set back by an advance during which time has passed by itself", async () => {
    const { source, clock } = clocks()
    void clock.after(5, async () => source.advance(1_000))
    await clock.moveTo(it => it + 10, nothing)
    expect(clock.now()).toBe(start + 1_005)
  })

  it("a space's clock goes on from where it stood when it is opened again, the time in between included", () => {
    const { source, clock } = clocks()
    clock.setRate(2)
    source.advance(1_000)
    const again = new SpaceClock(source, clock.stored)
    source.advance(1_000)
    expect([again.now(), again.now()]).toEqual([clock.now(), start + 4_000])
  })

  it("a space's clock counts as shifted when it shows another time than the machine, or runs at another pace", async () => {
    expect(clocks().clock.isShifted).toBe(true)
    const clock = new SpaceClock({ now: () => Date.now() })
    expect(clock.isShifted).toBe(false)
    await clock.moveTo(it => it + 5_000, nothing)
    expect(clock.isShifted).toBe(true)
    const paced = new SpaceClock({ now: () => Date.now() })
    paced.setRate(2)
    expect(paced.isShifted).toBe(true)
  })
})

describe('what waits for a time', () => {
  /** Waits that note the time at which each is done. */
  function noting(clock: SpaceClock) {
    const done: [string, number][] = []
    return {
      done,
      wait: (name: string, milliseconds: number, left?: Promise<unknown>) =>
        clock.after(milliseconds, async () => done.push([name, clock.now() - start]), left),
    }
  }

  it('what waits for a time is done in the order of its time, at its time, those due at once in the order in which they came', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    for (const [name, time] of [
      ['c', 30],
      ['a', 10],
      ['d', 30],
      ['b', 20],
      ['later', 31],
    ] as const)
      void wait(name, time)
    await clock.moveTo(start + 30, nothing)
    expect(done).toEqual([
      ['a', 10],
      ['b', 20],
      ['c', 30],
      ['d', 30],
    ])
    expect(clock.due).toEqual([start + 31])
    clock.end()
  })

  /** A source that skips waits, and its pace. */
  class Skipping extends ManualClock {
    pace = 0
  }

  it('what waits for a time is done at its time where the wait of a client is skipped, which is no move by hand', async () => {
    const { clock } = clocks()
    const source = new Skipping(start)
    clock.follow(source)
    const { done, wait } = noting(clock)
    void wait('b', 20)
    void wait('a', 10)
    void wait('later', 31)
    await clock.skip(30, source, nothing)
    expect(done).toEqual([
      ['a', 10],
      ['b', 20],
    ])
    expect([clock.now(), clock.real, clock.rate, clock.epoch]).toEqual([start + 30, start + 30, 1, 0])
    clock.end()
  })

  it('what waits for a time is done by itself while a source runs that skips waits, and not while it stands still', async () => {
    const timers = fakeTimers()
    const { clock } = clocks()
    const source = new Skipping(start)
    clock.follow(source)
    const { done, wait } = noting(clock)
    void wait('first', 1_000)
    expect(timers()).toBe(0)
    source.pace = 10
    void wait('second', 2_000)
    expect(timers()).toBe(1)
    await vi.advanceTimersByTimeAsync(99)
    expect(done).toEqual([])
    source.advance(1_000)
    await vi.advanceTimersByTimeAsync(1)
    expect(done).toEqual([['first', 1_000]])
    clock.end()
  })

  it('what waits for a time is settled before at each time on the way', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    void wait('first', 10)
    void wait('second', 20)
    await clock.moveTo(start + 25, async time => void done.push(['settled', time - start]))
    expect(done).toEqual([
      ['settled', 10],
      ['first', 10],
      ['settled', 20],
      ['second', 20],
      ['settled', 25],
    ])
  })

  it('what waits for a time is settled at the present time before the clock goes back', async () => {
    const { clock } = clocks({ rate: 0 })
    const settled: [number, number][] = []
    await clock.moveTo(start - 25, async time => void settled.push([time - start, clock.now() - start]))
    expect(settled).toEqual([
      [0, 0],
      [-25, -25],
    ])
  })

  it('for a time that no date-time can show, is due at the last one that can', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    await clock.moveTo(latestTime - 10, nothing)
    void wait('it', 3_600_000)
    expect(clock.due).toEqual([latestTime])
    await clock.moveTo(latestTime, nothing)
    expect(done).toEqual([['it', latestTime - start]])
  })

  it('what waits for a time is done on the way when it came up only then, and its time lies on the way', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    void wait('first', 10).then(() => wait('next', 10))
    await clock.moveTo(start + 25, async () => {})
    expect(done).toEqual([
      ['first', 10],
      ['next', 20],
    ])
  })

  it('what waits for a time lets simultaneous moves follow one another', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    for (let time = 1; time <= 100; time++) void wait(`${time}`, time)
    const order: number[] = []
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        clock.moveTo(it => it + 10, nothing).then(() => order.push(n * 100 + done.length)),
      ),
    )
    expect(order).toEqual([10, 120, 230, 340, 450, 560, 670, 780, 890, 1000])
    expect(done.map(([, at]) => at)).toEqual(Array.from({ length: 100 }, (_, n) => n + 1))
  })

  it('what waits for a time does not end a move when one of it fails', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    const failing = clock.after(5, () => Promise.reject(new Error('broken')))
    void wait('next', 6)
    await Promise.all([expect(failing).rejects.toThrow('broken'), clock.moveTo(start + 10, nothing)])
    expect(done).toEqual([['next', 6]])
  })

  it('what waits for a time is not done any more when nobody waits, and leaves no timer', async () => {
    const timers = fakeTimers()
    const clock = new SpaceClock({ now: () => Date.now() })
    const { done, wait } = noting(clock)
    const waiting = wait('never', 1_000, Promise.resolve())
    expect(await waiting).toBeUndefined()
    expect([done, clock.due, timers()]).toEqual([[], [], 0])
  })

  it('what waits for a time is not searched for when clients leave, and the timer is not set for each', async () => {
    const clock = new SpaceClock({ now: () => Date.now() })
    const count = 1_000
    let leave = () => {}
    const left = new Promise<void>(resolve => (leave = resolve))
    const { done, wait } = noting(clock)
    const waiting = Array.from({ length: count }, (_, n) => wait(`${n}`, century + n, left))
    const work = [
      vi.spyOn(Array.prototype, 'indexOf'),
      vi.spyOn(Array.prototype, 'splice'),
      vi.spyOn(Array.prototype, 'filter'),
      vi.spyOn(globalThis, 'setTimeout'),
    ]
    leave()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set([undefined]))
    const calls = work.map(({ mock }) => mock.calls.length).reduce((sum, it) => sum + it)
    vi.restoreAllMocks()
    // Each sweep removes half of what waits.
    expect(calls).toBeLessThan(count / 10)
    expect([done, clock.due]).toEqual([[], []])
    clock.end()
  })

  it('what waits for a time is done in order though some of it, before and after it, was given up', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    for (let n = 1; n <= 9; n++)
      void wait(`${n}`, n, [1, 4, 5, 9].includes(n) ? Promise.resolve() : undefined)
    await Promise.resolve()
    expect(clock.due.map(at => at - start)).toEqual([2, 3, 6, 7, 8])
    await clock.moveTo(start + 20, nothing)
    expect(done.map(([name]) => name)).toEqual(['2', '3', '6', '7', '8'])
    expect(clock.due).toEqual([])
  })

  it('what waits for a time waits on when the clock is set back, as the states of a sending do', async () => {
    const { clock } = clocks({ rate: 0 })
    const { done, wait } = noting(clock)
    void wait('it', 10)
    await clock.moveTo(start - 1_000, nothing)
    await clock.moveTo(it => it + 1_000, nothing)
    expect(done).toEqual([])
    await clock.moveTo(it => it + 10, nothing)
    expect(done).toEqual([['it', 10]])
  })

  it('what waits for a time is done at once when its source is moved by hand past its time', async () => {
    const { source, clock } = clocks()
    const { wait } = noting(clock)
    const waiting = wait('it', 3_600_000)
    source.advance(3_600_000)
    expect(await waiting).toBe(1)
    clock.end()
  })

  it('what waits for a time is dropped when the space ends; nothing waits there from then on', async () => {
    const timers = fakeTimers()
    const clock = new SpaceClock({ now: () => Date.now() })
    const { done, wait } = noting(clock)
    const waiting = [wait('a', 10), wait('b', 20)]
    clock.end()
    expect(await Promise.all([...waiting, wait('c', 0)])).toEqual([undefined, undefined, undefined])
    expect([done, timers()]).toEqual([[], 0])
  })
})

describe('the timers of a clock', () => {
  it.each([
    ['at the usual pace', 1, 1_500, 1_500],
    ['faster', 60, 60_000, 1_000],
    ['slower', 0.5, 1_000, 2_000],
  ])('a clock that runs %s fires when the time has come', async (_, rate, wait, real) => {
    const timers = fakeTimers({ now: start, toFake: ['Date', 'setTimeout', 'clearTimeout'] })
    const clock = new SpaceClock({ now: () => Date.now() }, { rate })
    let isDone = false
    void clock.after(wait, async () => {
      isDone = true
    })
    await vi.advanceTimersByTimeAsync(real - 1)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(isDone).toBe(true)
    expect(timers()).toBe(0)
  })

  it('the timers of a clock are never set beyond what a timer can wait, where they would fire at once', async () => {
    vi.useFakeTimers({ now: start })
    const set = vi.spyOn(globalThis, 'setTimeout')
    const clock = new SpaceClock({ now: () => Date.now() }, { rate: 0.001 })
    let isDone = false
    const wait = 24 * 3_600_000
    void clock.after(wait, async () => {
      isDone = true
    })
    await vi.advanceTimersByTimeAsync(wait * 1_000 - 1_000)
    expect(isDone).toBe(false)
    await vi.advanceTimersByTimeAsync(3_000)
    expect(isDone).toBe(true)
    expect(set.mock.calls.length).toBeGreaterThan(1)
    for (const [, milliseconds] of set.mock.calls) expect(milliseconds).toBeLessThan(2 ** 31)
  })

  it('the timers of a clock stand still while the clock is frozen, and follow a new rate', async () => {
    const timers = fakeTimers({ now: start })
    const clock = new SpaceClock({ now: () => Date.now() })
    let isDone = false
    void clock.after(10_000, async () => {
      isDone = true
    })
    clock.freeze()
    expect(timers()).toBe(0)
    await vi.advanceTimersByTimeAsync(60_000)
    expect(isDone).toBe(false)
    clock.resume()
    await vi.advanceTimersByTimeAsync(5_000)
    clock.setRate(5)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(isDone).toBe(true)
  })
})

describe('a mock whose clock is moved', () => {
  it('a mock whose clock is moved does everything that falls due on the way, in order, before the move ends', async () => {
    const { mock, act, ledger } = await staged([
      onCreate([{ deliver: 'late', delay: '30s' }], { when: { transactionId: 'late' } }),
      onCreate([{ delay: '20s' }], { when: { transactionId: 'delayed' } }),
      onCreate([{ state: 'PENDING', for: '25s' }, { state: 'CREATED' }], {
        when: { transactionId: 'pending' },
      }),
    ])
    mock.rig().clock.freeze()
    const answered: string[] = []
    for (const name of ['late', 'delayed'])
      void act
        .post({ transactionId: name })
        .then(({ json }) => answered.push(`${name} ${json.state} ${json.creationDate}`))
    expect((await act.post({ transactionId: 'pending' })).json.state).toBe('PENDING')
    await eventually('both to wait', () => mock.rig().clock.due.length === 2 || undefined)
    await mock.rig().moveClock(it => it + 60_000)
    const effects = ledger().sendings.map(({ requestedAt }) => requestedAt)
    expect(effects).toEqual([
      '2026-11-01T10:00:00.000Z',
      '2026-11-01T10:00:25.000Z',
      '2026-11-01T10:00:30.000Z',
    ])
    await eventually('both answers', () => answered.length === 2 || undefined)
    expect(answered).toEqual([
      'delayed CREATED 2026-11-01T10:00:00.000Z',
      'late CREATED 2026-11-01T10:00:30.000Z',
    ])
  })

  it('a mock whose clock is moved tells its time in every date of a body, and the real one in Date', async () => {
    const { mock, listen } = await staged([])
    await mock.rig().moveClock(Date.parse('2031-05-06T07:08:09.000Z'))
    const { url } = await listen()
    const response = await fetch(`${url}${sendings}`, {
      method: 'POST',
      headers: { authorization: basic('demo'), 'content-type': halType },
      body: '{}',
    })
    expect(await response.text()).toContain('"creationDate":"2031-05-06T07:08:09.000Z"')
    const date = Date.parse(response.headers.get('date')!)
    expect(Math.abs(date - Date.now())).toBeLessThan(60_000)
  })

  it.each([
    ['seconds when its clock is shifted', true, /^10$/],
    ['a date in real time when it is not', false, / GMT$/],
  ])('a mock whose clock is moved tells a Retry-After date as %s', async (_, isShifted, form) => {
    const scenario = { phase: 'before', answer: { status: 503, retryAfter: { dateIn: '10s' } } }
    const { act, mock } = await staged([onCreate([scenario])])
    if (!isShifted) await mock.rig().moveClock(Date.now())
    const told = (await act.post()).headers.get('retry-after')!
    expect(told).toMatch(form)
    if (!isShifted) expect(Math.abs(Date.parse(told) - Date.now() - 10_000)).toBeLessThan(60_000)
  })
})

it('a sending that the running clock has brought to its end stays there when the clock is set back', async () => {
  const steps = [
    { state: 'PENDING', for: '60s' },
    { state: 'FAILED', truth: 'not-sent' },
  ]
  const { act, mock } = await staged([onCreate(steps)])
  const { json } = await act.post({ transactionId: 'T' })
  mock.clock.advance(60_000)
  await mock.rig().moveClock(start + 30_000)
  const after = await mock.as('demo').get(json._links.self.href)
  expect([json.state, after.json.state]).toEqual(['PENDING', 'FAILED'])
})

describe("a test runner's fake timers", () => {
  const timers = ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] as const
  const asksHere = new AsyncLocalStorage<true>()

  /**
   * Fakes timers while `act` runs.
   * @param act is handed what counts its own timers: those of an earlier test in the same process are not counted
   */
  const withFakeTimers = (act: (count: () => number) => Promise<void>) => async () => {
    vi.useFakeTimers({ now: start, toFake: [...timers] })
    const { setTimeout: set, clearTimeout: clear } = globalThis
    const pending = new Set<unknown>()
    vi.spyOn(globalThis, 'setTimeout').mockImplementation(((run: () => void, delay?: number) => {
      const timer = set(() => {
        pending.delete(timer)
        run()
      }, delay)
      if (asksHere.getStore()) pending.add(timer)
      return timer
    }) as typeof setTimeout)
    vi.spyOn(globalThis, 'clearTimeout').mockImplementation(timer => {
      pending.delete(timer)
      clear(timer)
    })
    await asksHere.run(true, () => act(() => pending.size))
  }

  it(
    'drive a mock in the same process',
    withFakeTimers(async count => {
      const mock = await createMock({ scenario: 'slow-but-fine' })
      const headers = { authorization: basic('demo'), 'content-type': halType }
      const create = () =>
        mock.fetch(`http://mock${sendings}`, { method: 'POST', headers, body: '{"transactionId":"T"}' })
      let answered: Response | undefined
      void create().then(response => {
        answered = response
      })
      await vi.advanceTimersByTimeAsync(0)
      expect(answered).toBeUndefined()
      await vi.advanceTimersByTimeAsync(60_000)
      expect(answered?.status).toBe(201)
      expect(await answered!.text()).toContain('"creationDate":"2026-11-01T10:00:00.000Z"')
      await mock.close()
      expect(count()).toBe(0)
    }),
  )

  it(
    'find no timer left when a mock is closed while a request waits in it',
    withFakeTimers(async count => {
      const mock = await createMock({ scenario: 'slow-but-fine' })
      const headers = { authorization: basic('demo'), 'content-type': halType }
      const waiting = mock.fetch(`http://mock${sendings}`, { method: 'POST', headers, body: '{}' })
      await vi.advanceTimersByTimeAsync(1)
      expect(count()).toBe(1)
      await mock.close()
      expect(count()).toBe(0)
      await waiting
    }),
  )
})

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})
