import {
  getAccessibleCustomer,
  getAccessibleLists,
  getCustomerList,
  listAccessibleCustomers,
  listCustomerLists,
  putAccessibleLists,
} from './customers.ts'
import { defaultDials } from './dials.ts'
import { createMailingUpload, getMailingUpload } from './mailing-uploads.ts'
import { getMailing, listMailings } from './mailings.ts'
import { answersOf, type Operation } from './operation.ts'
import { createTestSending, getPreview, listTestMailGroups, listTestProfiles } from './previews-and-tests.ts'
import { type AnyForm, type Collection, isCollection } from './resource.ts'
import { createSending, getSending, getSendingStatistics, listSendings } from './sendings/routes.ts'
import {
  createMailingSynchronization,
  getMailingSynchronization,
  listMailingSynchronizations,
} from './synchronizations.ts'

/** All operations of the service, in the order of the API document. Router, register and documents read this table. */
export const operations = {
  createSending,
  getSending,
  listSendings,
  getSendingStatistics,
  getMailingSynchronization,
  createMailingSynchronization,
  listMailingSynchronizations,
  getPreview,
  listTestProfiles,
  listTestMailGroups,
  createMailingUpload,
  getMailingUpload,
  createTestSending,
  listMailings,
  getMailing,
  listAccessibleCustomers,
  getAccessibleCustomer,
  listCustomerLists,
  getCustomerList,
  putAccessibleLists,
  getAccessibleLists,
} satisfies Record<string, Operation>

export type OperationId = keyof typeof operations
export const operationIds = Object.keys(operations) as OperationId[]

/** All forms of all resources and their collections, in the order in which operations show them. */
export const resources: readonly (AnyForm | Collection)[] = [
  ...new Set(
    operationIds
      .flatMap(id => answersOf(operations[id], defaultDials))
      .flatMap(({ shows }) => (shows ? (isCollection(shows) ? [shows.item, shows] : [shows]) : [])),
  ),
]
