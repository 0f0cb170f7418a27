import type { IncomingMessage, ServerResponse } from 'node:http'
import { PassThrough } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { SocketRequest } from '../../src/http/socket-transport.ts'
import { MemoryBudget } from '../../src/store/memory-budget.ts'
import { Turns } from '../../src/store/turns.ts'
import { basic, halType, ids, type Json, synchronizationPath, synchronizationsPath } from '../mock.ts'
import { ask, type Listening, post, posted, problemIn, Raw, sendings, useMocks } from './raw.ts'

const start = useMocks()
const mebibyte = 1 << 20

const callOf =
  ({ mock }: Listening, user = 'demo') =>
  async (method: string, path: string, body?: string | Buffer): Promise<{ status: number; json: Json }> => {
    const headers = { authorization: basic(user), 'content-type': halType }
    const response = await mock.fetch(`http://localhost${path}`, {
      method,
      headers,
      ...(body !== undefined && { body: body as string }),
    })
    return { status: response.status, json: await response.json() }
  }

describe('T41: a body that is too long', () => {
  it.each<[how: string, bytes: string]>([
    ['announced', post(sendings, `Content-Length: ${300 * mebibyte}`)],
    ['announced beyond every number', post(sendings, 'Content-Length: 9007199254740993')],
    [
      'in one chunk that announces it',
      `${post(sendings, 'Transfer-Encoding: chunked')}12C00000\r\n${'x'.repeat(2 * mebibyte)}`,
    ],
  ])('%s, is refused before it has come', async (_, bytes) => {
    const { port } = await start()
    const seen = await ask(port, bytes)
    expect(seen.statuses).toEqual([413])
    expect(problemIn(seen).detail).toBe('The request body is over 1048576 bytes')
  })

  it('and never ends, is refused while it comes, and read no further', async () => {
    const { port, mock } = await start()
    const raw = await Raw.open(port)
    raw.send(post(sendings, 'Transfer-Encoding: chunked'))
    const chunk = Buffer.from(`10000\r\n${'x'.repeat(0x10000)}\r\n`)
    let sent = 0
    while (!raw.isOver && raw.statuses.length === 0 && sent < 300 * mebibyte) {
      sent += chunk.length
      await new Promise<void>(resolve => raw.socket.write(chunk, () => resolve()))
    }
    await raw.answers(1)
    expect(raw.statuses).toEqual([413])
    expect(sent).toBeLessThan(64 * mebibyte)
    raw.leave()
    const [entry] = await mock.space('demo').requests()
    expect(entry!.told!.status).toBe(413)
  })

  it('only when it is unpacked, is not unpacked', async () => {
    const { port } = await start()
    const bomb = gzipSync(Buffer.alloc(64 * mebibyte, ' '))
    expect(bomb.length).toBeLessThan(mebibyte)
    const seen = await ask(port, posted(sendings, bomb, 'Content-Encoding: gzip'))
    expect(seen.statuses).toEqual([415])
    expect(problemIn(seen).detail).toMatch(/^Content-Encoding is "gzip"/)
  })

  it('a body that is too long may be as long as --body-limit says, in a socket as in the process', async () => {
    const it = await start({ bodyLimit: 100 })
    const body = (length: number) => `{"name":"${'x'.repeat(length - 11)}"}`
    for (const [length, status] of [
      [100, 201],
      [101, 413],
    ] as const) {
      expect((await ask(it.port, posted(sendings, body(length)))).statuses).toEqual([status])
      expect((await callOf(it)('POST', sendings, body(length))).status).toBe(status)
    }
  })

  it.each<[what: string, length: number, status: number]>([
    ['shorter than it is: the rest is no request', 2, 400],
    ['longer than it is: it has ended early', 50, 400],
  ])('whose length is told %s', async (_, length, last) => {
    const { port, mock } = await start()
    const raw = await Raw.open(port)
    raw.send(`${post(sendings, `Content-Length: ${length}`)}{}{"transactionId":"smuggled"}`)
    raw.socket.end()
    await raw.closed()
    expect(raw.statuses).toEqual(length === 2 ? [201, last] : [last])
    const { summary } = await mock.space('demo').platform()
    expect(summary.sent).toBe(length === 2 ? 1 : 0)
  })
})

const many = (count: number, one: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => one(at)).join(',')

describe('T42: JSON that is hard to hold', () => {
  it.each<[what: string, body: string, status: number]>([
    ['arrays 100,000 deep', `{"name":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 400],
    ['objects 100,000 deep', `${'{"name":'.repeat(100_000)}1${'}'.repeat(100_000)}`, 400],
    ['brackets that are never closed', '['.repeat(1_000_000), 400],
    ['64 levels', `{"unknown":${'['.repeat(63)}${']'.repeat(63)}}`, 201],
    ['65 levels', `{"unknown":${'['.repeat(64)}${']'.repeat(64)}}`, 400],
    ['brackets within a text', `{"name":"${'['.repeat(200)}"}`, 201],
    ['a thousand unknown members', `{${many(1_000, at => `"m${at}":0`)}}`, 201],
    ['30,000 unknown members', `{${many(30_000, at => `"m${at}":0`)}}`, 400],
    ['nine thousand numbers in a list', `{"unknown":[${many(9_000, () => '0')}]}`, 201],
    ['500,000 numbers in a list', `{"unknown":[${many(500_000, () => '0')}]}`, 400],
    ['a member whose name is a megabyte', `{"${'k'.repeat(mebibyte - 100)}":1}`, 201],
    ['a number beyond all numbers', '{"unknown":1e400}', 201],
    ['a number of 400 digits', `{"unknown":${'9'.repeat(400)}}`, 201],
    ['half a million digits', `{"unknown":${'9'.repeat(500_000)}}`, 201],
    ['minus nothing', '{"unknown":-0}', 201],
    ['a name that is a number beyond all numbers', '{"name":1e400}', 400],
  ])('%s: status is as it should be, and what comes later is kept', async (_, body, status) => {
    const it = await start()
    const call = callOf(it)
    expect((await call('POST', sendings, body)).status).toBe(status)
    // Something that poisoned the data or its record would be seen here.
    expect((await call('POST', sendings, '{"transactionId":"later"}')).status).toBe(201)
    const entries = await it.mock.space('demo').requests()
    expect(entries.map(entry => entry.told!.status)).toEqual([status, 201])
    for (const entry of entries) await it.mock.space('demo').request(entry.id)
  })

  it.each(['1e400', '-0', '1.5', '9'.repeat(400), '"1001"', '-1', '9007199254740993', 'null'])(
    'an ID of the platform that is %s is none',
    async number => {
      const call = callOf(await start())
      const { status, json } = await call(
        'POST',
        synchronizationsPath,
        `{"customer":"harbour-group","listId":${number}}`,
      )
      expect([400, 404]).toContain(status)
      expect(JSON.stringify(json).length).toBeLessThan(1_000)
    },
  )

  it('of two members of one name neither counts: the body is refused, and takes no transaction ID', async () => {
    const it = await start()
    const call = callOf(it)
    const twice = '{"transactionId":"first","transactionId":"second"}'
    expect((await call('POST', sendings, twice)).status).toBe(400)
    for (const id of ['first', 'second'])
      expect((await call('POST', sendings, JSON.stringify({ transactionId: id }))).status).toBe(201)
  })
})

/** Names that objects have by themselves. */
const inherited = [
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  'valueOf',
  '__defineGetter__',
]

describe('T43: names that objects have by themselves', () => {
  it.each(inherited)('%s is a transaction ID like any other, or refused', async name => {
    const it = await start()
    const call = callOf(it)
    const body = JSON.stringify({ transactionId: name })
    const first = await call('POST', sendings, body)
    expect([first.status, first.json.transactionId]).toEqual([201, name])
    const again = await call('POST', sendings, body)
    expect([again.status, again.json.id]).toEqual([200, first.json.id])
  })

  it.each(inherited)('%s finds nothing and makes nothing where it is a name', async name => {
    const it = await start()
    const call = callOf(it)
    const paths = [
      `/mailings/${name}`,
      synchronizationPath(name),
      `${synchronizationPath(ids.ready)}/sendings/${name}`,
      `${synchronizationPath(ids.ready)}/${name}`,
      `/${name}`,
    ]
    for (const path of paths) expect((await call('GET', path)).status, path).toBe(404)
    expect((await call('GET', `/mailings?${name}=5&${name}=6`)).status).toBe(200)
    expect((await call('POST', sendings, `{"${name}":{"state":"FAILED","polluted":1}}`)).status).toBe(201)
    for (const [method, path, body] of [
      ['PUT', `/spaces/demo/scenario`, { name }],
      ['PUT', `/spaces/demo/dials`, { [name]: 'full' }],
      ['POST', `/spaces/demo/faults`, { on: 'createSending', answer: { fault: name } }],
      ['POST', `/spaces/demo/holds/${name}/release`, {}],
      ['PUT', `/spaces/${name}`, {}],
      ['PUT', `/spaces/demo`, { [name]: { clock: { frozen: true } } }],
    ] as const) {
      const response = await it.mock.fetch(`http://localhost/_mock${path}`, {
        method,
        headers: { 'content-type': 'application/json' },
        // As text: an object literal would set its prototype.
        body: JSON.stringify(body).replace('{}', `{"${name}":1}`),
      })
      expect(response.status, path).toBeGreaterThanOrEqual(400)
      expect(response.status, path).toBeLessThan(500)
    }
    expect(({} as { polluted?: number }).polluted).toBeUndefined()
  })

  it.each(inherited)('demo+%s is a private space of its own', async name => {
    const it = await start()
    const body = '{"transactionId":"one"}'
    expect((await callOf(it, `demo+${name}`)('POST', sendings, body)).status).toBe(201)
    expect((await callOf(it, `demo+${name}`)('POST', sendings, body)).status).toBe(200)
    expect((await callOf(it)('POST', sendings, body)).status).toBe(201)
    expect((await it.mock.space(`demo+${name}`).requests()).length).toBe(2)
  })
})

describe('T44: texts that are none, or are not what they look like', () => {
  it.each<[what: string, bytes: readonly number[]]>([
    ['0xff 0xfe', [0xff, 0xfe]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['half a character', [0xe2, 0x82]],
    ['beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('%s in a body is refused, and two such bodies never count as one', async (_, bytes) => {
    const { port } = await start()
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')])
    const seen = await ask(port, posted(sendings, body))
    expect(seen.statuses).toEqual([400])
    expect(problemIn(seen).detail).toBe('The request body is not UTF-8')
  })

  it('lone surrogates, NUL, U+202E and escapes of terminals are told back as they came', async () => {
    const it = await start()
    const call = callOf(it)
    const name = '\\ud800 \\u0000 \\u202e \\u001b[31m \\u2028'
    const body = `{"customer":"harbour-group","listId":1001,"mailingName":"${name}"}`
    const { status, json } = await call('POST', synchronizationsPath, body)
    expect([200, 201, 400]).toContain(status)
    expect(JSON.stringify(json)).toMatch(/^[\x20-\x7e\u00a0-\uffff]*$/)
  })

  it('the same transaction ID beside different lone surrogates is one sending, and the difference is on record', async () => {
    const it = await start()
    const call = callOf(it)
    const body = (unit: string) => `{"transactionId":"t","name":"\\u${unit}"}`
    const first = await call('POST', sendings, body('d800'))
    const second = await call('POST', sendings, body('d801'))
    expect([first.status, second.status, second.json.id]).toEqual([201, 200, first.json.id])
    const seen = await it.mock.space('demo').requests()
    expect(new Set(seen.map(entry => entry.body!.sha256)).size).toBe(2)
  })

  it('a byte-order mark before the JSON is no reason to change anything', async () => {
    const { port, mock } = await start()
    const seen = await ask(port, posted(sendings, Buffer.from('\ufeff{"transactionId":"bom"}')))
    const { summary } = await mock.space('demo').platform()
    expect([seen.statuses[0], summary.sent]).toEqual([201, 1])
  })
})

describe('T41: bodies that arrive together', () => {
  const connection = { number: 1, requests: 1, unfitTls: undefined } as ConstructorParameters<
    typeof SocketRequest
  >[0]

  /** In which turns of the event loop so many bodies of one length are passed on, which have all come in one turn. */
  async function turns(bytes: number): Promise<number[]> {
    const largeBodies = new Turns()
    let turn = 0
    let isOver = false
    const count = () => {
      turn++
      if (!isOver) setImmediate(count)
    }
    const requests = Array.from({ length: 8 }, async () => {
      const incoming = Object.assign(new PassThrough(), { headers: {}, complete: false })
      const of = incoming as unknown as IncomingMessage
      const request = new SocketRequest(connection, of, {} as ServerResponse, largeBodies)
      const read = request.readBody(new Request('http://localhost'), mebibyte, new MemoryBudget())
      incoming.end('x'.repeat(bytes))
      expect(await read).toHaveLength(bytes)
      return turn
    })
    setImmediate(count)
    const passedOn = await Promise.all(requests)
    isOver = true
    return passedOn
  }

  it('and take long to check, are checked each in a turn of its own, so that other requests come in between', async () => {
    expect(new Set(await turns(4_097)).size).toBe(8)
  })

  it('and are small, are checked at once', async () => {
    expect(new Set(await turns(4_096)).size).toBe(1)
  })
})
