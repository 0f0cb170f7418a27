import { synchronizationId } from '../../../src/contract/examples/fixture-ids.ts'
import { customersPath, synchronizationPath } from '../../mock.ts'
import { type Interaction, like, matching, some } from './consumer.ts'

const known = synchronizationId(777)
const dateTime = matching(String.raw`\d{4}-\d\d-\d\dT.*`, '2026-11-01T10:00:00.000Z')
// biome-ignore lint/suspicious/noTemplateCurlyInString: that is how a pact takes a value from a state
const synchronization = synchronizationPath('${synchronizationId}')
const sendings = `${synchronization}/sendings`
const sending = `${sendings}/\${sendingId}`
const customer = `${customersPath}/\${customer}`
const configuration = `${customer}/configuration/accessible-lists`

const creating = { method: 'POST', body: { transactionId: 'order-4711' } } as const
const told = (state: string, transactionId: unknown = like('order-4711')) => ({
  id: like(known),
  mailingSynchronizationId: like(known),
  state,
  transactionId,
})
const unsent = { mailingId: null, sendingId: null }
const sent = { mailingId: like(100_001), sendingId: like(500_001) }

const sendingIn = (state: string, truth: 'sent' | 'not-sent'): Interaction => ({
  given: [{ state: 'a sending exists', params: { transactionId: 'order-4711', state, truth } }],
  path: sending,
  status: 200,
  // Until the outcome is known the service tells nothing of the platform.
  answer: {
    ...told(state, 'order-4711'),
    target: truth === 'sent' && (state === 'CREATED' || state === 'FAILED') ? sent : unsent,
  },
})

/** What a consumer may expect, at least once for each state that there is. */
export const interactions: readonly Interaction[] = [
  {
    given: [],
    path: '/mailings',
    status: 200,
    answer: { _embedded: { 'svc:mailings': some({ id: like(known) }) } },
  },
  {
    given: [{ state: 'the service answers 503 with Retry-After', params: { retryAfter: 120 } }],
    path: '/mailings',
    status: 503,
    headers: { 'Retry-After': '120' },
  },
  {
    given: [{ state: 'a synchronization is ready for sending' }, { state: 'the service answers 429' }],
    ...creating,
    path: sendings,
    status: 429,
  },
  {
    given: [{ state: 'there are no sendings' }, { state: 'a sending cannot be processed' }],
    ...creating,
    path: sendings,
    status: 500,
  },

  ...(
    [
      ['a mailing is approved', true, false],
      ['a mailing has only a draft', false, true],
      ['a mailing is approved and has a draft', true, true],
    ] as const
  ).map(([state, isApproved, hasDraft]) => ({
    given: [{ state, params: { mailingId: known, name: 'Harvest' } }],
    path: '/mailings',
    query: { id: known },
    status: 200,
    answer: { _embedded: { 'svc:mailings': [{ id: known, name: 'Harvest', isApproved, hasDraft }] } },
  })),
  {
    given: [{ state: 'there is no mailing' }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: as above
    path: '/mailings/${mailingId}',
    status: 404,
    answer: { title: like('Not found') },
  },

  {
    given: [{ state: 'a synchronization is ready for sending' }],
    path: synchronization,
    status: 200,
    answer: {
      id: like(known),
      mailingId: like(known),
      readyForSending: true,
      mailingHasDraft: false,
      target: { customer: like('a-customer'), listId: like(1) },
    },
  },
  {
    given: [{ state: `a synchronization ${known} is ready for sending` }],
    ...creating,
    path: synchronizationPath(known, '/sendings'),
    status: 201,
    answer: { state: 'CREATED', transactionId: 'order-4711', target: sent, creationDate: dateTime },
  },
  {
    given: [{ state: 'a synchronization is not ready for sending' }],
    ...creating,
    path: sendings,
    status: 409,
    answer: { title: like('Not ready for sending') },
  },
  {
    given: [{ state: 'a synchronization is ready for sending and its mailing has a draft' }],
    path: synchronization,
    status: 200,
    answer: { readyForSending: true, mailingHasDraft: true, mailingIsApproved: true },
  },
  {
    given: [{ state: 'a synchronization has no test recipients' }],
    path: `${synchronization}/test-profiles`,
    status: 200,
    answer: { _embedded: { 'svc:test-profiles': [] } },
  },
  {
    given: [{ state: 'a synchronization is ready for sending' }],
    path: `${synchronization}/test-mail-groups`,
    status: 200,
    answer: {
      _embedded: { 'svc:test-mail-groups': some({ id: like(1), emails: like(['testers@example.com']) }) },
    },
  },
  {
    given: [
      { state: 'a synchronization has no test recipients' },
      { state: 'a synchronization has test recipients' },
    ],
    path: `${synchronization}/test-profiles`,
    status: 200,
    answer: { _embedded: { 'svc:test-profiles': some({ id: like(1) }) } },
  },
  { given: [{ state: 'there is no synchronization' }], path: synchronization, status: 404 },
  {
    given: [{ state: 'a mailing was uploaded' }],
    path: `${synchronization}/mailing-uploads/latest`,
    status: 200,
    answer: { id: like(known), target: { mailingId: like(100_001) } },
  },
  {
    given: [{ state: 'a synchronization has no mailing-upload' }],
    path: `${synchronization}/mailing-uploads/latest`,
    status: 404,
  },
  {
    given: [{ state: 'there is no mailing-upload' }],
    path: `${synchronization}/mailing-uploads/\${mailingUploadId}`,
    status: 404,
  },

  sendingIn('PENDING', 'not-sent'),
  sendingIn('PENDING', 'sent'),
  sendingIn('FAILED', 'not-sent'),
  sendingIn('FAILED', 'sent'),
  sendingIn('INDETERMINATE_FAILURE', 'not-sent'),
  sendingIn('INDETERMINATE_FAILURE', 'sent'),
  sendingIn('CREATED', 'sent'),
  {
    given: [
      { state: 'a synchronization is ready for sending' },
      { state: 'a sending with transaction order-4711 is PENDING' },
    ],
    ...creating,
    path: sendings,
    status: 200,
    answer: told('PENDING', 'order-4711'),
  },
  {
    given: [{ state: 'a sending is scheduled' }],
    path: sending,
    status: 200,
    answer: { ...told('CREATED', null), scheduleDate: like('2026-11-08T10:00:00.000Z') },
  },
  {
    given: [{ state: 'a sending has statistics' }],
    path: `${sending}/statistics`,
    status: 200,
    answer: {
      synchronizationId: like(known),
      sendingStatistics: { recipientsCount: like(100) },
    },
  },
  {
    given: [{ state: 'a synchronization has sendings in every state' }],
    path: sendings,
    query: { includeAllStates: 'true' },
    status: 200,
    answer: {
      _embedded: {
        'svc:sendings': ['PENDING', 'CREATED', 'FAILED', 'INDETERMINATE_FAILURE'].map(state => ({ state })),
      },
    },
  },
  {
    given: [{ state: 'there are no sendings' }],
    path: sendings,
    query: { includeAllStates: 'true' },
    status: 200,
    answer: { _embedded: { 'svc:sendings': [] } },
  },
  { given: [{ state: 'there is no sending' }], path: sending, status: 404 },
  {
    given: [
      { state: 'there are no sendings' },
      { state: 'creating a sending leads to INDETERMINATE_FAILURE' },
    ],
    ...creating,
    path: sendings,
    status: 200,
    answer: { state: 'INDETERMINATE_FAILURE', transactionId: 'order-4711' },
  },

  {
    given: [{ state: 'a customer has lists' }],
    path: `${customer}/lists`,
    status: 200,
    answer: { _embedded: { 'svc:lists': some({ id: like(1), name: like('List 1') }) } },
  },
  {
    given: [{ state: 'a customer has no lists' }],
    path: `${customer}/lists`,
    status: 200,
    answer: { _embedded: { 'svc:lists': [] } },
  },
  { given: [{ state: 'there is no customer' }], path: customer, status: 404 },
  { given: [{ state: 'there is no list' }], path: `${customer}/lists/\${listId}`, status: 404 },
  {
    given: [{ state: 'a customer has an accessible-lists configuration' }],
    path: configuration,
    status: 200,
    answer: { permitAll: false, permittedLists: [like(1)] },
  },
  {
    given: [{ state: 'all lists of a customer are permitted' }],
    path: configuration,
    status: 200,
    answer: { permitAll: true },
  },
  {
    given: [{ state: 'a customer has no accessible-lists configuration' }],
    path: configuration,
    status: 404,
  },
]
