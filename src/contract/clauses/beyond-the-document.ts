import { type Clause, documented } from './clause.ts'
import { clausesOfDefinitions, operationsOf } from './of-definitions.ts'

/** What resources do beyond the API document: clauses of no single resource, and the IDs of those written in definitions. */
const chapter: readonly (Clause | string)[] = [
  'S create synchronization',
  'S create synchronization customer',
  'S create synchronization listId',
  'S create synchronization mailingName',
  'S create synchronization mailingId',
  'S create synchronization template',
  'S create synchronization exclusive',
  'S create synchronization rules',
  'S create synchronization synchronous',
  'S create synchronization status',
  'S create synchronization several',
  documented('S synchronization final', 'A synchronization can be neither changed nor deleted.'),
  'S list synchronizations',
  'S list synchronizations filters',
  'S list synchronizations sort',
  'S list synchronizations pageSize',
  'S sorted modifications',
  'S incremental sync',
  'S incremental sync pages',
  'S incremental sync token',
  'S sync token',
  'S sync token expiry',
  'S sendings collection',
  'S sendings pageSize',
  'S sendings order',
  'S target of unsent',
  'S Location of a 200',
  'S transactionId expiry',
  'S transactionId rejected',
  'S transactionId after 500',
  'S statistics rates',
  'S statistics before start',
  'S test sending',
  'S test sending testProfileId',
  'S test sending recipientAddresses',
  'S test sending testMailGroupId',
  'S test sending kind',
  'S test sending subjectPrefix',
  'S test sending rules',
  'S preview kind',
  'S preview kind missing',
  'S preview unknown profile',
  'S preview self',
  'S single mailing',
  documented(
    'S approval',
    'Approval is final; editing an approved mailing makes a draft beside the approved version.',
  ),
  documented(
    'S versions',
    'A mailing has a draft, an approved version or both, and the names follow the versions.',
    operationsOf('S versions'),
  ),
  'S sendings use approved',
  'S upload version',
  documented(
    'S links that open pages',
    'Links to editor, previews and report open pages for a person, without credentials of the service.',
  ),
  'S preview links',
  'S single list',
  'S list self',
  'S showAllLists',
  'S configuration before PUT',
  'S ignored permittedLists',
  'S configuration created',
  'S replaced configuration',
]

const listed = new Set(chapter.filter(it => typeof it === 'string'))
const written = [...clausesOfDefinitions.values()].filter(({ id }) => id.startsWith('S '))

/** Beyond the API document: what single resources do. Clauses that the chapter does not list come last. */
export const beyond: Clause[] = [
  ...chapter.map(it => (typeof it === 'string' ? clausesOfDefinitions.get(it)! : it)),
  ...written.filter(({ id }) => !listed.has(id)),
]
