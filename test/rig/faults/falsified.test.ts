import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { InProcessWire } from '../../../src/http/in-process-transport.ts'
import { faults } from '../../../src/rig/faults/fault-registry.ts'
import type { Answer } from '../../../src/service/response.ts'
import { deliver } from './deliver.ts'
import { answerEffects, withoutEffect } from './effects.ts'
import { answer, context, sending } from './fault-server.ts'

const empty: Answer = { status: 204, headers: {}, body: '' }
const problem: Answer = {
  status: 500,
  headers: { 'Content-Type': 'application/problem+json' },
  body: '{"title":"Not processed"}',
}

/** What a fault that falsifies makes of an answer. */
async function falsified(name: string, settings: object = {}, own = answer, at = context()): Promise<Answer> {
  const fault = faults.get(name)!
  const told = await deliver(fault, fault.settings.parse(settings), own, new InProcessWire(), at)
  return told!
}

const jsonOf = ({ body }: Answer) => JSON.parse(String(body))

describe('what a client sees', () => {
  it('what a client sees of each fault is in the table', () => {
    expect(withoutEffect(), 'these faults need a row in test/rig/faults/effects.ts').toEqual([])
  })

  it.each(Object.entries(answerEffects))(
    'what a client sees of %s is as the table says',
    async (name, { see }) => {
      const { status, headers, body } = await falsified(name)
      const lines = Object.entries(headers).map(([header, value]) => `${header}: ${value}\r\n`)
      see(
        { bytes: '', ending: 'open', status, headers: lines.join(''), body: String(body) },
        String(answer.body),
      )
    },
  )
})

describe('malformed-json', () => {
  it.each([
    ['a sending', answer],
    ['a problem', problem],
    ['a response without a body', empty],
    ['a response that is no JSON', { ...answer, body: '<html>' }],
  ])('malformed-json makes of %s a body that no parser takes', async (_, own) => {
    const { status, headers, body } = await falsified('malformed-json', {}, own)
    expect(() => JSON.parse(String(body))).toThrow(SyntaxError)
    expect(status).toBe(own.status === 204 ? 200 : own.status)
    expect(headers['Content-Type']).toBe(own.headers['Content-Type'])
  })
})

describe('wrong-content-type', () => {
  it('wrong-content-type leaves everything but Content-Type', async () => {
    const own = { ...answer, headers: { 'content-type': 'application/hal+json', 'X-Other': 'stays' } }
    expect(await falsified('wrong-content-type', { type: 'text/plain' }, own)).toEqual({
      ...own,
      headers: { 'Content-Type': 'text/plain', 'X-Other': 'stays' },
    })
  })
})

describe('html-200', () => {
  it('html-200 tells nothing of the true answer', async () => {
    const { status, headers, body } = await falsified('html-200', {}, problem)
    expect([status, headers]).toEqual([200, { 'Content-Type': 'text/html; charset=utf-8' }])
    expect(body).toContain('<!doctype html>')
  })
})

describe('empty-201', () => {
  it.each([200, 201, 204])('empty-201 is %d with nothing in it, and Location as it was', async status => {
    expect(await falsified('empty-201', { status })).toEqual({
      status,
      headers: {
        Location: answer.headers.Location,
        ...(status !== 204 && { 'Content-Length': '0' }),
      },
      body: '',
    })
  })
})

describe('truncate-gzip', () => {
  it.each([
    ['a sending', answer, 12],
    ['a sending, one byte short', answer, 1],
    ['a sending, nothing but the header of gzip', answer, 99_999],
    ['a response without a body', empty, 12],
  ])('%s: what is left cannot be unpacked whole', async (_, own, missing) => {
    const { headers, body } = await falsified('truncate-gzip', { missing }, own)
    expect(headers['Content-Encoding']).toBe('gzip')
    expect(body.length).toBeGreaterThanOrEqual(10)
    expect(() => gunzipSync(body)).toThrow('unexpected end of file')
  })
})

describe.each([301, 302, 303, 307, 308])('redirect-%d', status => {
  const name = `redirect-${status}`

  it('leads to the path of the request, on this server', async () => {
    const told = await falsified(name, {}, answer, context('/a/b?c=d', 'http://mock.local:1'))
    expect([told.status, told.headers.Location]).toEqual([status, 'http://mock.local:1/a/b?c=d'])
  })

  it('leads to another path here when told to', async () => {
    const told = await falsified(name, { location: '/mailings?pageSize=1' })
    expect(told.headers.Location).toBe('http://localhost/mailings?pageSize=1')
  })

  it.each([
    '//evil.example/',
    '/\\evil.example',
    'http://evil.example/',
    'mailings',
    '',
    '/a\r\nX: y',
    '/ä',
    '/a b',
  ])('does not lead to %j', location => {
    expect(faults.get(name)!.settings.safeParse({ location }).error?.issues[0]?.message).toBe(
      'expected a path on this server, such as /mailings',
    )
  })
})

describe('foreign-sending', () => {
  it('foreign-sending has other IDs of the same form, in links and Location too', async () => {
    const own = {
      ...sending,
      _links: { self: { href: `http://x/${sending.mailingSynchronizationId}/${sending.id}` } },
    }
    const told = await falsified('foreign-sending', {}, { ...answer, body: JSON.stringify(own) })
    const { id, mailingSynchronizationId, transactionId, _links, ...rest } = jsonOf(told)
    for (const [other, former] of [
      [id, own.id],
      [mailingSynchronizationId, own.mailingSynchronizationId],
      [transactionId, own.transactionId],
    ])
      expect(other).not.toBe(former)
    expect(id).toMatch(/^aaaaaaaa-0000-4000-8000-[\da-f]{12}$/)
    expect(_links.self.href).toBe(`http://x/${mailingSynchronizationId}/${id}`)
    expect(told.headers.Location).toBe(`http://localhost/sendings/${id}`)
    expect(rest).toEqual({ state: sending.state, target: sending.target })
    expect(told.status).toBe(201)
  })

  it('foreign-sending changes only what it is told to', async () => {
    const told = await falsified('foreign-sending', { change: ['transactionId'] })
    expect(jsonOf(told)).toEqual({ ...sending, transactionId: expect.not.stringMatching(/^order:4711$/) })
    expect(told.headers).toEqual(answer.headers)
  })

  it('foreign-sending has no transaction ID where the true one has none', async () => {
    const body = JSON.stringify({ ...sending, transactionId: null })
    expect(jsonOf(await falsified('foreign-sending', {}, { ...answer, body })).transactionId).toBeNull()
  })
})

describe.each([
  ['stateless-sending', {}, undefined],
  ['unknown-state', {}, 'ACCEPTED'],
  ['unknown-state', { state: 'QUEUED' }, 'QUEUED'],
  ['lower-case-state', {}, 'created'],
])('%s %j', (name, settings, state) => {
  it('changes the state of a sending and nothing else', async () => {
    const { state: told, ...rest } = jsonOf(await falsified(name, settings))
    const { state: _, ...own } = sending
    expect([told, rest]).toEqual([state, own])
  })

  it('changes each sending of a collection', async () => {
    const body = JSON.stringify({ _embedded: { 'svc:sendings': [sending, sending] } })
    const told = jsonOf(await falsified(name, settings, { ...answer, body }))
    expect(told._embedded['svc:sendings'].map((item: typeof sending) => item.state)).toEqual([state, state])
  })
})

describe.each(['foreign-sending', 'stateless-sending', 'unknown-state', 'lower-case-state'])('%s', name => {
  it.each([
    ['a problem', problem],
    ['a response without a body', empty],
    ['a response that is no JSON', { ...answer, body: '<html>' }],
  ])('leaves %s as it is', async (_, own) => {
    expect(await falsified(name, {}, own)).toEqual(own)
  })
})

describe('settings', () => {
  it.each([...faults.keys()])('%s needs none, and refuses what it does not know', name => {
    const { settings } = faults.get(name)!
    expect(settings.safeParse({}).success).toBe(true)
    expect(settings.safeParse({ unknown: 1 }).error?.issues[0]?.message).toMatch(
      /Unrecognized key: "unknown"/,
    )
  })

  it.each([
    ['truncate', { bytes: -1 }],
    ['truncate', { bytes: 1.5 }],
    ['truncate', { bytes: '10' }],
    ['drip', { every: 300 }],
    ['drip', { every: 'soon' }],
    ['drip', { bytes: 0 }],
    ['truncate-gzip', { missing: 0 }],
    ['empty-201', { status: 500 }],
    ['early-hints', { status: 101 }],
    ['unknown-state', { state: 'CREATED' }],
    ['unknown-state', { state: 'two words' }],
    ['foreign-sending', { change: [] }],
    ['foreign-sending', { change: ['state'] }],
    ['wrong-content-type', { type: 'text/html\r\nX: y' }],
    ['wrong-content-type', { type: 'html' }],
  ])('%s refuses %j', (name, given) => {
    expect(faults.get(name)!.settings.safeParse(given).success).toBe(false)
  })
})

describe('the registry', () => {
  it('the registry says of every fault in a sentence what the client sees', () => {
    for (const { name, description } of faults.values()) expect(description, name).toMatch(/^[A-Z0-9].*\.$/)
  })

  it('the registry knows each fault by its own name', () => {
    for (const [name, fault] of faults) expect(fault.name).toBe(name)
  })
})
