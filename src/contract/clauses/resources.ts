import type { OperationId } from '../../service/operations.ts'
import { assumed, type Clause, documented, specified } from './clause.ts'

const mailings: OperationId[] = ['listMailings']
const mailing: OperationId[] = ['getMailing']
const synchronization: OperationId[] = [
  'createMailingSynchronization',
  'getMailingSynchronization',
  'listMailingSynchronizations',
]
const sending: OperationId[] = ['createSending', 'getSending', 'listSendings']
const upload: OperationId[] = ['createMailingUpload', 'getMailingUpload']
const statistics: OperationId[] = ['getSendingStatistics']
const preview: OperationId[] = ['getPreview']
const profiles: OperationId[] = ['listTestProfiles']
const groups: OperationId[] = ['listTestMailGroups']
const customers: OperationId[] = ['listAccessibleCustomers', 'getAccessibleCustomer']
const lists: OperationId[] = ['listCustomerLists', 'getCustomerList']
const configuration: OperationId[] = ['putAccessibleLists', 'getAccessibleLists']

/** Section 2: the resources, field by field and link by link. */
export const resources: Clause[] = [
  specified('2 addresses', 'Every address is relative to one base URL, and links start with it.'),
  specified('2 media type', 'Answers are application/hal+json.'),
  specified('2 hal', 'A collection is embedded under _embedded, links stand under _links.'),
  specified('2 relation prefix', 'Relations of the service carry the prefix svc, which a setting changes.'),
  specified(
    '2 path segment',
    'Integration paths have mailing-platform as their middle segment, which a setting changes.',
  ),
  specified('2 ids', 'IDs of synchronizations, sendings, mailing-uploads and editor mailings are strings.'),
  specified(
    '2 numeric ids',
    'IDs of lists, test profiles, test-mail groups, platform mailings and platform sendings are numbers.',
  ),
  specified('2 date-time', 'Date-times are ISO 8601 and name their time zone.'),
  specified(
    '2 date-time in',
    'A date-time that is sent needs Z or an offset; without one, or off the calendar, it is refused.',
    ['createSending'],
  ),
  specified('2 self', 'Every resource has a self link, and following it leads back to the resource.'),
  specified(
    '2 curies',
    'Where a prefixed relation is used, curies holds one entry: name svc, templated true, a link to its documentation.',
  ),

  specified('2.1 id', 'A mailing has its ID as a string.', [...mailings, ...mailing]),
  specified('2.1 name', 'An item of the mailings has the name of the mailing.', mailings),
  specified('2.1 creationDate', 'An item of the mailings has the date-time of its creation.', mailings),
  specified(
    '2.1 modificationDate',
    'An item of the mailings has the date-time of its last change.',
    mailings,
  ),
  specified('2.1 isApproved', 'isApproved is true exactly when an approved version exists.', mailings),
  specified('2.1 hasDraft', 'hasDraft is true exactly when a draft version exists.', mailings),
  specified('2.1 _links', 'An item of the mailings links to itself and to its editor.', mailings),
  specified('2.1 mailing-editor', 'A mailing links to the editor that opens it.', [...mailings, ...mailing]),
  documented(
    '2.1 single',
    'A single mailing has its ID and links, and no other field.',
    mailing,
    'single-mailing',
  ),

  specified('2.2 id', 'A synchronization has its ID as a string.', synchronization),
  specified('2.2 creationDate', 'A synchronization has the date-time of its creation.', synchronization),
  specified(
    '2.2 modificationDate',
    'A synchronization has the date-time of its last change.',
    synchronization,
  ),
  specified('2.2 mailingId', 'A synchronization names its editor mailing by ID.', synchronization),
  specified('2.2 mailingName', 'mailingName is the name of the latest version.', synchronization),
  specified(
    '2.2 approvedMailingName',
    'approvedMailingName is the name of the approved version.',
    synchronization,
  ),
  specified(
    '2.2 readyForSending',
    'readyForSending tells whether a sending can be created, which takes an approved version.',
    synchronization,
  ),
  specified('2.2 mailingHasDraft', 'mailingHasDraft tells whether a draft version exists.', synchronization),
  specified(
    '2.2 mailingIsApproved',
    'mailingIsApproved tells whether an approved version exists.',
    synchronization,
  ),
  specified('2.2 target', 'target is an object that says where the mailing goes.', synchronization),
  specified('2.2 target.customer', 'target.customer is the alias of the platform customer.', synchronization),
  specified('2.2 target.listId', 'target.listId is the ID of the target list, a number.', synchronization),
  specified('2.2 target.listName', 'target.listName is the name of that list.', synchronization),
  specified(
    '2.2 mailingUploadsModificationDate',
    'Null until the first mailing-upload, then the date-time of the latest change to one.',
    synchronization,
  ),
  specified(
    '2.2 sendingsModificationDate',
    'Null until the first sending, then the date-time the latest was created.',
    synchronization,
  ),
  specified(
    '2.2 _links',
    'A synchronization links to itself and to all that belongs to it.',
    synchronization,
  ),
  specified('2.2 self', 'The self link leads to the synchronization.', synchronization),
  specified('2.2 mailing-editor', 'A synchronization links to the editor of its mailing.', synchronization),
  specified(
    '2.2 mailing-preview-draft',
    'A synchronization links to the preview of its draft.',
    synchronization,
  ),
  specified(
    '2.2 mailing-preview-approved',
    'A synchronization links to the preview of its approved version.',
    synchronization,
  ),
  specified('2.2 sendings', 'A synchronization links to the collection of its sendings.', synchronization),
  specified(
    '2.2 mailing-uploads',
    'The link for mailing-uploads leads to the latest mailing-upload.',
    synchronization,
  ),

  specified('2.3 id', 'A sending has its ID as a string.', sending),
  specified('2.3 creationDate', 'A sending has the date-time of its creation.', sending),
  specified(
    '2.3 scheduleDate',
    'The date-time the sending is executed, and null when it was sent at once.',
    sending,
  ),
  specified('2.3 mailingSynchronizationId', 'A sending names its synchronization by ID.', sending),
  specified('2.3 state', 'state is PENDING, CREATED, FAILED or INDETERMINATE_FAILURE.', sending),
  specified(
    '2.3 transactionId',
    'The transaction ID of the request that created the sending, null without one.',
    sending,
  ),
  specified('2.3 target', 'target is an object that says what the platform made of it.', sending),
  specified('2.3 target.mailingId', 'target.mailingId is the ID of the platform mailing, a number.', sending),
  specified('2.3 target.sendingId', 'target.sendingId is the ID of the platform sending, a number.', sending),
  specified('2.3 _links', 'A sending links to itself and to its report.', sending),
  specified('2.3 report', 'The report link opens the report of the sending.', sending),
  specified(
    '2.3 mailingId',
    'The answer to creating a sending also names the editor mailing, though the example does not.',
    ['createSending'],
    'created-sending-mailing-id',
  ),

  specified('2.4 id', 'A mailing-upload has its ID as a string.', upload),
  specified('2.4 creationDate', 'A mailing-upload has the date-time of its creation.', upload),
  specified('2.4 modificationDate', 'A mailing-upload has the date-time of its last change.', upload),
  specified('2.4 target', 'target is an object that says what the platform made of it.', upload),
  specified('2.4 target.mailingId', 'target.mailingId is the ID of the platform mailing, a number.', upload),
  specified('2.4 _links', 'A mailing-upload links to itself by its ID.', upload),

  specified('2.5 synchronizationId', 'Statistics name their synchronization by ID.', statistics),
  specified('2.5 responseStatistics', 'responseStatistics holds what the recipients did.', statistics),
  specified('2.5 responseStatistics.clickingRecipients', 'How many recipients clicked a link.', statistics),
  specified('2.5 responseStatistics.ctor', 'Unique clicks for each unique opening.', statistics),
  specified('2.5 responseStatistics.openingRate', 'Opening recipients for each recipient.', statistics),
  specified(
    '2.5 responseStatistics.openingRecipients',
    'How many recipients opened the mailing.',
    statistics,
  ),
  specified('2.5 responseStatistics.totalClicks', 'How many clicks there were.', statistics),
  specified('2.5 responseStatistics.uniqueClickRate', 'Clicking recipients for each recipient.', statistics),
  specified(
    '2.5 responseStatistics.unsubscribeClicks',
    'How many unsubscribed by a click in the mailing.',
    statistics,
  ),
  specified(
    '2.5 responseStatistics.listUnsubscribeClicks',
    'How many unsubscribed by the list-unsubscribe mechanism.',
    statistics,
  ),
  specified(
    '2.5 responseStatistics.unsubscribeRate',
    'Unsubscribed recipients for each recipient.',
    statistics,
  ),
  specified('2.5 sendingStatistics', 'sendingStatistics holds how the sending went.', statistics),
  specified('2.5 sendingStatistics.averageMailSize', 'The average size of a mail in bytes.', statistics),
  specified('2.5 sendingStatistics.bounceCount', 'How many mails bounced.', statistics),
  specified('2.5 sendingStatistics.deliveredMailsCount', 'How many mails were delivered.', statistics),
  specified('2.5 sendingStatistics.mailsPerHour', 'The calculated number of mails in an hour.', statistics),
  specified('2.5 sendingStatistics.notSentMailsCount', 'How many mails could not be sent.', statistics),
  specified('2.5 sendingStatistics.recipientsCount', 'How many recipients there are.', statistics),
  specified('2.5 sendingStatistics.sentErrorCount', 'How many sent mails ended in an error.', statistics),
  specified('2.5 sendingStatistics.startDate', 'When the sending started.', statistics),
  specified('2.5 sendingStatistics.endDate', 'When the sending finished.', statistics),
  specified('2.5 _links', 'Statistics link to themselves.', statistics),

  specified('2.6 htmlContent', 'A preview has the HTML part of the mailing.', preview),
  specified('2.6 textContent', 'A preview has the text part of the mailing.', preview),
  specified('2.6 subject', 'A preview has the subject of the mailing.', preview),
  specified('2.6 _links', 'The self link is a template with optional testProfileId and kind.', preview),

  specified('2.7 id', 'A test profile has its ID as a number.', profiles),
  specified('2.7 description', 'A test profile has a description.', profiles),

  specified('2.8 id', 'A test-mail group has its ID as a number.', groups),
  specified('2.8 name', 'A test-mail group has a name.', groups),
  specified('2.8 emails', 'A test-mail group has the e-mail addresses of its members.', groups),

  specified('2.9 name', 'An accessible customer has a name.', customers),
  specified('2.9 _links', 'An accessible customer links to itself.', customers),
  specified('2.9 list id', 'A list has its ID as a number.', lists),
  specified('2.9 list name', 'A list has a name.', lists),
  specified('2.9 list _links', 'Every list in the collection links to itself.', lists),

  specified('2.10 creationDate', 'The configuration has the date-time of its creation.', configuration),
  specified(
    '2.10 modificationDate',
    'The configuration has the date-time of its last replacement.',
    configuration,
  ),
  specified('2.10 permitAll', 'permitAll tells whether the space may use every list.', configuration),
  specified(
    '2.10 permittedLists',
    'permittedLists holds the IDs of the lists the space may use.',
    configuration,
  ),
  specified('2.10 _links', 'The configuration links to itself.', configuration),
  specified(
    '2.10 order',
    'permittedLists comes back with the same IDs, in whatever order.',
    configuration,
    'permitted-lists-order',
  ),
]

/** Section 3: the states of a sending. */
export const states: Clause[] = [
  specified('3 PENDING', 'PENDING: the request is still being worked on.', sending),
  specified('3 CREATED', 'CREATED: the mailing was sent or scheduled, nothing is left to do.', sending),
  specified('3 FAILED', 'FAILED: the mailing was not sent and will not be.', sending),
  specified(
    '3 INDETERMINATE_FAILURE',
    'INDETERMINATE_FAILURE: it may or may not have been sent, so both happen here.',
    sending,
  ),
  assumed('3 transitions', 'Only PENDING gives way to another state; the other three are final.', sending),
  specified('3/1', 'Without a transaction ID the only state ever told is CREATED.', ['createSending']),
  specified('3/2', 'Sendings in other states than CREATED are listed only with includeAllStates=true.', [
    'listSendings',
  ]),
  specified(
    '3/3',
    'A sending takes an approved mailing, and readyForSending says beforehand whether there is one.',
    ['createSending', 'getMailingSynchronization'],
  ),
  specified(
    '3/4',
    'A client can act on the state of a 200: PENDING and CREATED repeat with the same transaction ID, FAILED is overcome with another one, INDETERMINATE_FAILURE stays as it is.',
    ['createSending'],
  ),
]
