import { describe, expect, it, vi } from 'vitest'
import { mailingId } from '../../src/contract/examples/fixture-ids.ts'
import { seededChance } from '../../src/rig/chance.ts'
import {
  type DialName,
  type DialValues,
  defaultDials,
  dialNames,
  dials,
  readDials,
  seededDials,
  withDials,
} from '../../src/service/dials.ts'
import { Problem } from '../../src/service/problem.ts'
import { problemResponse } from '../../src/service/problem-answer.ts'
import {
  customersPath,
  exampleRequest,
  ids,
  type Json,
  readIds,
  type Seen,
  startMock,
  synchronizationPath,
  synchronizationsPath,
  type TestMock,
  type TestMockOptions,
} from '../mock.ts'
import { onCreate, scenarioOf } from '../rig/stage.ts'

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const configurationPath = (customer: string) => `${customersPath}/${customer}/configuration/accessible-lists`
const sendingsPath = synchronizationPath(ids.ready, '/sendings')
const readyMailing = ids.mailing.ready
const draftMailing = mailingId(2)
/** The IDs of a collection, page after page. */
async function walked(mock: TestMock, path: string): Promise<(string | number)[]> {
  const { json } = await mock.as('demo').get(path)
  const items = Object.values<Json[]>(json._embedded)[0]!.map(({ id }) => id)
  const next = json._links.next?.href
  return next === undefined ? items : [...items, ...(await walked(mock, next))]
}
/** The first page of one entry, and the status of the next page after so many milliseconds. */
async function nextAfter(mock: TestMock, path: string, wait: number): Promise<number> {
  const { json } = await mock.as('demo').get(`${path}?pageSize=1`)
  mock.clock.advance(wait)
  return (await mock.as('demo').get(json._links.next.href)).status
}
async function tokenAfter(mock: TestMock, wait: number): Promise<number> {
  const { json } = await mock.as('demo').get(`${synchronizationsPath}?syncModifications=true`)
  mock.clock.advance(wait)
  return (await mock.as('demo').get(json._links['svc:upcoming-modifications'].href)).status
}
const newSynchronization = (mock: TestMock, listId = 1001, customer = 'harbour-group') =>
  mock.as('demo').post(synchronizationsPath, { customer, listId })
const put = (mock: TestMock, permittedLists: number[], permitAll = false) =>
  mock.as('demo').put(configurationPath('harbour-group'), { permittedLists, permitAll })
const told = ({ status, headers, text }: Seen) => [status, headers.get('content-type'), text]
const hasLink = async (mock: TestMock, id: string, relation: string) =>
  `svc:${relation}` in (await mock.as('demo').get(synchronizationPath(id))).json._links
const send = (mock: TestMock, body: object) => mock.as('demo').post(sendingsPath, body)

/** The status of a repeat of the transaction ID so long after its first request. */
async function repeatAfter(mock: TestMock, wait: number): Promise<number> {
  const body = { transactionId: `after:${wait}` }
  await send(mock, body)
  mock.clock.advance(wait)
  return (await send(mock, body)).status
}

interface Effect<Value extends string> {
  readonly options?: TestMockOptions
  readonly look: (mock: TestMock) => Promise<unknown>
  readonly shows: { readonly [V in Value]: unknown }
}

/** These turn what only the tester's side knows: what it refused or lost before. */
type Elsewhere = 'rejected-transaction' | 'repeat-after-500-status'

/** Where to look for a dial's effect, and what is seen there with each of its values. */
const effects: { readonly [Name in Exclude<DialName, Elsewhere>]: Effect<DialValues[Name]> } = {
  'replaced-configuration-status': {
    look: async mock => {
      const statuses = [(await put(mock, [1001])).status]
      const { status, json } = await put(mock, [1002])
      return [...statuses, status, json?.permittedLists]
    },
    shows: { '200': [201, 200, [1002]], '201': [201, 201, [1002]], '204': [201, 204, undefined] },
  },
  'absent-configuration': {
    look: async mock => {
      const { status, json } = await mock.as('demo').get(configurationPath('harbour-group'))
      return { status, ...(status === 200 && { json }) }
    },
    shows: {
      'not-found': { status: 404 },
      'permit-all': {
        status: 200,
        json: {
          creationDate: null,
          modificationDate: null,
          permitAll: true,
          permittedLists: [],
          _links: { self: { href: `http://localhost${configurationPath('harbour-group')}` } },
        },
      },
    },
  },
  'permitted-lists-order': {
    look: async mock => (await put(mock, [1002, 1001, 1003])).json.permittedLists,
    shows: {
      'as-sent': [1002, 1001, 1003],
      ascending: [1001, 1002, 1003],
      descending: [1003, 1002, 1001],
      shuffled: [1001, 1003, 1002],
    },
  },
  'ignored-permitted-lists': {
    look: async mock => {
      const whenIgnored = (await put(mock, [1002], true)).json.permittedLists
      return [whenIgnored, (await put(mock, [1002], false)).json.permittedLists]
    },
    shows: { 'as-sent': [[1002], [1002]], empty: [[], [1002]] },
  },
  'empty-collection': {
    look: async mock => (await mock.as('demo').get(sendingsPath)).json._embedded,
    shows: { 'empty-array': { 'svc:sendings': [] }, 'empty-embedded': {}, 'no-embedded': undefined },
  },
  'collection-order': {
    look: mock => walked(mock, `${customersPath}/harbour-group/lists?pageSize=2`),
    shows: { 'oldest-first': [1001, 1002, 1003], 'newest-first': [1003, 1002, 1001] },
  },
  'page-size-limit': {
    options: {
      fixture: base => ({
        ...base,
        customers: [
          ...base.customers,
          ...Array.from({ length: 1100 }, (_, at) => ({ ...base.customers[0]!, name: `customer ${at}` })),
        ],
      }),
    },
    look: async mock => {
      const size = async (query: string) => {
        const { status, json } = await mock.as('demo').get(`${customersPath}${query}`)
        return status === 200 ? json._embedded['svc:accessible-customers'].length : status
      }
      const mailings = await mock.as('demo').get('/mailings?pageSize=1000')
      return [
        await size(''),
        await size('?pageSize=100'),
        await size('?pageSize=101'),
        await size('?pageSize=1001'),
        await size('?pageSize=10001'),
        mailings.status,
      ]
    },
    shows: {
      '1000': [1000, 100, 101, 400, 400, 200],
      '10000': [1000, 100, 101, 1001, 400, 200],
      '100': [100, 100, 400, 400, 400, 200],
      capped: [1000, 100, 101, 1000, 1000, 200],
    },
  },
  'cursor-expiry': {
    look: async mock => [
      await nextAfter(mock, customersPath, minute),
      await nextAfter(mock, customersPath, minute + 1),
      await nextAfter(mock, customersPath, 10 * minute),
      await nextAfter(mock, customersPath, 10 * minute + 1),
      await nextAfter(mock, customersPath, day),
      await nextAfter(mock, customersPath, day + 1),
    ],
    shows: {
      '10m': [200, 200, 200, 410, 410, 410],
      '1m': [200, 410, 410, 410, 410, 410],
      '24h': [200, 200, 200, 200, 200, 410],
    },
  },
  'sync-token-expiry': {
    look: async mock => [
      await tokenAfter(mock, day),
      await tokenAfter(mock, day + 1),
      await tokenAfter(mock, 30 * day),
      await tokenAfter(mock, 30 * day + 1),
    ],
    shows: { '30d': [200, 200, 200, 410], '24h': [200, 410, 410, 410] },
  },
  'stale-cursor-status': {
    look: async mock => {
      const statuses = [
        await nextAfter(mock, customersPath, hour),
        await tokenAfter(mock, 31 * day),
        (await mock.as('demo').get(`${customersPath}?cursor=made-up`)).status,
      ]
      return [...new Set(statuses)]
    },
    shows: { '410': [410], '404': [404], '400': [400] },
  },
  'unknown-members': {
    look: async mock => {
      const path = synchronizationPath(ids.both)
      const documented = Object.keys((await (await startMock()).as('demo').get(path)).json)
      return Object.keys((await mock.as('demo').get(path)).json).some(name => !documented.includes(name))
    },
    shows: { none: false, present: true },
  },
  'unknown-request-members': {
    look: async mock => {
      const { status, json } = await send(mock, { name: 'A', colour: 'blue', tone: null })
      return [status, json.invalidFields?.map(({ field }: Json) => field)]
    },
    shows: { ignored: [201, undefined], refused: [400, ['colour', 'tone']] },
  },
  'null-in-requests': {
    look: async mock => {
      const { status, json } = await send(mock, { name: null, scheduleDate: null, subject: 'A', other: null })
      return [status, json.invalidFields?.map(({ field }: Json) => field)]
    },
    shows: { 'as-absent': [201, undefined], refused: [400, ['name', 'scheduleDate']] },
  },
  'error-body': {
    look: async mock => told(await mock.as('demo').get('/mailings/none')),
    shows: {
      full: [
        404,
        'application/problem+json',
        JSON.stringify({
          type: '/_mock/problems/not-found',
          title: 'Not found',
          status: 404,
          detail: 'There is no mailing none',
          _links: { describedby: { href: 'http://localhost/_mock/problems/not-found' } },
        }),
      ],
      minimal: [404, 'application/problem+json', '{"title":"Not found","status":404}'],
      'plain-json': [
        404,
        'application/json',
        '{"status":404,"error":"Not found","message":"There is no mailing none"}',
      ],
      text: [404, 'text/plain;charset=UTF-8', '404 Not found\n'],
      empty: [404, null, ''],
    },
  },
  'invalid-input-status': {
    look: async mock => [
      (await send(mock, { name: 1 })).status,
      (await send(mock, { scheduleDate: '2020-01-01T00:00:00Z' })).status,
      (await mock.as('demo').get('/mailings?pageSize=0')).status,
      (await send(mock, '{' as unknown as object)).status,
    ],
    shows: { '400': [400, 400, 400, 400], '422': [422, 422, 422, 400] },
  },
  'not-ready-status': {
    look: async mock =>
      (await mock.as('demo').post(synchronizationPath(ids.draftOnly, '/sendings'), {})).status,
    shows: { '409': 409, '400': 400, '422': 422 },
  },
  'list-not-permitted-status': {
    look: async mock => (await newSynchronization(mock, 2002, 'lindenau')).status,
    shows: { '403': 403, '404': 404, '400': 400 },
  },
  'created-synchronization-status': {
    look: async mock => {
      const { status, headers, json } = await newSynchronization(mock)
      return [status, headers.has('location'), json.target.listId]
    },
    shows: { '201': [201, true, 1001], '200': [200, false, 1001] },
  },
  'location-form': {
    look: async mock => {
      const { headers, json } = await send(mock, { transactionId: 'a' })
      return headers.get('location')?.replace(json.id, 'ID')
    },
    shows: { absolute: `http://localhost${sendingsPath}/ID`, path: `${sendingsPath}/ID` },
  },
  'links-form': {
    look: async mock => {
      const { json } = await mock.as('demo').get('/mailings?pageSize=1')
      return [json._links.self.href, json._embedded['svc:mailings'][0]._links.self.href.slice(0, 10)]
    },
    shows: {
      absolute: ['http://localhost/mailings?pageSize=1', 'http://loc'],
      path: ['/mailings?pageSize=1', '/mailings/'],
    },
  },
  'draft-preview-link': {
    look: mock => hasLink(mock, ids.ready, 'mailing-preview-draft'),
    shows: { 'left-out': false, always: true },
  },
  'approved-preview-link': {
    look: mock => hasLink(mock, ids.draftOnly, 'mailing-preview-approved'),
    shows: { 'left-out': false, always: true },
  },
  'mailing-uploads-link': {
    look: async mock => {
      const { json } = await mock.as('demo').get(synchronizationPath(ids.ready))
      const { href } = json._links['svc:mailing-uploads'] ?? {}
      return [href !== undefined, href && (await mock.as('demo').get(href)).status]
    },
    shows: { always: [true, 404], 'after-upload': [false, undefined] },
  },
  'approved-name-of-draft': {
    look: async mock => {
      const { json } = await mock.as('demo').get(synchronizationPath(ids.draftOnly))
      return ['approvedMailingName' in json, json.approvedMailingName]
    },
    shows: { null: [true, null], absent: [false, undefined], empty: [true, ''] },
  },
  'synchronization-modified-by': {
    look: async mock => {
      const demo = mock.as('demo')
      mock.clock.advance(1_000)
      await send(mock, {})
      const tables = mock.space().data.tables
      const edited = tables.mailings.get(tables.synchronizations.get(ids.both)!.mailingId)!
      const at = new Date(mock.clock.now()).toISOString()
      mock.space().data.save({ mailings: [{ ...edited, modificationDate: at }] })
      const both = [ids.ready, ids.both].map(id => demo.get(synchronizationPath(id)))
      return (await Promise.all(both)).map(({ json }) => json.modificationDate === at)
    },
    shows: { mailing: [false, true], own: [false, false], everything: [true, true] },
  },
  'incremental-rounds': {
    look: async mock => {
      const demo = mock.as('demo')
      const { json: before } = await demo.get(`${synchronizationsPath}?syncModifications=true`)
      const next = before._links['svc:upcoming-modifications'].href
      mock.clock.advance(1_000)
      await send(mock, {})
      await demo.post(synchronizationPath(ids.draftOnly, '/mailing-uploads'), {})
      await newSynchronization(mock)
      const tables = mock.space().data.tables
      const edited = tables.mailings.get(tables.synchronizations.get(ids.both)!.mailingId)!
      const at = new Date(mock.clock.now()).toISOString()
      mock.space().data.save({ mailings: [{ ...edited, modificationDate: at }] })
      const { json } = await demo.get(next)
      const modified = json._embedded['svc:mailing-synchronizations'].map((it: Json) => it.id)
      return [[ids.ready, ids.draftOnly, ids.both].map(id => modified.includes(id)), modified.length > 1]
    },
    shows: { mailing: [[false, false, true], true], everything: [[true, true, true], true] },
  },
  'problem-type': {
    look: async mock => (await mock.as('demo').get('/mailings/none')).json.type,
    shows: {
      path: '/_mock/problems/not-found',
      address: 'http://localhost/_mock/problems/not-found',
      urn: 'urn:mailing-sync:problem:not-found',
      blank: 'about:blank',
    },
  },
  'created-without-id-status': {
    look: async mock => {
      const { status, headers } = await send(mock, {})
      const named = await send(mock, { transactionId: 'T' })
      return [status, headers.has('location'), named.status, named.headers.has('location')]
    },
    shows: { '201': [201, true, 201, true], '200': [200, false, 201, true] },
  },
  'repeat-validation': {
    look: async mock => {
      await send(mock, { transactionId: 'T' })
      const repeats = [{ name: 5 }, { scheduleDate: 'nonsense' }, { scheduleDate: '2020-01-01T00:00:00Z' }]
      const statuses = []
      for (const repeat of repeats)
        statuses.push((await send(mock, { ...repeat, transactionId: 'T' })).status)
      return [...statuses, (await send(mock, { name: 5, transactionId: 'another' })).status]
    },
    shows: { ignored: [200, 200, 200, 400], checked: [400, 400, 200, 400] },
  },
  'date-time-in': {
    look: async mock => {
      const dates = ['2030-01-01T10:00:00Z', '2030-01-01T10:00:00.000+02:00', '2030-01-01T10:00Z']
      const statuses = []
      for (const scheduleDate of dates) statuses.push((await send(mock, { scheduleDate })).status)
      return statuses
    },
    shows: { lenient: [201, 201, 201], 'fraction-required': [400, 201, 400] },
  },
  'empty-text': {
    look: async mock => [
      (await send(mock, { name: '' })).status,
      (await send(mock, { subject: '  ' })).status,
      (await send(mock, { name: 'a', subject: null })).status,
    ],
    shows: { taken: [201, 201, 201], refused: [400, 400, 201] },
  },
  'transaction-id-letters': {
    look: async mock => [
      (await send(mock, { transactionId: 'é' })).status,
      (await send(mock, { transactionId: '日本:7' })).status,
      (await send(mock, { transactionId: 'a b' })).status,
    ],
    shows: { ascii: [400, 400, 400], unicode: [201, 201, 400] },
  },
  'international-addresses': {
    look: async mock => {
      const statuses = []
      for (const address of ['müller@exämple.de', 'a@example.com', 'nobody'])
        statuses.push(
          (
            await mock
              .as('demo')
              .post(synchronizationPath(ids.ready, '/test-sendings'), { recipientAddresses: [address] })
          ).status,
        )
      return statuses
    },
    shows: { refused: [400, 202, 400], taken: [202, 202, 400] },
  },
  'repeated-upload': {
    look: async mock => {
      const upload = () => mock.as('demo').post(synchronizationPath(ids.ready, '/mailing-uploads'), {})
      const { json: first } = await upload()
      mock.clock.advance(1_000)
      const { json: second } = await upload()
      const { json: latest } = await mock
        .as('demo')
        .get(synchronizationPath(ids.ready, '/mailing-uploads/latest'))
      return [
        second.id === first.id,
        second.target.mailingId === first.target.mailingId,
        second.modificationDate > second.creationDate,
        latest.id === second.id,
      ]
    },
    shows: { new: [false, false, false, true], updates: [true, true, true, true] },
  },
  'unknown-permitted-list': {
    look: async mock => {
      const { status, json } = await put(mock, [1001, 9999])
      return [status, json.permittedLists]
    },
    shows: { refused: [400, undefined], kept: [201, [1001, 9999]], dropped: [201, [1001]] },
  },
  'repeated-permitted-list': {
    look: async mock => {
      const { status, json } = await put(mock, [1001, 1002, 1001])
      return [status, json.permittedLists]
    },
    shows: { dropped: [201, [1001, 1002]], kept: [201, [1001, 1002, 1001]], refused: [400, undefined] },
  },
  'bare-flags': {
    look: async mock => [
      (await mock.as('demo').get(`${customersPath}/harbour-group/lists?showAllLists`)).status,
      (await mock.as('demo').get(`${sendingsPath}?includeAllStates=`)).status,
    ],
    shows: { refused: [400, 400], true: [200, 200] },
  },
  'boolean-letters': {
    look: async mock => [
      (await mock.as('demo').get(`${sendingsPath}?includeAllStates=TRUE`)).status,
      (await mock.as('demo').get(`${sendingsPath}?includeAllStates=1`)).status,
    ],
    shows: { exact: [400, 400], 'any-case': [200, 400] },
  },
  'repeated-parameters': {
    look: async mock => {
      const { status, json } = await mock.as('demo').get('/mailings?pageSize=1&pageSize=2')
      return [status, json._embedded?.['svc:mailings'].length]
    },
    shows: { first: [200, 1], last: [200, 2], refused: [400, undefined] },
  },
  'blanks-in-lists': {
    look: async mock => {
      const { json } = await mock.as('demo').get(`/mailings?id=${readyMailing},%20${draftMailing}`)
      return json._embedded['svc:mailings'].length
    },
    shows: { kept: 1, trimmed: 2 },
  },
  'date-header': {
    look: async mock => (await mock.as('demo').get('/mailings?pageSize=1')).headers.get('date'),
    shows: { 'real-time': null, 'space-clock': 'Sun, 01 Nov 2026 10:00:00 GMT' },
  },
  'success-media-type': {
    look: async mock => [
      (await mock.as('demo').get('/mailings')).headers.get('content-type'),
      (await mock.as('demo').get('/mailings/none')).headers.get('content-type'),
    ],
    shows: {
      charset: ['application/hal+json;charset=UTF-8', 'application/problem+json'],
      bare: ['application/hal+json', 'application/problem+json'],
      spaced: ['application/hal+json; charset=utf-8', 'application/problem+json'],
    },
  },
  curies: {
    look: async mock => {
      const { json } = await mock.as('demo').get(`${customersPath}/lindenau`)
      return json._links.curies
    },
    shows: {
      'as-in-examples': undefined,
      'where-used': undefined,
      everywhere: [{ href: 'http://localhost/_mock/relations/{rel}', name: 'svc', templated: true }],
    },
  },
  'single-mailing': {
    look: async mock => Object.keys((await mock.as('demo').get(`/mailings/${readyMailing}`)).json),
    shows: {
      'id-only': ['id', '_links'],
      'as-listed': ['id', 'name', 'creationDate', 'modificationDate', 'isApproved', 'hasDraft', '_links'],
    },
  },
  'target-of-unsent': {
    look: async mock => {
      const pending = await mock
        .as('demo')
        .get(synchronizationPath(ids.pending, `/sendings/${ids.sending.pending}`))
      return [pending.json.target, typeof (await send(mock, {})).json.target.sendingId]
    },
    shows: {
      'object-of-nulls': [{ mailingId: null, sendingId: null }, 'number'],
      null: [null, 'number'],
    },
  },
  'target-of-indeterminate': {
    look: async mock => {
      const path = synchronizationPath(ids.indeterminate, '/sendings')
      const { json } = await mock.as('demo').get(`${path}?includeAllStates=true`)
      const open = json._embedded['svc:sendings'].find((it: Json) => it.state === 'INDETERMINATE_FAILURE')
      return typeof open.target.sendingId
    },
    shows: { nulls: 'object', 'as-is': 'number' },
  },
  'location-on-200': {
    look: async mock => {
      const first = (await send(mock, { transactionId: 'a' })).headers.get('location')
      const again = (await send(mock, { transactionId: 'a' })).headers.get('location')
      return again === first ? 'the same' : again
    },
    shows: { absent: null, present: 'the same' },
  },
  'created-sending-mailing-id': {
    look: async mock => {
      const first = await send(mock, { transactionId: 'a' })
      const again = await send(mock, { transactionId: 'a' })
      return [first.json.mailingId, again.json.mailingId]
    },
    shows: {
      present: [readyMailing, readyMailing],
      absent: [undefined, undefined],
      'only-201': [readyMailing, undefined],
      'only-200': [undefined, readyMailing],
    },
  },
  'statistics-rates': {
    look: async mock => {
      const { json } = await mock
        .as('demo')
        .get(synchronizationPath(ids.both, `/sendings/${ids.sending.created}/statistics`))
      const { openingRate, openingRecipients } = json.responseStatistics
      return openingRate / (openingRecipients / json.sendingStatistics.recipientsCount)
    },
    shows: { quotients: 1, percentages: 100 },
  },
  'statistics-before-start': {
    look: async mock => {
      const started = await send(mock, {})
      const later = await send(mock, { scheduleDate: '2030-01-01T00:00:00Z' })
      return [
        (await mock.as('demo').get(`${started.headers.get('location')}/statistics`)).status,
        (await mock.as('demo').get(`${later.headers.get('location')}/statistics`)).status,
      ]
    },
    shows: { zeros: [200, 200], 'not-found': [200, 404] },
  },
  'transaction-expiry': {
    look: async mock => [
      await repeatAfter(mock, day - 1),
      await repeatAfter(mock, day),
      await repeatAfter(mock, 3 * day - 1),
      await repeatAfter(mock, 3 * day),
      await repeatAfter(mock, 1000 * day),
    ],
    shows: {
      never: [200, 200, 200, 200, 200],
      '72h': [200, 200, 200, 201, 201],
      '24h': [200, 201, 201, 201, 201],
    },
  },
  'rate-limit': {
    look: async mock => {
      const { headers } = await mock.as('demo').get('/mailings')
      const spent = Number(headers.get('x-ratelimit-remaining'))
      for (let n = 0; n < spent; n++) await mock.as('demo').get('/mailings/none')
      const { status } = await mock.as('demo').get('/mailings')
      return [headers.get('x-ratelimit-limit'), status]
    },
    shows: { off: [null, 200], '600': ['600', 429], '60': ['60', 429] },
  },
}

const cases = Object.entries<Effect<string>>(effects).flatMap(([name, { options, look, shows }]) =>
  Object.entries<unknown>(shows).map(
    ([value, seen]) =>
      [
        `${dials[name as DialName].clause}: dial ${name}=${value} shows in an answer`,
        { name, value, options, look, seen },
      ] as const,
  ),
)

it.each(cases)('%s', async (_, { name, value, options, look, seen }) => {
  const mock = await startMock({ ...options, dials: readDials({ [name]: value }) })
  expect(await look(mock)).toEqual(seen)
})

describe('undisturbed', () => {
  it('S items without links: test profiles and test-mail groups have no links of their own', async () => {
    const demo = (await startMock()).as('demo')
    for (const name of ['test-profiles', 'test-mail-groups']) {
      const { json } = await demo.get(synchronizationPath(ids.ready, `/${name}`))
      const items: Json[] = json._embedded[`svc:${name}`]
      expect(items.length).toBeGreaterThan(0)
      for (const item of items) expect(item).not.toHaveProperty('_links')
      expect(json._links.self).toBeDefined()
    }
  })

  it('S ignored permittedLists: with permitAll the lists that were sent are shown', async () => {
    expect((await put(await startMock(), [1002], true)).json.permittedLists).toEqual([1002])
  })

  it('S null in requests: null counts as not given where a member is optional', async () => {
    const mock = await startMock()
    const created = await send(mock, { name: null, subject: null, scheduleDate: null, transactionId: null })
    expect([created.status, created.json.transactionId, created.json.scheduleDate]).toEqual([201, null, null])
    const tested = await mock.as('demo').post(synchronizationPath(ids.ready, '/test-sendings'), {
      testProfileId: null,
      testMailGroupId: null,
      recipientAddresses: ['ann@example.org'],
      kind: null,
      subjectPrefix: null,
    })
    expect(tested.status).toBe(202)
  })

  it.each([
    ['a template beside a mailing', { mailingId: ids.mailing.ready, templateMailingId: null }],
    ['a mailing beside a template', { mailingId: null, templateMailingId: ids.mailing.ready }],
    ['both', { mailingId: null, templateMailingId: null }],
  ])('S null in requests: of a synchronization, %s', async (_, members) => {
    const demo = (await startMock()).as('demo')
    const create = (more: object) =>
      demo.post(synchronizationsPath, { customer: 'harbour-group', listId: 1001, ...members, ...more })
    expect((await create({})).status).toBe(201)
    const { status, json } = await create({ mailingName: null })
    expect([status, json.invalidFields.map((it: Json) => it.field)]).toEqual([400, ['mailingName']])
  })

  it.each([
    [{ permitAll: true, permittedLists: null }, 201],
    [{ permitAll: null, permittedLists: [1001] }, 201],
    [{ permitAll: null, permittedLists: null }, 400],
  ])('S null in requests: of a configuration, %j', async (body, expected) => {
    const path = `${customersPath}/${ids.customerWithoutConfiguration}/configuration/accessible-lists`
    const { status, json } = await (await startMock()).as('demo').put(path, body)
    expect(status).toBe(expected)
    if (expected === 201) expect(json.permitAll).toBe(body.permitAll === true)
  })

  it.each(['x', [1.5], {}, [4711], false])(
    '4.16 permitAll: permittedLists is not looked at beside it: %j',
    async lists => {
      const path = `${customersPath}/${ids.customerWithoutConfiguration}/configuration/accessible-lists`
      const demo = (await startMock()).as('demo')
      const { status, json } = await demo.put(path, { permitAll: true, permittedLists: lists })
      expect([status, json.permitAll]).toEqual([201, true])
      expect((await demo.put(path, { permitAll: 'yes', permittedLists: lists })).status).toBe(400)
    },
  )

  it('S undocumented members: a problem has its members and no others', async () => {
    const { json } = await (await startMock()).as('demo').get('/mailings/none')
    expect(Object.keys(json)).toEqual(['type', 'title', 'status', 'detail', '_links'])
  })

  it.each([
    ['a sending', (mock: TestMock) => send(mock, {})],
    ['a synchronization', (mock: TestMock) => newSynchronization(mock)],
  ])('S Location: the Location of %s is absolute and is its self link', async (_, create) => {
    const { headers, json } = await create(await startMock())
    expect(headers.get('location')).toMatch(/^http:\/\/localhost\//)
    expect(headers.get('location')).toBe(json._links.self.href)
  })

  it('S Location of a 200: a repeat has no Location', async () => {
    const mock = await startMock()
    await send(mock, { transactionId: 'a' })
    expect((await send(mock, { transactionId: 'a' })).headers.has('location')).toBe(false)
  })

  it('S target of unsent: the target of a PENDING sending is an object of nulls', async () => {
    const { json } = await (await startMock())
      .as('demo')
      .get(synchronizationPath(ids.pending, '/sendings?includeAllStates=true'))
    expect(json._embedded['svc:sendings'].at(-1)).toMatchObject({
      state: 'PENDING',
      target: { mailingId: null, sendingId: null },
    })
  })

  it('S statistics before start: a scheduled sending has zeros and no dates', async () => {
    const mock = await startMock()
    const { headers } = await send(mock, { scheduleDate: '2030-01-01T00:00:00Z' })
    const { json } = await mock.as('demo').get(`${headers.get('location')}/statistics`)
    const { startDate, endDate, ...figures } = json.sendingStatistics
    expect([startDate, endDate]).toEqual([null, null])
    expect(new Set(Object.values({ ...figures, ...json.responseStatistics }))).toEqual(new Set([0]))
  })

  it('S sync token expiry: a token is good for 30 days and no longer', async () => {
    const mock = await startMock()
    expect([await tokenAfter(mock, 30 * day), await tokenAfter(mock, 30 * day + 1)]).toEqual([200, 410])
  })
})

/** A successful read of every kind, and two refusals. */
const paths = [...readIds.map(id => exampleRequest(id).target), '/mailings/none', '/mailings?pageSize=none']

describe('members that nobody documented', () => {
  it.each(paths)(
    'members that nobody documented take nothing from %s, and come beside what is there',
    async path => {
      const plain = await (await startMock()).as('demo').get(path)
      const more = await (await startMock({ dials: { 'unknown-members': 'present' } })).as('demo').get(path)
      expect(more.status).toBe(plain.status)
      expect(more.json).toMatchObject(plain.json)
      expect(Object.keys(more.json).length).toBeGreaterThan(Object.keys(plain.json).length)
    },
  )

  it('members that nobody documented leave the documented members in their order', async () => {
    const path = synchronizationPath(ids.both)
    const plain = Object.keys((await (await startMock()).as('demo').get(path)).json)
    const mock = await startMock({ dials: { 'unknown-members': 'present' } })
    const more = Object.keys((await mock.as('demo').get(path)).json)
    expect(more.filter(name => plain.includes(name))).toEqual(plain)
  })

  it('members that nobody documented stand in objects, in links and among embedded collections too', async () => {
    const mock = await startMock({ dials: { 'unknown-members': 'present' } })
    const { json } = await mock.as('demo').get(synchronizationsPath)
    const item = json._embedded['svc:mailing-synchronizations'][0]
    expect(Object.keys(json._embedded).length).toBeGreaterThan(1)
    expect(Object.keys(item.target).length).toBeGreaterThan(3)
    expect(Object.keys(item._links.self).length).toBeGreaterThan(1)
    expect(Object.keys(item._links)).toSatisfy((rels: string[]) =>
      rels.some(rel => rel === 'help' || rel === 'license'),
    )
  })

  it('members that nobody documented are the same for all items of a collection', async () => {
    const mock = await startMock({ dials: { 'unknown-members': 'present' } })
    const { json } = await mock.as('demo').get('/mailings')
    const shapes = json._embedded['svc:mailings'].map((item: Json) => Object.keys(item).join())
    expect(new Set(shapes).size).toBe(1)
  })

  it('members that nobody documented follow from the seed', async () => {
    const seen = async (seed: number) => {
      const mock = await startMock({ seed, dials: { 'unknown-members': 'present' } })
      return (await mock.as('demo').get('/mailings')).text
    }
    const texts = [await seen(1), await seen(1), await seen(2), await seen(3)]
    expect(texts[1]).toBe(texts[0])
    expect(new Set(texts).size).toBeGreaterThan(1)
  })
})

describe('dials together', () => {
  it('a forgotten transaction ID stands for the later sending from then on', async () => {
    const mock = await startMock({ dials: { 'transaction-expiry': '24h' } })
    const first = await send(mock, { transactionId: 'a' })
    mock.clock.advance(day)
    const second = await send(mock, { transactionId: 'a' })
    const third = await send(mock, { transactionId: 'a' })
    expect([second.status, third.status]).toEqual([201, 200])
    expect(second.json.id).not.toBe(first.json.id)
    expect(third.json.id).toBe(second.json.id)
  })

  it('a collection from the newest on is walked to its end by cursors', async () => {
    const path = `${synchronizationsPath}?pageSize=3`
    const oldestFirst = await walked(await startMock(), path)
    const newestFirst = await walked(await startMock({ dials: { 'collection-order': 'newest-first' } }), path)
    expect(newestFirst).toEqual(oldestFirst.toReversed())
  })

  it('a cursor keeps the order of its collection, though the dial is turned before it is followed', async () => {
    const path = `${synchronizationsPath}?pageSize=3`
    const oldestFirst = await walked(await startMock(), path)
    const orders = ['newest-first', 'oldest-first'] as const
    for (const [order, turned] of [orders, orders.toReversed()]) {
      const mock = await startMock({ dials: { 'collection-order': order! } })
      const { json } = await mock.as('demo').get(path)
      mock.space().data.save({ settings: [{ name: 'dials', value: { 'collection-order': turned! } }] })
      mock.rig().refreshDials()
      const rest = await walked(mock, json._links.next.href)
      const first = Object.values<Json[]>(json._embedded)[0]!.map(({ id }) => id)
      expect([...first, ...rest]).toEqual(order === 'oldest-first' ? oldestFirst : oldestFirst.toReversed())
    }
  })

  it('dials together links by path lead below a public address with a path', async () => {
    const mock = await startMock({
      address: { publicUrl: 'https://mock.example/below' },
      dials: { 'links-form': 'path', 'location-form': 'path' },
    })
    const { json, headers } = await send(mock, { transactionId: 'a' })
    expect(json._links.self.href).toBe(`/below${sendingsPath}/${json.id}`)
    expect(headers.get('location')).toBe(json._links.self.href)
    expect(json._links['svc:report'].href).toMatch(/^https:\/\/mock\.example\/below\/_mock\//)
  })

  it('a problem that is found before the service is asked follows the dials too', async () => {
    const mock = await startMock({ rateLimit: 1, dials: { 'error-body': 'minimal' } })
    await mock.as('demo').get('/mailings')
    const { status, text } = await mock.as('demo').get('/mailings')
    expect([status, text]).toEqual([429, '{"title":"Too many requests","status":429}'])
  })

  it('every answer of a service whose Date follows the clock of the space has that Date', async () => {
    const mock = await startMock({ rateLimit: 2, dials: { 'date-header': 'space-clock' } })
    const demo = mock.as('demo')
    const sendings = synchronizationPath(ids.ready, '/sendings')
    mock.rig().scenarios.arm(scenarioOf([onCreate([{ phase: 'before', times: 1 }, { phase: 'bound' }])]))
    const answers = [
      await demo.post(sendings, { transactionId: 'T' }),
      await demo.post(sendings, { transactionId: 'T' }),
      await demo.send('OPTIONS', sendings),
      await demo.get('/mailings'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([500, 500, 204, 429])
    for (const { headers } of answers) expect(headers.get('date')).toBe('Sun, 01 Nov 2026 10:00:00 GMT')
  })

  it('letters beyond the basic plane count once in a transaction ID of every script', async () => {
    const mock = await startMock({ dials: { 'transaction-id-letters': 'unicode' } })
    const ofLength = (count: number) => send(mock, { transactionId: '𠮷'.repeat(count) })
    expect((await ofLength(100)).status).toBe(201)
    const { json } = await ofLength(101)
    expect(json.invalidFields[0].problem).toBe('expected 1 to 100 characters, got 101')
  })

  it('a request that a reset lets go, and one without room, get an answer in the form of the dials', async () => {
    const dials = { 'date-header': 'space-clock', 'unknown-members': 'present' } as const
    const mock = await startMock({ dials })
    const rig = mock.rig()
    rig.scenarios.arm(scenarioOf([onCreate([{ hold: 'gate' }])]))
    const held = mock.as('demo').post(synchronizationPath(ids.ready, '/sendings'))
    await expect.poll(() => rig.holds.counts().get('gate')).toBe(1)
    await mock.spaces.resetSpace('demo')
    vi.spyOn(rig.budget, 'hasRoom').mockReturnValue(false)
    const answers = [await held, await send(mock, {})]
    expect(answers.map(({ status }) => status)).toEqual([500, 503])
    for (const { headers, json } of answers) {
      expect(headers.get('date')).toBe('Sun, 01 Nov 2026 10:00:00 GMT')
      expect(Object.keys(json).length).toBeGreaterThan(5)
    }
  })

  it('a problem with a status of its own keeps it whatever the dials say', () => {
    const problem = new Problem('gone', 'A scenario answers 410', { status: 410 })
    const links = { problem: (name: string) => name }
    expect(problemResponse(problem, links, withDials({ 'stale-cursor-status': '404' })).status).toBe(410)
  })

  it('the setting of a rate limit goes before the dial', async () => {
    const mock = await startMock({ rateLimit: 5, dials: { 'rate-limit': '60' } })
    expect((await mock.as('demo').get('/mailings')).headers.get('x-ratelimit-limit')).toBe('5')
  })

  it('whatever the seed turns, a sending goes out and is found by its transaction ID', async () => {
    for (let seed = 0; seed < 40; seed++) {
      const chance = seededChance(seed, 'demo')
      const mock = await startMock({ seed, dials: seededDials(chance.fraction) })
      const first = await send(mock, { transactionId: 'a' })
      const again = await send(mock, { transactionId: 'a' })
      expect([first.status, first.json.state, again.status, again.json.state]).toEqual([
        201,
        'CREATED',
        200,
        'CREATED',
      ])
      expect(again.json.id).toBe(first.json.id)
    }
  })
})

describe('whatever the seed turns', () => {
  const seeds = Array.from({ length: 25 }, (_, seed) => seed)

  it.each(seeds)('all can be read that can be read undisturbed: seed %i', async seed => {
    const plain = await startMock()
    const turned = await startMock({ seed, dials: seededDials(seededChance(seed, 'demo').fraction) })
    for (const path of paths) {
      const { status } = await plain.as('demo').get(path)
      const seen = await turned.as('demo').get(path)
      expect(seen.status < 400, path).toBe(status < 400)
      expect(seen.status, path).toBeLessThan(500)
      expect(seen.json === undefined, path).toBe(!/json/.test(seen.headers.get('content-type') ?? ''))
    }
  })
})

describe('the table of dials', () => {
  it('the table of dials has a default among the values of each, and more than one value', () => {
    for (const name of dialNames) {
      const { default: value, values } = dials[name]
      expect(Object.keys(values), name).toContain(value)
      expect(Object.keys(values).length, name).toBeGreaterThan(1)
    }
  })

  it('the table of dials tells of each dial and value in a sentence', () => {
    for (const name of dialNames) {
      expect(name).toMatch(/^[a-z]+(-[a-z0-9]+)*$/)
      for (const text of [dials[name].description, ...Object.values(dials[name].values)])
        expect(text, name).toMatch(/^\S.*\S$/)
    }
  })

  it('the table of dials gives defaults that nobody can change', () => {
    expect(Object.isFrozen(defaultDials)).toBe(true)
    expect(Object.isFrozen(withDials({ curies: 'everywhere' }))).toBe(true)
    expect(withDials({ curies: 'everywhere' })).toEqual({ ...defaultDials, curies: 'everywhere' })
  })
})

describe('dials as somebody wrote them', () => {
  it('dials as somebody wrote them are read', () => {
    expect(readDials({ 'error-body': 'minimal', curies: 'everywhere' })).toEqual({
      'error-body': 'minimal',
      curies: 'everywhere',
    })
  })

  it.each([
    [
      'a slip',
      'eror-body',
      /^There is no dial "eror-body"\. Did you mean error-body\? docs\/dials\.md lists all$/,
    ],
    ['no such thing', 'colour', /^There is no dial "colour"\. Dials: replaced-configuration-status, /],
    ['a member of every object', 'constructor', /^There is no dial "constructor"\. Dials: /],
    ['a very long name', 'x'.repeat(10_000), /^There is no dial "x+"\. Dials: /],
  ])('dials as somebody wrote them are refused: %s', (_, name, message) => {
    expect(() => readDials({ [name]: '1' })).toThrow(message)
  })

  it.each(['half', 'toString', ''])(
    'dials as somebody wrote them are refused with the possible values: %j',
    value => {
      expect(() => readDials({ 'error-body': value })).toThrow(
        `Dial error-body cannot be ${JSON.stringify(value)}; possible: full, minimal, plain-json, text, empty`,
      )
    },
  )
})

describe('dials from a seed', () => {
  it('dials from a seed are the same for the same seed', () => {
    expect(seededDials(seededChance(7, 'demo').fraction)).toEqual(
      seededDials(seededChance(7, 'demo').fraction),
    )
  })

  it('come to every value of every dial', () => {
    const seen = new Map<string, Set<string>>(dialNames.map(name => [name, new Set()]))
    for (let seed = 0; seed < 200; seed++)
      for (const [name, value] of Object.entries(seededDials(seededChance(seed, 'demo').fraction)))
        seen.get(name)!.add(value)
    for (const name of dialNames)
      expect(seen.get(name), name).toEqual(new Set(Object.keys(dials[name].values)))
  })
})
