import type { OperationId } from '../../service/operations.ts'
import { assumed, type Clause, documented, houseStyle, specified } from './clause.ts'

const createSending: OperationId[] = ['createSending']
const listMailings: OperationId[] = ['listMailings']

/** Sections 5 to 9: credentials, events, errors, limits, versions. */
export const conduct: Clause[] = [
  specified('5/1', 'Requests carry Basic credentials: user and password, joined by a colon, in base64.'),
  specified('5/2', 'Credentials belong to a space, and the accessible lists are those of that space.', [
    'listCustomerLists',
    'createMailingSynchronization',
    'putAccessibleLists',
    'getAccessibleLists',
  ]),
  assumed('5/3', 'Credentials come with the space; reading takes one right and changing takes another.'),

  specified('6', 'There are no events: the service calls nobody.'),

  specified('7 201', 'A sending with a transaction ID that was set up: 201.', createSending),
  specified(
    '7 200',
    'A repeated transaction ID, or trouble on the server with one: 200 with the sending and its state.',
    createSending,
  ),
  specified('7 4xx', 'A mistake of the client in creating a sending: 4xx.', createSending),
  specified('7 500', 'A creation that could not be processed at all: 500.', createSending),
  specified(
    '7 repeat',
    'After silence or a 5xx the same transaction ID can be repeated until it tells.',
    createSending,
  ),
  specified(
    '7/1',
    'FAILED and INDETERMINATE_FAILURE are told by the state of a 200, never by an error status.',
    createSending,
  ),
  specified(
    '7/2',
    'A scheduleDate in the past is a 4xx, unless the request repeats a known transaction ID.',
    createSending,
  ),
  specified('7/3', 'A transaction ID of the wrong length or with other characters is a 4xx.', createSending),
  specified('7/4', 'hasDraft=false with isApproved=false is refused.', listMailings),
  houseStyle(
    '7 format',
    'The document shows no error body; ours is a problem, as under S.',
    undefined,
    'error-body',
  ),
  houseStyle('7 other failures', 'Other failures have the usual statuses, as under S.'),

  specified('8 transactionId length', 'A transaction ID has 1 to 100 characters.', createSending),
  specified(
    '8 transactionId characters',
    'A transaction ID has letters, digits, dots, colons, hyphens and underscores.',
    createSending,
  ),
  specified('8 IDs in the id filter', 'The id filter takes 50 IDs and refuses more.', listMailings),
  specified(
    '8 pageSize default',
    'A page of mailings has 1000 entries when nothing else is asked.',
    listMailings,
  ),
  specified(
    '8 PENDING window',
    'A PENDING sending answers repeats throughout 5 minutes, with nothing sent twice.',
    createSending,
  ),
  specified(
    '8 recreate attempts',
    'After FAILED three other transaction IDs within 15 minutes are taken as new sendings.',
    createSending,
  ),
  houseStyle(
    '8 rate limit',
    'The document names no rate limit, and none holds unless turned on.',
    undefined,
    'rate-limit',
  ),

  documented('9', 'No version stands in the path.'),
]
