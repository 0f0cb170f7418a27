import type { z } from 'zod'
import type { Right } from '../store/rows.ts'
import * as schemas from './schemas.ts'

/** One endpoint: everything about it that is not behaviour. */
export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT'
  /** `:platform` stands for the platform segment of integration paths. */
  readonly path: string
  /** Other spellings that are answered as well. */
  readonly alsoAt?: readonly string[]
  /** Section of the spec; `S` where it is documented elsewhere only. */
  readonly section: string
  readonly right: Right
  readonly query?: z.ZodType
  readonly body?: z.ZodType
}

const integrations = '/integrations/:platform'
const synchronizations = `${integrations}/mailing-synchronizations`
/** As the headings of 4.8 and 4.9 spell it. */
const sychronizations = `${integrations}/mailing-sychronizations`
const customers = `${integrations}/accessible-customers`

/** All operations of the service. Router, control API and fidelity register read this table. */
export const operations = {
  createSending: {
    method: 'POST',
    path: `${synchronizations}/:syncId/sendings`,
    section: '4.1',
    right: 'write',
    body: schemas.sendingBody,
  },
  getSending: {
    method: 'GET',
    path: `${synchronizations}/:syncId/sendings/:id`,
    section: '4.2',
    right: 'read',
  },
  listSendings: {
    method: 'GET',
    path: `${synchronizations}/:syncId/sendings`,
    section: '4.3',
    right: 'read',
    query: schemas.sendingsQuery,
  },
  getSendingStatistics: {
    method: 'GET',
    path: `${synchronizations}/:syncId/sendings/:id/statistics`,
    section: '4.4',
    right: 'read',
  },
  getMailingSynchronization: {
    method: 'GET',
    path: `${synchronizations}/:syncId`,
    section: '4.5',
    right: 'read',
  },
  createMailingSynchronization: {
    method: 'POST',
    path: synchronizations,
    section: '4.6',
    right: 'write',
    body: schemas.synchronizationBody,
  },
  listMailingSynchronizations: {
    method: 'GET',
    path: synchronizations,
    alsoAt: [`${synchronizations}/`],
    section: '4.6',
    right: 'read',
    query: schemas.synchronizationsQuery,
  },
  getPreview: {
    method: 'GET',
    path: `${synchronizations}/:syncId/preview`,
    alsoAt: [`${synchronizations}/:syncId/preview/`],
    section: '4.7',
    right: 'read',
    query: schemas.previewQuery,
  },
  listTestProfiles: {
    method: 'GET',
    path: `${synchronizations}/:syncId/test-profiles`,
    alsoAt: [
      `${synchronizations}/:syncId/test-profiles/`,
      `${sychronizations}/:syncId/test-profiles`,
      `${sychronizations}/:syncId/test-profiles/`,
    ],
    section: '4.8',
    right: 'read',
    query: schemas.paged,
  },
  listTestMailGroups: {
    method: 'GET',
    path: `${synchronizations}/:syncId/test-mail-groups`,
    alsoAt: [`${sychronizations}/:syncId/test-mail-groups`],
    section: '4.9',
    right: 'read',
    query: schemas.paged,
  },
  createMailingUpload: {
    method: 'POST',
    path: `${synchronizations}/:syncId/mailing-uploads`,
    section: '4.10',
    right: 'write',
    body: schemas.emptyBody,
  },
  getMailingUpload: {
    method: 'GET',
    path: `${synchronizations}/:syncId/mailing-uploads/:id`,
    section: '4.11',
    right: 'read',
  },
  createTestSending: {
    method: 'POST',
    path: `${synchronizations}/:syncId/test-sendings`,
    section: 'S',
    right: 'write',
    body: schemas.testSendingBody,
  },
  listMailings: {
    method: 'GET',
    path: '/mailings',
    section: '4.12',
    right: 'read',
    query: schemas.mailingsQuery,
  },
  getMailing: { method: 'GET', path: '/mailings/:id', section: '4.13', right: 'read' },
  listAccessibleCustomers: {
    method: 'GET',
    path: customers,
    alsoAt: [`${customers}/`],
    section: '4.14',
    right: 'read',
    query: schemas.paged,
  },
  getAccessibleCustomer: { method: 'GET', path: `${customers}/:customer`, section: '4.14', right: 'read' },
  listCustomerLists: {
    method: 'GET',
    path: `${customers}/:customer/lists`,
    section: '4.15',
    right: 'read',
    query: schemas.listsQuery,
  },
  getCustomerList: {
    method: 'GET',
    path: `${customers}/:customer/lists/:listId`,
    section: 'S',
    right: 'read',
  },
  putAccessibleLists: {
    method: 'PUT',
    path: `${customers}/:customer/configuration/accessible-lists`,
    section: '4.16',
    right: 'write',
    body: schemas.accessibleListsBody,
  },
  getAccessibleLists: {
    method: 'GET',
    path: `${customers}/:customer/configuration/accessible-lists`,
    section: '4.16',
    right: 'read',
  },
} as const satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
export const operationIds = Object.keys(operations) as OperationId[]

type Output<Op, Part extends 'query' | 'body'> = Op extends {
  readonly [P in Part]: infer Schema extends z.ZodType
}
  ? z.output<Schema>
  : undefined

/** What the request carried, checked and read by the operation's schemas. */
export interface Input<Id extends OperationId> {
  readonly query: Output<(typeof operations)[Id], 'query'>
  readonly body: Output<(typeof operations)[Id], 'body'>
}
