import { describe, expect, it } from 'vitest'
import { eventually } from '../process.ts'
import { get, post, problemIn, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const quick = { headerTimeout: 200, requestTimeout: 400 }

/** Sends a piece whenever the last one has left, with a moment between, until the other side has had enough. */
function drip(raw: Raw, piece: string): void {
  const timer = setInterval(() => raw.send(piece), 20)
  raw.socket.on('close', () => clearInterval(timer))
}

describe('T40: a client that takes its time', () => {
  const ways: [what: string, first: string, then: string][] = [
    ['sends its headers drop by drop', 'GET /mailings HTTP/1.1\r\nX', 'x'],
    ['connects and says nothing', '', ''],
    ['stops in the middle of its headers', 'GET /mailings HTTP/1.1\r\nHost: loc', ''],
    ['sends its body drop by drop', post(sendings, 'Content-Length: 1000'), ' '],
    ['stops in the middle of its body', `${post(sendings, 'Content-Length: 1000')}{`, ''],
    ['sends its body in tiny chunks', post(sendings, 'Transfer-Encoding: chunked'), '1\r\n \r\n'],
    ['stops in the middle of a second request', `${get('/_mock/health')}GET / HT`, ''],
  ]
  /** All at once, since each takes half a second. */
  let all: Promise<Raw[]> | undefined
  const takeTime = async ([_, first, then]: (typeof ways)[number]) => {
    const { port } = await start(quick)
    const raw = await Raw.open(port)
    raw.send(first)
    if (then) drip(raw, then)
    await raw.closed()
    return raw
  }
  it.each(ways.map(([what], at) => [what, at] as const))('%s: it is told 408 and let go', async (_, at) => {
    all ??= Promise.all(ways.map(takeTime))
    const raw = (await all)[at]!
    expect(raw.statuses.at(-1)).toBe(408)
    expect(problemIn(raw).detail).toBe(
      'The headers must come within 200 ms and the whole request within 400 ms',
    )
  })

  it('the whole request has no longer than --request-timeout, also where its headers alone would have', async () => {
    const { port } = await start({ headerTimeout: 3_600_000, requestTimeout: 100 })
    const raw = await Raw.open(port)
    await raw.send(`${post(sendings, 'Content-Length: 1000')}{`).closed()
    expect(raw.statuses).toEqual([408])
  })

  it('a client that takes its time does not keep others waiting, however many there are of it', async () => {
    const { port } = await start({ headerTimeout: 10_000 })
    const slow = await Promise.all(Array.from({ length: 200 }, () => Raw.open(port)))
    for (const raw of slow) raw.send('GET /mailings HTTP/1.1\r\n')
    const quickOne = await Raw.open(port)
    await quickOne.send(get('/mailings')).answers(1)
    expect(quickOne.statuses).toEqual([200])
    for (const raw of [...slow, quickOne]) raw.leave()
  })

  it('a client that takes its time is not one whose answer takes long, because a fault wants it so', async () => {
    const { port, mock } = await start(quick)
    await mock.space('demo').arm('hang-after')
    const waiting = await Raw.open(port)
    const body = '{"transactionId":"waits"}'
    waiting.send(post(sendings, `Content-Length: ${body.length}`) + body)
    // As long as three others in turn are given up, each after its time.
    for (let count = 0; count < 3; count++) {
      const slow = await Raw.open(port)
      await slow.send(post('/mailings', 'Content-Length: 5')).closed()
      expect(slow.statuses).toEqual([408])
    }
    expect([waiting.isOver, waiting.text]).toEqual([false, ''])
    await mock.reset()
    waiting.leave()
  })

  it('a client that takes its time leaves its request on record as given up', async () => {
    const { port, mock } = await start(quick)
    const raw = await Raw.open(port)
    await raw.send(`${post(sendings, 'Content-Length: 1000')}{`).closed()
    const delivered = await eventually('the end of the request', async () => {
      const [entry] = await mock.space('demo').requests()
      return entry!.delivered === 'open' ? undefined : entry!.delivered
    })
    expect(delivered).toBe('aborted')
  })
})
