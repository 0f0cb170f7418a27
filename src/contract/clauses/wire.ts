import type { OperationId } from '../../service/operations.ts'
import { assumed, type Clause, documented, houseStyle, specified } from './clause.ts'

const createSending: OperationId[] = ['createSending']
const collections: OperationId[] = [
  'listSendings',
  'listMailingSynchronizations',
  'listTestProfiles',
  'listTestMailGroups',
  'listMailings',
  'listAccessibleCustomers',
  'listCustomerLists',
]

const conventions: Clause[] = [
  documented('S addressing', 'A host serves one space; neither space nor version stands in the path.'),
  assumed('S host', 'Links start with the host that the request names, unless a public address is set.'),
  assumed('S links', 'Links are absolute addresses and resolve.', undefined, 'links-form'),
  assumed(
    'S Location',
    'A Location is an absolute address.',
    ['createSending', 'createMailingSynchronization'],
    'location-form',
  ),
  documented(
    'S trailing slash',
    'A slash at the end is taken on GET of mailing-synchronizations, accessible-customers, test-profiles and preview; elsewhere it is 404.',
    ['listMailingSynchronizations', 'listAccessibleCustomers', 'listTestProfiles', 'getPreview'],
  ),
  documented(
    'S request media type',
    'Bodies are taken as application/hal+json and application/json, with any parameters.',
  ),
  houseStyle('S 415', 'Any other media type of a body is 415.'),
  documented(
    'S success media type',
    'The media type of success is application/hal+json;charset=UTF-8, to the letter.',
    undefined,
    'success-media-type',
  ),
  documented('S error media type', 'The media type of an error is application/problem+json.'),
  houseStyle(
    'S accept',
    'The usual Accept headers, */* and none are fine; one that excludes all JSON is 406.',
  ),
  documented('S date-time out', 'Date-times are written in UTC with three fraction digits and a Z.'),
  documented(
    'S date-time in',
    'Date-times are read with Z or any offset, with and without a fraction.',
    createSending,
  ),
  documented('S IDs', 'String IDs are lower-case UUIDs with dashes, numeric IDs are integers.'),
  documented(
    'S curies',
    'curies stand in _links of collections and of single resources with prefixed relations; the entry ends in /relations/{rel}.',
  ),
  documented(
    'S no curies',
    'Preview, single customer, single list and configuration have no curies.',
    ['getPreview', 'getAccessibleCustomer', 'getCustomerList', 'putAccessibleLists', 'getAccessibleLists'],
    'curies',
  ),
  specified('S null', 'A field without a value is null and never missing.'),
  assumed(
    'S empty collection',
    'An empty collection has an empty array under _embedded.',
    collections,
    'empty-collection',
  ),
  assumed(
    'S additive',
    'Members and parameters that are not defined are ignored.',
    undefined,
    'unknown-request-members',
  ),
  assumed(
    'S null in requests',
    'An optional member of a sending or a test sending that is null counts as not given.',
    ['createSending', 'createTestSending'],
    'null-in-requests',
  ),
  assumed(
    'S undocumented members',
    'Answers have the documented members and no others; a client should bear more.',
    undefined,
    'unknown-members',
  ),
]

const errors: Clause[] = [
  houseStyle('S problem members', 'Every error has a type and a title.', undefined, 'error-body'),
  houseStyle('S general error', 'A general error has a detail and _links besides.', undefined, 'error-body'),
  houseStyle(
    'S validation members',
    'Refused input has generalErrors, invalidFields of field and problem, and _links.',
    undefined,
    'error-body',
  ),
  houseStyle('S no 422', 'Refused input is 400; 422 is not in use.', undefined, 'invalid-input-status'),
  houseStyle(
    'S 400',
    'JSON that cannot be read, refused input and a bad combination of parameters are 400.',
    undefined,
    'invalid-input-status',
  ),
  houseStyle('S 401', 'Without valid credentials: 401 with WWW-Authenticate: Basic and a realm.'),
  houseStyle(
    'S 403',
    'A missing right, or a list that is not permitted, is 403.',
    undefined,
    'list-not-permitted-status',
  ),
  houseStyle('S 404', 'An unknown ID and an unknown path are 404.'),
  houseStyle('S 405', 'A method that a known path does not have is 405, and Allow names those it has.'),
  assumed(
    'S 409',
    'A sending for a mailing without approved version is 409.',
    createSending,
    'not-ready-status',
  ),
  assumed('S 410', 'A stale or foreign cursor or sync token is 410.', collections, 'stale-cursor-status'),
  houseStyle('S 413', 'A body beyond the limit is 413.'),
  houseStyle('S 429', 'Requests beyond a rate limit that was turned on are 429.', undefined, 'rate-limit'),
  houseStyle('S 500', 'What could not be processed is a 500, and a problem too.'),
]

const pagination: Clause[] = [
  documented('S pagination', 'Every collection comes in pages.', collections),
  documented('S pagination next', 'The next link is there exactly when another page is.', collections),
  documented(
    'S pagination links',
    'There are no links to the first, last or previous page, and no totals.',
    collections,
  ),
  documented('S cursor', 'The cursor is opaque and alone carries filters, order and page size.', collections),
  assumed(
    'S cursor expiry',
    "A cursor lives for 10 minutes on the space's clock, and is 410 afterwards.",
    collections,
    'cursor-expiry',
  ),
  assumed(
    'S foreign cursor',
    'A cursor of another collection or space, or a made-up one, is 410.',
    collections,
    'stale-cursor-status',
  ),
  documented(
    'S default order',
    'Collections are in the order their entries were made, mailings apart.',
    collections,
    'collection-order',
  ),
  houseStyle(
    'S page size',
    'pageSize goes from 1 to 1000 and is 1000 when not given; anything else is 400.',
    collections,
    'page-size-limit',
  ),
]

const access: Clause[] = [
  documented('S credentials', 'A space has several pairs of credentials, with different rights.'),
  assumed('S rights', 'Reading takes the right to read and nothing more.'),
  assumed('S missing right', 'Credentials without the right to an operation are 403, and nothing changes.'),
  assumed('S foreign space', 'What belongs to another space is answered like what does not exist.'),
  assumed('S foreign IDs', 'What belongs to another synchronization is answered like what does not exist.'),
  houseStyle('S rate limit', 'The limit, once turned on, is 600 requests a minute.', undefined, 'rate-limit'),
  houseStyle(
    'S rate limit headers',
    'With it, every answer names the limit, what remains and the seconds left in X-RateLimit headers.',
    undefined,
    'rate-limit',
  ),
]

/** Beyond the API document: what holds for every operation. */
export const wire: Clause[] = [...conventions, ...errors, ...pagination, ...access]
