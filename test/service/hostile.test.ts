import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Operation } from '../../src/service/operation.ts'
import { operationIds, operations } from '../../src/service/operations.ts'
import { ids, type Seen, startMock } from '../mock.ts'

/** Whatever a client sends: a clear answer, never a 500, and the next normal request is answered. */

const segment = fc.oneof(
  fc.constantFrom(ids.ready, ids.both, 'lindenau', 'Maison%20Orane', '2001', 'latest', ids.sending.created),
  fc.constantFrom(
    '..',
    '%2e%2e',
    '%00',
    '%E0%A4%A',
    '__proto__',
    'constructor',
    ';a=b',
    '%0d%0aX:1',
    '~',
    "'",
  ),
  fc.string({ maxLength: 20 }).map(encodeURIComponent),
)
const value = fc.oneof(
  fc.constantFrom(
    'true',
    'false',
    '',
    '0',
    '1',
    '1001',
    '-1',
    'NaN',
    'latest',
    'asc',
    'creationDate',
    '__proto__',
    '😀',
    '\u0000',
    '\ud800',
  ),
  fc.string({ maxLength: 30 }),
)
const parameter = fc.constantFrom(
  'pageSize',
  'cursor',
  'id',
  'hasDraft',
  'isApproved',
  'includeAllStates',
  'kind',
  'testProfileId',
  'showAllLists',
  'mailingId',
  'sortBy',
  'order',
  'syncModifications',
  'syncToken',
  '__proto__',
  'toString',
)
const query = fc
  .array(fc.tuple(parameter, value), { maxLength: 4 })
  .map(pairs => pairs.map(([name, text]) => `${name}=${encodeURIComponent(text.toWellFormed())}`).join('&'))
const member = fc.constantFrom(
  'transactionId',
  'scheduleDate',
  'name',
  'subject',
  'customer',
  'listId',
  'mailingId',
  'templateMailingId',
  'mailingName',
  'permitAll',
  'permittedLists',
  'recipientAddresses',
  'testMailGroupId',
  'testProfileId',
  'kind',
  'subjectPrefix',
  '__proto__',
  'hasOwnProperty',
)
const json = fc.oneof(
  fc
    .dictionary(
      member,
      fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.constantFrom(
          'harbour-group',
          1001,
          2001,
          '2030-01-01T00:00:00Z',
          Number.MAX_VALUE,
          -0,
          [1001],
          'a@example.com',
        ),
      ),
    )
    .map(it => JSON.stringify(it)),
  fc.json(),
  fc.string(),
)

const request = fc.record({
  id: fc.constantFrom(...operationIds),
  segments: fc.array(segment, { minLength: 3, maxLength: 3 }),
  query,
  json,
  user: fc.constantFrom('demo', 'demo+x', 'demo-viewer'),
})

function problemIn({ status, headers, json: body, text }: Seen): string | undefined {
  if (status >= 500) return `status ${status}`
  if (status < 400) return undefined
  if (headers.get('content-type') !== 'application/problem+json')
    return `content type ${headers.get('content-type')}`
  if (typeof body.title !== 'string' || /\bat .*\.(ts|js):\d/.test(text)) return `body ${text}`
  return undefined
}

it('any path, query and body for any operation gets an answer of the service, and never a 500', async () => {
  const mock = await startMock()
  await fc.assert(
    fc.asyncProperty(request, async ({ id, segments, query, json, user }) => {
      const { method, path }: Operation = operations[id]
      let n = 0
      const target = path.replace(':platform', 'mailing-platform').replaceAll(/:\w+/g, () => segments[n++]!)
      const address = `${target}${query ? `?${query}` : ''}`
      const it = mock.as(user)
      const seen =
        method === 'GET' ? await it.get(address) : await it[method === 'POST' ? 'post' : 'put'](address, json)
      expect(problemIn(seen), `${method} ${address} ${json}`).toBeUndefined()
    }),
    { numRuns: 1_500 },
  )
  expect((await mock.as('demo').get('/mailings')).status).toBe(200)
  expect(Object.keys(Object.prototype)).toEqual([])
})

it('any headers get an answer of the service, and never a 500', async () => {
  const mock = await startMock()
  const name = fc.constantFrom(
    'authorization',
    'host',
    'accept',
    'content-type',
    'content-length',
    'origin',
    'x-forwarded-host',
    'sec-fetch-site',
    'transfer-encoding',
  )
  const text = fc.oneof(
    fc.constantFrom('*/*', 'application/json', ',', ';q=', 'Basic', 'localhost', '[::1', 'null', '1e9', '-1'),
    fc.string({ maxLength: 40 }).map(it => it.replaceAll(/[^\x20-\x7e]/g, '')),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(name, text),
      fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'),
      fc.constantFrom(
        '/mailings',
        '/_mock/health',
        '/_mock/reset',
        '/integrations/mailing-platform/mailing-synchronizations',
      ),
      async (headers, method, path) => {
        const seen = await mock
          .as('demo')
          .send(method, path, { headers, ...(method === 'POST' && { body: '{}' }) })
        expect(seen.status, JSON.stringify(headers)).toBeLessThan(500)
        expect([...seen.headers.keys()].some(header => header.startsWith('access-control'))).toBe(false)
      },
    ),
    { numRuns: 600 },
  )
})
