import { describe, expect, it } from 'vitest'
import { each, OutgoingAnswers } from '../../src/control/outgoing.ts'
import type { MockOptions } from '../../src/index.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { eventually } from '../process.ts'
import { head, posted, problemIn, Raw, sendings, useMocks } from './raw.ts'

const mebibyte = 1 << 20
const start = useMocks()

/** A mock with a space whose snapshot is some MiB long. */
async function startWithLongSnapshot(options: MockOptions) {
  const { mock, port } = await start(options)
  for (let n = 0; n < 4; n++) {
    const raw = await Raw.open(port)
    raw.send(posted(sendings, JSON.stringify({ name: 'x'.repeat(mebibyte - 1_000), transactionId: `${n}` })))
    await raw.answers(1)
    raw.leave()
  }
  const requestBytes = async () => {
    const response = await mock.fetch('http://localhost/_mock/memory')
    return ((await response.json()) as { kinds: { requests: number } }).kinds.requests
  }
  return { mock, port, requestBytes }
}

/** A connection that has asked for something, of whose answer it reads nothing. */
async function ask(port: number, path: string): Promise<Raw> {
  const raw = await Raw.open(port)
  raw.socket.pause()
  return raw.send(head(`GET ${path} HTTP/1.1`, 'Host: localhost'))
}

const snapshot = '/_mock/spaces/demo/snapshot'

describe('answers of control calls that nobody reads', () => {
  it('count as requests until their clients have left', async () => {
    const { port, requestBytes } = await startWithLongSnapshot({ memoryLimit: 256 })
    const unread = await ask(port, snapshot)
    await eventually('the answer to count', async () => (await requestBytes()) > 4 * mebibyte || undefined)
    unread.leave()
    await eventually('it to go', async () => (await requestBytes()) === 0 || undefined)
  })

  it('of which a quarter of the memory limit is taken: a further long one is refused, the service and short ones go on', async () => {
    const { mock, port, requestBytes } = await startWithLongSnapshot({ memoryLimit: 64 })
    const unread = [await ask(port, snapshot)]
    await eventually('the answer to count', async () => (await requestBytes()) > 4 * mebibyte || undefined)
    while (unread.length < 6) unread.push(await ask(port, snapshot))
    const refused = await eventually('one of them to be refused', async () => {
      const raw = await Raw.open(port)
      raw.send(head(`GET ${snapshot} HTTP/1.1`, 'Host: localhost'))
      await raw.answers(1)
      const is503 = raw.statuses[0] === 503
      if (!is503) raw.leave()
      return is503 ? raw : undefined
    })
    await refused.until('the whole problem', it => it.text.endsWith('}'))
    expect(problemIn(refused).detail).toMatch(
      /^Responses of control calls and pages that have not been read take \d+ MiB already, of 16 MiB that they may take together/,
    )
    expect(await requestBytes()).toBeLessThanOrEqual(16 * mebibyte)
    expect((await mock.fetch('http://localhost/_mock/spaces/demo/clock')).status).toBe(200)
    const raw = await Raw.open(port)
    raw.send(posted(sendings, '{}'))
    await raw.answers(1)
    expect(raw.statuses).toEqual([201])
    for (const it of [...unread, refused, raw]) it.leave()
    await eventually('all to go', async () => (await requestBytes()) === 0 || undefined)
  })

  it('a page counts as well', async () => {
    const { port, requestBytes } = await startWithLongSnapshot({ memoryLimit: 256 })
    const raw = await Raw.open(port)
    raw.socket.pause()
    // A page is short; many on one connection fill what the system takes.
    raw.send(
      head(`GET /_mock/spaces/demo/sendings HTTP/1.1`, 'Host: localhost', 'Accept: text/html').repeat(900),
    )
    await eventually('pages to count', async () => (await requestBytes()) > mebibyte || undefined)
    raw.leave()
    await eventually('them to go', async () => (await requestBytes()) === 0 || undefined)
  })
})

describe('the JSON of a control call', () => {
  const write = (document: object) => {
    const answers = new OutgoingAnswers(new MemoryBudget())
    return answers.begin().json(document, answers.turns)
  }

  it.each([
    ['nothing', {}],
    ['members that are left out', { a: undefined, b: 1, c: [undefined, null] }],
    ['lists in lists', { a: [], b: [[1, [2, []]], {}], c: { d: { e: [{ f: { g: [1] } }] } } }],
    ['characters that are escaped', { 'a"\n': 'ü\u2028"', b: ['\ud800'] }],
    ['a long text', { a: 'x'.repeat(200_000), b: [{ c: 'y'.repeat(200_000) }] }],
    ['a list of many', { _embedded: { all: Array.from({ length: 20_000 }, (_, n) => ({ n })) } }],
  ])('is that of JSON.stringify, in whatever pieces it is written: %s', async (_, document) => {
    expect(String(await write(document))).toBe(JSON.stringify(document))
  })

  it('has the values of a long list, which are made in several turns of the event loop', async () => {
    const numbers = Array.from({ length: 1_000 }, (_, n) => n)
    let turn = 0
    let isOver = false
    const count = () => {
      turn++
      if (!isOver) setImmediate(count)
    }
    setImmediate(count)
    const madeIn = new Map<number, number>()
    const make = (n: number) => {
      madeIn.set(turn, (madeIn.get(turn) ?? 0) + 1)
      return { n }
    }
    const text = await write({ _embedded: { numbers: each(numbers, make) } })
    isOver = true
    expect(JSON.parse(String(text))).toEqual({ _embedded: { numbers: numbers.map(n => ({ n })) } })
    expect(Math.max(...madeIn.values())).toBeLessThanOrEqual(25)
  })
})
