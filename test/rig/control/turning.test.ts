import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { sideModes } from '../../../src/rig/side-ports.ts'
import { dialNames, dials } from '../../../src/service/dials.ts'
import { ids, type Json, startMock, synchronizationPath } from '../../mock.ts'
import { eventually } from '../../process.ts'
import { sentences, startTester, type Tester } from './tester.ts'

const started: Tester[] = []
afterEach(async () => {
  for (const tester of started.splice(0)) await tester.close()
})
async function start(...options: Parameters<typeof startTester>): Promise<Tester> {
  const tester = await startTester(...options)
  started.push(tester)
  return tester
}

const sendings = synchronizationPath(ids.ready, '/sendings')
const send = (tester: Tester, transactionId: string, user = 'demo') =>
  tester.as(user).post(sendings, { transactionId })
const holding = { rules: [{ on: 'createSending', steps: [{ hold: 'gate' }] }] }

describe('dials', () => {
  it('dials are listed with what each can be turned to', async () => {
    const { json } = await (await start()).get('/dials')
    expect(json._embedded.dials.map((it: Json) => it.name)).toEqual(dialNames)
    expect(json._embedded.dials[0]).toEqual({ name: dialNames[0], ...dials[dialNames[0]!] })
  })

  it('of a space are turned at once, and go back when they are left out', async () => {
    const tester = await start()
    const title = async () => (await tester.as('demo').get('/nothing')).json
    const { json } = await tester.put('/spaces/demo/dials', { 'error-body': 'minimal' })
    expect(json.turned).toEqual({ 'error-body': 'minimal' })
    expect(json.effective).toMatchObject({ 'error-body': 'minimal', curies: 'as-in-examples' })
    expect(Object.keys(await title())).toEqual(['title', 'status'])
    expect((await tester.put('/spaces/demo/dials', {})).json.turned).toEqual({})
    expect(Object.keys(await title())).toContain('_links')
  })

  it('dials show what the scenario in force turns', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', { dials: { 'error-body': 'empty' } })
    const { json } = await tester.get('/spaces/demo/dials')
    expect([json.turned, json.effective['error-body']]).toEqual([{}, 'empty'])
  })

  it('dials stay turned over a restart', async () => {
    const data = mkdtempSync(join(tmpdir(), 'mailing-sync-mock-'))
    try {
      const before = await startTester({ data })
      await before.put('/spaces/demo/dials', { 'error-body': 'minimal' })
      await before.close()
      const after = await startTester({ data })
      expect((await after.get('/spaces/demo/dials')).json.turned).toEqual({ 'error-body': 'minimal' })
      await after.close()
    } finally {
      rmSync(data, { recursive: true })
    }
  })

  it.each([
    [{ 'eror-body': 'minimal' }, /^unknown key "eror-body"; did you mean "error-body"\? Possible: /],
    [
      { 'error-body': 'short' },
      /^error-body: "short" is not possible; possible: full, minimal, plain-json, text, empty$/,
    ],
    [{ 'error-body': null }, /^error-body: null is not possible; /],
    ['{"__proto__":"x"}', /^unknown key "__proto__"; possible: /],
  ])('%j is refused', async (body, expected) => {
    const answer = await (await start()).put('/spaces/demo/dials', body)
    expect(answer.status).toBe(400)
    expect(sentences(answer)[0]).toMatch(expected)
  })
})

describe('holds', () => {
  it('holds are released one by one or all at once, the work done when the call answers', async () => {
    const tester = await start()
    await tester.put('/spaces/demo/scenario', holding)
    const ended: string[] = []
    const waiting = ['a', 'b', 'c'].map(id => send(tester, id).then(() => ended.push(id)))
    const held = async () => (await tester.get('/spaces/demo/holds')).json._embedded.holds[0]?.held ?? 0
    await vi.waitUntil(async () => (await held()) >= 3, { timeout: 60_000, interval: 5 })
    const sent = async () => (await tester.get('/spaces/demo')).json.sent
    const before = await sent()

    const release = '/spaces/demo/holds/gate/release'
    expect((await tester.post(release, { count: 1 })).json).toMatchObject({ released: 1, held: 2 })
    expect(await sent()).toBe(before + 1)
    expect((await tester.post(release)).json).toMatchObject({ released: 2, held: 0 })
    expect(await sent()).toBe(before + 3)
    await Promise.all(waiting)
    expect(ended).toEqual(['a', 'b', 'c'])
    expect((await tester.post(release)).status).toBe(404)
  })

  it('by which nobody is held are told from those that hold somebody', async () => {
    const tester = await start()
    const release = (name: string) => tester.post(`/spaces/demo/holds/${name}/release`)
    expect((await release('gate')).json.detail).toBe('There is no request held by "gate"; no request is held')
    await tester.put('/spaces/demo/scenario', holding)
    const waiting = send(tester, 'a')
    await eventually(
      'the request to be held',
      async () => (await tester.get('/spaces/demo/holds')).json._embedded.holds[0],
    )
    const missed = await release('gte')
    expect([missed.status, missed.json.detail]).toEqual([
      404,
      'There is no request held by "gte"; held are: gate (1)',
    ])
    expect((await release('gate')).json).toMatchObject({ released: 1, held: 0 })
    expect((await waiting).status).toBe(201)
  })

  it.each([
    [{ count: 0 }, 'count: expected how many requests to release, from 1, got 0'],
    [{ count: 1.5 }, 'count: expected how many requests to release, from 1, got 1.5'],
    [{ cont: 1 }, 'unknown key "cont"; did you mean "count"? Possible: count'],
  ])('holds are not released by %j', async (body, expected) => {
    const answer = await (await start()).post('/spaces/demo/holds/gate/release', body)
    expect([answer.status, sentences(answer)]).toEqual([400, [expected]])
  })
})

/** Reads a stream of events until one of this type has come. */
async function until(reader: ReadableStreamDefaultReader<Uint8Array>, wanted: RegExp): Promise<string> {
  let text = ''
  while (!wanted.test(text)) {
    const { done, value } = await reader.read()
    if (done) return `${text}(ended)`
    text += Buffer.from(value).toString()
  }
  return text
}

describe('events', () => {
  const listen = async (tester: Tester, space = 'demo', headers = {}) => {
    const response = await tester.fetch(`/_mock/spaces/${space}/events`, { headers })
    return { response, reader: response.body!.getReader() }
  }

  it('events tell of requests, the clock and the scenario, each with an ID', async () => {
    const tester = await start()
    const { response, reader } = await listen(tester)
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    await send(tester, 'a')
    const text = await until(reader, /"what":"closed"/)
    expect(text).toMatch(
      /^: listening\n\nid: 1\nevent: request\ndata: \{"what":"opened","id":"r0-1","number":1,"user":"demo","method":"POST",/,
    )
    expect(text).toContain('"status":201')
    await tester.post('/spaces/demo/clock', { advance: '5m' })
    expect(await until(reader, /event: clock\n/)).toContain('"now":"2026-11-01T10:05:00.000Z"')
    await tester.put('/spaces/demo/scenario', { name: 'happy-path' })
    expect(await until(reader, /event: scenario\n/)).toContain('{"name":"happy-path"}')
    await reader.cancel()
  })

  it('events go on with the new beginning after a reset', async () => {
    const tester = await start()
    const { reader } = await listen(tester)
    await tester.post('/spaces/demo/reset')
    await until(reader, /event: reset\n/)
    await send(tester, 'a')
    expect(await until(reader, /"what":"closed"/)).toContain('"number":1')
    await reader.cancel()
  })

  it('events end when the space is removed', async () => {
    const tester = await start()
    await tester.put('/spaces/demo+x')
    const { reader } = await listen(tester, 'demo+x')
    await tester.delete('/spaces/demo+x')
    expect(await until(reader, /never/)).toMatch(/event: reset\n.*\(ended\)$/s)
  })

  it('events are not for a page elsewhere', async () => {
    const tester = await start()
    for (const headers of [{ origin: 'http://evil.example' }, { 'sec-fetch-site': 'cross-site' }])
      expect((await tester.fetch('/_mock/spaces/demo/events', { headers })).status).toBe(403)
  })

  it('events end for a reader who does not read', async () => {
    const tester = await start()
    const { reader } = await listen(tester)
    for (let at = 0; at < 400; at++) await tester.as('demo').get('/nothing')
    const text = await until(reader, /never/)
    expect(text).toMatch(/^: listening\n.*\(ended\)$/s)
    expect(text.match(/event: request/g)!.length).toBeLessThan(1_001)
  })
})

describe('the events of all spaces', () => {
  it('name the space of each, tell which have opened, and go on when one begins anew', async () => {
    const tester = await start()
    const reader = (await tester.fetch('/_mock/events')).body!.getReader()
    await tester.as('demo+x').get('/nothing')
    const first = await until(reader, /"what":"closed"/)
    expect(first).toMatch(/event: space\ndata: \{"space":"demo\+x","what":"opened"\}/)
    expect(first).toMatch(/event: request\ndata: \{"space":"demo\+x","what":"opened",/)
    await tester.post('/spaces/demo+x/reset')
    await until(reader, /event: reset\ndata: \{"space":"demo\+x"\}/)
    await tester.as('demo').get('/nothing')
    expect(await until(reader, /"what":"closed"/)).toMatch(/event: request\ndata: \{"space":"demo",/)
    await reader.cancel()
  })

  it('cost nothing when nobody listens any more', async () => {
    const mock = await startMock()
    const response = await mock.fetch(new Request('http://localhost/_mock/events'))
    await mock.as('demo').get('/nothing')
    expect(mock.rig().events.hasListeners).toBe(true)
    await response.body!.cancel()
    expect(mock.rig().events.hasListeners).toBe(false)
  })
})

describe('listening to events', () => {
  it.each([
    ['has left', 'GET', async (response: Response) => response.body!.cancel()],
    ['only asked for the head', 'HEAD', async () => {}],
  ])('listening to events leaves nothing behind when the reader %s', async (_, method, leave) => {
    const mock = await startMock()
    const url = 'http://localhost/_mock/spaces/demo/events'
    const response = await mock.fetch(new Request(url, { method }))
    expect(response.status).toBe(200)
    await leave(response)
    expect(mock.rig().events.hasListeners).toBe(false)
  })

  it('listening to events ends when its client gives up', async () => {
    const mock = await startMock()
    const gone = new AbortController()
    const url = 'http://localhost/_mock/spaces/demo/events'
    await mock.fetch(new Request(url, { signal: gone.signal }))
    expect(mock.rig().events.hasListeners).toBe(true)
    gone.abort()
    await new Promise(setImmediate)
    expect(mock.rig().events.hasListeners).toBe(false)
  })
})

describe('a side port', () => {
  it('a side port needs a mock that listens', async () => {
    const tester = await start()
    const { status, json } = await tester.put('/spaces/demo/side-port', { mode: 'pass' })
    expect([status, json.detail]).toEqual([409, 'a side port needs a mock that listens on a port'])
    expect((await tester.get('/spaces/demo/side-port')).json.detail).toBe(
      'There is no side port of space "demo"; PUT {"mode": "…"} opens one',
    )
  })

  it('a side port is opened, switched, counted and closed', async () => {
    const tester = await start()
    await tester.listen()
    const opened = await tester.put('/spaces/demo/side-port', { mode: 'pass' })
    expect([opened.status, opened.json.mode]).toEqual([201, 'pass'])
    const { port } = opened.json
    expect((await fetch(`http://127.0.0.1:${port}/_mock/health`)).status).toBe(200)
    const switched = await tester.put('/spaces/demo/side-port', { mode: 'reset-at-accept' })
    expect([switched.status, switched.json.port]).toEqual([200, port])
    await expect(fetch(`http://127.0.0.1:${port}/_mock/health`)).rejects.toThrow()
    const { connections } = (await tester.get('/spaces/demo/side-port')).json
    expect([connections.pass >= 1, connections['reset-at-accept'] >= 1]).toEqual([true, true])
    expect((await tester.delete('/spaces/demo/side-port')).status).toBe(204)
    const refused = await new Promise<string | undefined>(resolve =>
      createConnection(port, '127.0.0.1').on('error', (error: NodeJS.ErrnoException) => resolve(error.code)),
    )
    expect(refused).toBe('ECONNREFUSED')
  })

  it('a side port goes with its space', async () => {
    const tester = await start()
    await tester.listen()
    for (const remove of [() => tester.delete('/spaces/demo+x'), () => tester.post('/reset')]) {
      const { json } = await tester.put('/spaces/demo+x/side-port', { mode: 'pass' })
      await remove()
      await expect(fetch(`http://127.0.0.1:${json.port}/_mock/health`)).rejects.toThrow()
    }
  })

  it('a side port has the modes that it names', async () => {
    const answer = await (await start()).put('/spaces/demo/side-port', { mode: 'silnt' })
    expect(sentences(answer)).toEqual([
      `mode: "silnt" is not possible; did you mean "silent"? Possible: ${sideModes.join(', ')}`,
    ])
  })
})
