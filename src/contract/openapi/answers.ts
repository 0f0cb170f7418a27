import type { OperationId } from '../../service/operations.ts'
import type { Deployment } from './deployment.ts'
import type { ResourceName } from './resources/resources.ts'

/** What an operation answers where it succeeds. */
export interface Success {
  readonly status: number
  /** The first is the one that it rests on. */
  readonly clauses: readonly string[]
  /** What stands in the body; without it there is none. */
  readonly resource?: ResourceName
  readonly hasLocation?: boolean
}

/** All answers that are no problem, as the dials have them. */
export function successesOf(id: OperationId, { dials }: Deployment): readonly Success[] {
  switch (id) {
    case 'createSending':
      return [
        {
          status: 201,
          clauses: ['4.1/4', '7 201', 'S transactionId after 500'],
          resource: 'CreatedSending',
          hasLocation: true,
        },
        {
          status: 200,
          clauses: ['4.1/5', '7/1', 'S Location of a 200'],
          resource: 'CreatedSending',
          hasLocation: dials['location-on-200'] === 'present',
        },
      ]
    case 'createMailingSynchronization': {
      const isCreated = dials['created-synchronization-status'] === '201'
      return [
        {
          status: isCreated ? 201 : 200,
          clauses: ['S create synchronization status'],
          resource: 'MailingSynchronization',
          hasLocation: isCreated,
        },
      ]
    }
    case 'putAccessibleLists':
      return configurationsPut(dials['replaced-configuration-status'])
    case 'createTestSending':
      return [{ status: 202, clauses: ['S test sending'] }]
    default: {
      const [resource, ...clauses] = read[id]
      return [{ status: 200, clauses, resource }]
    }
  }
}

function configurationsPut(replaced: Deployment['dials']['replaced-configuration-status']): Success[] {
  const resource = 'AccessibleListsConfiguration'
  const created: Success = { status: 201, clauses: ['4.16 created'], resource }
  const clauses = ['4.16 replaced']
  if (replaced === '201') return [{ ...created, clauses: ['4.16 created', ...clauses] }]
  return [created, replaced === '204' ? { status: 204, clauses } : { status: 200, clauses, resource }]
}

type Special = 'createSending' | 'createMailingSynchronization' | 'putAccessibleLists' | 'createTestSending'

/** Operations that answer 200 with one resource, by which clauses. */
const read: Readonly<Record<Exclude<OperationId, Special>, readonly [ResourceName, string, ...string[]]>> = {
  getSending: ['Sending', '4.2', '4.2 transactionId'],
  listSendings: ['Sendings', '4.3 shape', 'S default order'],
  getSendingStatistics: ['SendingStatistics', '4.4', 'S statistics before start'],
  getMailingSynchronization: ['MailingSynchronization', '4.5'],
  listMailingSynchronizations: ['MailingSynchronizations', 'S list synchronizations', 'S default order'],
  getPreview: ['Preview', '4.7'],
  listTestProfiles: ['TestProfiles', '4.8', 'S default order'],
  listTestMailGroups: ['TestMailGroups', '4.9', 'S default order'],
  createMailingUpload: ['MailingUpload', '4.10'],
  getMailingUpload: ['MailingUpload', '4.11'],
  listMailings: ['Mailings', '4.12', '4.12 sort order'],
  getMailing: ['Mailing', '4.13', '2.1 single'],
  listAccessibleCustomers: ['AccessibleCustomers', '4.14', 'S default order'],
  getAccessibleCustomer: ['AccessibleCustomer', '4.14 single'],
  listCustomerLists: ['Lists', '4.15', '4.15 effect', 'S default order'],
  getCustomerList: ['List', 'S single list'],
  getAccessibleLists: ['AccessibleListsConfiguration', '4.16 get', 'S configuration before PUT'],
}
