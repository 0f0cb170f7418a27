import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { SocketTransport } from '../../src/http/socket-transport.ts'
import { atOnce } from '../../src/store/turns.ts'
import { eventually } from '../process.ts'
import { get, post, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const create = (transactionId: string, ...more: readonly string[]) => {
  const body = JSON.stringify({ transactionId })
  return post(sendings, `Content-Length: ${body.length}`, ...more) + body
}
const named = ({ text }: Raw) => [...text.matchAll(/"transactionId":"(\w+)"/g)].map(([, id]) => id)

it('T55: 300 pipelined requests on one connection are all answered, in their order', async () => {
  const { port } = await start()
  const raw = await Raw.open(port)
  const ids = Array.from({ length: 300 }, (_, at) => `t${at}`)
  raw.send(ids.map(id => create(id)).join(''))
  await raw.answers(300)
  expect(new Set(raw.statuses)).toEqual(new Set([201]))
  await raw.until('the last answer', it => it.text.includes('"t299"'))
  expect(named(raw)).toEqual(ids)
  raw.leave()
})

it('T55: a reset in the middle of a pipeline: what stands before it is whole, what stands behind it is never answered', async () => {
  const { port, mock } = await start()
  const raw = await Raw.open(port)
  raw.send(create('before') + create('mock:reset-after:x') + create('behind'))
  await raw.closed()
  expect([raw.statuses, named(raw)]).toEqual([[201], ['before']])
  const seen = await mock.space('demo').requests()
  expect(seen[0]!.delivered).toBe('handed')
  expect(seen.slice(1).map(({ delivered }) => delivered)).not.toContain('handed')
})

it('T55: what is no request, behind a request that is still worked on, waits for the response to that', async () => {
  const { port, mock } = await start()
  await mock.space('demo').faults.arm({ on: 'createSending', hold: 'until-told' })
  const raw = await Raw.open(port)
  raw.send(`${create('held')}this is no request\r\n\r\n`)
  await eventually('the request to be held', async () => (await mock.space('demo').holds())[0])
  expect(raw.text).toBe('')
  await mock.space('demo').release('until-told')
  await raw.closed()
  expect([raw.statuses, named(raw)]).toEqual([[201, 400], ['held']])
  const [entry] = await mock.space('demo').requests()
  expect([entry!.delivered, entry!.bytesSent]).toEqual(['handed', raw.text.lastIndexOf('HTTP/1.1')])
})

it('T55: requests one after another on one connection leave nothing on it', async () => {
  const { port } = await start()
  const raw = await Raw.open(port)
  const warnings: Error[] = []
  const warned = (warning: Error) => warnings.push(warning)
  process.on('warning', warned)
  for (let count = 1; count <= 300; count++) await raw.send(get('/_mock/health')).answers(count)
  process.off('warning', warned)
  expect(warnings).toEqual([])
  expect(new Set(raw.statuses)).toEqual(new Set([200]))
  raw.leave()
})

/** A server whose app is called for each request, and that answers when it is told to. */
async function counted(onRequest: () => void) {
  const unanswered: ServerResponse[] = []
  const app = () => {
    onRequest()
    return new Response()
  }
  const transport = new SocketTransport(app, false)
  const server = createServer(async (incoming, outgoing) => {
    await transport.handle(new Request('http://localhost'), incoming, outgoing)
    unanswered.push(outgoing)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const answerAll = () => {
    for (const outgoing of unanswered.splice(0)) outgoing.end()
  }
  return { port: (server.address() as AddressInfo).port, unanswered, answerAll, close: () => server.close() }
}

/** Of a size of which the system reads about a hundred at a time. */
const padded = get('/', `X-Padding: ${'x'.repeat(500)}`)

it('thousands of pipelined requests are worked on a few at a time, so that others come in between', async () => {
  const counts = new Map<number, number>()
  let turn = 0
  let isOver = false
  let count = 0
  const next = () => {
    turn++
    answerAll()
    if (!isOver) setImmediate(next)
  }
  const { port, answerAll, close } = await counted(() => {
    count++
    counts.set(turn, (counts.get(turn) ?? 0) + 1)
  })
  const raw = await Raw.open(port)
  setImmediate(next)
  raw.send(padded.repeat(3_000))
  await raw.answers(3_000)
  isOver = true
  raw.leave()
  close()
  expect(count).toBe(3_000)
  // What is left of the turn before comes in the same turn at most.
  expect(Math.max(...counts.values())).toBeLessThan(3 * atOnce)
})

it('of a client that sends on without waiting for answers, no more is read than a hundred requests and what came with them', async () => {
  let count = 0
  const { port, unanswered, answerAll, close } = await counted(() => count++)
  const raw = await Raw.open(port)
  raw.send(padded.repeat(3_000))
  await eventually('some to wait', () => (unanswered.length > 100 ? true : undefined))
  // A new connection is heard after all that the system had for the first one.
  const other = await Raw.open(port)
  other.send(get('/'))
  const before = count
  await eventually('it to be heard', () => (count > before ? true : undefined))
  expect(count).toBeLessThan(500)
  await eventually('all to be answered', () => {
    answerAll()
    return raw.statuses.length === 3_000 ? true : undefined
  })
  raw.leave()
  other.leave()
  close()
})
