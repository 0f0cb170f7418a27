import { describe, expect, it } from 'vitest'
import { operationIds } from '../../../src/service/operations.ts'
import { ids, type Json, startMock, synchronizationPath } from '../../mock.ts'

const json = { headers: { 'content-type': 'application/json' } }
const call = async (
  mock: Awaited<ReturnType<typeof startMock>>,
  method: string,
  path: string,
  init: RequestInit = {},
) => {
  const response = await mock.fetch(new Request(`http://localhost/_mock${path}`, { ...init, method }))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

describe('the control API', () => {
  it('the control API tells that it is ready, in a body that never changes', async () => {
    const { status, text } = await call(await startMock(), 'GET', '/health')
    expect([status, text]).toEqual([200, '{"status":"ready"}'])
  })

  it('the control API lists its calls, each of which is there', async () => {
    const mock = await startMock()
    const { text, headers } = await call(mock, 'GET', '')
    expect((await call(mock, 'GET', '/')).text).toBe(text)
    expect(headers.get('content-type')).toBe('application/hal+json;charset=UTF-8')
    const { self, health, operations, reset } = JSON.parse(text)._links
    for (const { href } of [self, health, operations])
      expect((await mock.fetch(new Request(href))).status).toBe(200)
    expect((await mock.fetch(new Request(reset.href, { method: 'POST', ...json }))).status).toBe(204)
  })

  it('the control API lists every operation with method, path and section', async () => {
    const { text } = await call(
      await startMock({ names: { relationPrefix: 'svc', platformSegment: 'sender' } }),
      'GET',
      '/operations',
    )
    const { operations } = JSON.parse(text)._embedded
    expect(operations).toHaveLength(operationIds.length)
    expect(operations.find((it: Json) => it.operationId === 'getSending')).toEqual({
      operationId: 'getSending',
      method: 'GET',
      path: '/integrations/sender/mailing-synchronizations/{syncId}/sendings/{id}',
      section: '4.2',
      right: 'read',
    })
  })

  it('the control API resets every space', async () => {
    const mock = await startMock()
    await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    expect((await call(mock, 'POST', '/reset', json)).status).toBe(204)
    expect(
      (await mock.as('demo').get(synchronizationPath(ids.ready, '/sendings'))).json._embedded['svc:sendings'],
    ).toEqual([])
  })

  it.each([
    ['no content type', {}],
    ['the content type of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['plain text', { 'content-type': 'text/plain' }],
    ['a foreign origin', { 'content-type': 'application/json', origin: 'http://evil.example' }],
    ['an origin on another port', { 'content-type': 'application/json', origin: 'http://localhost:3000' }],
    ['a null origin', { 'content-type': 'application/json', origin: 'null' }],
    ['a cross-site request', { 'content-type': 'application/json', 'sec-fetch-site': 'cross-site' }],
    ['a same-site request', { 'content-type': 'application/json', 'sec-fetch-site': 'same-site' }],
    ['a name that an attacker owns', { 'content-type': 'application/json', host: 'evil.example' }],
  ])('a change with %s is refused, and nothing is reset', async (_, headers: Record<string, string>) => {
    const mock = await startMock()
    await mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    const { status, headers: answered } = await call(mock, 'POST', '/reset', { headers })
    expect([403, 415, 421]).toContain(status)
    expect([...answered.keys()].filter(name => name.startsWith('access-control'))).toEqual([])
    expect(mock.space().data.seq).toBe(1)
  })

  it("a change from this server's own page is taken", async () => {
    const headers = { ...json.headers, origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }
    expect((await call(await startMock(), 'POST', '/reset', { headers })).status).toBe(204)
  })

  it.each([
    [
      '/spaces/demo/clok',
      'did you mean POST /_mock/spaces/demo/clock with {"advance":"5m"}? GET /_mock lists',
    ],
    ['/spcaes', 'did you mean GET /_mock/spaces? GET /_mock lists'],
    ['/verdict', 'each space has GET /_mock/spaces/{space}/verdict. GET /_mock lists'],
    [
      '/clock/advance',
      'did you mean POST /_mock/spaces/{space}/clock with {"advance":"5m"}? GET /_mock lists',
    ],
    ['/spaces/demo/clock/advance', 'did you mean POST /_mock/spaces/demo/clock with {"advance":"5m"}? GET'],
    ['/spaces/demo/advance', 'did you mean POST /_mock/spaces/demo/clock with {"advance":"5m"}? GET'],
    ['/reset/demo', 'did you mean POST /_mock/spaces/{space}/reset? GET'],
    ['/spaces/demo/scenario/reset-after', 'did you mean PUT /_mock/spaces/demo/scenario with {"name":'],
    ['/spaces/demo/restet', 'did you mean POST /_mock/spaces/demo/reset? GET /_mock lists'],
    ['/healthz', 'did you mean GET /_mock/health? GET /_mock lists'],
    ['/nope', '/_mock/nope; GET /_mock lists'],
    ['/rest', '/_mock/rest; GET /_mock lists'],
    ['/spaces/demo-of-a-long-name/nope', '/_mock/spaces/demo-of-a-long-name/nope; GET /_mock lists'],
    ['/elsewhere-entirely', '/_mock/elsewhere-entirely; GET /_mock lists'],
  ])('a path that is no control call names the nearest one: %s', async (path, part) => {
    const response = await call(await startMock(), 'POST', path, json)
    expect([response.status, JSON.parse(response.text).detail]).toEqual([404, expect.stringContaining(part)])
  })

  it('a wrong method is 405 with Allow, an unknown call 404 with a problem, whatever the content type', async () => {
    const mock = await startMock()
    const wrong = await call(mock, 'GET', '/reset')
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    const bare = await call(mock, 'PATCH', '/reset')
    expect([bare.status, bare.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await call(mock, 'POST', '/nothing')).status).toBe(404)
    const unknown = await call(mock, 'POST', '/nothing', json)
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'application/problem+json'])
    expect((await call(mock, 'OPTIONS', '/health')).headers.get('allow')).toBe('GET, HEAD, OPTIONS')
    expect((await mock.fetch(new Request('http://localhost/_mockery'))).status).toBe(401)
  })
})
