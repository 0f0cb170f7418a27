import { inspect } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { createMock } from '../../src/index.ts'
import { ControlError, connect } from '../../src/lib/connect.ts'
import { halType, ids, now, synchronizationPath } from '../mock.ts'

const mock = await createMock({ now, frozen: true, journal: 2_000 })
const { url } = await mock.listen()
afterAll(() => mock.close())

/** The one client over its two ways. */
const ways = [
  ['in the process', mock.control, (request: Request) => mock.fetch(request)],
  ['over HTTP', connect({ url: `${url}/_mock` }), (request: Request) => fetch(request)],
] as const

describe.each(ways)('the typed control %s', (_, control, ask) => {
  it('lists all that a private space takes when a key is misspelt', async () => {
    await expect(control.privateSpace({ nmae: 'x' } as object)).rejects.toThrow(
      'privateSpace: unknown key "nmae"; possible: of, name, fixture, seed, clock, scenario, dials',
    )
  })

  it('refuses names that lead to another address', async () => {
    const space = await control.privateSpace()
    await expect(space.faults.disarm('..')).rejects.toThrow('".." is no id for /spaces/{space}/faults/{id}')
    await expect(space.request('')).rejects.toThrow('"" is no id for')
    await expect(control.space('..').reset()).rejects.toThrow('".." is no space for')
    expect((await space.state()).name).toBe(space.name)
  })

  it('says where the name of a private space belongs', async () => {
    await expect(control.privateSpace('checkout' as never)).rejects.toThrow(
      "privateSpace: expected an object, such as { name: 'checkout' }",
    )
  })

  it.each<[call: string, given: unknown, example: string]>([
    ['sent', ids.ready, `{ synchronizationId: '${ids.ready}' }`],
    ['platform', [ids.ready], "{ synchronizationId: '…' }"],
    ['verdict', 'unknown', "{ believes: 'unknown' }"],
    ['verdictText', 5, "{ believes: 'sent' }"],
    ['requests', 'getMailing', "{ operation: 'getMailing' }"],
    ['waitForRequests', 3, '{ count: 3 }'],
  ])('says that %s takes an object, with an example', async (call, given, example) => {
    const space = control.space() as unknown as Record<string, (given: unknown) => Promise<unknown>>
    await expect(space[call]!(given)).rejects.toThrow(`${call}: expected an object, such as ${example}`)
  })

  it('says that the list of mailings takes an object', async () => {
    await expect(control.space().mailings.list('Spring' as never)).rejects.toThrow(
      "mailings.list: expected an object, such as { name: 'Spring' }",
    )
  })

  async function open(name: string) {
    const space = await control.privateSpace({ clock: { now, frozen: true } })
    expect(space.name, name).toMatch(/^demo\+./)
    const call = (path: string, body?: object) =>
      ask(
        new Request(url + path, {
          method: body ? 'POST' : 'GET',
          headers: { authorization: space.authorization, 'content-type': halType },
          ...(body && { body: JSON.stringify(body) }),
        }),
      )
    const send = async (transactionId: string) =>
      (await call(synchronizationPath(ids.ready, '/sendings'), { transactionId })).json() as Promise<{
        state: string
      }>
    return { space, call, send }
  }

  it('arms a scenario, tells what it fired, and disarms it', async () => {
    const { space, send } = await open('arm')
    expect((await space.arm('pending-then-created')).scenario?.struck).toBe(false)
    expect([await send('a'), await send('a'), await send('a')].map(it => it.state)).toEqual([
      'PENDING',
      'PENDING',
      'CREATED',
    ])
    expect((await space.scenario()).scenario).toMatchObject({ name: 'pending-then-created', struck: true })
    await space.arm({ rules: [{ on: 'createSending', steps: [{ state: 'FAILED' }] }] })
    expect((await send('b')).state).toBe('FAILED')
    await space.disarm()
    expect((await space.scenario()).scenario).toBeNull()
    expect((await send('c')).state).toBe('CREATED')
  })

  it('moves, freezes and paces the clock', async () => {
    const { clock } = (await open('clock')).space
    expect((await clock.advance('PT5M')).now).toBe('2026-11-01T10:05:00.000Z')
    await clock.set('2026-12-24T18:00:00Z')
    expect(await clock.now()).toEqual(new Date('2026-12-24T18:00:00Z'))
    await clock.set(new Date(now))
    expect((await clock.rate(60)).rate).toBe(60)
    expect((await clock.resume()).frozen).toBe(false)
    expect(await clock.freeze(now)).toMatchObject({ frozen: true, now })
    expect(await clock.state()).toMatchObject({ frozen: true, rate: 60 })
  })

  it('tells what was sent, whatever the client was told', async () => {
    const { space, call, send } = await open('sent')
    await space.faults.arm({ on: 'createSending', phase: 'after', answer: { status: 500 } })
    expect(await send('lost')).not.toHaveProperty('state')
    await call(synchronizationPath(ids.ready, '/sendings'), { scheduleDate: '2026-11-02T10:00:00Z' })
    expect(await space.sent()).toMatchObject([{ transactionId: 'lost', synchronizationId: ids.ready }])
    expect(await space.sent({ transactionId: 'other' })).toEqual([])
    expect((await space.platform()).summary).toMatchObject({ sent: 1, scheduled: 1 })
    await space.clock.advance('1d')
    expect(await space.sent()).toHaveLength(2)
  })

  it('finds requests by what they are, all of them, however many pages they take', async () => {
    const { space, call, send } = await open('requests')
    await send('a')
    for (let n = 0; n < 1_010; n++) await call('/mailings?pageSize=1')
    const all = await space.requests()
    // A page has a thousand at most.
    expect(all.map(it => it.number)).toEqual(Array.from({ length: 1_011 }, (_, at) => at + 1))
    await send('b')
    expect(await space.requests({ operation: 'createSending', status: 201 })).toMatchObject([
      { transactionId: 'a' },
      { transactionId: 'b' },
    ])
    const last = all.at(-1)!
    expect(await space.requests({ since: last.number })).toHaveLength(1)
    expect((await space.request(last.id)).explanation).toBeDefined()
    expect(await space.waitForRequests({ count: 2, timeout: '1ms', since: last.id })).toMatchObject({
      met: false,
      count: 1,
    })
    await space.forgetRequests()
    expect(await space.requests()).toEqual([])
  })

  it('reads the verdict, with what only its caller knows', async () => {
    const { space, send } = await open('verdict')
    await space.arm('reset-after')
    await send('a').catch(() => {})
    await space.disarm()
    await send('b')
    const { outcome, findings, harm } = await space.verdict({ believes: 'sent', expected: 1 })
    expect([outcome, harm.sent]).toEqual(['guilty', 2])
    expect(findings.map(it => it.rule)).toContain('R02')
    expect(await space.verdictText()).toContain('R02')
  })

  it('does in the editor what a person does', async () => {
    const { mailings } = (await open('mailings')).space
    const [draft] = await mailings.list({ hasDraft: true, isApproved: false })
    expect((await mailings.approve(draft!.id)).isApproved).toBe(true)
    expect((await mailings.draft(draft!.id, { subject: 'Again' })).draft?.subject).toBe('Again')
    expect((await mailings.edit(draft!.id, { name: 'Renamed' })).name).toBe('Renamed')
    expect((await mailings.get(draft!.id)).hasDraft).toBe(true)
    expect((await mailings.list()).length).toBeGreaterThan(25)
  })

  it('lets held requests go, and counts faults that never fired', async () => {
    const { space, send } = await open('holds')
    const never = await space.faults.arm({ on: 'getSending', answer: { fault: 'reset' } })
    await space.faults.arm({ on: 'createSending', steps: [{ hold: 'gate' }] })
    const sending = send('a')
    await expect.poll(() => space.holds()).toMatchObject([{ name: 'gate', held: 1 }])
    expect(await space.sent()).toEqual([])
    expect(await space.release('gate')).toBe(1)
    expect((await sending).state).toBe('CREATED')
    expect(await space.faults.list()).toMatchObject({ armed: 1, neverStruck: 1 })
    expect((await space.faults.get(never.id)).hits).toBe(0)
    await space.faults.disarm(never.id)
    await space.faults.disarm()
    expect((await space.faults.list())._embedded.faults).toEqual([])
  })

  it('takes a snapshot, goes on from it, and comes back to it with a reset', async () => {
    const { space, send } = await open('snapshot')
    await send('kept')
    const kept = await space.snapshot()
    await send('later')
    await space.restore(kept)
    expect((await space.snapshot()).sendings).toHaveLength(kept.sendings.length)
    await send('later')
    await space.reset()
    expect((await space.snapshot()).sendings).toHaveLength(kept.sendings.length)
    await space.begin()
    expect((await space.snapshot()).sendings.length).toBeLessThan(kept.sendings.length)
  })

  it('turns dials', async () => {
    const { space } = await open('dials')
    expect((await space.turn({ 'error-body': 'minimal' })).turned).toEqual({ 'error-body': 'minimal' })
    expect((await space.dials()).effective['error-body']).toBe('minimal')
  })

  it('opens a side port for trouble before a request, and closes it', async () => {
    const { space } = await open('side port')
    const { port } = await space.sidePort('reset-at-data')
    await expect(fetch(`http://127.0.0.1:${port}/mailings`)).rejects.toThrow()
    expect((await space.sidePort('pass')).connections).toEqual({ 'reset-at-data': 1 })
    await space.closeSidePort()
    await expect(space.closeSidePort()).rejects.toThrow(/side port/)
  })

  it('tells events while they happen, until its reader leaves', async () => {
    const { space, send } = await open('events')
    const seen: string[] = []
    const events = await space.events()
    await space.clock.advance('5s')
    await send('a')
    await space.reset()
    for await (const { type, data } of events) {
      seen.push(type === 'request' ? `${type} ${data.what}` : type)
      if (type === 'reset') break
    }
    expect(seen).toEqual(['clock', 'request opened', 'request answered', 'request closed', 'reset'])
  })

  it('stops listening to events when its signal says so', async () => {
    const { space } = await open('abort')
    const stop = new AbortController()
    const events = await space.events(stop.signal)
    stop.abort(new Error('enough'))
    await expect(events.next()).rejects.toThrow('enough')
  })

  it('makes private spaces that share nothing, and removes them', async () => {
    const [a, b] = [await open('a'), await open('b')]
    expect(a.space.name).not.toBe(b.space.name)
    expect([(await a.send('x')).state, (await b.send('x')).state]).toEqual(['CREATED', 'CREATED'])
    expect([await a.space.sent(), await b.space.sent()].map(it => it.length)).toEqual([1, 1])
    expect((await control.spaces()).map(it => it.name)).toContain(a.space.name)
    await a.space.remove()
    await expect(a.space.state()).rejects.toThrow(/demo\+/)
    const named = await control.privateSpace({ name: 'orders', scenario: 'failed-once' })
    expect([named.name, named.user, (await named.state()).scenario]).toEqual([
      'demo+orders',
      'demo+orders',
      'failed-once',
    ])
  })

  it('shows the catalogue', async () => {
    const names = (await control.scenarios()).map(it => it.name)
    expect(names).toContain('reset-after')
    expect((await control.scenario('reset-after')).expect).toEqual({ sent: 1, belief: 'sent' })
  })

  it('is refused with a sentence that names what is wrong and what is possible', async () => {
    const { space } = await open('refused')
    // @ts-expect-error there is no such scenario
    const refused = await space.arm('pending-then-creatd').catch(error => error)
    expect(refused).toBeInstanceOf(ControlError)
    expect(refused.status).toBe(400)
    expect(refused.message).toMatch(
      /^PUT \/_mock\/spaces\/demo%2B\S+\/scenario was refused \(400\): .*pending-then-created/,
    )
    expect(refused.invalidFields).toMatchObject([{ field: 'name' }])
    await expect(control.space('nowhere').state()).rejects.toThrow(/nowhere/)
    await expect(space.clock.advance('soon')).rejects.toThrow(/expected a duration such as/)
  })

  it('knows no credentials of spaces that it was told no user of, which can be copied and printed', () => {
    const elsewhere = control.space('elsewhere')
    expect(() => elsewhere.authorization).toThrow(
      /no user of space "elsewhere" is known here; connect\(\) takes users/,
    )
    expect({ ...elsewhere }).toMatchObject({ name: 'elsewhere' })
    expect(inspect(elsewhere, { getters: true })).toContain("name: 'elsewhere'")
  })
})

describe('connect', () => {
  it.each([
    ['/', ''],
    ['/_mock', ''],
    ['/_mock/', ''],
    ['/behind/a/proxy/', '/behind/a/proxy'],
  ])('connect takes an address that ends in %s', async (end, path) => {
    const asked: string[] = []
    const control = connect({
      url: `http://localhost:4025${end}`,
      fetch: async request => {
        asked.push(request.url)
        return new Response(null, { status: 204 })
      },
    })
    await control.reset()
    expect(asked).toEqual([`http://localhost:4025${path}/_mock/reset`])
  })

  it.each([
    ['no address', 'localhost', /"localhost" is no address of a mock; expected one such as/],
    ['another scheme', 'file:///tmp', /is no address/],
    [
      'a query',
      'http://localhost:4025?tenant=a',
      /"http:\/\/localhost:4025\?tenant=a" is no address of a mock/,
    ],
    ['an address with a password', 'http://ann:secret@localhost', /^(?!.*secret).*takes a token/],
    ['a password before a query', 'http://ann:secret@localhost?a=b', /^(?!.*secret).*takes a token/],
  ])('connect refuses %s', (_, given, sentence) => {
    expect(() => connect({ url: given })).toThrow(sentence)
  })

  it('connect says that nobody answers', async () => {
    const gone = await createMock()
    const { url } = await gone.listen()
    await gone.close()
    await expect(connect({ url }).reset()).rejects.toThrow(
      /^POST \/_mock\/reset got no response from http:\/\/localhost:(\d+): .*ECONNREFUSED.*; is the mock started there\? \(npm start, or npx mailing-sync-mock --port \1\)$/,
    )
  })

  it('connect says that it is no mock that answers', async () => {
    const page = async () => new Response('<html>', { status: 404 })
    await expect(connect({ url: 'http://localhost', fetch: page }).reset()).rejects.toThrow(
      'POST /_mock/reset was answered 404, and not by the control API of a mailing-sync-mock: is http://localhost its address?',
    )
    const fine = async () => new Response('<html>')
    await expect(connect({ url: 'http://localhost', fetch: fine }).spaces()).rejects.toThrow(
      /was answered without JSON/,
    )
  })

  it('connect says that the imitated service answers, which asks for a user', async () => {
    await using mock = await createMock()
    const { url } = await mock.listen()
    await expect(connect({ url: `${url}/beside` }).reset()).rejects.toThrow(
      `was answered 401, and not by the control API of a mailing-sync-mock: is ${url}/beside its address?`,
    )
  })

  it('connect carries the token, and says when it lacks', async () => {
    await using guarded = await createMock({ token: 'open-sesame', hasControlPort: true })
    expect((await guarded.space().state()).name).toBe('demo')
    await using open = await createMock({ token: 'open-sesame' })
    const { url } = await open.listen()
    expect((await connect({ url, token: 'open-sesame' }).space().state()).name).toBe('demo')
    await expect(connect({ url }).reset()).rejects.toThrow(/refused \(401\): .*connect\(\) takes it as token/)
  })
})
