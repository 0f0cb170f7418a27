import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { redactHeaders, redactTarget } from '../../../src/rig/redaction.ts'
import { basic, halType, ids, now, startMock, synchronizationPath } from '../../mock.ts'
import { onCreate, staged } from '../stage.ts'
import { journalCalls } from './journal-calls.ts'

const sendings = synchronizationPath(ids.ready, '/sendings')
const dateTime = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
const moment = { real: dateTime, clock: now }
const sha256 = (text: string | Uint8Array) => createHash('sha256').update(text).digest('hex')

describe('a request on record', () => {
  it('a request on record tells who asked what and when, what was answered, and what it brought about', async () => {
    const mock = await startMock()
    const { json: sending } = await mock.as('demo').post(sendings, { transactionId: 'order:1' })
    const { told, truth, headers, ...rest } = await journalCalls(mock).get()
    expect(rest).toMatchObject({
      id: 'r0-1',
      number: 1,
      connection: null,
      user: 'demo',
      operation: 'createSending',
      method: 'POST',
      target: sendings,
      synchronizationId: ids.ready,
      transactionId: 'order:1',
      body: {
        text: '{"transactionId":"order:1"}',
        encoding: 'utf8',
        bytes: 27,
        isCut: false,
        sha256: sha256('{"transactionId":"order:1"}'),
        payloadSha256: sha256('{}'),
      },
      arrived: moment,
      read: moment,
      ended: moment,
      left: null,
      clockEpoch: 0,
      decision: null,
      delivered: 'handed',
      effects: [
        { what: 'mailing', platformMailingId: sending.target.mailingId, origin: 'sending', at: now },
        { what: 'sending', platformSendingId: sending.target.sendingId, kind: 'list', startsAt: now },
      ],
      twinOf: null,
      twin: null,
    })
    expect(headers).toMatchObject({ 'content-type': halType, authorization: 'Basic (hidden)' })
    expect(truth).toMatchObject({ status: 201, state: 'CREATED' })
    expect(JSON.parse(told.body.text)).toEqual(sending)
  })

  it('a request on record tells the step that fired, with rules, steps and attempts counted from 1', async () => {
    const steps = [{ phase: 'after', answer: { fault: 'html-200' }, times: 2 }, { state: 'CREATED' }]
    const { mock, act } = await staged([
      onCreate([{ state: 'FAILED' }], { when: { user: 'ann' } }),
      onCreate(steps),
    ])
    await act.post({ transactionId: 'T' })
    await act.post({ transactionId: 'T' })
    expect((await journalCalls(mock).get()).decision).toEqual({
      scenario: 'a-test',
      by: 'space',
      rule: 2,
      step: 1,
      attempt: 2,
      phase: 'after',
      state: null,
      truth: null,
      fault: 'html-200',
      plan: [{ state: 'CREATED' }],
    })
  })

  it('a request on record tells what was true beside what was told', async () => {
    const { mock, act } = await staged([onCreate([{ phase: 'after', answer: { status: 502 } }])])
    await act.post({ transactionId: 'T' })
    const { told, truth } = await journalCalls(mock).get()
    expect([told.status, told.state, truth.status, truth.state]).toEqual([502, null, 201, 'CREATED'])
  })

  it('a request on record has no true answer where the service was never asked', async () => {
    const { mock, act } = await staged([onCreate([{ phase: 'before', answer: { status: 503 } }])])
    await act.post({ transactionId: 'T' })
    const { told, truth, effects } = await journalCalls(mock).get()
    expect([told.status, truth, effects]).toEqual([503, null, []])
  })

  it.each([
    [
      'a later attempt',
      [{ state: 'PENDING' }, { state: 'CREATED' }],
      (act: Post) => act({ transactionId: 'T' }),
    ],
    ['the clock', [{ state: 'PENDING', for: '1m' }, { state: 'CREATED' }], undefined],
  ])(
    'a request on record names what %s brought about as an effect of the request that asked for it',
    async (_, steps, again) => {
      const { mock, act } = await staged([onCreate(steps)])
      await act.post({ transactionId: 'T' })
      const { get } = journalCalls(mock)
      expect((await get('r0-1')).effects).toEqual([])
      if (again) await again(act.post)
      else mock.clock.advance(60_000)
      expect((await get('r0-1')).effects.map(({ what }: { what: string }) => what)).toEqual([
        'mailing',
        'sending',
      ])
    },
  )

  it('and its second delivery name each other', async () => {
    const { mock, act } = await staged([onCreate([{ deliver: 'twice' }])])
    await act.post({ transactionId: 'T' })
    const { list } = journalCalls(mock)
    const seen = (await list())._embedded.requests
    expect(seen.map(({ id, twin, twinOf }: Record<string, string>) => [id, twin, twinOf])).toEqual([
      ['r0-1', 'r1-2', null],
      ['r1-2', null, 'r0-1'],
    ])
    expect(seen.map(({ truth }: { truth: { status: number } }) => truth.status)).toEqual([201, 200])
  })

  it('that is unknown is 404, and the answer tells which there are', async () => {
    const mock = await startMock()
    for (const path of ['/mailings', '/mailings/none']) await mock.as('demo').get(path)
    const response = await journalCalls(mock).call('GET', '/requests/r9-9')
    expect(response.status).toBe(404)
    expect(await response.text()).toContain('those on record run from r0-1 to r0-2')
  })
})

type Post = (body?: object) => Promise<unknown>

describe('the body of a request on record', () => {
  const bodyOf = async (body: string | Uint8Array) => {
    const mock = await startMock()
    await mock.as('demo').post(sendings, body)
    return { ...(await journalCalls(mock).get()) }
  }

  it.each([
    ['the order of members', '{"name":"a","subject":"b"}', '{"subject":"b","name":"a"}'],
    ['white space', '{"name":"a"}', '{\n  "name" : "a"\n}'],
    ['escapes', '{"name":"ä"}', '{"name":"\\u00e4"}'],
    ['the transaction ID', '{"name":"a","transactionId":"1"}', '{"name":"a","transactionId":"2"}'],
  ])(
    'the body of a request on record has the same payload whatever %s, and other bytes',
    async (_, one, other) => {
      const [a, b] = [(await bodyOf(one)).body, (await bodyOf(other)).body]
      expect(a.payloadSha256).toBe(b.payloadSha256)
      expect(a.sha256).not.toBe(b.sha256)
    },
  )

  it('the body of a request on record has another payload when a value is another', async () => {
    const [a, b] = [(await bodyOf('{"name":"a"}')).body, (await bodyOf('{"name":"b"}')).body]
    expect(a.payloadSha256).not.toBe(b.payloadSha256)
  })

  it('the body of a request on record is cut when it is long, and is told by the hashes of the whole', async () => {
    const text = JSON.stringify({ name: 'n'.repeat(30_000), transactionId: 'order:1' })
    const { body, transactionId } = await bodyOf(text)
    expect([body.text, body.bytes, body.isCut]).toEqual([text.slice(0, 16 << 10), text.length, true])
    expect([body.sha256, transactionId]).toEqual([sha256(text), 'order:1'])
  })

  it('that is cut within a character is shown up to there', async () => {
    const { body } = await bodyOf(`{"name":"${'ä'.repeat(20_000)}"}`)
    expect([body.encoding, body.text.at(-1)]).toEqual(['utf8', 'ä'])
  })

  it('that is no JSON object has no payload', async () => {
    const { body } = await bodyOf('[1]')
    expect([body.text, body.payloadSha256]).toEqual(['[1]', null])
  })

  it('that is no UTF-8 is shown in base64', async () => {
    const { body } = await bodyOf(new Uint8Array([0xff, 0xfe]))
    expect([body.encoding, body.text, body.bytes]).toEqual(['base64', '//4=', 2])
  })

  it('the body of a request on record is null for a request without one', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    expect((await journalCalls(mock).get()).body).toBeNull()
  })
})

describe('credentials', () => {
  const secret = 'sesame-open-4711'

  it('credentials are shown nowhere in the journal, though it shows that they were there', async () => {
    const mock = await startMock()
    const headers = {
      cookie: `session=${secret}`,
      'proxy-authorization': `Bearer ${secret}`,
      'x-api-key': secret,
      'x-upstream': `Bearer ${secret}`,
    }
    await mock.as('demo').get(`/mailings?access_token=${secret}`, headers)
    const { list, get } = journalCalls(mock)
    const whole = JSON.stringify([await list(), await get()])
    expect(whole).not.toContain(secret)
    expect(whole).not.toContain(basic('demo').slice('Basic '.length))
    expect((await get()).headers).toMatchObject({
      authorization: 'Basic (hidden)',
      cookie: '(hidden)',
      'proxy-authorization': 'Bearer (hidden)',
      'x-api-key': '(hidden)',
      'x-upstream': 'Bearer (hidden)',
    })
    expect((await get()).target).toBe('/mailings?access_token=(hidden)')
  })

  it.each([
    'Authorization',
    'Proxy-Authorization',
    'Cookie',
    'Set-Cookie',
    'X-Auth-Token',
    'X-API-Key',
    'apikey',
    'X-Amz-Security-Token',
    'X-Session-Id',
    'Client-Secret',
    'X-Password',
    'X-Hub-Signature-256',
  ])('in %s are hidden, whatever they are', name => {
    fc.assert(
      fc.property(fc.string({ minLength: 8 }), value => {
        const shown = redactHeaders({ [name]: value, other: ['a', 'b'] })
        expect(shown[name]).toMatch(/^(?:\w+ )?\(hidden\)$/)
        expect(shown.other).toEqual(['a', 'b'])
      }),
    )
  })

  it.each([
    ['a bearer token', `Bearer ${secret}`],
    ['basic credentials', basic('demo')],
    ['a signed token', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl'],
  ])('credentials are hidden in a header of any name that holds %s', (_, value) => {
    expect(redactHeaders({ 'x-any': value })['x-any']).not.toContain(value.split(' ').at(-1))
  })

  it.each(['content-type', 'accept', 'user-agent', 'x-mock-scenario', 'www-authenticate', 'idempotency-key'])(
    'credentials are not looked for in %s',
    name => {
      expect(redactHeaders({ [name]: 'Basic realm="x"' })).toEqual(
        name === 'www-authenticate' ? { [name]: 'Basic realm="x"' } : { [name]: 'Basic (hidden)' },
      )
      expect(redactHeaders({ [name]: 'plain' })).toEqual({ [name]: 'plain' })
    },
  )

  it.each([
    ['/mailings?cursor=abc&pageSize=5', '/mailings?cursor=abc&pageSize=5'],
    ['/mailings?syncToken=abc', '/mailings?syncToken=abc'],
    ['/mailings?token=abc&a', '/mailings?token=(hidden)&a'],
    ['/mailings', '/mailings'],
  ])('in the address %s are hidden', (target, shown) => {
    expect(redactTarget(target)).toBe(shown)
  })
})
