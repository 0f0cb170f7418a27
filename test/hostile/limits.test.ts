import { describe, expect, it } from 'vitest'
import type { Mock } from '../../src/index.ts'
import { basic, halType } from '../mock.ts'
import { eventually } from '../process.ts'
import { ask, get, head, posted, problemIn, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const connected = (port: number, count: number) =>
  Promise.all(Array.from({ length: count }, () => Raw.open(port)))

describe('T51: more connections than there is room for', () => {
  it('more connections than there is room for are told 503 and let go; those that stand are answered as before', async () => {
    const { port, mock } = await start({ connectionLimit: 20 })
    const standing = await connected(port, 20)
    const further = await connected(port, 5)
    for (const raw of further) {
      await raw.send(get('/mailings')).closed()
      expect(raw.statuses).toEqual([503])
      expect(raw.text).toMatch(/\r\nRetry-After: 1\r\n/)
      expect(problemIn(raw).detail).toBe(
        '20 connections are already open, and no more are allowed (--connection-limit)',
      )
    }
    for (const raw of standing) {
      await raw.send(get('/mailings')).answers(1)
      expect(raw.statuses).toEqual([200])
    }
    expect((await mock.space('demo').requests()).length).toBe(20)
    for (const raw of standing) raw.leave()
    await eventually('room for another', async () => {
      const raw = await Raw.open(port)
      await raw.send(get('/mailings', 'Connection: close')).closed()
      return raw.statuses[0] === 200 || undefined
    })
  })

  it('that say nothing are told as well, and a flood of them is dropped', async () => {
    const { port } = await start({ connectionLimit: 5 })
    const standing = await connected(port, 5)
    const flood = await connected(port, 400)
    await Promise.all(flood.map(raw => raw.closed()))
    expect(new Set(flood.flatMap(raw => raw.statuses))).toEqual(new Set([503]))
    await standing[0]!.send(get('/mailings')).answers(1)
    for (const raw of standing) raw.leave()
    await eventually('room', async () => {
      const raw = await Raw.open(port)
      await raw.send(get('/mailings', 'Connection: close')).closed()
      return raw.statuses[0] === 200 || undefined
    })
  })

  it('count also where they come over a side port', async () => {
    const { port, mock } = await start({ connectionLimit: 3 })
    const response = await mock.fetch('http://localhost/_mock/spaces/demo/side-port', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"mode":"pass"}',
    })
    const side = ((await response.json()) as { port: number }).port
    const standing = [...(await connected(port, 1)), ...(await connected(side, 2))]
    // The order in which two ports accept is the system's: they are in once they are answered.
    for (const raw of standing) await raw.send(get('/_mock/health')).answers(1)
    expect((await ask(side, get('/mailings'))).statuses).toEqual([503])
    for (const raw of standing) raw.leave()
    await eventually('room', async () =>
      (await ask(port, get('/mailings'))).statuses[0] === 200 ? true : undefined,
    )
  })
})

describe('side ports', () => {
  const fetchPort = (mock: Mock, space: string, method = 'GET', mode?: string) =>
    mock.fetch(`http://localhost/_mock/spaces/${encodeURIComponent(space)}/side-port`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(mode !== undefined && { body: JSON.stringify({ mode }) }),
    })
  const openPort = async (mock: Mock, space: string, mode: string) => {
    const response = await fetchPort(mock, space, 'PUT', mode)
    expect(response.status).toBe(201)
    return ((await response.json()) as { port: number }).port
  }
  const use = (mock: Mock, user: string) =>
    mock.fetch('http://localhost/mailings', { headers: { authorization: basic(user) } })
  const isRefused = (port: number) =>
    Raw.open(port).then(
      raw => {
        raw.leave()
        return undefined
      },
      () => true,
    )

  it('a side port ends with its space when that makes room for another one', async () => {
    const { mock } = await start({ spaceLimit: 1 })
    await use(mock, 'demo+a')
    const port = await openPort(mock, 'demo+a', 'silent')
    await eventually('the copy to make room', async () => {
      await use(mock, 'demo+b')
      return (await isRefused(port)) || undefined
    })
    expect((await fetchPort(mock, 'demo+a')).status).toBe(404)
  })

  it('a side port stays where it is when its space is reset', async () => {
    const { mock } = await start({})
    const port = await openPort(mock, 'demo', 'pass')
    await mock.space('demo').reset()
    await mock.reset()
    expect((await ask(port, get('/mailings'))).statuses).toEqual([200])
  })

  it.each(['silent', 'reset-at-data'])(
    'connections to side ports in mode %s count against the connection limit of all ports',
    async mode => {
      const { port, mock } = await start({ connectionLimit: 4 })
      const sides = [await openPort(mock, 'demo', mode), await openPort(mock, 'demo+x', mode)]
      const standing = [...(await connected(sides[0]!, 2)), ...(await connected(sides[1]!, 2))]
      for (const full of [port, ...sides])
        await eventually('no more room', async () =>
          (await ask(full, get('/mailings'))).statuses[0] === 503 ? true : undefined,
        )
      for (const raw of standing) raw.leave()
      await eventually('room', async () =>
        (await ask(port, get('/mailings'))).statuses[0] === 200 ? true : undefined,
      )
    },
  )

  it('a silent side port lets nobody stand who says nothing for longer than --header-timeout', async () => {
    const { mock } = await start({ headerTimeout: 50 })
    const raw = await Raw.open(await openPort(mock, 'demo', 'silent'))
    await raw.closed()
    expect(raw.text).toBe('')
  })

  it('side ports beyond a hundred are refused with 409 until one is closed', async () => {
    const { mock } = await start({})
    for (let at = 0; at < 100; at++) await openPort(mock, `demo+${at}`, 'refuse')
    const refused = await fetchPort(mock, 'demo', 'PUT', 'refuse')
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain(
      '100 side ports are already open, and no more are allowed; DELETE the side port of another space first',
    )
    expect((await fetchPort(mock, 'demo+7', 'PUT', 'silent')).status).toBe(200)
    await fetchPort(mock, 'demo+7', 'DELETE')
    await openPort(mock, 'demo', 'refuse')
  })
})

describe('T50: more held requests than there is room for', () => {
  it('more held requests than there is room for are told 503, nothing of them is done, and there is room again when others are let go', async () => {
    const { mock } = await start({ holdLimit: 10 })
    const space = mock.space('demo')
    await space.arm({ rules: [{ on: 'createSending', steps: [{ hold: 'gate', times: 100 }] }] })
    const create = (transactionId: string) =>
      mock.fetch(`http://localhost${sendings}`, {
        method: 'POST',
        headers: { authorization: basic('demo'), 'content-type': halType },
        body: JSON.stringify({ transactionId }),
      })
    const held = Array.from({ length: 10 }, (_, at) => create(`held-${at}`))
    await eventually('all to be held', async () => ((await space.holds())[0]?.held === 10 ? true : undefined))
    const refused = await create('refused')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await refused.text()).toContain(
      '10 requests are held or delayed in this space already, and no more are allowed (--hold-limit)',
    )
    expect((await space.platform()).summary.sent).toBe(0)

    // Another space has room of its own.
    const other = await mock.fetch(`http://localhost${sendings}`, {
      method: 'POST',
      headers: { authorization: basic('demo+other'), 'content-type': halType },
      body: '{}',
    })
    expect(other.status).toBe(201)

    expect(await space.release('gate')).toBe(10)
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(10).fill(201))
    const again = create('refused')
    await eventually('another to be held', async () =>
      (await space.holds())[0]?.held === 1 ? true : undefined,
    )
    await space.release('gate')
    expect((await again).status).toBe(201)
    await space.disarm()
  })

  it('count as long as they are in memory, also when their clients have left', async () => {
    const { port, mock } = await start({ holdLimit: 5 })
    const space = mock.space('demo')
    await space.arm({ rules: [{ on: 'createSending', steps: [{ hold: 'gate', times: 1_000 }] }] })
    for (let count = 1; count <= 5; count++) {
      const raw = await Raw.open(port)
      raw.send(posted(sendings, '{}'))
      await eventually('it to be held', async () =>
        (await space.holds())[0]?.held === count ? true : undefined,
      )
      raw.leave()
    }
    expect((await ask(port, posted(sendings, '{}'))).statuses).toEqual([503])
    await space.reset()
    expect((await ask(port, posted(sendings, '{}'))).statuses).toEqual([201])
  })

  it('200 that hang and leave at once leave nothing', async () => {
    const { port, mock } = await start()
    const space = mock.space('demo')
    await space.arm({
      rules: [{ on: 'createSending', steps: [{ answer: { fault: 'hang' }, times: 1_000 }] }],
    })
    const crowd = await connected(port, 200)
    for (const raw of crowd) raw.send(posted(sendings, '{}'))
    const open = async () => (await space.requests({ delivered: 'open' })).length
    await eventually('all to hang', async () => ((await open()) === 200 ? true : undefined))
    await space.disarm()
    // Others are answered meanwhile.
    expect((await ask(port, get('/mailings'))).statuses).toEqual([200])
    for (const raw of crowd) raw.leave()
    await eventually('all to be over', async () => ((await open()) === 0 ? true : undefined))
    expect((await space.requests({ delivered: 'aborted' })).length).toBe(200)
  })
})

it('a connection goes on after a control call whose body is refused as too large', async () => {
  const { port } = await start()
  const raw = await Raw.open(port)
  const call = '/_mock/spaces/demo/clock'
  raw.send(posted(call, ' '.repeat((1 << 20) + 1)))
  await raw.answers(1)
  raw.send(get('/mailings'))
  await raw.answers(2)
  expect(raw.statuses).toEqual([413, 200])
  raw.leave()
})

describe('T54: a client that leaves', () => {
  const create = posted(sendings, '{"transactionId":"left"}')
  it.each<[when: string, bytes: string | Buffer]>([
    ['before it says anything', ''],
    ['in the middle of its headers', create.subarray(0, 60)],
    ['before its body', create.subarray(0, create.indexOf('\r\n\r\n') + 4)],
    ['in the middle of its body', create.subarray(0, create.length - 5)],
    ['with its last byte', create],
    ['while it is held', posted(sendings, '{}', 'X-Mock-Scenario: overlapping-attempts')],
    ['while the answer drips', posted(sendings, '{}', 'X-Mock-Scenario: drip')],
    ['while nothing comes', posted(sendings, '{}', 'X-Mock-Scenario: hang-before')],
    ['while events come', head('GET /_mock/events HTTP/1.1', 'Host: localhost')],
    [
      'while it waits for requests',
      head('GET /_mock/spaces/demo/requests/wait?count=9 HTTP/1.1', 'Host: localhost'),
    ],
    [
      'behind a request that hangs',
      Buffer.concat([posted(sendings, '{}', 'X-Mock-Scenario: hang-after'), create]),
    ],
  ])('%s, fifty times over, leaves nothing behind', async (_, bytes) => {
    const { port, mock } = await start()
    const timers = () => process.getActiveResourcesInfo().filter(name => name === 'Timeout').length
    const before = timers()
    for (let round = 0; round < 5; round++) {
      const crowd = await connected(port, 10)
      crowd.forEach((raw, at) => {
        raw.send(bytes)
        if (at % 3 === 0) raw.socket.resetAndDestroy()
        else if (at % 3 === 1) raw.leave()
        else raw.socket.end(() => raw.leave())
      })
      await Promise.all(crowd.map(raw => raw.closed()))
    }
    const space = mock.space('demo')
    await eventually('all requests to be over', async () => {
      const open = await space.requests({ delivered: 'open' })
      return open.every(({ left }) => left !== null) || undefined
    })
    await space.reset()
    await eventually('timers to be gone', () => timers() <= before + 1 || undefined)
  })
})
