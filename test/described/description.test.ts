import { beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultDials, withDials } from '../../src/service/dials.ts'
import { problemKinds } from '../../src/service/problem.ts'
import type { Answer } from '../../src/service/response.ts'
import { ids, startMock, synchronizationPath } from '../mock.ts'
import { Description } from './description.ts'
import { takeUndescribed } from './found.ts'

const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
const description = new Description({ names, dials: defaultDials })
const path = synchronizationPath(ids.ready)

let answer: Answer
beforeAll(async () => {
  const { status, headers, text } = await (await startMock()).as('demo').get(path)
  answer = { status, headers: Object.fromEntries(headers), body: text }
})

/** The response with another value at a place of its body, or without it. */
function changed(place: string, value?: unknown): Answer {
  const body = JSON.parse(String(answer.body))
  const steps = place.split('/')
  const name = steps.pop()!
  const inside = steps.reduce((it, step) => it[step], body)
  if (value === undefined) delete inside[name]
  else inside[name] = value
  return { ...answer, body: JSON.stringify(body) }
}

const withHeaders = (headers: Answer['headers']): Answer => ({ ...answer, headers })

describe('every answer of a mock in a test', () => {
  it('every answer of a mock in a test is looked at, also where files share what they load', async () => {
    const looked = vi.spyOn(Description.prototype, 'undescribed')
    const mock = await startMock()
    await mock.as('demo').get(path)
    await mock.as('nobody').get(path)
    const seen = looked.mock.calls.map(([method, target, { status }]) => `${method} ${target} ${status}`)
    looked.mockRestore()
    expect(new Set(seen)).toEqual(new Set([`GET ${path} 200`, `GET ${path} 401`]))
  })
})

describe('a response that the document describes', () => {
  it('a response that the document describes is what the service gives', () => {
    expect(description.undescribed('GET', path, answer)).toEqual([])
    expect(description.undescribed('HEAD', path, { ...answer, body: '' })).toEqual([])
  })

  it('a response that the document describes may be that of another deployment, as its dials have it', () => {
    const dials = withDials({ 'success-media-type': 'bare', 'unknown-members': 'present' })
    const other = new Description({ names, dials })
    const told = { ...changed('revision', 7), headers: { 'Content-Type': 'application/hal+json' } }
    expect(other.undescribed('GET', path, told)).toEqual([])
    expect(description.undescribed('GET', path, told)).not.toEqual([])
  })
})

describe('a response that the document does not describe', () => {
  it.each<[string, () => Answer, string]>([
    ['a member', () => changed('extra', 1), 'the body must NOT have additional properties'],
    ['a member further inside', () => changed('target/extra', 1), '/target must NOT have additional'],
    ['a link', () => changed('_links/first', { href: path }), '/_links must NOT have additional'],
    ['a member of a link', () => changed('_links/self/title', 'x'), '/_links/self must NOT have additional'],
    ['a missing member', () => changed('mailingId'), "the body must have required property 'mailingId'"],
    ['a number as text', () => changed('target/listId', '1001'), '/target/listId must be integer'],
    ['null for what is always there', () => changed('mailingName', null), '/mailingName must be string'],
    [
      'a date in another form',
      () => changed('creationDate', '2026-01-12T09:30:00Z'),
      '/creationDate must match',
    ],
    ['an ID in another form', () => changed('id', 'A-1'), '/id must match'],
    [
      'a link without a host',
      () => changed('_links/self/href', path),
      '/_links/self/href must match format "uri"',
    ],
    ['no curies', () => changed('_links/curies', []), '/_links/curies must NOT have fewer than 1 items'],
    ['a status', () => ({ ...answer, status: 203 }), 'status 203 is not described'],
    ['a header', () => withHeaders({ ...answer.headers, ETag: '"1"' }), 'header etag is not described'],
    [
      'a header that is no number',
      () => withHeaders({ ...answer.headers, 'X-RateLimit-Limit': 'many' }),
      'header x-ratelimit-limit is "many"',
    ],
    [
      'another media type',
      () => withHeaders({ 'Content-Type': 'application/hal+json' }),
      'Content-Type is application/hal+json; described: application/hal+json;charset=UTF-8',
    ],
    ['no media type', () => withHeaders({}), 'Content-Type is undefined'],
  ])('%s is told', (_, told, sentence) => {
    expect(description.undescribed('GET', path, told()).join('\n')).toContain(sentence)
  })

  it('a problem that the operation cannot have is told', async () => {
    const mock = await startMock()
    const { status, headers, text } = await mock.as('demo').get('/mailings/none')
    const notFound = { status, headers: Object.fromEntries(headers), body: text }
    expect(description.undescribed('GET', '/mailings/none', notFound)).toEqual([])
    expect(description.undescribed('GET', '/mailings', notFound)).toEqual(['status 404 is not described'])
    const other = { ...notFound, body: text.replaceAll('not-found', 'gone') }
    expect(description.undescribed('GET', '/mailings/none', other).join()).toContain('/type must match')
  })

  it('a 201 without its Location is told, and a body where none is described', async () => {
    const mock = await startMock()
    const { status, headers, text } = await mock.as('demo').post(`${path}/sendings`)
    const { location: _, ...others } = Object.fromEntries(headers)
    const created = { status, headers: others, body: text }
    expect(description.undescribed('POST', `${path}/sendings`, created)).toEqual([
      'header location is missing',
    ])
    const sent = { status: 202, headers: {}, body: '{}' }
    expect(description.undescribed('POST', `${path}/test-sendings`, sent)).toEqual([
      'there is a body, and none is described',
    ])
  })
})

describe('the watch over the responses of a test', () => {
  it('the watch over the responses of a test sees what a space answers', async () => {
    const mock = await startMock()
    await mock.as('demo').get('/mailings')
    expect(takeUndescribed()).toEqual([])
    const { data } = mock.space()
    data.save({ mailings: [{ ...data.tables.mailings.at(0), creationDate: 'yesterday' }] })
    await mock.as('demo').get('/mailings?pageSize=1000')
    const [found, ...others] = takeUndescribed()
    expect(found).toContain('GET /mailings?pageSize=1000 200: /_embedded/svc:mailings/')
    expect(found).toContain('/creationDate must match')
    expect(others).toEqual([])
  })

  it('the watch over the responses of a test sees what is true behind a fault, and not the fault', async () => {
    const mock = await startMock()
    const { data } = mock.space()
    const row = [...data.tables.sendings.rows()].find(it => it.transactionId === 'ostern-2026')!
    const sendings = synchronizationPath(row.synchronizationId, '/sendings')
    const repeat = (scenario: string) =>
      mock.as('demo').post(sendings, { transactionId: 'ostern-2026' }, { 'x-mock-scenario': scenario })
    expect((await repeat('empty-created')).text).toBe('')
    expect(takeUndescribed()).toEqual([])
    data.save({ sendings: [{ ...row, creationDate: 'yesterday' }] })
    expect((await repeat('gateway-502-sent')).status).toBe(502)
    expect(takeUndescribed().join()).toContain('/creationDate must match')
  })

  it('the watch over the responses of a test sees what is answered at the door', async () => {
    const mock = await startMock()
    const { title } = problemKinds.unauthorized
    const knock = () => mock.fetch(new Request('http://localhost/mailings'))
    await knock()
    expect(takeUndescribed()).toEqual([])
    try {
      Object.assign(problemKinds.unauthorized, { title: 'Who is there?' })
      await knock()
    } finally {
      Object.assign(problemKinds.unauthorized, { title })
    }
    expect(takeUndescribed().join()).toContain('GET /mailings 401: /title must be equal to constant')
  })
})
