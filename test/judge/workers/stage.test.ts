import { describe, expect, test } from 'vitest'
import type { Ending } from '../../../src/judge/exam/client.ts'
import { VirtualTime } from '../../../src/judge/explore/virtual-time.ts'
import { searchOrders } from '../../../src/judge/orders/search.ts'
import {
  type AskedRequest,
  type Disturbance,
  type JointRun,
  Stage,
  type Worker,
  type WorkerWord,
} from '../../../src/judge/orders/stage.ts'

const beginning = Date.UTC(2030, 0, 7, 9)

/** What a worker does after each thing that it waits for. */
type Script = readonly ('ask' | 'look' | 'write' | 'wait' | 'sent')[]

/** A worker that follows a script. */
class ScriptedWorker implements Worker {
  due: number | undefined
  readonly isBlocked = false
  readonly isStoreSeen = true
  readonly #script: Script
  #at = 0
  #now = beginning

  constructor(script: Script) {
    this.#script = script
  }

  async begin(_: unknown, now: number) {
    this.#at = 0
    this.#now = now
    this.due = undefined
    return this.#next()
  }

  async wake(now: number) {
    this.#now = now
    this.due = undefined
    return this.#next()
  }

  async deliver(_: number, __: unknown, now: number) {
    this.#now = now
    return this.#next()
  }

  async pass() {
    return this.#next()
  }

  async kill() {}

  #next(): WorkerWord[] {
    const what = this.#script[this.#at++]
    const number = this.#at
    if (what === 'ask') {
      const url = 'http://localhost/mailing-synchronizations/a/sendings'
      const request: AskedRequest = { number, method: 'POST', url, headers: [], body: undefined }
      return [{ kind: 'request', request }]
    }
    if (what === 'wait') {
      this.due = this.#now + 1_000
      return []
    }
    if (what === 'sent' || what === undefined) {
      const ending: Ending = { believes: 'sent', output: '' }
      return [{ kind: 'end', ending }]
    }
    const touch = what === 'look' ? { reads: ['/file'], writes: [] } : { reads: [], writes: ['/file'] }
    return [{ kind: 'file', file: number, call: { name: what, ...touch } }]
  }
}

const none: Disturbance = { mayKill: false, mayOvertake: false, strike: undefined }

/** What happened in each order of two workers with these scripts, as a line of words. */
async function ordersOf(one: Script, two: Script, disturbance = none): Promise<string[]> {
  const orders: string[] = []
  const play = async (choose: ConstructorParameters<typeof Stage>[3]) => {
    const time = new VirtualTime(beginning)
    let count = 0
    const service = {
      time,
      ask(_: AskedRequest, take: (part: { readonly kind: 'end' }) => void) {
        count++
        take({ kind: 'end' })
      },
      latest: () => `r${count}`,
    }
    const workers = [new ScriptedWorker(one), new ScriptedWorker(two)]
    const call = {} as Parameters<Stage['play']>[0]
    return await new Stage(workers, service, disturbance, choose).play(call, new AbortController().signal)
  }
  await searchOrders(play, (run: JointRun) => orders.push(wordsOf(run)))
  return orders
}

const wordsOf = ({ entries }: JointRun) =>
  entries
    .filter(({ event }) => event.kind !== 'answer' && event.kind !== 'ask')
    .map(({ worker, event, at }) => {
      const seconds = (at - beginning) / 1_000
      const what =
        event.kind === 'file' ? event.call.name : event.kind === 'process' ? event.request : event.kind
      return `${worker} ${what}${seconds > 0 ? ` at ${seconds} s` : ''}`
    })
    .join(', ')

describe('the stage of two workers', () => {
  test('the first order is that of one worker after the other', async () => {
    const [first] = await ordersOf(['look', 'ask', 'write', 'sent'], ['look', 'ask', 'sent'])
    expect(first).toBe('1 start, 1 look, 1 r1, 1 write, 1 end, 2 start, 2 look, 2 r2, 2 end')
  })

  test('a look at a file comes before and after what another worker writes into it', async () => {
    const orders = await ordersOf(['write', 'sent'], ['look', 'sent'])
    expect(orders).toEqual([
      '1 start, 1 write, 1 end, 2 start, 2 look, 2 end',
      '1 start, 2 start, 2 look, 2 end, 1 write, 1 end',
    ])
  })

  test('two looks at a file are played in one order', async () => {
    expect(await ordersOf(['look', 'look', 'sent'], ['look', 'look', 'sent'])).toHaveLength(1)
  })

  test('requests that change something are processed in both orders', async () => {
    const orders = await ordersOf(['ask', 'sent'], ['ask', 'sent'])
    expect(orders.map(it => it.match(/\d r1/)![0])).toEqual(['1 r1', '2 r1'])
  })

  test('the second worker begins before and after each wait of the first one', async () => {
    const orders = await ordersOf(['wait', 'wait', 'sent'], ['sent'])
    expect(orders.map(it => /2 start( at \d s)?/.exec(it)![1])).toEqual([' at 2 s', ' at 1 s', undefined])
  })

  test('time does not pass while a request is under way, unless a wait may end early', async () => {
    const endsFirst = (orders: readonly string[]) => orders.filter(it => /2 wake.*1 r1/.test(it)).length
    const scripts = [
      ['ask', 'sent'],
      ['wait', 'sent'],
    ] as const
    expect(endsFirst(await ordersOf(...scripts))).toBe(0)
    expect(endsFirst(await ordersOf(...scripts, { ...none, mayOvertake: true }))).toBe(1)
  })

  test('each worker is killed after each of its steps, and at most one of them', async () => {
    const orders = await ordersOf(['look', 'sent'], ['look', 'sent'], { ...none, mayKill: true })
    const kills = orders.map(it => it.match(/\d kill/g) ?? [])
    expect(Math.max(...kills.map(({ length }) => length))).toBe(1)
    expect(new Set(kills.flat())).toEqual(new Set(['1 kill', '2 kill']))
    // What a worker that was killed has asked for is processed all the same, before or after what the other one asks for: killed before
    // its answer comes, and after it. A kill before and one after its request is processed lead to the same.
    const sending = await ordersOf(['ask', 'look', 'sent'], ['ask', 'sent'], { ...none, mayKill: true })
    const killed = sending.filter(it => it.includes('1 kill'))
    expect(killed.map(it => it.match(/\d r1/)![0])).toEqual(['1 r1', '1 r1', '2 r1', '2 r1'])
    expect(killed.filter(it => !it.includes('1 r2') && !it.includes('2 r2'))).toEqual([])
  })

  test('a trouble strikes each attempt of either worker, and no other one after it', async () => {
    let strikes = 0
    const orders = await ordersOf(['ask', 'sent'], ['ask', 'sent'], { ...none, strike: () => strikes++ })
    // Each of two orders of the requests: without trouble, at the first, at the second.
    expect(orders).toHaveLength(6)
    expect(strikes).toBeGreaterThanOrEqual(4)
  })
})
