import { describe, expect, test, vi } from 'vitest'
import { clauses } from '../../src/contract/clauses.ts'
import { choices, failures } from '../../src/verify/result.ts'
import { inEach, type Lie, lying, type Twist, to } from './lies.ts'
import { mockTarget, sendTo, verified } from './mock-target.ts'

vi.setConfig({ testTimeout: 30_000 })

const isGuess = (clause: string) =>
  ['assumed', 'house style'].includes(clauses.find(({ id }) => id === clause)!.standing)

const one = /^[^?]*\/mailing-synchronizations\/[^/?]+$/
const sendingsOf = /\/sendings(\?|$)/
const aSending = /\/sendings\/[^/?]+$/
const unknown = /dead/

const swap =
  (from: RegExp, by: string): Twist =>
  asked =>
    from.test(asked.path) ? { ...asked, path: asked.path.replace(from, by) } : undefined

let laterId = 0
const elsewhereId = () => `99999999-0000-4000-8000-${String(++laterId).padStart(12, '0')}`

const lies: [string, string, Lie, Twist?][] = [
  // Section 2
  [
    '2 addresses',
    'a link to another host',
    inEach('upload', it => {
      it._links.self.href = it._links.self.href.replace('mock.test.localhost', 'other.test')
    }),
  ],
  [
    '2 media type',
    'JSON without HAL',
    to('GET', one, told => {
      if (told.status === 200) told.headers['content-type'] = 'application/json;charset=UTF-8'
    }),
  ],
  [
    '2 relation prefix',
    'a relation of another prefix',
    inEach('synchronization', it => {
      it._links['abc:sendings'] = it._links['svc:sendings']
      delete it._links['svc:sendings']
    }),
  ],
  [
    '2 path segment',
    'a link into another integration',
    inEach('upload', it => {
      it._links.self.href = it._links.self.href.replace('mailing-platform', 'other')
    }),
    swap(/\/integrations\/other\//, '/integrations/mailing-platform/'),
  ],
  [
    '2 date-time',
    'a date-time without its zone',
    inEach('upload', it => {
      it.creationDate = it.creationDate.replace('Z', '')
    }),
  ],
  [
    '2 date-time in',
    'a date-time without zone is taken',
    () => {},
    asked =>
      /^\d{4}-\d\d-\d\dT[\d:]+$/.test(asked.body?.scheduleDate ?? '')
        ? { ...asked, body: { ...asked.body, scheduleDate: `${asked.body.scheduleDate}Z` } }
        : undefined,
  ],
  [
    '2 self',
    'a self link that leads elsewhere',
    inEach('customer', it => {
      it._links.self.href = it._links.self.href.replace(/[^/]+$/, 'lindenau')
    }),
  ],
  [
    '2 curies',
    'curies that are no template',
    told => {
      for (const it of told.json?._links?.curies ?? []) it.templated = false
    },
  ],
  // 2.1
  [
    '2.1 id',
    'the ID of a mailing as a number',
    to('GET', /^\/mailings(\?|$)/, told => {
      for (const it of told.json?._embedded?.['svc:mailings'] ?? []) if (it.id.endsWith('30')) it.id = 30
    }),
  ],
  [
    '2.1 name',
    'a mailing without name',
    inEach('mailing', it => {
      delete it.name
    }),
  ],
  [
    '2.1 creationDate',
    'a creationDate as a number',
    inEach('mailing', it => {
      it.creationDate = Date.parse(it.creationDate)
    }),
  ],
  [
    '2.1 isApproved',
    'isApproved as a text',
    inEach('mailing', it => {
      it.isApproved = String(it.isApproved)
    }),
  ],
  [
    '2.1 mailing-editor',
    'no link to the editor',
    inEach('mailing', it => {
      delete it._links['svc:mailing-editor']
    }),
  ],
  [
    '2.1 _links',
    'a listed mailing without self link',
    inEach('mailing', it => {
      delete it._links.self
    }),
  ],
  // 2.2
  [
    '2.2 id',
    'the ID of a synchronization as a number',
    to('GET', one, told => {
      if (told.json?.id?.endsWith('0001')) told.json.id = 1
    }),
  ],
  [
    '2.2 mailingName',
    'a synchronization without mailingName',
    inEach('synchronization', it => {
      it.mailingName = null
    }),
  ],
  [
    '2.2 readyForSending',
    'readyForSending as a number',
    inEach('synchronization', it => {
      it.readyForSending = Number(it.readyForSending)
    }),
  ],
  [
    '2.2 target.listId',
    'the list by a text',
    inEach('synchronization', it => {
      it.target.listId = String(it.target.listId)
    }),
  ],
  [
    '2.2 target.listName',
    'a target without the name of its list',
    inEach('synchronization', it => {
      delete it.target.listName
    }),
  ],
  [
    '2.2 target',
    'a target that is a text',
    inEach('synchronization', it => {
      it.target = it.target.customer
    }),
  ],
  [
    '2.2 self',
    'a synchronization without self link',
    inEach('synchronization', it => {
      delete it._links.self
    }),
  ],
  [
    '2.2 mailing-uploads',
    'no link to the uploads',
    inEach('synchronization', it => {
      delete it._links['svc:mailing-uploads']
    }),
  ],
  [
    '2.2 mailing-preview-draft',
    'no link to the preview of a draft',
    inEach('synchronization', it => {
      delete it._links['svc:mailing-preview-draft']
    }),
  ],
  // 2.3
  [
    '2.3 state',
    'a state of another name',
    inEach('sending', it => {
      if (it.state === 'PENDING') it.state = 'QUEUED'
    }),
  ],
  [
    '2.3 mailingSynchronizationId',
    'no ID of the synchronization',
    inEach('sending', it => {
      it.mailingSynchronizationId = null
    }),
  ],
  [
    '2.3 target.sendingId',
    'the platform sending as a text',
    inEach('sending', it => {
      if (it.target.sendingId) it.target.sendingId = String(it.target.sendingId)
    }),
  ],
  [
    '2.3 scheduleDate',
    'true for a scheduleDate',
    to('GET', aSending, told => {
      if (told.json?.scheduleDate) told.json.scheduleDate = true
    }),
  ],
  [
    '2.3 report',
    'no report',
    inEach('sending', it => {
      delete it._links['svc:report']
    }),
  ],
  [
    '2.3 mailingId',
    'another mailing',
    to('POST', sendingsOf, told => {
      if (told.json?.mailingId) told.json.mailingId = elsewhereId()
    }),
  ],
  // 2.4 to 2.10
  [
    '2.4 target.mailingId',
    'the platform mailing of an upload as a text',
    inEach('upload', it => {
      it.target.mailingId = String(it.target.mailingId)
    }),
  ],
  [
    '2.4 _links',
    'an upload without self link',
    inEach('upload', it => {
      delete it._links.self
    }),
  ],
  [
    '2.5 responseStatistics.ctor',
    'a rate that is not its quotient',
    inEach('statistics', it => {
      it.responseStatistics.ctor = 0.99
    }),
  ],
  [
    '2.5 sendingStatistics.bounceCount',
    'a count below zero',
    inEach('statistics', it => {
      it.sendingStatistics.bounceCount = -1
    }),
  ],
  [
    '2.5 sendingStatistics.startDate',
    'a start that is no date',
    inEach('statistics', it => {
      it.sendingStatistics.startDate = 'yesterday'
    }),
  ],
  [
    '2.5 synchronizationId',
    'statistics of another synchronization',
    inEach('statistics', it => {
      it.synchronizationId = elsewhereId()
    }),
  ],
  [
    '2.6 subject',
    'a preview without subject',
    inEach('preview', it => {
      delete it.subject
    }),
  ],
  [
    '2.6 _links',
    'a self link that says not that it is a template',
    inEach('preview', it => {
      delete it._links.self.templated
    }),
  ],
  [
    '2.7 id',
    'the ID of a test profile as a text',
    inEach('profile', it => {
      it.id = `p${it.id}`
    }),
    asked =>
      asked.path.includes('testProfileId=p')
        ? { ...asked, path: asked.path.replace('=p', '=') }
        : typeof asked.body?.testProfileId === 'string'
          ? { ...asked, body: { ...asked.body, testProfileId: Number(asked.body.testProfileId.slice(1)) } }
          : undefined,
  ],
  [
    '2.8 emails',
    'one address instead of many',
    inEach('group', it => {
      it.emails = it.emails[0]
    }),
  ],
  [
    '2.9 list name',
    'a list without name',
    inEach('list', it => {
      it.name = null
    }),
  ],
  [
    '2.10 permitAll',
    'permitAll as a text',
    inEach('configuration', it => {
      it.permitAll = it.permitAll ? 'yes' : 'no'
    }),
  ],
  [
    '2.10 order',
    'a list too many',
    to('GET', /\/accessible-lists$/, told => {
      if (told.json?.permittedLists?.length > 2) told.json.permittedLists.push(4711)
    }),
  ],
  // 3
  [
    '3 CREATED',
    'CREATED without a platform sending',
    inEach('sending', it => {
      if (it.state === 'CREATED') it.target.sendingId = null
    }),
  ],
  [
    '3/2',
    'sendings of all states without being asked for',
    () => {},
    asked =>
      asked.method === 'GET' && /\/sendings$/.test(asked.path)
        ? { ...asked, path: `${asked.path}?includeAllStates=true` }
        : undefined,
  ],
  [
    '3/3',
    'ready without an approved version',
    inEach('synchronization', it => {
      it.readyForSending = true
    }),
  ],
  // 4
  [
    '4 authentication',
    'profiles for everybody',
    () => {},
    asked =>
      /test-profiles$/.test(asked.path) && !asked.headers.has('authorization')
        ? { ...asked, headers: new Headers({ authorization: `Basic ${btoa('demo:demo')}` }) }
        : undefined,
  ],
  [
    '4.1 id',
    'a sending of an unknown synchronization',
    to('POST', unknown, (told, asked) => {
      if (sendingsOf.test(asked.path)) told.status = 201
    }),
  ],
  [
    '4.1 scheduleDate',
    'an hour later',
    to('POST', sendingsOf, told => {
      if (told.json?.scheduleDate) told.json.scheduleDate = told.json.scheduleDate.replace('T12', 'T13')
    }),
  ],
  [
    '4.1 response',
    'no transaction ID in the answer',
    to('POST', sendingsOf, told => {
      if (told.json?.transactionId) told.json.transactionId = 'another'
    }),
  ],
  [
    '4.1/4',
    'no Location',
    to('POST', sendingsOf, told => {
      delete told.headers.location
    }),
  ],
  [
    '4.1/5',
    'a repeat is 201',
    to('POST', sendingsOf, told => {
      if (told.status === 200) told.status = 201
    }),
  ],
  [
    '4.1/6',
    'a name that is a number is taken',
    () => {},
    asked =>
      typeof asked.body?.name === 'number' ? { ...asked, body: { ...asked.body, name: 'x' } } : undefined,
  ],
  [
    '4.1/3',
    'no second sending without a transaction ID',
    to('POST', sendingsOf, (told, asked) => {
      if (told.json?.id && asked.body?.transactionId === undefined && asked.body?.scheduleDate)
        told.json.id = '99999999-0000-4000-8000-000000000000'
    }),
  ],
  [
    '4.2 syncId',
    'a sending under any synchronization',
    to('GET', aSending, (told, asked) => {
      if (told.status === 404 && !unknown.test(asked.path)) {
        told.status = 200
        told.json = { id: 'x', _links: {} }
      }
    }),
  ],
  [
    '4.3 id',
    'sendings of an unknown synchronization',
    to('GET', unknown, (told, asked) => {
      if (/\/sendings$/.test(asked.path)) {
        told.status = 200
        told.json = { _embedded: { 'svc:sendings': [] }, _links: {} }
      }
    }),
  ],
  [
    '4.3 includeAllStates',
    'includeAllStates is an error',
    to('GET', /includeAllStates=true$/, told => {
      told.status = 503
    }),
  ],
  [
    '4.4',
    'no statistics',
    to('GET', /\/statistics$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.5',
    'a synchronization with another status',
    to('GET', one, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.5 id',
    'an unknown synchronization is there',
    to('GET', one, (told, asked) => {
      if (unknown.test(asked.path)) {
        told.status = 200
        told.headers['content-type'] = 'application/hal+json;charset=UTF-8'
        told.json = {}
      }
    }),
  ],
  [
    '4.7 kind',
    'another version by default',
    to('GET', /\/preview$/, told => {
      if (told.json?.subject) told.json.subject += '!'
    }),
  ],
  [
    '4.8',
    'profiles under another name',
    to('GET', /\/test-profiles/, told => {
      if (told.json?._embedded) {
        told.json._embedded['svc:profiles'] = told.json._embedded['svc:test-profiles']
        delete told.json._embedded['svc:test-profiles']
      }
    }),
  ],
  [
    '4.9',
    'groups without self link',
    to('GET', /\/test-mail-groups/, told => {
      delete told.json?._links?.self
    }),
  ],
  [
    '4.10',
    'an upload is 201',
    to('POST', /\/mailing-uploads$/, told => {
      if (told.status === 200) told.status = 201
    }),
  ],
  [
    '4.11 id',
    'an unknown upload is there',
    to('GET', /\/mailing-uploads\/0+-0000-4000-8000-0+dead$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.12 sort order',
    'mailings the other way round',
    to('GET', /^\/mailings(\?pageSize=\d+)?$/, told => {
      told.json?._embedded?.['svc:mailings']?.reverse()
    }),
  ],
  [
    '4.12 isApproved',
    'isApproved is ignored',
    () => {},
    asked => (/\?isApproved=(true|false)$/.test(asked.path) ? { ...asked, path: '/mailings' } : undefined),
  ],
  [
    '4.12 hasDraft',
    'hasDraft is turned round',
    () => {},
    asked =>
      /\?hasDraft=true$/.test(asked.path)
        ? { ...asked, path: '/mailings?hasDraft=false' }
        : /\?hasDraft=false$/.test(asked.path)
          ? { ...asked, path: '/mailings?hasDraft=true' }
          : undefined,
  ],
  [
    '4.12 id',
    'the id filter forgets one',
    () => {},
    asked =>
      /\?id=1[^,]*,/.test(asked.path) && asked.path.split(',').length < 5
        ? { ...asked, path: asked.path.replace(/,[^,]*$/, '') }
        : undefined,
  ],
  [
    '4.12 pageSize',
    'pageSize=2 is 3',
    () => {},
    asked => (asked.path === '/mailings?pageSize=2' ? { ...asked, path: '/mailings?pageSize=3' } : undefined),
  ],
  [
    '4.12 both false',
    'both false is taken',
    () => {},
    asked =>
      asked.path.includes('hasDraft=false&isApproved=false') ? { ...asked, path: '/mailings' } : undefined,
  ],
  [
    '4.13',
    'a mailing with another status',
    to('GET', /^\/mailings\/[^/]+$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.14 customerName',
    'an unknown customer is there',
    to('GET', /\/accessible-customers\/[^/]*dead$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.15 showAllLists',
    'showAllLists is ignored',
    () => {},
    asked =>
      asked.path.endsWith('?showAllLists=true')
        ? { ...asked, path: asked.path.replace('?showAllLists=true', '') }
        : undefined,
  ],
  [
    '4.15 effect',
    'all lists are permitted whatever is put',
    () => {},
    asked =>
      asked.method === 'GET' && /\/lists$/.test(asked.path)
        ? { ...asked, path: `${asked.path}?showAllLists=true` }
        : undefined,
  ],
  [
    '4.16 created',
    'creating a configuration is 200',
    to('PUT', /\/accessible-lists$/, told => {
      if (told.status === 201) told.status = 200
    }),
  ],
  // 5 to 9
  [
    '5/1',
    'any password',
    () => {},
    asked =>
      asked.headers.has('authorization')
        ? {
            ...asked,
            headers: new Headers(
              [...asked.headers, ['authorization', `Basic ${btoa('demo:demo')}`]].filter(
                ([name], at, all) => name !== 'authorization' || at === all.length - 1,
              ) as [string, string][],
            ),
          }
        : undefined,
  ],
  [
    '7/1',
    'a failed sending is an error',
    to('GET', aSending, told => {
      if (/FAIL/.test(told.json?.state)) told.status = 203
    }),
  ],
  [
    '7/2',
    'a date in the past is taken',
    () => {},
    asked =>
      asked.body?.scheduleDate?.startsWith('2001')
        ? { ...asked, body: { ...asked.body, scheduleDate: '2099-12-31T12:00:00Z' } }
        : undefined,
  ],
  [
    '8 transactionId length',
    '101 characters are taken',
    () => {},
    asked =>
      asked.body?.transactionId?.length > 100
        ? { ...asked, body: { ...asked.body, transactionId: asked.body.transactionId.slice(0, 99) } }
        : undefined,
  ],
  [
    '8 transactionId characters',
    'a blank is taken',
    () => {},
    asked =>
      asked.body?.transactionId?.includes(' ')
        ? { ...asked, body: { ...asked.body, transactionId: asked.body.transactionId.replace(' ', '-') } }
        : undefined,
  ],
  [
    '8 IDs in the id filter',
    '51 IDs are taken',
    () => {},
    asked =>
      asked.path.split(',').length > 50 ? { ...asked, path: asked.path.replace(/,[^,]*$/, '') } : undefined,
  ],
  [
    '8 pageSize default',
    'ten mailings by default',
    () => {},
    asked => (asked.path === '/mailings' ? { ...asked, path: '/mailings?pageSize=10' } : undefined),
  ],
  // Beyond the document
  [
    'S trailing slash',
    'no slash at the end',
    to('GET', /\/accessible-customers\/$/, told => {
      told.status = 404
    }),
  ],
  [
    'S error media type',
    'problems as application/json',
    told => {
      if (told.headers['content-type'] === 'application/problem+json')
        told.headers['content-type'] = 'application/json'
    },
  ],
  [
    'S date-time out',
    'date-times without fraction',
    inEach('mailing', it => {
      it.creationDate = it.creationDate.replace(/\.\d+/, '')
    }),
  ],
  [
    'S IDs',
    'IDs in capitals',
    inEach('upload', it => {
      it.id = 'UPLOAD-1'
    }),
    swap(/UPLOAD-1$/, 'latest'),
  ],
  [
    'S null',
    'nulls left out',
    inEach('sending', it => {
      if (it.scheduleDate === null) delete it.scheduleDate
    }),
  ],
  [
    'S curies',
    'curies elsewhere',
    told => {
      for (const it of told.json?._links?.curies ?? []) it.href = it.href.replace('relations', 'rels')
    },
  ],
  [
    'S pagination links',
    'a total',
    to('GET', /\/accessible-customers$/, told => {
      if (told.json?._embedded) told.json.total = 4
    }),
  ],
  [
    'S pagination next',
    'a next link for ever',
    to('GET', /\/mailings\?(pageSize=8|cursor=)/, told => {
      if (told.json?._links && !told.json._links.next)
        told.json._links.next = { href: 'http://mock.test.localhost/mailings?pageSize=1' }
    }),
  ],
  [
    'S incremental sync',
    'no upcoming modifications',
    told => {
      delete told.json?._links?.['svc:upcoming-modifications']
    },
  ],
  [
    'S list synchronizations filters',
    'readyForSending is ignored',
    () => {},
    asked =>
      asked.path.includes('readyForSending=false')
        ? { ...asked, path: asked.path.replace(/\?.*/, '') }
        : undefined,
  ],
  [
    'S create synchronization exclusive',
    'both IDs are taken',
    () => {},
    asked =>
      asked.body?.templateMailingId && asked.body?.mailingId
        ? { ...asked, body: { ...asked.body, templateMailingId: undefined } }
        : undefined,
  ],
  [
    'S test sending',
    'a test sending is 200',
    to('POST', /\/test-sendings$/, told => {
      if (told.status === 202) told.status = 200
    }),
  ],
  [
    'S preview self',
    'variables the other way round',
    inEach('preview', it => {
      it._links.self.href = it._links.self.href.replace('testProfileId,kind', 'kind,testProfileId')
    }),
  ],
  [
    'S versions',
    'no name of an approved version',
    inEach('synchronization', it => {
      it.approvedMailingName = null
    }),
  ],
  [
    'S single list',
    'a single list with another status',
    to('GET', /\/lists\/\d+$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    'S 401',
    'no challenge',
    told => {
      delete told.headers['www-authenticate']
    },
  ],
  [
    'S 404',
    'an unknown path is 403',
    to('GET', /nothing-stands-here/, told => {
      told.status = 403
    }),
  ],
  [
    'S accept',
    'any Accept will do',
    () => {},
    asked =>
      asked.headers.get('accept') === 'image/png'
        ? { ...asked, headers: new Headers([...asked.headers].filter(([name]) => name !== 'accept')) }
        : undefined,
  ],
]

describe('a target that lies in one clause', () => {
  test.each(lies)('is caught in %s: %s', async (clause, _, lie, twist) => {
    const { fetch } = await mockTarget()
    const result = await verified(lying(fetch, lie, twist), { allowWrites: true, sendTo })
    expect(result.incomplete).toBe(null)
    const told = [...failures(result), ...choices(result)]
    expect(
      told.map(it => [it.clause, it.expected, it.seen]).map(([id]) => id),
      JSON.stringify(told.map(it => [it.clause, it.expected, it.seen])),
    ).toEqual([clause])
    expect(told[0]!.evidence.length + (told[0]!.looksAt ? 1 : 0)).toBeGreaterThan(0)
    expect(result.verdict).toBe(isGuess(clause) ? 'faithful' : 'differs')
  })
})
