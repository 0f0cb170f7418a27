import { type Operation, type OperationId, operations } from '../../service/operations.ts'
import { emptyBody } from '../../service/schemas.ts'
import type { Deployment } from './deployment.ts'
import type { ClausesOf } from './members.ts'
import type { ServiceProblem } from './problems.ts'

/** What the table of operations does not say: words for people, and the clauses that each point rests on. */
export interface Described {
  readonly tag: Tag
  readonly summary: string
  readonly clause: string
  /** Of each parameter, in the path and in the query. */
  readonly parameters: Readonly<Record<string, readonly string[]>>
  /** Of each member of the request's body. */
  readonly members?: ClausesOf
  /** What it can be refused with beyond what its form entails. */
  readonly problems?: readonly ServiceProblem[]
  /** Clauses of error statuses that say something about this operation in particular. */
  readonly refusals?: Readonly<Record<number, string>>
}

export const tags = {
  Sendings: 'Creating sendings, and what became of them (spec 2.3, 2.5, 3, 4.1 to 4.4).',
  'Mailing synchronizations': 'What ties an editor mailing to a target list (spec 2.2, 4.5, 4.6).',
  'Mailing-uploads': 'Mailings created on the platform without sending them (spec 2.4, 4.10, 4.11).',
  Testing: 'Previews, test recipients and test sendings (spec 2.6 to 2.8, 4.7 to 4.9).',
  Mailings: 'The mailings of the editor (spec 2.1, 4.12, 4.13).',
  'Accessible customers':
    'Customers of the platform and the lists that the space may use (spec 4.14 to 4.16).',
} as const
export type Tag = keyof typeof tags

const cursor = ['S cursor', 'S cursor expiry']
const pageSize = ['S page size']
const filters = ['S list synchronizations filters']

export const described: { readonly [Id in OperationId]: Described } = {
  createSending: {
    tag: 'Sendings',
    summary: 'Create a sending',
    clause: '4.1',
    parameters: { syncId: ['4.1 id'] },
    members: member => [`4.1 ${member}`, ...(membersOfSending[member] ?? [])],
    problems: ['schedule-date-in-past', 'not-ready-for-sending'],
    refusals: { 500: '7 500' },
  },
  getSending: {
    tag: 'Sendings',
    summary: 'Retrieve a sending',
    clause: '4.2',
    parameters: { syncId: ['4.2 syncId'], id: ['4.2 id'] },
  },
  listSendings: {
    tag: 'Sendings',
    summary: 'List the sendings of a synchronization',
    clause: '4.3',
    parameters: {
      syncId: ['4.3 id'],
      includeAllStates: ['4.3 includeAllStates', '3/2'],
      pageSize: ['S sendings pageSize', ...pageSize],
      cursor,
    },
  },
  getSendingStatistics: {
    tag: 'Sendings',
    summary: 'Retrieve the statistics of a sending',
    clause: '4.4',
    parameters: { syncId: ['4.4 syncId'], id: ['4.4 sendingId'] },
  },
  getMailingSynchronization: {
    tag: 'Mailing synchronizations',
    summary: 'Retrieve a mailing synchronization',
    clause: '4.5',
    parameters: { syncId: ['4.5 id'] },
  },
  createMailingSynchronization: {
    tag: 'Mailing synchronizations',
    summary: 'Create a mailing synchronization',
    clause: '4.6',
    parameters: {},
    members: member => [
      `S create synchronization ${member === 'templateMailingId' ? 'template' : member}`,
      ...(/mailingId/i.test(member) ? ['S create synchronization exclusive'] : []),
    ],
    problems: ['list-not-permitted'],
  },
  listMailingSynchronizations: {
    tag: 'Mailing synchronizations',
    summary: 'List the mailing synchronizations',
    clause: '4.6',
    parameters: {
      mailingId: filters,
      readyForSending: filters,
      mailingHasDraft: filters,
      mailingIsApproved: filters,
      sortBy: ['S list synchronizations sort', 'S sorted modifications'],
      order: ['S list synchronizations sort', 'S sorted modifications'],
      syncModifications: ['S incremental sync'],
      syncToken: ['S incremental sync token', 'S sync token expiry'],
      pageSize: ['S list synchronizations pageSize', ...pageSize],
      cursor,
    },
  },
  getPreview: {
    tag: 'Testing',
    summary: 'Retrieve a preview',
    clause: '4.7',
    parameters: {
      syncId: ['4.7 id'],
      kind: ['4.7 kind', 'S preview kind', 'S preview kind missing'],
      testProfileId: ['4.7 testProfileId', 'S preview unknown profile'],
    },
  },
  listTestProfiles: {
    tag: 'Testing',
    summary: 'List the test profiles of a synchronization',
    clause: '4.8',
    parameters: { syncId: ['4.8 id'], pageSize, cursor },
  },
  listTestMailGroups: {
    tag: 'Testing',
    summary: 'List the test-mail groups of a synchronization',
    clause: '4.9',
    parameters: { syncId: ['4.9 id'], pageSize, cursor },
  },
  createMailingUpload: {
    tag: 'Mailing-uploads',
    summary: 'Create a mailing-upload',
    clause: '4.10',
    parameters: { syncId: ['4.10 id'] },
    members: () => ['4.10 body'],
  },
  getMailingUpload: {
    tag: 'Mailing-uploads',
    summary: 'Retrieve a mailing-upload',
    clause: '4.11',
    parameters: { syncId: ['4.11 syncId'], id: ['4.11 id', '4.11 latest'] },
  },
  createTestSending: {
    tag: 'Testing',
    summary: 'Send a version to test recipients',
    clause: 'S test sending',
    parameters: { syncId: ['S test sending'] },
    members: member => [`S test sending ${member}`],
  },
  listMailings: {
    tag: 'Mailings',
    summary: 'List the mailings',
    clause: '4.12',
    parameters: {
      isApproved: ['4.12 isApproved', '4.12 both false'],
      hasDraft: ['4.12 hasDraft', '4.12 both false'],
      id: ['4.12 id', '8 IDs in the id filter'],
      pageSize: ['4.12 pageSize', ...pageSize],
      cursor,
    },
  },
  getMailing: {
    tag: 'Mailings',
    summary: 'Retrieve a mailing',
    clause: '4.13',
    parameters: { id: ['4.13 id'] },
  },
  listAccessibleCustomers: {
    tag: 'Accessible customers',
    summary: 'List the accessible customers',
    clause: '4.14',
    parameters: { pageSize, cursor },
  },
  getAccessibleCustomer: {
    tag: 'Accessible customers',
    summary: 'Retrieve an accessible customer',
    clause: '4.14 single',
    parameters: { customer: ['4.14 customerName'] },
  },
  listCustomerLists: {
    tag: 'Accessible customers',
    summary: 'List the lists of a customer',
    clause: '4.15',
    parameters: {
      customer: ['4.15 customerName'],
      showAllLists: ['4.15 showAllLists', 'S showAllLists'],
      pageSize,
      cursor,
    },
  },
  getCustomerList: {
    tag: 'Accessible customers',
    summary: 'Retrieve a list of a customer',
    clause: 'S single list',
    parameters: { customer: ['S single list'], listId: ['S single list'] },
  },
  putAccessibleLists: {
    tag: 'Accessible customers',
    summary: 'Create or replace the accessible-lists configuration',
    clause: '4.16',
    parameters: { customer: ['4.16 customerName'] },
    members: member => [`4.16 ${member}`],
  },
  getAccessibleLists: {
    tag: 'Accessible customers',
    summary: 'Retrieve the accessible-lists configuration',
    clause: '4.16 get',
    parameters: { customer: ['4.16 customerName'] },
  },
}

const membersOfSending: Readonly<Record<string, readonly string[]>> = {
  scheduleDate: ['2 date-time in', 'S date-time in', '7/2'],
  transactionId: [
    '8 transactionId length',
    '8 transactionId characters',
    'S transactionId expiry',
    'S transactionId rejected',
  ],
}

/** Everything an operation can be refused with, in the order in which it is looked at. */
export function problemsOf(id: OperationId, { dials }: Deployment): ServiceProblem[] {
  const { path, query, body }: Operation = operations[id]
  const isPaged = 'cursor' in described[id].parameters
  const takesAnything = body === emptyBody && dials['unknown-request-members'] === 'ignored'
  return [
    'unauthorized',
    'missing-right',
    'too-many-requests',
    'not-acceptable',
    ...(body ? (['unsupported-media-type', 'body-too-large', 'malformed-body'] as const) : []),
    ...(query || (body && !takesAnything) ? (['validation'] as const) : []),
    ...(/:(?!platform)/.test(path) ? (['not-found'] as const) : []),
    ...(isPaged ? (['gone'] as const) : []),
    ...(described[id].problems ?? []),
    'not-processed',
  ]
}
