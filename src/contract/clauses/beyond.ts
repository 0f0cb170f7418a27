import type { OperationId } from '../../service/operations.ts'
import { assumed, type Clause, documented, houseStyle, specified } from './clause.ts'

const createSending: OperationId[] = ['createSending']
const listSendings: OperationId[] = ['listSendings']
const create: OperationId[] = ['createMailingSynchronization']
const list: OperationId[] = ['listMailingSynchronizations']
const preview: OperationId[] = ['getPreview']
const testSending: OperationId[] = ['createTestSending']
const putConfiguration: OperationId[] = ['putAccessibleLists']

const synchronizations: Clause[] = [
  documented(
    'S create synchronization',
    'Without mailingId an editor mailing with only a draft is made.',
    create,
  ),
  documented('S create synchronization customer', 'customer is required: an accessible customer.', create),
  documented(
    'S create synchronization listId',
    'listId is required: a list of that customer which the space may use.',
    create,
  ),
  documented(
    'S create synchronization mailingName',
    'mailingName names the new mailing, New Mailing when absent, and is ignored beside mailingId.',
    create,
  ),
  documented('S create synchronization mailingId', 'mailingId is an editor mailing to synchronize.', create),
  documented(
    'S create synchronization template',
    'templateMailingId is an editor mailing whose content the new draft copies.',
    create,
  ),
  documented(
    'S create synchronization exclusive',
    'mailingId and templateMailingId exclude each other.',
    create,
  ),
  houseStyle('S create synchronization rules', 'A member that breaks its rule is refused and named.', create),
  documented('S create synchronization synchronous', 'It exists when the answer arrives.', create),
  assumed(
    'S create synchronization status',
    'The answer is 201 with its Location and the synchronization.',
    create,
    'created-synchronization-status',
  ),
  documented('S create synchronization several', 'A mailing may have several synchronizations.', create),
  documented('S synchronization final', 'A synchronization can be neither changed nor deleted.'),
  documented(
    'S list synchronizations',
    'The synchronizations are embedded as svc:mailing-synchronizations, each as it is alone.',
    list,
  ),
  documented(
    'S list synchronizations filters',
    'mailingId keeps those of the mailings it names; readyForSending, mailingHasDraft and mailingIsApproved keep those for which they hold, or do not.',
    list,
  ),
  documented(
    'S list synchronizations sort',
    'sortBy takes creationDate, modificationDate and mailingName; order is asc, or desc when asked for.',
    list,
  ),
  documented('S list synchronizations pageSize', 'pageSize bounds a page of synchronizations.', list),
  assumed('S sorted modifications', 'sortBy or order with syncModifications is 400.', list),
  documented(
    'S incremental sync',
    'syncModifications=true lists everything, and its last page links svc:upcoming-modifications.',
    list,
  ),
  documented(
    'S incremental sync pages',
    'A page has the next link or the one for upcoming modifications, never both.',
    list,
  ),
  documented(
    'S incremental sync token',
    'The link carries an opaque syncToken; following it lists what changed since and ends in a new link.',
    list,
  ),
  assumed('S sync token', 'A sync token that is unknown or too old is 410.', list, 'stale-cursor-status'),
  assumed(
    'S sync token expiry',
    "A sync token lives for 30 days on the space's clock.",
    list,
    'sync-token-expiry',
  ),
]

const sendings: Clause[] = [
  documented(
    'S sendings collection',
    'An item is the whole sending and links to itself, its report and its statistics.',
    listSendings,
  ),
  documented('S sendings pageSize', 'pageSize bounds a page of sendings.', listSendings),
  documented(
    'S sendings order',
    'Sendings are listed in the order they were created.',
    listSendings,
    'collection-order',
  ),
  assumed(
    'S target of unsent',
    'While nothing exists on the platform, target is an object whose IDs are null.',
    [...createSending, 'getSending', ...listSendings],
    'target-of-unsent',
  ),
  assumed(
    'S Location of a 200',
    'A sending that is answered 200 comes without a Location.',
    createSending,
    'location-on-200',
  ),
  assumed(
    'S transactionId expiry',
    'A transaction ID is never forgotten within its synchronization.',
    createSending,
    'transaction-expiry',
  ),
  assumed(
    'S transactionId rejected',
    'A transaction ID refused with a 4xx is not taken and may be used again.',
    createSending,
    'rejected-transaction',
  ),
  assumed(
    'S transactionId after 500',
    'When nothing was done before the 500, the repeat is the first to be processed: 201.',
    createSending,
    'repeat-after-500-status',
  ),
  assumed(
    'S statistics rates',
    'Rates are quotients from 0 to 1.',
    ['getSendingStatistics'],
    'statistics-rates',
  ),
  assumed(
    'S statistics before start',
    'Before a sending starts its statistics are all zero, without dates.',
    ['getSendingStatistics'],
    'statistics-before-start',
  ),
  documented('S test sending', 'POST on the test-sendings is answered 202 without a body.', testSending),
  documented(
    'S test sending testProfileId',
    'testProfileId is optional and personalizes the test mail.',
    testSending,
  ),
  documented(
    'S test sending recipientAddresses',
    'recipientAddresses are the e-mail addresses it goes to.',
    testSending,
  ),
  documented(
    'S test sending testMailGroupId',
    'testMailGroupId is the group it goes to, a number.',
    testSending,
  ),
  documented('S test sending kind', 'kind chooses the version as in a preview.', testSending),
  documented('S test sending subjectPrefix', 'subjectPrefix goes before the subject.', testSending),
  documented(
    'S test sending rules',
    'Addresses and a group exclude each other, and what breaks a rule is refused.',
    testSending,
  ),
]

const mailings: Clause[] = [
  documented('S preview kind', 'kind is latest, draft or lastApproved.', preview),
  assumed(
    'S preview kind missing',
    'An unknown kind is 400, and a version that the mailing does not have 404.',
    preview,
  ),
  assumed('S preview unknown profile', 'A test profile that does not exist is 404.', preview),
  documented('S preview self', 'The self link ends in preview{?testProfileId,kind}.', preview),
  documented(
    'S single mailing',
    'A single mailing has its ID and links only.',
    ['getMailing'],
    'single-mailing',
  ),
  documented(
    'S approval',
    'Approval is final; editing an approved mailing makes a draft beside the approved version.',
  ),
  documented(
    'S versions',
    'A mailing has a draft, an approved version or both, and the names follow the versions.',
    ['listMailings', 'getMailingSynchronization', ...list],
  ),
  documented(
    'S sendings use approved',
    'A sending takes its content from the approved version.',
    createSending,
  ),
  assumed('S upload version', 'A mailing-upload takes the latest version and needs no approval.', [
    'createMailingUpload',
  ]),
  documented(
    'S links that open pages',
    'Links to editor, previews and report open pages for a person, without credentials of the service.',
  ),
  assumed(
    'S preview links',
    'A preview link is there only while its version exists.',
    ['getMailingSynchronization', ...list],
    'links-to-nothing',
  ),
]

const lists: Clause[] = [
  documented('S single list', 'GET on a list answers with its ID, name and self link.', ['getCustomerList']),
  documented('S list self', 'The self link of a list in the collection leads to the single list.', [
    'listCustomerLists',
    'getCustomerList',
  ]),
  documented('S showAllLists', 'showAllLists is true or false.', ['listCustomerLists']),
  assumed(
    'S configuration before PUT',
    'Until a configuration is put, every list is permitted and GET is 404.',
    ['getAccessibleLists'],
    'absent-configuration',
  ),
  assumed(
    'S ignored permittedLists',
    'With permitAll the lists that were sent are shown, although they count for nothing.',
    [...putConfiguration, 'getAccessibleLists'],
    'ignored-permitted-lists',
  ),
  specified('S configuration created', 'The first PUT is answered 201.', putConfiguration),
  assumed(
    'S replaced configuration',
    'Every later PUT is answered 200.',
    putConfiguration,
    'replaced-configuration-status',
  ),
]

/** Beyond the API document: what single resources do. */
export const beyond: Clause[] = [...synchronizations, ...sendings, ...mailings, ...lists]
