import { mailingId } from '../../src/contract/examples/fixture-ids.ts'
import type { Json } from '../mock.ts'
import { inEach, type Lie, resources, type Twist, to } from './lies.ts'

const one = /^[^?]*\/mailing-synchronizations\/[^/?]+$/
const sendingsOf = /\/sendings(\?|$)/
const aSending = /\/sendings\/[^/?]+$/
const unknown = /dead/
/** What is asked for below an unknown synchronization. */
const unknownPlace = /dead\/(?:sendings|mailing-uploads)\/(?!.*dead)/

const swap =
  (from: RegExp, by: string): Twist =>
  asked =>
    from.test(asked.path) ? { ...asked, path: asked.path.replace(from, by) } : undefined

/** Answers test sendings whose bodies are meant with another status. */
const testing = (status: number, isMeant: (body: Json) => boolean): Lie =>
  to('POST', /\/test-sendings$/, (told, { body }) => {
    if (isMeant(body)) told.status = status
  })
/** A member of that value is taken for another. */
const taking =
  (name: string, value: unknown, by: unknown): Twist =>
  asked =>
    asked.body?.[name] === value ? { ...asked, body: { ...asked.body, [name]: by } } : undefined

let laterId = 0
let onlyId: string | undefined
const seen = new Set<string>()
let firstUpload: string | undefined

/** Before each target: what some lies remember of one. */
export function forget(): void {
  seen.clear()
  firstUpload = undefined
  onlyId = undefined
}

const elsewhereId = () => `99999999-0000-4000-8000-${String(++laterId).padStart(12, '0')}`

/** One lie in each clause that a check looks at: what a target tells, or is asked, otherwise than it should. */
export const liesOfClauses: [clause: string, what: string, lie: Lie, twist?: Twist][] = [
  // Section 2
  [
    '2 addresses',
    'a link to another host',
    inEach('mailing-upload', it => {
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
    inEach('mailing-upload', it => {
      it._links.self.href = it._links.self.href.replace('mailing-platform', 'other')
    }),
    swap(/\/integrations\/other\//, '/integrations/mailing-platform/'),
  ],
  [
    '2 date-time',
    'a date-time without its zone',
    inEach('mailing-upload', it => {
      it.creationDate = it.creationDate.replace('Z', '')
    }),
  ],
  [
    '2 date-time in',
    'a date-time without zone is taken',
    () => {},
    asked =>
      /^\d{4}-\d\d-\d\dT[\d:.]+$/.test(asked.body?.scheduleDate ?? '')
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
    inEach('mailing item', it => {
      delete it.name
    }),
  ],
  [
    '2.1 creationDate',
    'a creationDate as a number',
    inEach('mailing item', it => {
      it.creationDate = Date.parse(it.creationDate)
    }),
  ],
  [
    '2.1 isApproved',
    'isApproved as a text',
    inEach('mailing item', it => {
      it.isApproved = String(it.isApproved)
    }),
  ],
  [
    '2.1 mailing-editor',
    'no link to the editor',
    inEach('mailing item', it => {
      delete it._links['svc:mailing-editor']
    }),
  ],
  [
    '2.1 _links',
    'a listed mailing without self link',
    inEach('mailing item', it => {
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
    '2.2 target.listName',
    'the name of another list',
    inEach('synchronization', it => {
      it.target.listName += ' 2'
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
      if (it.mailingUploadsModificationDate) delete it._links['svc:mailing-uploads']
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
    inEach('mailing-upload', it => {
      it.target.mailingId = String(it.target.mailingId)
    }),
  ],
  [
    '2.4 _links',
    'an upload without self link',
    inEach('mailing-upload', it => {
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
    '2.5 sendingStatistics.endDate',
    'an end before the start',
    inEach('statistics', ({ sendingStatistics }) => {
      if (sendingStatistics.endDate) sendingStatistics.endDate = '2019-01-01T00:00:00.000Z'
    }),
  ],
  [
    '2.4 modificationDate',
    'an upload that changed before it was created',
    inEach('mailing-upload', it => {
      it.creationDate = '2098-01-01T00:00:00.000Z'
    }),
  ],
  [
    '2.10 modificationDate',
    'a configuration that changed before it was created',
    inEach('configuration', it => {
      it.creationDate = it.creationDate && '2098-01-01T00:00:00.000Z'
    }),
  ],
  [
    '4.16',
    'another creationDate after a replacement',
    to('GET', /\/accessible-lists$/, ({ json }) => {
      if (json?.permitAll === false && json.permittedLists.length === 1)
        json.creationDate = '2020-01-01T00:00:00.000Z'
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
    inEach('test profile', it => {
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
    inEach('test-mail group', it => {
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
    'a sending below an unknown synchronization',
    to('GET', aSending, (told, asked) => {
      if (unknownPlace.test(asked.path)) {
        told.status = 200
        told.json = { id: 'x', _links: {} }
      }
    }),
  ],
  [
    'S foreign IDs',
    'a sending below any synchronization',
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
    'S 200',
    'statistics with another status',
    to('GET', /\/statistics$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.4',
    'no statistics',
    to('GET', /\/statistics$/, told => {
      if (told.status === 200 && told.json.sendingStatistics?.startDate) told.status = 400
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
    '50 IDs are refused',
    to('GET', /^\/mailings\?id=/, (told, asked) => {
      if (asked.path.split(',').length === 50) told.status = 400
    }),
  ],
  [
    'S sync token filters',
    'the first round ignores its filter, and so do the next ones',
    () => {},
    asked => ({ ...asked, path: asked.path.replace(/(\?syncModifications=true)&mailingId=.*/, '$1') }),
  ],
  [
    'S charset',
    'UTF-16 is taken for UTF-8',
    () => {},
    asked =>
      asked.headers.get('content-type')?.includes('utf-16')
        ? {
            ...asked,
            headers: new Headers({
              ...Object.fromEntries(asked.headers),
              'content-type': 'application/json',
            }),
          }
        : undefined,
  ],
  [
    'S encoding',
    'a compressed body is unpacked',
    () => {},
    asked => {
      const headers = new Headers(asked.headers)
      headers.delete('content-encoding')
      return asked.headers.has('content-encoding') ? { ...asked, headers } : undefined
    },
  ],
  [
    'S repeated members',
    'the last of two members is taken',
    () => {},
    asked => (asked.body?.name === 'two' ? { ...asked, body: { name: 'last' } } : undefined),
  ],
  [
    'S HEAD',
    'HEAD is 405',
    to('HEAD', /^\/mailings/, told => {
      told.status = 405
    }),
  ],
  [
    'S OPTIONS',
    'OPTIONS is 200',
    to('OPTIONS', /^\/mailings/, told => {
      told.status = 200
    }),
  ],
  [
    'S order of checks',
    'the path is looked up before the body is read',
    to('POST', unknown, (told, { body }) => {
      if (body?.subject === 5) told.status = 404
    }),
  ],
  [
    'S too many IDs',
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
    inEach('mailing item', it => {
      it.creationDate = it.creationDate.replace(/\.\d+/, '')
    }),
  ],
  [
    'S IDs',
    'IDs in capitals',
    inEach('mailing-upload', it => {
      it._links.self.href = it._links.self.href.replace(it.id, 'UPLOAD-1')
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
    'mailingIsApproved=true is ignored',
    () => {},
    asked =>
      asked.path.includes('mailingIsApproved=true')
        ? { ...asked, path: asked.path.replace(/\?.*/, '') }
        : undefined,
  ],
  [
    'S unsubscribe rate',
    'a rate of clicks alone',
    inEach('statistics', ({ responseStatistics, sendingStatistics }) => {
      if (sendingStatistics.recipientsCount)
        responseStatistics.unsubscribeRate =
          responseStatistics.unsubscribeClicks / sendingStatistics.recipientsCount
    }),
  ],
  [
    'S date-time forms',
    'a day off the calendar is taken',
    () => {},
    asked =>
      asked.body?.scheduleDate === '2099-02-30T12:00:00.000Z'
        ? { ...asked, body: { ...asked.body, scheduleDate: '2099-03-02T12:00:00.000Z' } }
        : undefined,
  ],
  [
    'S list synchronizations false',
    'readyForSending=false is ignored',
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
    'S create synchronization customer',
    'an unknown customer is taken',
    () => {},
    taking('customer', 'there-is-no-such-customer', 'harbour-group'),
  ],
  [
    'S test sending',
    'a test sending is 200',
    to('POST', /\/test-sendings$/, told => {
      if (told.status === 202) told.status = 200
    }),
  ],
  [
    'S test sending recipientAddresses',
    'no address is accepted',
    testing(202, it => /^not/.test(it?.recipientAddresses)),
  ],
  ['S test sending testMailGroupId', 'a group that is not there', testing(404, it => it?.testMailGroupId)],
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
    'a single list without its self link',
    to('GET', /\/lists\/\d+$/, told => {
      delete told.json?._links?.self
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
  // Operations that answer with another status, or otherwise
  [
    '2 hal',
    'links as an array',
    to('GET', /\/lists\?showAllLists=true$/, told => {
      if (told.json?._links) told.json._links = []
    }),
  ],
  [
    '2.3 id',
    'the ID of a read sending as a number',
    to('GET', aSending, told => {
      if (told.json?.id?.startsWith('33333333')) told.json.id = 33
    }),
  ],
  [
    '2.3 target',
    'a text for the target of a CREATED sending',
    inEach('sending', it => {
      if (it.state === 'CREATED') it.target = 'there'
    }),
  ],
  [
    '3/1',
    'FAILED without a transaction ID',
    to('GET', aSending, told => {
      if (told.json?.transactionId === null) told.json.state = 'FAILED'
    }),
  ],
  [
    '3 transitions',
    'a final state that changes',
    to('GET', aSending, told => {
      const id = String(told.json?.id)
      if (!id.startsWith('33333333')) return
      if (told.json.state === 'CREATED' && seen.has(id)) told.json.state = 'FAILED'
      seen.add(id)
    }),
  ],
  [
    '4.1 transactionId',
    'a sending for each of simultaneous requests',
    to('POST', sendingsOf, (told, asked) => {
      if (
        told.status === 200 &&
        asked.body?.transactionId &&
        asked.body.name === undefined &&
        Object.keys(asked.body).length === 2
      )
        told.json.id = elsewhereId()
    }),
  ],
  [
    '4.1/9',
    'a repeat changes the date',
    to('POST', sendingsOf, (told, asked) => {
      if (told.status === 200 && asked.body?.scheduleDate?.startsWith('2098'))
        told.json.scheduleDate = '2098-01-01T00:00:00.000Z'
    }),
  ],
  [
    '4.1 empty body',
    'an empty body is refused',
    to('POST', sendingsOf, (told, asked) => {
      if (asked.body && Object.keys(asked.body).length === 0) told.status = 400
    }),
  ],
  [
    '4.2',
    'a sending with another status',
    to('GET', aSending, told => {
      if (told.status === 200 && told.json?.state === 'CREATED' && told.json.id.startsWith('33333333'))
        told.status = 203
    }),
  ],
  [
    '4.2 id',
    'an unknown sending is there',
    to('GET', /\/sendings\/[^/]*dead$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.1 scheduleDate',
    'an offset is not counted',
    () => {},
    ({ body, ...asked }) => {
      const scheduleDate = body?.scheduleDate?.replace?.(/[+-]\d\d:\d\d$/, 'Z')
      return scheduleDate && { ...asked, body: { ...body, scheduleDate } }
    },
  ],
  [
    '4.2 transactionId',
    'a transaction ID that nobody gave',
    to('POST', /\/sendings$/, (told, { body }) => {
      if (told.json?.id && body?.transactionId === undefined) told.json.transactionId = 'made-up'
    }),
  ],
  [
    'S create synchronization',
    'another list',
    to('POST', /\/mailing-synchronizations$/, told => {
      if (told.json?.target) told.json.target.listId++
    }),
  ],
  [
    '4.2 transactionId',
    'the transaction ID of another',
    to('GET', aSending, told => {
      if (told.json?.transactionId?.startsWith('verify')) told.json.transactionId = 'another'
    }),
  ],
  [
    'S 200',
    'sendings with another status',
    to('GET', /\/sendings$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.3',
    'no sendings',
    to('GET', /\/sendings$/, told => {
      if (told.status === 200) told.status = 400
    }),
  ],
  [
    '4.3 shape',
    'sendings under another name',
    to('GET', /\/sendings(\?|$)/, told => {
      if (told.json?._embedded) {
        told.json._embedded['svc:mails'] = told.json._embedded['svc:sendings']
        delete told.json._embedded['svc:sendings']
      }
    }),
  ],
  [
    '4.4 syncId',
    'statistics below an unknown synchronization',
    to('GET', /\/statistics$/, (told, asked) => {
      if (unknownPlace.test(asked.path)) told.status = 200
    }),
  ],
  [
    'S foreign IDs',
    'statistics below any synchronization',
    to('GET', /\/statistics$/, (told, asked) => {
      if (told.status === 404 && !unknown.test(asked.path)) told.status = 200
    }),
  ],
  [
    '4.4 sendingId',
    'statistics of an unknown sending',
    to('GET', /dead\/statistics$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.6',
    'synchronizations with another status',
    to('GET', /\/mailing-synchronizations$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    'S 200',
    'a preview with another status',
    to('GET', /\/preview$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.7',
    'no preview',
    to('GET', /\/preview$/, told => {
      if (told.status === 200) told.status = 400
    }),
  ],
  [
    '4.7 id',
    'the preview of an unknown synchronization',
    to('GET', /dead\/preview$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.7 testProfileId',
    'no preview for a profile',
    to('GET', /testProfileId=7/, told => {
      told.status = 500
    }),
  ],
  [
    '4.8 id',
    'the profiles of an unknown synchronization',
    to('GET', /dead\/test-profiles$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.8 spelling',
    'one spelling of profiles',
    to('GET', /sychronizations.*test-profiles/, told => {
      told.status = 404
    }),
  ],
  [
    '4.9 id',
    'the groups of an unknown synchronization',
    to('GET', /dead\/test-mail-groups$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.9 spelling',
    'one spelling of groups',
    to('GET', /sychronizations.*test-mail-groups/, told => {
      told.status = 404
    }),
  ],
  [
    '4.10 id',
    'an upload of an unknown synchronization',
    to('POST', /dead\/mailing-uploads$/, told => {
      told.status = 200
    }),
  ],
  [
    'S upload version',
    'a draft is not uploaded',
    to('POST', /\/mailing-uploads$/, (told, asked) => {
      firstUpload ??= asked.path
      if (told.status === 200 && asked.path !== firstUpload) told.status = 409
    }),
  ],
  [
    '4.11',
    'an upload with another status',
    to('GET', /\/mailing-uploads\/4[^/]*$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.11 syncId',
    'an upload below an unknown synchronization',
    to('GET', /\/mailing-uploads\/[^/]*$/, (told, asked) => {
      if (unknownPlace.test(asked.path)) told.status = 200
    }),
  ],
  [
    'S foreign IDs',
    'an upload below any synchronization',
    to('GET', /\/mailing-uploads\/[^/]*$/, (told, asked) => {
      if (told.status === 404 && !unknown.test(asked.path)) told.status = 200
    }),
  ],
  [
    '4.11 latest',
    'the first upload as the latest',
    to('GET', /latest$/, told => {
      const date = '2020-01-01T00:00:00.000Z'
      // Both dates: of one alone "2.4 modificationDate" tells that it is before the other.
      if (told.json?.modificationDate)
        Object.assign(told.json, { creationDate: date, modificationDate: date })
    }),
  ],
  [
    '4.12',
    'mailings under another name',
    to('GET', /^\/mailings$/, told => {
      if (told.json?._embedded) {
        told.json._embedded['svc:mails'] = told.json._embedded['svc:mailings']
        delete told.json._embedded['svc:mailings']
      }
    }),
  ],
  [
    '4.13 id',
    'an unknown mailing is there',
    to('GET', /^\/mailings\/[^/]*dead$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.14',
    'customers with another status',
    to('GET', /\/accessible-customers$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.15',
    'lists with another status',
    to('GET', /\/harbour-group\/lists$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.15 customerName',
    'lists of an unknown customer',
    to('GET', /dead\/lists$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.16 customerName',
    'a configuration of an unknown customer',
    to('GET', /dead\/configuration\/accessible-lists$/, told => {
      told.status = 200
    }),
  ],
  [
    '4.16 permittedLists',
    'another list is permitted',
    to('GET', /\/accessible-lists$/, told => {
      if (told.json?.permittedLists?.length === 1 && !told.json.permitAll) told.json.permittedLists = [1002]
    }),
  ],
  [
    '4.16 permitAll',
    'permitAll comes back as false',
    to('GET', /\/accessible-lists$/, told => {
      if (told.json?.permitAll) told.json.permitAll = false
    }),
  ],
  [
    '4.16 rules',
    'a permitAll that is a text is taken',
    () => {},
    asked => (asked.body?.permitAll === 'perhaps' ? { ...asked, body: { permitAll: true } } : undefined),
  ],
  [
    '4.16 get',
    'a configuration with another status',
    to('GET', /\/lindenau\/.*accessible-lists$/, told => {
      if (told.status === 200) told.status = 203
    }),
  ],
  [
    '4.16',
    'a configuration that stays as it was',
    to('GET', /\/accessible-lists$/, told => {
      if (told.json?.permittedLists?.length === 1) told.json.permitAll = true
    }),
  ],
  [
    '9',
    'a version in the path',
    inEach('mailing-upload', it => {
      it._links.self.href = it._links.self.href.replace('/integrations', '/integrations/v1')
    }),
    swap(/\/integrations\/v1/, '/integrations'),
  ],
  [
    'S addressing',
    'another path',
    inEach('customer', it => {
      it._links.self.href = it._links.self.href.replace('accessible-customers', 'tenants')
    }),
    swap(/\/tenants/, '/accessible-customers'),
  ],
  [
    'S links',
    'some links by their path',
    inEach('mailing-upload', it => {
      it._links.self.href = new URL(it._links.self.href).pathname
    }),
  ],
  [
    'S success media type',
    'two media types',
    to('GET', /\/accessible-customers$/, told => {
      told.headers['content-type'] = 'application/hal+json'
    }),
  ],
  [
    'S 415',
    'any media type',
    () => {},
    asked =>
      asked.headers.get('content-type') === 'text/plain'
        ? {
            ...asked,
            headers: new Headers(
              [...asked.headers].map(([name, value]): [string, string] => [
                name,
                name === 'content-type' ? 'application/json' : value,
              ]),
            ),
          }
        : undefined,
  ],
  [
    'S request media type',
    'HAL only',
    to('POST', sendingsOf, (told, asked) => {
      if (asked.headers.get('content-type')?.startsWith('application/json')) told.status = 415
    }),
  ],
  ['S null in requests', 'null is refused in test sendings alone', testing(400, body => body?.kind === null)],
  [
    'S date-time in',
    'no offsets',
    to('POST', sendingsOf, (told, asked) => {
      if (asked.body?.scheduleDate?.endsWith('-03:30')) told.status = 400
    }),
  ],
  [
    'S 405',
    'no Allow',
    to('PATCH', /^\/mailings$/, told => {
      delete told.headers.allow
    }),
  ],
  [
    'S 413',
    'any length',
    () => {},
    asked => (asked.body?.name?.length > 9999 ? { ...asked, body: { ...asked.body, name: 'x' } } : undefined),
  ],
  [
    'S 410',
    'a status of its own for what is stale',
    told => {
      if (told.status === 410) told.status = 418
    },
  ],
  [
    'S foreign cursor',
    'the cursor of another collection',
    to('GET', /accessible-customers\?cursor=/, told => {
      told.status = 200
    }),
  ],
  [
    'S sync token',
    'any token',
    to('GET', /syncToken=made-up/, told => {
      told.status = 200
    }),
  ],
  [
    'S cursor',
    'a next link with all parameters',
    to('GET', /pageSize=1&isApproved=true/, told => {
      if (told.json?._links?.next) told.json._links.next.href += '&isApproved=true'
    }),
  ],
  [
    'S pagination',
    'all lists in one page',
    () => {},
    asked =>
      /\/lists\?pageSize=1$/.test(asked.path)
        ? { ...asked, path: asked.path.replace(/\?.*/, '') }
        : undefined,
  ],
  [
    'S sendings pageSize',
    'all sendings in one page',
    () => {},
    asked =>
      /includeAllStates=true&pageSize=1$/.test(asked.path)
        ? { ...asked, path: asked.path.replace('&pageSize=1', '') }
        : undefined,
  ],
  [
    'S list synchronizations pageSize',
    'all synchronizations in one page',
    () => {},
    asked =>
      /mailing-synchronizations\?pageSize=1$/.test(asked.path)
        ? { ...asked, path: asked.path.replace(/\?.*/, '') }
        : undefined,
  ],
  [
    'S list synchronizations sort',
    'order is ignored',
    () => {},
    asked =>
      asked.path.includes('sortBy=creationDate&order=desc')
        ? { ...asked, path: asked.path.replace('desc', 'asc') }
        : undefined,
  ],
  [
    'S sorted modifications',
    'sortBy beside syncModifications',
    to('GET', /syncModifications=true&sortBy/, told => {
      told.status = 200
    }),
  ],
  [
    'S incremental sync pages',
    'both links at once',
    to('GET', /syncModifications=true$/, told => {
      if (told.json?._links?.['svc:upcoming-modifications'] && !/syncToken/.test(told.json._links.self.href))
        told.json._links.next = { href: `${told.json._links.self.href}&again=1` }
    }),
  ],
  [
    'S incremental sync token',
    'everything again',
    () => {},
    asked =>
      asked.path.includes('syncToken=') && !asked.path.includes('made-up')
        ? { ...asked, path: asked.path.replace(/syncToken=[^&]*&/, '') }
        : undefined,
  ],
  [
    'S create synchronization mailingName',
    'another name by default',
    to('POST', /mailing-synchronizations$/, (told, asked) => {
      if (told.json?.mailingName === 'New Mailing' && !asked.body.mailingName)
        told.json.mailingName = 'Untitled'
    }),
  ],
  ['S create synchronization rules', 'a text for a list is taken', () => {}, taking('listId', 'first', 1001)],
  [
    'S create synchronization',
    'a new mailing without draft',
    to('POST', /\/mailing-synchronizations$/, ({ json }, { body }) => {
      if (!json || !body || 'mailingId' in body) return
      json.mailingHasDraft = false
      delete json._links?.['svc:mailing-preview-draft']
    }),
  ],
  [
    'S create synchronization template',
    'the template itself',
    () => {},
    asked =>
      asked.body?.templateMailingId && asked.body.mailingId === undefined
        ? {
            ...asked,
            body: { ...asked.body, templateMailingId: undefined, mailingId: asked.body.templateMailingId },
          }
        : undefined,
  ],
  [
    'S synchronization final',
    'a synchronization can be deleted',
    to('DELETE', one, told => {
      told.status = 204
    }),
  ],
  [
    'S test sending rules',
    'addresses and a group',
    to('POST', /test-sendings$/, (told, asked) => {
      if (asked.body?.testMailGroupId === 1) told.status = 202
    }),
  ],
  [
    'S test sending kind',
    'any kind',
    to('POST', /test-sendings$/, (told, asked) => {
      if (asked.body?.kind === 'not-a-kind') told.status = 202
    }),
  ],
  ['S test sending subjectPrefix', 'it is refused', testing(400, it => it?.subjectPrefix)],
  ['S test sending testProfileId', 'a profile that is not there', testing(404, it => it?.testProfileId)],
  [
    'S preview kind',
    'no kind draft',
    to('GET', /kind=draft$/, told => {
      if (told.status === 200) told.status = 400
    }),
  ],
  [
    'S preview kind missing',
    'a version that is not there',
    to('GET', /kind=draft$/, told => {
      if (told.status === 404) told.status = 410
    }),
  ],
  [
    'S preview unknown profile',
    'any profile',
    to('GET', /testProfileId=999999999/, told => {
      told.status = 200
    }),
  ],
  [
    'S showAllLists',
    'any value',
    () => {},
    asked =>
      asked.path.endsWith('showAllLists=perhaps')
        ? { ...asked, path: asked.path.replace('perhaps', 'true') }
        : undefined,
  ],
  [
    'S list self',
    'lists that lead to another',
    inEach('list', it => {
      it._links.self.href = it._links.self.href.replace(/1002$/, '1001')
    }),
  ],
  [
    'S links that open pages',
    'a page that is not there',
    to('GET', /\/_mock\//, told => {
      told.status = 404
    }),
  ],
  [
    'S host of pages',
    'an editor on another host',
    inEach('mailing item', it => {
      it._links['svc:mailing-editor'].href = 'https://editor.example/mailings/1'
    }),
  ],
  [
    'S problem members',
    'no title',
    told => {
      if (told.headers['content-type'] === 'application/problem+json' && told.json) delete told.json.title
    },
  ],
  [
    'S general error',
    'no detail',
    told => {
      if (told.status === 404 && told.json) delete told.json.detail
    },
  ],
  [
    'S validation members',
    'no invalidFields',
    told => {
      if (told.json?.invalidFields) delete told.json.invalidFields
    },
  ],
  [
    'S draft preview link',
    'some links to nothing',
    inEach('synchronization', it => {
      if (it.id.endsWith('0001') && !it.mailingHasDraft)
        it._links['svc:mailing-preview-draft'] = { href: 'http://mock.test.localhost/_mock/x' }
    }),
  ],
  [
    'S mailing-uploads before upload',
    'some links to no upload',
    inEach('synchronization', it => {
      if (it.id.endsWith('0001')) delete it._links['svc:mailing-uploads']
    }),
  ],
  [
    'S unapproved name',
    'an empty name for none',
    inEach('synchronization', it => {
      if (it.approvedMailingName === null) it.approvedMailingName = ''
    }),
  ],
  [
    '4.16 optional members',
    'a configuration needs permitAll',
    to('PUT', /accessible-lists$/, (told, asked) => {
      if (asked.body?.permitAll === undefined) told.status = 400
    }),
  ],
  [
    'S default order',
    'no order',
    to('GET', /\/mailing-synchronizations$/, told => {
      const all = told.json?._embedded?.['svc:mailing-synchronizations']
      if (all) [all[all.length - 1], all[all.length - 2]] = [all.at(-2), all.at(-1)]
    }),
  ],
  [
    'S page size',
    'a limit of 500',
    to('GET', /pageSize=1000$/, (told, asked) => {
      if (/customers/.test(asked.path)) told.status = 400
    }),
  ],
  [
    'S empty collection',
    'an object for an empty collection',
    to('GET', /\?id=[^,]*dead$/, told => {
      told.json._embedded = []
    }),
  ],
  // Of all sections: where a lie stands decides beside which others it is tried, and these hide some of their own section
  ['2.4 id', 'a number', inEach('mailing-upload', it => Object.assign(it, { id: 5 }))],
  ['2.4 target', 'a text', inEach('mailing-upload', it => Object.assign(it, { target: 'there' }))],
  [
    'S 400',
    'a page size of 0 is 409',
    to('GET', /pageSize=0/, told => {
      told.status = 409
    }),
  ],
  [
    'S create synchronization listId',
    'an unknown list is taken',
    () => {},
    taking('listId', 999_999_999, 1001),
  ],
  [
    'S create synchronization several',
    'a second synchronization is the first one',
    to('POST', /\/mailing-synchronizations(\?|$)/, ({ json }, { body }) => {
      onlyId ??= json?.id
      if (json && body?.mailingId) json.id = onlyId
    }),
  ],
  [
    'S host',
    'links to a public address',
    told => {
      const text = JSON.stringify(told.json ?? null)
      if (told.json) told.json = JSON.parse(text.replaceAll('mock.test.localhost', 'public.test'))
    },
  ],
  [
    'S list synchronizations',
    'another creationDate than alone',
    to('GET', /\/mailing-synchronizations(\?|$)/, ({ json }) => {
      for (const it of resources(json).slice(1)) it.creationDate = '2020-01-01T00:00:00.000Z'
    }),
  ],
  [
    'S sendings order',
    'the second before the first and before the third',
    to('GET', /\/sendings\?/, ({ json }) => {
      const all = json?._embedded?.['svc:sendings']
      if (all?.length > 2) [all[0], all[1]] = [all[1], all[0]]
    }),
  ],
  [
    '2.9 name',
    'the name of a single customer as a number',
    to('GET', /\/accessible-customers\/[^/?]+$/, told => {
      if (told.status === 200) told.json.name = 5
    }),
  ],
  [
    'S create synchronization mailingId',
    'another mailing is synchronized',
    () => {},
    asked =>
      asked.method === 'POST' && asked.body?.mailingId && !asked.body.templateMailingId
        ? { ...asked, body: { ...asked.body, mailingId: mailingId(2) } }
        : undefined,
  ],
]
