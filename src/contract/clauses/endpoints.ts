import type { OperationId } from '../../service/operations.ts'
import { assumed, type Clause, documented, houseStyle, specified } from './clause.ts'

const createSending: OperationId[] = ['createSending']
const getSending: OperationId[] = ['getSending']
const listSendings: OperationId[] = ['listSendings']
const getStatistics: OperationId[] = ['getSendingStatistics']
const getSynchronization: OperationId[] = ['getMailingSynchronization']
const getPreview: OperationId[] = ['getPreview']
const listProfiles: OperationId[] = ['listTestProfiles']
const listGroups: OperationId[] = ['listTestMailGroups']
const createUpload: OperationId[] = ['createMailingUpload']
const getUpload: OperationId[] = ['getMailingUpload']
const listMailings: OperationId[] = ['listMailings']
const getMailing: OperationId[] = ['getMailing']
const listLists: OperationId[] = ['listCustomerLists']
const putConfiguration: OperationId[] = ['putAccessibleLists']
const getConfiguration: OperationId[] = ['getAccessibleLists']

/** Section 4: the operations. */
export const endpoints: Clause[] = [
  specified('4 authentication', 'Every operation asks for credentials.'),
  specified('4 content type', 'Request bodies are taken as application/hal+json.', [
    'createSending',
    'createMailingSynchronization',
    'createTestSending',
    'createMailingUpload',
    'putAccessibleLists',
  ]),

  specified('4.1', 'POST on the sendings of a synchronization creates a sending.', createSending),
  specified('4.1 id', 'The path names the synchronization by its ID.', createSending),
  specified('4.1 empty body', 'Every field is optional, and an empty object is a valid body.', createSending),
  specified(
    '4.1 scheduleDate',
    'With a scheduleDate the mailing is scheduled, without one it is sent at once; it needs a time zone and a date to come.',
    createSending,
  ),
  specified('4.1 name', 'A given name becomes the name of the platform mailing.', createSending),
  specified('4.1 subject', 'A given subject becomes the subject of the platform mailing.', createSending),
  specified(
    '4.1 transactionId',
    'A transaction ID stands for one sending within its synchronization, however often it arrives.',
    createSending,
  ),
  specified('4.1 response', 'The answer is the sending, with the ID of the editor mailing.', createSending),
  specified(
    '4.1/1',
    'The answer does not wait for the sending to complete, and success is no proof that mails went out.',
    createSending,
  ),
  specified(
    '4.1/2',
    'A platform mailing with the whole approved content is made on the target list, approved, and sent or scheduled.',
    createSending,
  ),
  specified(
    '4.1/3',
    'Without a transaction ID success means CREATED; after an error the mailing may have been sent all the same, and a repeat sends again.',
    createSending,
  ),
  specified(
    '4.1/4',
    'With a transaction ID and a whole setup: 201, a Location that leads to the sending, and the sending.',
    createSending,
  ),
  specified(
    '4.1/5',
    'A repeated transaction ID, or trouble on the server with one, is answered 200 with the sending and its state.',
    createSending,
  ),
  specified('4.1/6', 'With a transaction ID and a mistake of the client: a 4xx.', createSending),
  specified('4.1/7', 'With a transaction ID and a request that could not be processed: 500.', createSending),
  specified(
    '4.1/8',
    'After silence or a 5xx, repeating the same transaction ID tells the outcome and sends nothing twice.',
    createSending,
  ),
  specified(
    '4.1/9',
    'On a repeat the rest of the payload is ignored, whatever differs from the first.',
    createSending,
  ),
  specified(
    '4.1/10',
    'PENDING can be repeated for 5 minutes and FAILED be followed by three other transaction IDs within 15; nothing stands in the way of a client that backs off.',
    createSending,
  ),

  specified('4.2', 'GET on a sending answers 200 with it.', getSending),
  specified(
    '4.2 syncId',
    'The path names the synchronization; another one does not have the sending.',
    getSending,
  ),
  specified('4.2 id', 'The path names the sending by its ID.', getSending),
  specified(
    '4.2 transactionId',
    'transactionId is that of the first request, null when it had none.',
    getSending,
  ),

  specified('4.3', 'GET on the sendings link of a synchronization answers with its sendings.', listSendings),
  specified('4.3 id', 'The path names the synchronization by its ID.', listSendings),
  specified(
    '4.3 includeAllStates',
    'includeAllStates=true adds the states other than CREATED.',
    listSendings,
  ),
  documented('4.3 shape', 'The sendings are embedded as svc:sendings beside a self link.', listSendings),

  specified('4.4', 'GET on the statistics of a sending answers 200 with them.', getStatistics),
  specified('4.4 syncId', 'The path names the synchronization by its ID.', getStatistics),
  specified('4.4 sendingId', 'The path names the sending by its ID.', getStatistics),

  specified('4.5', 'GET on a synchronization answers 200 with it.', getSynchronization),
  specified('4.5 id', 'The path names the synchronization by its ID.', getSynchronization),

  documented('4.6', 'POST on the mailing-synchronizations creates one, GET lists them.', [
    'createMailingSynchronization',
    'listMailingSynchronizations',
  ]),

  specified('4.7', 'GET on the preview of a synchronization answers with it.', getPreview),
  specified('4.7 id', 'The path names the synchronization by its ID.', getPreview),
  specified('4.7 kind', 'kind is latest when it is not given.', getPreview),
  specified('4.7 testProfileId', 'A test profile, if named, personalizes the preview.', getPreview),

  specified(
    '4.8',
    'GET answers 200 with the profiles embedded as svc:test-profiles and a self link.',
    listProfiles,
  ),
  specified('4.8 id', 'The path names the synchronization by its ID.', listProfiles),
  assumed(
    '4.8 spelling',
    'The path is spelt as in the example request; the slip in the heading is taken as well.',
    listProfiles,
  ),

  specified(
    '4.9',
    'GET answers 200 with the groups embedded as svc:test-mail-groups and a self link.',
    listGroups,
  ),
  specified('4.9 id', 'The path names the synchronization by its ID.', listGroups),
  assumed(
    '4.9 spelling',
    'The path is spelt as in the example request; the slip in the heading is taken as well.',
    listGroups,
  ),

  specified('4.10', 'POST on the mailing-uploads answers 200 with the mailing-upload.', createUpload),
  specified('4.10 id', 'The path names the synchronization by its ID.', createUpload),
  specified('4.10 body', 'The body is an empty object.', createUpload),
  specified(
    '4.10 effect',
    'A platform mailing with the whole content is made on the target list before success is told, and nothing is sent.',
    createUpload,
  ),

  specified('4.11', 'GET on a mailing-upload answers 200 with it.', getUpload),
  specified('4.11 syncId', 'The path names the synchronization by its ID.', getUpload),
  specified('4.11 id', 'The path names the mailing-upload by its ID.', getUpload),
  specified('4.11 latest', 'latest stands for the mailing-upload that changed last.', getUpload),

  specified(
    '4.12',
    'GET answers 200 with the mailings embedded as svc:mailings and a self link.',
    listMailings,
  ),
  specified('4.12 sort order', 'The mailing that changed last comes first.', listMailings),
  specified(
    '4.12 isApproved',
    'isApproved keeps the mailings with, or without, an approved version.',
    listMailings,
  ),
  specified('4.12 hasDraft', 'hasDraft keeps the mailings with, or without, a draft version.', listMailings),
  specified('4.12 id', 'id keeps the mailings it names, up to 50 separated by commas.', listMailings),
  specified('4.12 pageSize', 'pageSize bounds a page, and is 1000 when not given.', listMailings),
  specified('4.12 both false', 'hasDraft and isApproved must not both be false.', listMailings),

  specified('4.13', 'GET on a mailing answers 200 with it.', getMailing),
  specified('4.13 id', 'The path names the mailing by its ID.', getMailing),

  specified(
    '4.14',
    'GET answers 200 with the customers embedded as svc:accessible-customers and a self link.',
    ['listAccessibleCustomers'],
  ),
  specified('4.14 single', 'GET on an accessible customer answers with it.', ['getAccessibleCustomer']),
  specified('4.14 customerName', 'The path names the customer by its name.', ['getAccessibleCustomer']),

  specified('4.15', 'GET answers 200 with the lists embedded as svc:lists and a self link.', listLists),
  specified('4.15 customerName', 'The path names the customer by its name.', listLists),
  specified(
    '4.15 showAllLists',
    'showAllLists shows every list, whatever the configuration says.',
    listLists,
  ),
  specified(
    '4.15 effect',
    'The accessible-lists configuration filters the lists and bounds the creation of synchronizations.',
    ['listCustomerLists', 'createMailingSynchronization'],
  ),

  specified('4.16', 'PUT creates the configuration or replaces the whole of it.', putConfiguration),
  specified('4.16 customerName', 'The path names the customer by its name.', [
    ...putConfiguration,
    ...getConfiguration,
  ]),
  specified('4.16 permittedLists', 'permittedLists holds the IDs of the lists to permit.', putConfiguration),
  specified(
    '4.16 permitAll',
    'With permitAll every list is permitted and permittedLists is ignored, without it only those named.',
    putConfiguration,
  ),
  houseStyle(
    '4.16 rules',
    'A body that does not fit, or a list that the customer does not have, is refused.',
    putConfiguration,
  ),
  specified('4.16 created', 'Creating the configuration is answered 201 with it.', putConfiguration),
  assumed(
    '4.16 replaced',
    'Replacing the configuration is answered 200 with it.',
    putConfiguration,
    'replaced-configuration-status',
  ),
  specified('4.16 get', 'GET on the configuration answers 200 with it.', getConfiguration),
]
