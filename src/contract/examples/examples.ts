import type { OperationId, PathValues } from '../../service/operations.ts'
import type { Example } from './example.ts'
import { ids } from './fixture-ids.ts'

/** Headers that choose a scenario. */
const withScenario = (name: string) => ({ 'X-Mock-Scenario': name })

const none = (at: PathValues, summary = 'There is none'): Example => ({
  name: 'unknown',
  summary,
  at,
  status: 404,
})
const noSynchronization = none({ syncId: ids.unknown }, 'There is no such synchronization')
const noSize = (at: PathValues = {}): Example => ({
  name: 'size',
  summary: 'No size',
  at,
  query: '?pageSize=0',
  status: 400,
})
const staleCursor = (at: PathValues = {}): Example => ({
  name: 'stale',
  summary: 'A made-up cursor',
  at,
  query: '?cursor=stale',
  status: 410,
})
const noJson = (body: string, at: PathValues = {}): Example => ({
  name: 'malformed',
  summary: 'No JSON',
  at,
  body,
  status: 400,
})

const ready = { syncId: ids.ready }
const draftOnly = { syncId: ids.draftOnly }
const failedTwice = { syncId: ids.failedTwice }
const uploadedTwice = { syncId: ids.uploadedTwice }
const sent = { ...failedTwice, id: ids.sending.createdAfterFailures }
const noSending = { ...failedTwice, id: ids.unknown }
const customer = { customer: ids.customer }
const otherCustomer = { customer: ids.customerWithoutConfiguration }
const nobody = { customer: 'nobody' }

const firstSending = {
  transactionId: 'winter-service-week-1',
  name: 'Winter service week',
  subject: 'Book early',
}
const lists = { permittedLists: [1001, 1002], permitAll: false }
const newSynchronization = { customer: ids.customer, listId: ids.list }
const ofMailing = { ...newSynchronization, mailingId: ids.mailing.ready }
const recipientAddresses = ['reader@example.org']

/**
 * The examples of every operation, the first of them successful. They are played from top to bottom, what changes
 * something after what reads it. Documents, tests and the golden tour read this table: whoever adds an operation writes
 * its requests here, and nowhere else.
 */
export const examples: { readonly [Id in OperationId]: readonly Example[] } = {
  getMailingSynchronization: [
    { name: 'ready', summary: 'Its mailing is approved', at: ready, status: 200 },
    { name: 'draft', summary: 'Its mailing is a draft', at: draftOnly, status: 200 },
    none({ syncId: ids.unknown }),
  ],
  listMailingSynchronizations: [
    {
      name: 'firstPage',
      summary: 'Another page follows',
      query: '?readyForSending=true&pageSize=2',
      status: 200,
    },
    {
      name: 'lastPage',
      summary: 'The last page of an incremental synchronization',
      query: `?syncModifications=true&mailingId=${ids.mailing.ready}`,
      status: 200,
    },
    {
      name: 'sorted',
      summary: 'Sorted modifications',
      query: '?syncModifications=true&sortBy=mailingName',
      status: 400,
    },
    staleCursor(),
  ],
  listSendings: [
    { name: 'created', summary: 'Those that are CREATED', at: failedTwice, status: 200 },
    {
      name: 'allStates',
      summary: 'In whatever state',
      at: failedTwice,
      query: '?includeAllStates=true&pageSize=2',
      status: 200,
    },
    {
      name: 'flag',
      summary: 'Neither true nor false',
      at: failedTwice,
      query: '?includeAllStates=1',
      status: 400,
    },
    staleCursor(failedTwice),
    noSynchronization,
  ],
  getSending: [
    { name: 'created', summary: 'The mailing was sent', at: sent, status: 200 },
    {
      name: 'failed',
      summary: 'The mailing was not sent',
      at: { ...failedTwice, id: ids.sending.failed },
      status: 200,
    },
    none(noSending),
  ],
  getSendingStatistics: [
    { name: 'sent', summary: 'Long after it was sent', at: sent, status: 200 },
    none(noSending),
  ],
  listTestProfiles: [
    { name: 'profiles', summary: 'All', at: ready, status: 200 },
    noSize(ready),
    staleCursor(ready),
    none({ syncId: ids.unknown }),
  ],
  listTestMailGroups: [
    { name: 'groups', summary: 'All', at: ready, status: 200 },
    noSize(ready),
    staleCursor(ready),
    none({ syncId: ids.unknown }),
  ],
  getPreview: [
    {
      name: 'personalized',
      summary: 'With a test profile',
      at: ready,
      query: `?testProfileId=${ids.testProfile}`,
      status: 200,
    },
    { name: 'kind', summary: 'An unknown kind', at: ready, query: '?kind=newest', status: 400 },
    {
      name: 'version',
      summary: 'A version that is not there',
      at: draftOnly,
      query: '?kind=lastApproved',
      status: 404,
    },
  ],
  createTestSending: [
    {
      name: 'group',
      summary: 'To a test-mail group',
      at: ready,
      body: {
        testMailGroupId: ids.testMailGroup,
        testProfileId: ids.testProfile,
        subjectPrefix: '[Test] ',
      },
      status: 202,
    },
    {
      name: 'addresses',
      summary: 'To addresses',
      at: ready,
      body: { recipientAddresses, kind: 'latest' },
      status: 202,
    },
    { name: 'both', summary: 'Neither group nor addresses', at: ready, body: {}, status: 400 },
    noJson('{"testMailGroupId": ', ready),
    {
      name: 'version',
      summary: 'A version that is not there',
      at: draftOnly,
      body: { recipientAddresses, kind: 'lastApproved' },
      status: 404,
    },
  ],
  getMailingUpload: [
    { name: 'latest', summary: 'The latest', at: { ...uploadedTwice, id: 'latest' }, status: 200 },
    none({ ...uploadedTwice, id: ids.unknown }),
  ],
  createMailingUpload: [
    { name: 'created', summary: 'Created', at: uploadedTwice, body: {}, status: 200 },
    { name: 'empty', summary: 'Without a body', at: uploadedTwice, body: '', status: 400 },
    { ...noSynchronization, body: {} },
  ],
  listMailings: [
    {
      name: 'firstPage',
      summary: 'Approved ones; another page follows',
      query: '?isApproved=true&pageSize=2',
      status: 200,
    },
    {
      name: 'neither',
      summary: 'Filters that exclude each other',
      query: '?isApproved=false&hasDraft=false',
      status: 400,
    },
    staleCursor(),
  ],
  getMailing: [
    { name: 'mailing', summary: 'A mailing', at: { id: ids.mailing.ready }, status: 200 },
    none({ id: ids.unknown }),
  ],
  listAccessibleCustomers: [{ name: 'customers', summary: 'All', status: 200 }, noSize(), staleCursor()],
  getAccessibleCustomer: [
    { name: 'customer', summary: 'A customer', at: customer, status: 200 },
    none(nobody),
  ],
  listCustomerLists: [
    { name: 'permitted', summary: 'Those that the space may use', at: customer, status: 200 },
    { name: 'all', summary: 'All of the customer', at: customer, query: '?showAllLists=true', status: 200 },
    { name: 'flag', summary: 'Neither true nor false', at: customer, query: '?showAllLists=1', status: 400 },
    staleCursor(customer),
    none(nobody, 'No such customer'),
  ],
  getCustomerList: [
    { name: 'list', summary: 'A list', at: { ...customer, listId: ids.list }, status: 200 },
    none({ ...customer, listId: ids.listsWithoutConfiguration[0] }),
  ],
  createSending: [
    { name: 'created', summary: 'With a transaction ID', at: ready, body: firstSending, status: 201 },
    { name: 'repeated', summary: 'Repeated', at: ready, body: firstSending, status: 200 },
    { name: 'atOnce', summary: 'Without a transaction ID', at: ready, body: {}, status: 201 },
    {
      name: 'scheduled',
      summary: 'Scheduled',
      at: ready,
      body: { scheduleDate: '2035-05-17T11:30:00+02:00', transactionId: 'winter-service-week-2' },
      status: 201,
    },
    {
      name: 'pending',
      summary: 'Still being worked on',
      at: ready,
      body: { transactionId: 'winter-service-week-3' },
      headers: withScenario('pending-for-ever'),
      status: 200,
    },
    noJson('{"transactionId": ', ready),
    {
      name: 'invalid',
      summary: 'Members that are not as they must be',
      at: ready,
      body: { transactionId: 'spring launch', scheduleDate: '2035-05-17' },
      status: 400,
    },
    {
      name: 'past',
      summary: 'A date in the past',
      at: ready,
      body: { scheduleDate: '2026-01-01T00:00:00Z' },
      status: 400,
    },
    { name: 'notApproved', summary: 'The mailing is a draft', at: draftOnly, body: {}, status: 409 },
    { ...noSynchronization, body: {} },
    {
      name: 'lost',
      summary: 'Nothing was done, which the client cannot know',
      at: ready,
      body: { transactionId: 'winter-service-week-4' },
      headers: withScenario('error-500-before'),
      status: 500,
    },
  ],
  createMailingSynchronization: [
    {
      name: 'newMailing',
      summary: 'Of a new mailing',
      body: { ...newSynchronization, mailingName: 'Herbst' },
      status: 201,
    },
    { name: 'existing', summary: 'Of an existing mailing', body: ofMailing, status: 201 },
    {
      name: 'exclusive',
      summary: 'Of two mailings',
      body: { ...ofMailing, templateMailingId: ids.mailing.ready },
      status: 400,
    },
    noJson('{"customer": '),
    {
      name: 'notPermitted',
      summary: 'A list that is not permitted',
      body: { ...newSynchronization, listId: ids.listNotPermitted },
      status: 403,
    },
  ],
  getAccessibleLists: [
    { name: 'configuration', summary: 'Two lists', at: customer, status: 200 },
    { name: 'never', summary: 'Before the first PUT', at: otherCustomer, status: 404 },
  ],
  putAccessibleLists: [
    { name: 'created', summary: 'The first one', at: otherCustomer, body: lists, status: 201 },
    { name: 'replaced', summary: 'Replaced', at: otherCustomer, body: { permitAll: true }, status: 200 },
    { name: 'invalid', summary: 'No lists', at: otherCustomer, body: {}, status: 400 },
    noJson('{"permitAll": ', otherCustomer),
    { ...none(nobody, 'No such customer'), body: lists },
  ],
}
