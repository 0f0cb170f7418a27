import { z } from 'zod'
import type { Operation } from '../service/operation.ts'
import {
  type OperationId,
  operationIds,
  operations,
  resources as resourceForms,
} from '../service/operations.ts'
import { isPaged } from '../service/paging.ts'
import { booleanText } from '../service/request-input.ts'
import { assumed, type Clause, documented, houseStyle, specified } from './clauses/clause.ts'
import { clausesStarting, operationsAnswering, operationsOf } from './clauses/definition-clauses.ts'

export type { Clause } from './clauses/clause.ts'

const creatingSendings: readonly OperationId[] = ['createSending']
const listingMailings: readonly OperationId[] = ['listMailings']

const takesNull = (schema: z.ZodType): boolean => schema.safeParse(null).success

/** Whether a parameter is true or false, whatever it is when it is not given. */
function takesFlag(schema: z.ZodType): boolean {
  const isWrapped = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
  return isWrapped ? takesFlag(schema.unwrap() as z.ZodType) : schema === booleanText
}

const operationsWhere = (isMeant: (operation: Operation) => boolean): readonly OperationId[] =>
  operationIds.filter(id => isMeant(operations[id]))

const withBody = operationsWhere(({ body }) => body !== undefined)
const withFlags = operationsWhere(({ query }) => Object.values(query?.shape ?? {}).some(takesFlag))
const withOptionalMembers = operationsWhere(({ body }) =>
  Object.values(body?.schema.shape ?? {}).some(takesNull),
)
const withTrailingSlash = operationsWhere(({ alsoAt = [] }) =>
  alsoAt.some(({ cites }) => cites === 'S trailing slash'),
)

/** Section 2: what holds for all resources, then the resources, member by member and link by link. */
const aboutResources: readonly Clause[] = [
  ...specified({
    '2 addresses': 'Every address is relative to one base URL, and links start with it.',
    '2 media type': 'Responses are application/hal+json.',
    '2 hal': 'A collection is embedded under _embedded, links stand under _links.',
    '2 relation prefix': 'Relations of the service carry the prefix svc, which a setting changes.',
    '2 path segment':
      'Integration paths have mailing-platform as their middle segment, which a setting changes.',
    '2 ids': 'IDs of synchronizations, sendings, mailing-uploads and editor mailings are strings.',
    '2 numeric ids':
      'IDs of lists, test profiles, test-mail groups, platform mailings and platform sendings are numbers.',
    '2 date-time': 'Date-times are ISO 8601 and name their time zone.',
  }),
  ...specified(
    {
      '2 date-time in': 'A date-time that is sent needs Z or an offset, and is refused without one.',
    },
    ['createSending'],
  ),
  ...specified({
    '2 self':
      'Every resource has a self link, and following it leads back to the resource. Items without links are told under S.',
    '2 curies':
      'Where a prefixed relation is used, curies holds one entry: name svc, templated true, a link to its documentation.',
  }),
  ...clausesStarting(/^2\./),
]

/** Section 3: the states of a sending, then its rules. */
const states: readonly Clause[] = [
  ...clausesStarting(/^3 /),
  ...clausesStarting(/^3\//).toSorted((a, b) => (a.id < b.id ? -1 : 1)),
]

/** Section 4: the operations. */
const endpoints: readonly Clause[] = [
  ...specified({ '4 authentication': 'Every operation asks for credentials.' }),
  ...specified({ '4 content type': 'A request body is application/hal+json.' }, withBody),
  ...clausesStarting(/^4\./),
]

/** Sections 5 to 9: credentials, events, errors, limits, versions. */
const conduct: readonly Clause[] = [
  ...specified({
    '5/1': 'Requests carry Basic credentials: user and password, joined by a colon, in base64.',
  }),
  ...specified(
    { '5/2': 'Credentials belong to a space, and the accessible lists are those of that space.' },
    ['listCustomerLists', 'createMailingSynchronization', 'putAccessibleLists', 'getAccessibleLists'],
  ),
  ...assumed({
    '5/3': 'Credentials come with the space; reading takes one right and changing takes another.',
  }),

  ...assumed({
    '6': 'The document describes no events, webhooks or callbacks, and the service makes no calls of its own.',
  }),

  ...specified(
    {
      '7 201': 'A sending with a transaction ID that was set up: 201.',
      '7 200':
        'A repeated transaction ID, or a transaction ID when there is trouble on the server: 200 with the sending and its state.',
      '7 4xx': 'A mistake of the client in creating a sending: 4xx.',
      '7 500': 'A creation that could not be processed at all: 500.',
      '7 repeat': 'After a timeout or a 5xx the same transaction ID can be repeated until it tells.',
      '7/1': 'FAILED and INDETERMINATE_FAILURE are told by the state of a 200, never by an error status.',
      '7/2': 'A scheduleDate in the past is a 4xx, unless the request repeats a known transaction ID.',
      '7/3': 'A transaction ID of the wrong length or with other characters is a 4xx.',
    },
    creatingSendings,
  ),
  ...specified({ '7/4': 'hasDraft=false with isApproved=false is refused.' }, listingMailings),
  ...houseStyle({
    '7 format': 'The document shows no error body; ours is a problem, as under S.',
    '7 other failures': 'Other failures have the usual statuses, as under S.',
  }),

  ...specified(
    {
      '8 transactionId length': 'A transaction ID has 1 to 100 characters.',
      '8 transactionId characters':
        'A transaction ID has letters, digits, dots, colons, hyphens and underscores.',
    },
    creatingSendings,
  ),
  ...specified(
    {
      '8 IDs in the id filter': 'The id filter takes 50 IDs.',
      '8 pageSize default': 'A page of mailings has 1000 entries when nothing else is asked.',
    },
    listingMailings,
  ),
  ...assumed(
    {
      '8 PENDING window':
        'The document limits how long a client repeats after PENDING. The service answers throughout these 5 minutes, and sends nothing twice.',
      '8 recreate attempts':
        'The document limits how often a client may create the sending again after FAILED. The service accepts three other transaction IDs within 15 minutes as new sendings.',
    },
    creatingSendings,
  ),
  ...houseStyle({ '8 rate limit': 'The document names no rate limit, and none holds unless turned on.' }),

  ...documented({ '9': 'No version stands in the path.' }),
]

const collections = operationIds.filter(id => isPaged(operations[id]))

const conventions: readonly Clause[] = [
  ...documented({ 'S addressing': 'A host serves one space; neither space nor version stands in the path.' }),
  ...assumed({
    'S host':
      'Links start with the host that the request names, unless a public address is set; a host that is not served is 421.',
    'S links': 'Links are absolute addresses and resolve.',
  }),
  ...assumed({ 'S Location': 'A Location is an absolute address.' }, [
    'createSending',
    'createMailingSynchronization',
  ]),
  ...documented(
    {
      'S trailing slash':
        'A slash at the end is taken on GET of mailing-synchronizations, accessible-customers, test-profiles and preview; elsewhere it is an error.',
    },
    withTrailingSlash,
  ),
  ...documented({
    'S request media type':
      'A request body may also be application/json, and both may have parameters, such as a charset.',
  }),
  ...houseStyle({ 'S 415': 'Any other media type of a body is 415.' }),
  ...assumed(
    {
      'S charset': 'A Content-Type that names another charset than UTF-8, or its part US-ASCII, is 415.',
      'S encoding': 'A Content-Encoding other than identity is 415: bodies are not compressed.',
      'S repeated members': 'A body in which one object has a member more than once is 400.',
    },
    withBody,
  ),
  ...documented({
    'S success media type': 'The media type of success is application/hal+json;charset=UTF-8, to the letter.',
    'S error media type': 'The media type of an error is application/problem+json whenever possible.',
  }),
  ...houseStyle({
    'S accept': 'The usual Accept headers, */* and none are fine; one that excludes all JSON is 406.',
  }),
  ...documented({ 'S date-time out': 'Date-times are written in UTC with three fraction digits and a Z.' }),
  ...assumed(
    {
      'S date-time in':
        'Date-times are read with Z or an offset with a colon, with and without a fraction; documentation asks for three digits of it.',
      'S date-time forms':
        'Date-times in other forms are refused: basic ones, those with a comma before the fraction, with an hour 24, or off the calendar.',
    },
    creatingSendings,
  ),
  ...assumed({
    'S Date header': "The Date of a response is the machine's, wherever the space's clock stands.",
  }),
  ...assumed(
    {
      'S bare flags': 'A Boolean parameter without a value, as in ?showAllLists, is refused.',
      'S Boolean letters': 'true and false are written in lower case; anything else is refused.',
    },
    withFlags,
  ),
  ...assumed(
    { 'S repeated parameters': 'Of a parameter that stands in the address more than once the first counts.' },
    operationIds.filter(id => operations[id].query),
  ),
  ...assumed(
    {
      'S blanks in lists':
        'Blanks around the commas of a list in a query belong to its entries, and after a comma at the end there is one more, empty entry.',
    },
    ['listMailings', 'listMailingSynchronizations'],
  ),
  ...documented({
    'S IDs': 'String IDs are lower-case UUIDs with dashes, numeric IDs are integers.',
    'S curies':
      'curies stand in _links of collections and of single resources with prefixed relations; the entry ends in /relations/{rel}.',
  }),
  ...documented(
    {
      'S no curies':
        'Preview, single customer, single list and configuration have no curies; a mailing-upload has them.',
    },
    operationsOf('S no curies'),
  ),
  ...assumed({
    'S null':
      'A field without a value is null and never missing, also where the document does not speak of null.',
  }),
  ...assumed(
    { 'S empty collection': 'An empty collection has an empty array under _embedded.' },
    collections,
  ),
  ...assumed({ 'S too many IDs': 'An id filter of more than 50 IDs is refused.' }, listingMailings),
  ...assumed({ 'S additive': 'Members and parameters that are not defined are ignored.' }),
  ...assumed(
    {
      'S null in requests':
        'An optional member that is null counts as left out, but for mailingName, which may not be null.',
    },
    withOptionalMembers,
  ),
  ...assumed({
    'S undocumented members':
      'Responses have the documented members and no others; a client should tolerate others.',
  }),
]

const statuses: readonly Clause[] = [
  ...assumed(
    { 'S 200': 'Where the API document names no status of a success, it is 200.' },
    operationsAnswering('S 200'),
  ),
  ...houseStyle({ 'S problem members': 'Every error has a type, a title and its status.' }),
  ...assumed({
    'S problem type':
      'The type of a problem is the same wherever the service stands: the path of its documentation.',
  }),
  ...houseStyle({
    'S general error': 'A general error has a detail and _links besides.',
    'S validation members':
      'Refused input has generalErrors, invalidFields of field and problem, and _links.',
    'S no 422': 'Refused input is 400; 422 is not in use.',
    'S 400': 'JSON that cannot be read, refused input and a bad combination of parameters are 400.',
    'S 401': 'Without valid credentials: 401 with WWW-Authenticate: Basic and a realm.',
    'S 403': 'A missing right, or a list that is not permitted, is 403.',
    'S 404': 'An unknown ID and an unknown path are 404.',
    'S 405': 'A method that a known path does not have is 405, and Allow names those it has.',
  }),
  ...assumed(
    { 'S HEAD': 'HEAD is answered as GET is, without the body.' },
    operationIds.filter(id => operations[id].method === 'GET'),
  ),
  ...assumed({
    'S OPTIONS': 'OPTIONS on a known path is 204, and Allow names its methods.',
    'S order of checks':
      'Of several mistakes the first in this order is told: credentials, path and method, right, Accept, query, size of the body, Content-Type, members of the body, what the path names, what the members name, a date that has passed, and last whether the mailing is approved.',
  }),
  ...assumed({ 'S 409': 'A sending for a mailing without approved version is 409.' }, creatingSendings),
  ...assumed({ 'S 410': 'A stale or foreign cursor or sync token is 410.' }, collections),
  ...houseStyle({
    'S 413': 'A body beyond the limit is 413.',
    'S 429': 'Requests beyond a rate limit that was turned on are 429.',
    'S 500': 'What could not be processed is a 500, and a problem too.',
  }),
]

const pagination: readonly Clause[] = [
  ...documented(
    {
      'S pagination': 'Every collection comes in pages.',
      'S pagination next': 'The next link is there exactly when another page is.',
      'S pagination links': 'There are no links to the first, last or previous page, and no totals.',
      'S cursor': 'The cursor is opaque and alone carries filters, order and page size.',
    },
    collections,
  ),
  ...assumed(
    {
      'S cursor expiry': "A cursor lives for 10 minutes on the space's clock, and is 410 afterwards.",
      'S foreign cursor': 'A cursor of another collection or space, or a made-up one, is 410.',
    },
    collections,
  ),
  ...documented(
    {
      'S default order': 'All collections except mailings are in the order in which their entries were made.',
    },
    collections,
  ),
  ...houseStyle(
    { 'S page size': 'pageSize goes from 1 to 1000 and is 1000 when not given; anything else is 400.' },
    collections,
  ),
]

const access: readonly Clause[] = [
  ...documented({ 'S credentials': 'A space has several pairs of credentials, with different rights.' }),
  ...assumed({
    'S rights': 'Reading takes the right to read and nothing more.',
    'S missing right': 'Credentials without the right to an operation are 403, and nothing changes.',
    'S foreign space': 'What belongs to another space is answered like what does not exist.',
    'S foreign IDs': 'What belongs to another synchronization is answered like what does not exist.',
  }),
  ...houseStyle({
    'S rate limit': 'The limit, once turned on, is 600 requests a minute.',
    'S rate limit headers':
      'With it, every response names the limit, what remains and the seconds left in X-RateLimit headers.',
  }),
]

/** Beyond the API document: what holds for every operation. */
const wire: readonly Clause[] = [...conventions, ...statuses, ...pagination, ...access]

/** Beyond the API document: what resources do. */
const beyond: readonly Clause[] = [
  ...assumed({ 'S synchronization final': 'A synchronization can be neither changed nor deleted.' }),
  ...documented({
    'S approval': 'Approval is final; editing an approved mailing makes a draft beside the approved version.',
  }),
  ...documented(
    {
      'S versions': 'A mailing has a draft, an approved version or both, and the names follow the versions.',
    },
    operationsOf('S versions'),
  ),
  ...documented({
    'S links that open pages':
      'Links to editor, previews and report are addresses that a person opens in a browser. Documentation has them on the host of the editor; nothing here depends on their host.',
  }),
  ...assumed({
    'S host of pages':
      'Links to editor, previews and report begin like all links. Public documentation has the host of the editor there: --pages-url.',
  }),
  ...assumed({
    'S removed':
      'What was deleted on the platform or in the editor is 404, no collection shows it, and creating a synchronization with it is refused as with an unknown one.',
    'S removed synchronization':
      'Below the address of a deleted synchronization everything is 404, a repeat of a known transaction ID too.',
    'S removed part':
      'A synchronization whose mailing or list was deleted can be read, with readyForSending false. Creating a sending, a mailing-upload or a test sending is 409 and names what is gone; a repeat of a known transaction ID is answered 200.',
    'S accepted before removal':
      'A sending that was accepted before its mailing, list or synchronization was deleted goes on: a plan that is PENDING comes to its end, and what is scheduled starts.',
    'S renamed': 'A renamed list or customer has its new name everywhere. The old name of a customer is 404.',
  }),
  ...clausesStarting(/^S /),
]

/** Everything that the service promises: in the order of the API document, then what goes beyond it. */
export const clauses: readonly Clause[] = [
  ...aboutResources,
  ...states,
  ...endpoints,
  ...conduct,
  ...wire,
  ...beyond,
]

/** Headings of the API document that differ from the names of our definitions, and `S` for what goes beyond it. */
const documentHeadings: Readonly<Record<string, string>> = {
  '2': 'Resources and their fields',
  '2.2': 'Mailing synchronization',
  '2.3': 'Sending',
  '2.4': 'Mailing-upload',
  '2.8': 'Test-mail group',
  '2.9': 'Accessible customer and list',
  '2.10': 'Accessible-lists configuration',
  '3': 'States of a sending',
  '4': 'Endpoints',
  '4.3': 'Collection of sendings',
  '4.4': 'Sending statistics',
  '4.6': 'Create and list mailing synchronizations',
  '4.7': 'Preview',
  '4.8': 'Test profiles',
  '4.9': 'Test-mail groups',
  '4.12': 'Collection of mailings',
  '4.14': 'Accessible customers',
  '4.15': 'Lists of a customer',
  '4.16': 'Accessible-lists configuration',
  '5': 'Authentication',
  '6': 'Events',
  '7': 'Errors',
  '8': 'Limits',
  '9': 'Versioning',
  S: 'Beyond the document',
}

/** The headings of the register by chapter and section: an operation's summary or a resource's name where none is written. */
export const headings: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    resourceForms.map(({ section, name }) => [
      section,
      name.replaceAll(/(?<=.)[A-Z]/g, it => ` ${it.toLowerCase()}`),
    ]),
  ),
  ...Object.fromEntries(operationIds.map(id => [operations[id].section, operations[id].summary])),
  ...documentHeadings,
}
