import { setImmediate as turn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { createMock, FixtureError, ManualClock, type Mock, type MockOptions, runExam } from '../src/index.ts'
import { connect, type FaultRule } from '../src/lib/connect.ts'
import { defaultFixture, readFixtures } from '../src/store/fixtures.ts'
import { basic, halType, ids, jsonOf, now, synchronizationPath } from './mock.ts'
import { eventually, temporaryDirectory } from './process.ts'

const mocks: Mock[] = []
afterEach(async () => {
  for (const mock of mocks.splice(0)) await mock.close()
})
async function open(options?: MockOptions): Promise<Mock> {
  const mock = await createMock(options)
  mocks.push(mock)
  return mock
}
const headers = { authorization: basic('demo'), 'content-type': halType }
const send = (mock: Mock, body = '{}') =>
  mock.fetch(`http://mock${synchronizationPath(ids.ready, '/sendings')}`, { method: 'POST', headers, body })

/** Lets go of what nobody holds. What was just looked at stays for a turn. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  for (let n = 0; n < 3; n++) {
    await turn()
    collect()
  }
}

describe('clients in the same process that leave late', () => {
  it('clients in the same process that leave late are let go, though nobody holds their request any more', async () => {
    const mock = await open()
    const space = await mock.privateSpace()
    await space.faults.arm({ on: 'listMailings', answer: { fault: 'hang' } })
    const leaving = new AbortController()
    const { authorization } = space
    const asked = mock.fetch('http://mock/mailings', { headers: { authorization }, signal: leaving.signal })
    await space.waitForRequests({ state: 'opened' })
    await collectGarbage()
    leaving.abort(new Error('enough'))
    await expect(asked).rejects.toThrow('enough')
    expect(await space.waitForRequests({ delivered: 'aborted' })).toMatchObject({ met: true })
  })

  it('clients in the same process that leave late hear no more of what happens', async () => {
    const mock = await open()
    const leaving = new AbortController()
    const events = await mock.space().events(leaving.signal)
    const next = events.next()
    await collectGarbage()
    leaving.abort(new Error('enough'))
    await expect(next).rejects.toThrow('enough')
  })
})

describe('the library', () => {
  it('the library answers without a socket, at the time of the clock it is given', async () => {
    const clock = new ManualClock(now)
    const mock = await open({ clock })
    clock.advance(1_000)
    const response = await send(mock)
    expect(response.status).toBe(201)
    expect((await jsonOf(response)).creationDate).toBe('2026-11-01T10:00:01.000Z')
  })

  it.each([
    ['what is there', { authorization: basic('demo') }, 200],
    ['somebody without credentials', {}, 401],
    ['a host that is not allowed', { host: 'evil.example.com' }, 421],
  ])('the library shows no body to HEAD: %s', async (_, given: Record<string, string>, status) => {
    const mock = await open()
    const response = await mock.fetch('http://mock/mailings', { method: 'HEAD', headers: given })
    expect([response.status, await response.text()]).toEqual([status, ''])
    expect(response.headers.get('content-type')).toContain('json')
  })

  it('a response without a socket has the status text that it has over one', async () => {
    const mock = await open()
    const { url } = await mock.listen()
    for (const [path, method, given] of [
      ['/mailings', 'GET', headers],
      ['/mailings', 'HEAD', headers],
      ['/mailings', 'GET', {}],
      ['/mailings', 'OPTIONS', headers],
      [synchronizationPath(ids.ready, '/sendings'), 'POST', headers],
    ] as const) {
      const [within, over] = await Promise.all(
        [mock.fetch, fetch].map(ask => ask(url + path, { method, headers: given })),
      )
      expect([within!.status, within!.statusText]).toEqual([over!.status, over!.statusText])
    }
  })

  it.each(
    ['drip', 'early-hints', 'truncate', 'truncate-eof', 'chunk-cut', 'reset-mid-body'].flatMap(fault =>
      (['before', 'after'] as const).map(phase => [fault, phase] as const),
    ),
  )('a HEAD that meets %s in phase %s shows what it shows over a socket', async (fault, phase) => {
    const mock = await open()
    const { url } = await mock.listen()
    const ask = async (fetch: Mock['fetch']) => {
      const space = await mock.privateSpace()
      const answer = fault === 'drip' ? { fault, every: '1ms' } : { fault }
      await space.faults.arm({ on: 'listMailings', phase, answer } as FaultRule)
      const { authorization } = space
      const seen = await fetch(`${url}/mailings`, { method: 'HEAD', headers: { authorization } }).then(
        async ({ status, headers, body }) => [status, headers.get('content-length'), body],
        (error: Error) => error.message,
      )
      const { requests } = await space.waitForRequests().then(it => it._embedded)
      return [seen, requests.map(it => [it.delivered, it.bytesSent])]
    }
    expect(await ask(mock.fetch)).toEqual(await ask(fetch))
  })

  it('the library stands in the place of any address in its own process, but its control does not', async () => {
    const mock = await open()
    const ask = (path: string, more = {}) =>
      mock.fetch(`https://api.mailing.example:8443${path}`, { headers: { ...headers, ...more } })
    const { _links } = await jsonOf(await ask(synchronizationPath(ids.ready)))
    expect(_links.self.href).toBe(`https://api.mailing.example:8443${synchronizationPath(ids.ready)}`)
    expect((await ask('/mailings', { host: 'api.mailing.example:8443' })).status).toBe(200)
    expect((await ask('/mailings', { host: 'evil.example.com' })).status).toBe(421)
    expect((await ask('/_mock/spaces')).status).toBe(421)
    // What was allowed to the service's requests is not remembered for others.
    expect((await ask('/mailings')).status).toBe(200)
    expect((await ask('/_mock/spaces')).status).toBe(421)
  })

  it('the library believes a proxy in its own process as well, when told to', async () => {
    const mock = await open({ trustProxy: true })
    const forwarded = { 'x-forwarded-host': 'public.example', 'x-forwarded-proto': 'https' }
    const response = await mock.fetch('http://api.mailing.example/mailings', {
      headers: { ...headers, ...forwarded },
    })
    expect((await jsonOf(response))._links.self.href).toBe('https://public.example/mailings')
  })

  it('the library puts nothing of its own in place of global objects, even when it listens', async () => {
    const before = [globalThis.Request, globalThis.Response, globalThis.Headers, globalThis.fetch]
    const listeners = process.listenerCount('SIGTERM')
    const mock = await open()
    const { url } = await mock.listen()
    expect((await fetch(`${url}/_mock/health`)).status).toBe(200)
    expect([globalThis.Request, globalThis.Response, globalThis.Headers, globalThis.fetch]).toEqual(before)
    expect(process.listenerCount('SIGTERM')).toBe(listeners)
  })

  it('the library keeps as many requests as the journal is to have, also when their bodies are long', async () => {
    const mock = await open({ journal: 2_000 })
    const body = JSON.stringify({ name: 'x'.repeat(15_000) })
    for (let n = 0; n < 1_200; n++) await send(mock, body)
    const { count, dropped } = await jsonOf(
      await mock.fetch('http://localhost/_mock/spaces/demo/requests?limit=1'),
    )
    expect([count, dropped]).toEqual([1_200, 0])
  })

  it.each(['hang', 'stall', 'drip'] as const)(
    'the library ends a request under %s when it is closed',
    async fault => {
      const mock = await open()
      await mock.space().arm({ rules: [{ on: 'createSending', steps: [{ answer: { fault } }] }] })
      const answer = send(mock).then(response => response.text())
      const refused = expect(answer).rejects.toMatchObject({ cause: { message: 'other side closed' } })
      await eventually('the fault', async () => (await mock.space().requests()).find(it => it.told))
      await mock.close()
      await refused
    },
  )

  it('the library answers nothing after it is closed, and ends loops over events', async () => {
    const mock = await open()
    const events = await mock.space().events()
    const begun = expect(mock.listen()).rejects.toThrow('the mock is closed')
    await mock.close()
    await begun
    const seen: string[] = []
    for await (const { type } of events) seen.push(type)
    expect(seen).toEqual(['reset'])
    await expect(send(mock)).rejects.toMatchObject({ cause: { message: 'the mock is closed' } })
    await expect(mock.space().sent()).rejects.toThrow('the mock is closed')
    await expect(mock.listen()).rejects.toThrow('the mock is closed')
  })

  it('the library makes mocks that are strangers to each other', async () => {
    const [a, b] = [await open(), await open()]
    await send(a, '{"transactionId":"a"}')
    expect((await send(b, '{"transactionId":"a"}')).status).toBe(201)
    expect((await send(a, '{"transactionId":"a"}')).status).toBe(200)
    await a.reset()
    expect((await send(a, '{"transactionId":"a"}')).status).toBe(201)
    expect((await send(b, '{"transactionId":"a"}')).status).toBe(200)
  })

  it('the library starts from content of its own, with the settings of a deployment', async () => {
    const [fixture] = await readFixtures(defaultFixture)
    const own = {
      ...fixture!,
      space: 'acme',
      users: [{ name: 'ann', password: 'secret', rights: ['read' as const] }],
    }
    const mock = await open({
      fixtures: own,
      relationPrefix: 'acme',
      platformSegment: 'sender',
      publicUrl: 'https://mock.example.com/',
    })
    const response = await mock.fetch(
      `http://mock/integrations/sender/mailing-synchronizations/${ids.ready}`,
      { headers: { authorization: basic('ann', 'secret') } },
    )
    const { _links } = await jsonOf(response)
    expect(_links['acme:sendings'].href).toBe(
      `https://mock.example.com/integrations/sender/mailing-synchronizations/${ids.ready}/sendings`,
    )
  })

  it('the library answers for allowed hosts, whatever the case of their letters', async () => {
    const mock = await open({ allowedHosts: ['Mock.Example.com'] })
    expect((await mock.fetch('http://mock.example.com/_mock/health')).status).toBe(200)
  })

  it('the library grows the content when asked to', async () => {
    const mock = await open({ generate: { mailings: 70 } })
    const response = await mock.fetch('http://mock/mailings', { headers })
    expect((await jsonOf(response))._embedded['svc:mailings']).toHaveLength(100)
  })

  it('the library says of a path in a list of fixtures that it stands alone', async () => {
    await expect(createMock({ fixtures: ['/x.json'] as never })).rejects.toThrow(
      "fixtures: a path stands alone, not in a list: fixtures: '/x.json'",
    )
  })

  it.each([
    ['no fixture at all', {}, /\$format/],
    ['an unknown member', { extra: 1 }, /extra/],
    ['a wrong type', { mailings: 7 }, /mailings/],
  ])('the library refuses %s with a sentence that names the place', async (_, part, sentence) => {
    const [fixture] = await readFixtures(defaultFixture)
    const given = Object.keys(part).length ? { ...fixture!, ...part } : {}
    const refused = createMock({ fixtures: given as never })
    await expect(refused).rejects.toThrow(FixtureError)
    await expect(refused).rejects.toThrow(sentence)
  })

  it.each([
    ['a port', { port: 5000 }, 'createMock takes no port: give it to mock.listen({ port })'],
    ['a misspelt port', { prot: 5000 }, 'createMock takes no prot: give port to mock.listen({ port })'],
    [
      'a misspelt option',
      { fixture: './nope' },
      'unknown key "fixture"; did you mean "fixtures"? Possible: ',
    ],
    [
      'what it has no option for',
      { nwo: 1 },
      /^createMock: unknown key "nwo"; (?!.*(?:hasControlPort|hasTlsPort))/,
    ],
    ['a time without a zone', { now: '2026-01-01' }, 'now is "2026-01-01": expected a date-time with a zone'],
    ['a number as a text', { seed: '7' }, 'seed is "7": expected a number'],
    ['a duration below zero', { spaceIdle: -5 }, 'spaceIdle is "-5": expected a duration'],
    ['a text for a switch', { frozen: 'false' }, 'frozen is "false": expected true or false'],
    [
      'a text for dials',
      { dials: 'error-body=minimal' },
      'dials is "error-body=minimal": expected an object',
    ],
    ['a number for dials', { dials: 5 }, 'dials is "5": expected an object of names and values'],
    ['a list of what to generate', { generate: ['mailings=5'] }, 'generate is "mailings=5": expected an obj'],
    ['a text for a list', { selection: 'header' }, 'selection is "header": expected a list'],
    ['two names in one text', { allowedHosts: ['a.example,b.example'] }, 'expected a list of single names'],
    ['a list in a list', { allowedHosts: [['a.example']] }, 'expected a list of single names'],
    ['a time that is null', { now: null }, 'now is "null": expected a date-time with a zone'],
    ['a limit that is null', { rateLimit: null }, 'rateLimit is "null": expected a whole number'],
    ['no content at all', { fixtures: [] }, 'fixtures: the list is empty'],
    ['a clock that is none', { clock: 'x' }, 'createMock expects a clock with a function now()'],
    ['a clock without a time', { clock: { now: () => Number.NaN } }, 'that returns milliseconds since 1970'],
    ['a seed without a text', { seed: Object.create(null) }, 'seed is "object": expected a whole number'],
    ['a symbol', { scenario: Symbol('x') }, 'scenario is "Symbol(x)": expected a text'],
    ['a list with a symbol', { selection: [Symbol('x')] }, 'selection is "object": expected header'],
    ['no clock at all', { clock: null }, 'createMock expects a clock with a function now()'],
    ['a token without repeating it', { token: 'short' }, /^createMock: token cannot be used: (?!.*short)/],
  ])('the library refuses %s', async (_, options, sentence) => {
    await expect(createMock(options as never)).rejects.toThrow(sentence)
  })

  it('options that are null or inherited count as not given', async () => {
    await using none = await createMock(null as never)
    await using inherited = await createMock(Object.create({ seed: 'x', token: 'not checked' }))
    for (const mock of [none, inherited])
      expect((await mock.fetch('http://mock/_mock/spaces')).status).toBe(200)
    expect((await none.listen(null as never)).port).toBeGreaterThan(0)
  })

  it.each([
    [{ prt: 1 }, 'mock.listen: unknown key "prt"; did you mean "port"?'],
    [{ port: 'abc' }, 'mock.listen: port is "abc": expected'],
    [{ port: 99_999 }, 'mock.listen: port is "99999": expected'],
    [{ tls: 'yes' }, 'mock.listen: tls is "yes": expected true or false'],
    [4025, 'mock.listen: expected an object, such as { port: 4025 }'],
    ['127.0.0.1', 'mock.listen: expected an object, such as { port: 4025 }'],
  ])('a mock in this process refuses to listen at %j', async (place, sentence) => {
    await using mock = await createMock()
    await expect(mock.listen(place as never)).rejects.toThrow(sentence)
  })

  it('a mock in this process says which port is in use', async () => {
    await using first = await createMock()
    const { url } = await first.listen()
    const port = Number(new URL(url).port)
    await using second = await createMock()
    await expect(second.listen({ port })).rejects.toThrow(`127.0.0.1:${port} is in use; give another port`)
  })

  it.each<[of: string, call: () => unknown, sentence: string]>([
    [
      'connect',
      () => connect({ url: 'http://localhost', tokn: 'x' } as never),
      'connect: unknown key "tokn"',
    ],
    [
      'runExam',
      () => runExam({ client: () => 'sent', dept: 1 } as never),
      'runExam: unknown key "dept"; did you mean "depth"?',
    ],
    [
      'runExam',
      () => runExam({ client: () => 'sent', onyl: [] } as never),
      'runExam: unknown key "onyl"; did you mean "only"?',
    ],
  ])(
    '%s refuses an option that does not exist, and names what was probably meant',
    async (_, call, sentence) => {
      await expect((async () => call())()).rejects.toThrow(sentence)
    },
  )

  it.each<[call: () => unknown, sentence: string]>([
    [() => createMock('4025' as never), 'createMock takes no port: give it to mock.listen({ port })'],
    [() => createMock(4025 as never), 'createMock takes no port: give it to mock.listen({ port })'],
    [() => createMock('demo' as never), 'createMock: expected an object, such as { frozen: true }'],
    [
      () => connect('http://mock:8080' as never),
      "connect: expected an object, such as { url: 'http://mock:8080' }",
    ],
    [
      () => connect(new URL('http://mock:8080') as never),
      "connect: expected an object, such as { url: 'http://mock:8080/' }",
    ],
    [
      () => runExam(['node', 'client.mjs'] as never),
      "runExam: expected an object, such as { client: ['node','client.mjs'] }",
    ],
  ])('a call of the library says where an object belongs: %s', async (call, sentence) => {
    await expect((async () => call())()).rejects.toThrow(sentence)
  })

  it.each<[of: string, options: object, sentence: string]>([
    ['runExam', { depth: '2' }, 'depth is "2": expected a number'],
    ['runExam', { depth: Number.NaN }, 'depth is "NaN": expected a whole number from 0 to 8'],
    ['runExam', { budget: '5m' }, 'budget is "5m": expected a number'],
    ['runExam', { budget: -1 }, 'budget is "-1": expected a duration'],
    ['runExam', { jobs: 0 }, 'jobs is "0": expected a whole number from 1 to 1000'],
    ['runExam', { strict: 'no' }, 'strict is "no": expected true or false'],
    ['runExam', { jobs: 0 }, 'jobs is "0": expected a whole number from 1 to 1000'],
    ['runExam', { speed: 0.5 }, 'speed is "0.5": expected a number from 1 to 1000'],
    ['runExam', { speed: '60' }, 'speed is "60": expected a number'],
    ['runExam', { timeout: '90s' }, 'timeout is "90s": expected a number'],
    ['runExam', { seed: 1.5 }, 'seed is "1.5": expected a whole number'],
  ])('%s refuses %j before it plays anything', async (name, options, sentence) => {
    const client = async () => {
      throw new Error('it was played')
    }
    await expect(runExam({ client, ...options } as never)).rejects.toThrow(`${name}: ${sentence}`)
  })

  it('the library takes options that are not given, and durations of any length', async () => {
    const clock = new ManualClock(0)
    const options = { clock, token: undefined, spaceIdle: 2_592_000_000, headerTimeout: 1, selection: [] }
    await expect(open(options as never)).resolves.toBeDefined()
  })

  it('the library lets a clock that began with a reset go on after a restart', async () => {
    using directory = temporaryDirectory()
    const [fixture] = await readFixtures(defaultFixture)
    const settings = [{ name: 'clock', value: { rate: 10 } }]
    const clock = new ManualClock(now)
    const start = () => open({ clock, data: directory.path, fixtures: [{ ...fixture!, settings }] })
    const before = await start()
    await before.reset()
    clock.advance(1_000)
    await before.close()
    const after = await start()
    expect(await after.space().clock.now()).toEqual(new Date(Date.parse(now) + 10_000))
  })

  it('the library refuses two fixtures of one space, and a user who would lead to two spaces', async () => {
    const [fixture] = await readFixtures(defaultFixture)
    await expect(createMock({ fixtures: [fixture!, fixture!] })).rejects.toThrow(
      /two fixtures are of space "demo"/,
    )
    await expect(createMock({ fixtures: [fixture!, { ...fixture!, space: 'other' }] })).rejects.toThrow(
      /user "demo" is in the fixtures of two spaces/,
    )
  })
})
