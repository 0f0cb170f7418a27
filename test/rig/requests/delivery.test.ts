import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RequestRecord } from '../../../src/rig/request-record.ts'
import { basic, halType, ids, synchronizationPath, type TestMock } from '../../mock.ts'
import { RawClient } from '../faults/raw-client.ts'
import { onCreate, staged } from '../stage.ts'
import { journalCalls } from './journal-calls.ts'

const path = synchronizationPath(ids.ready, '/sendings')
const create = (body = '{"transactionId":"T"}') =>
  `POST ${path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('demo')}\r\nContent-Type: ${halType}\r\nContent-Length: ${body.length}\r\n\r\n${body}`

/** A mock behind a socket, with these rules in force, and a client that sees each byte. */
async function connected(rules: readonly object[]) {
  const stage = await staged(rules)
  const { port } = await stage.listen()
  const client = await RawClient.connect(port)
  onTestFinished(() => client[Symbol.dispose]())
  return { ...stage, port, client, ...journalCalls(stage.mock) }
}

/** The latest entry, once it is so. */
async function latest(
  mock: TestMock,
  what: string,
  isSo: (entry: RequestRecord) => boolean,
): Promise<RequestRecord> {
  const seen = () => mock.rig().journal.entries().at(-1)
  await expect.poll(() => seen() !== undefined && isSo(seen()!), { interval: 1, message: what }).toBe(true)
  return seen()!
}
const ended = (mock: TestMock) => latest(mock, 'an entry that has ended', entry => entry.ended !== undefined)

describe('whether the client has read a response that left whole', () => {
  it('an answer is noted as not received where the client drops the connection with it unread', async () => {
    const { mock, port, get } = await connected([])
    const socket = connect({ port, host: '127.0.0.1' })
    // Like a client that is frozen: what comes stays with its system.
    socket.pause()
    await once(socket, 'connect')
    socket.write(create())
    await ended(mock)
    socket.destroy()
    await latest(mock, 'a reset', entry => entry.isUnread)
    expect(await get()).toMatchObject({ delivered: 'handed', received: false })
  })

  it('nothing is said of a response that was read before the connection was closed', async () => {
    const { mock, client, get } = await connected([])
    client.send(create())
    await client.until('}]}}')
    await ended(mock)
    client.leave('fin')
    await client.ended()
    expect(await get('r0-1')).not.toHaveProperty('received')
  })

  it('an answer was received if the client used the connection again before it reset that', async () => {
    const { mock, client, get } = await connected([])
    client.send(create())
    await client.until('}]}}')
    client.send(create())
    await expect.poll(() => mock.rig().journal.count, { interval: 1 }).toBe(2)
    await ended(mock)
    client.leave('reset')
    await latest(mock, 'a reset', entry => entry.isUnread)
    expect(await get('r0-1')).not.toHaveProperty('received')
  })
})

describe('the journal, of an answer over a socket', () => {
  it('that left whole, tells the connection, the place on it, and every byte', async () => {
    const { mock, client, get } = await connected([])
    client.send(create())
    await client.until('}]}}')
    await ended(mock)
    client.send(create())
    await expect.poll(() => mock.rig().journal.count, { interval: 1 }).toBe(2)
    await ended(mock)
    const [first, second] = [await get('r0-1'), await get()]
    expect([first.connection.position, second.connection.position]).toEqual([1, 2])
    expect(first.connection.number).toBe(second.connection.number)
    expect(first.connection.remotePort).toBeGreaterThan(0)
    expect([first.delivered, second.delivered]).toEqual(['handed', 'handed'])
    // What has left may still be on its way.
    const seen = () => client.seen.length
    await expect.poll(seen, { interval: 1 }).toBe(first.bytesSent + second.bytesSent)
  })

  it('the journal, of an answer over a socket is open while nothing has left, and shows the request already', async () => {
    const { mock, client, get } = await connected([onCreate([{ phase: 'after', answer: { fault: 'hang' } }])])
    client.send(create())
    await latest(mock, 'a response that is withheld', ({ response }) => response !== undefined)
    expect(await get()).toMatchObject({ delivered: 'open', ended: null, bytesSent: 0, transactionId: 'T' })
  })

  it.each(['fin', 'close', 'reset'] as const)(
    'that hung until the client left by %s, is aborted',
    async how => {
      const { mock, client } = await connected([onCreate([{ phase: 'after', answer: { fault: 'hang' } }])])
      client.send(create())
      await latest(mock, 'a response that is withheld', ({ response }) => response !== undefined)
      client.leave(how)
      expect(await ended(mock)).toMatchObject({ delivered: 'aborted', bytesSent: 0 })
    },
  )

  it.each([
    ['withheld', { fault: 'reset' }, 'none'],
    ['cut', { fault: 'truncate' }, 'cut'],
    ['cut in its headers', { fault: 'headers-cut' }, 'cut'],
    ['of bytes that are no HTTP', { fault: 'garbage' }, 'cut'],
  ])('that was %s, tells how many bytes left', async (_, answer, delivered) => {
    const { mock, client } = await connected([onCreate([{ phase: 'after', answer }])])
    client.send(create())
    await client.ended()
    const entry = await ended(mock)
    expect([entry.delivered, entry.bytesSent]).toEqual([delivered, client.seen.length])
  })

  it('that was falsified and left whole, is handed', async () => {
    const { mock, client } = await connected([onCreate([{ phase: 'after', answer: { fault: 'html-200' } }])])
    client.send(create())
    await client.until('</html>')
    expect((await ended(mock)).delivered).toBe('handed')
  })

  it('that is held, is not even made; released after the client has left, it was done all the same', async () => {
    const { mock, client, get, platform } = await connected([onCreate([{ hold: 'gate' }])])
    client.send(create())
    await expect.poll(() => mock.rig().holds.counts().get('gate'), { interval: 1 }).toBe(1)
    expect(await get()).toMatchObject({ delivered: 'open', told: null, truth: null, effects: [] })
    client.leave('reset')
    await mock.rig().holds.release('gate')
    await ended(mock)
    expect((await platform()).summary.sent).toBe(1)
  })

  it('that waits when the client leaves, is aborted, though the work is done', async () => {
    const { mock, client, platform } = await connected([onCreate([{ delay: '10m' }])])
    client.send(create())
    await latest(mock, 'a response that waits', ({ truth }) => truth !== undefined)
    client.leave('reset')
    expect(await ended(mock)).toMatchObject({ delivered: 'aborted', bytesSent: 0 })
    expect((await platform()).summary.sent).toBe(1)
  })

  it('of a request whose client left within its body, is on record, and nothing was done', async () => {
    const { mock, client, platform } = await connected([])
    const whole = create()
    client.send(whole.slice(0, -5))
    await latest(mock, 'a request that has begun', ({ delivered }) => delivered === 'open')
    client.leave('reset')
    expect((await ended(mock)).delivered).toBe('aborted')
    expect((await platform()).summary.sent).toBe(0)
  })

  it('that hangs when the mock is stopped, is not blamed on the client', async () => {
    const { mock } = await staged([onCreate([{ phase: 'after', answer: { fault: 'hang' } }])])
    const server = await mock.listen()
    using client = await RawClient.connect(server.port)
    client.send(create())
    await latest(mock, 'a response that is withheld', ({ response }) => response !== undefined)
    await server.close()
    expect((await ended(mock)).delivered).toBe('server-stopped')
  })

  it('waiting for it ends when whoever waits hangs up', async () => {
    const { mock, client } = await connected([])
    client.send('GET /_mock/spaces/demo/requests/wait?timeout=30s HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await expect.poll(() => mock.rig().journal.waiting, { interval: 1 }).toBe(1)
    client.leave('reset')
    await expect.poll(() => mock.rig().journal.waiting, { interval: 1 }).toBe(0)
  })
})

describe('a request behind another on its connection, when that dies before its turn,', () => {
  const hanging = onCreate([{ phase: 'after', answer: { fault: 'hang' } }])
  const read = (target: string) =>
    `GET ${target} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${basic('demo')}\r\n\r\n`

  it.each(['fin', 'close', 'reset'] as const)('by %s, is closed as one whose client has left', async how => {
    const { mock, client } = await connected([hanging])
    client.send(create() + read(path) + read(path))
    await latest(mock, 'the third answer', ({ response, number }) => number === 3 && response !== undefined)
    client.leave(how)
    await ended(mock)
    const entries = mock.rig().journal.entries()
    expect(entries.map(({ delivered, bytesSent }) => [delivered, bytesSent])).toEqual(
      Array(3).fill(['aborted', 0]),
    )
    await expect.poll(() => mock.rig().use.idleMilliseconds, { interval: 1 }).toBeGreaterThan(0)
  })

  it('a request behind another on its connection, when that dies before its turn has its stream of events ended', async () => {
    const { mock, client } = await connected([hanging])
    client.send(create() + read('/_mock/spaces/demo/events'))
    const isHeard = () => mock.rig().events.hasListeners
    await expect.poll(isHeard, { interval: 1 }).toBe(true)
    client.leave('reset')
    await expect.poll(isHeard, { interval: 1 }).toBe(false)
  })
})

describe('a request that is kept waiting', () => {
  const held = { phase: 'after', hold: 'here' }

  it.each([
    ['by a hold', held],
    ['by a hold, to be delivered late', { ...held, deliver: 'late', delay: '1h' }],
    ['to be delivered late', { phase: 'after', deliver: 'late', delay: '1h' }],
  ])('%s, shows when its client left, though its work is still to come', async (_, step) => {
    const { mock, client, get } = await connected([onCreate([step])])
    client.send(create())
    await latest(mock, 'a decision', ({ decision }) => decision !== undefined)
    mock.clock.advance(1_000)
    client.leave('reset')
    await latest(mock, 'a client that has left', ({ left }) => left !== undefined)
    expect(await get()).toMatchObject({
      left: { clock: '2026-11-01T10:00:01.000Z' },
      ended: null,
      effects: [],
    })
    mock.clock.advance(1_000)
    await mock.rig().holds.release('here')
    await mock.rig().moveClock(it => it + 3_600_000)
    await ended(mock)
    expect(await get()).toMatchObject({
      left: { clock: '2026-11-01T10:00:01.000Z' },
      delivered: 'aborted',
      effects: [{}, {}],
    })
  })

  it('by a delay shows it too', async () => {
    const { mock, client } = await connected([onCreate([{ phase: 'before', delay: '1h' }])])
    client.send(create())
    await latest(mock, 'a decision', ({ decision }) => decision !== undefined)
    client.leave('reset')
    expect(
      (await latest(mock, 'a client that has left', ({ left }) => left !== undefined)).left,
    ).toBeDefined()
  })

  it('and is waited for, has nobody leave', async () => {
    const { mock, client, get } = await connected([onCreate([held])])
    client.send(create())
    await latest(mock, 'a decision', ({ decision }) => decision !== undefined)
    await mock.rig().holds.release('here')
    await client.until('}]}}')
    await ended(mock)
    client.leave('reset')
    expect(await get()).toMatchObject({ left: null, delivered: 'handed' })
  })
})
