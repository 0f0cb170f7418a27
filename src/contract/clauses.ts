import { beyond } from './clauses/beyond-the-document.ts'
import type { Clause } from './clauses/clause.ts'
import { conduct, endpoints, resources, states, wire } from './clauses/of-conventions.ts'

export type { Clause, Standing } from './clauses/clause.ts'

/** Everything that the service promises: in the order of the API document, then what goes beyond it. */
export const clauses: Clause[] = [...resources, ...states, ...endpoints, ...conduct, ...wire, ...beyond]

/** The headings of the register: chapters and sections of the API document, and `S` for what goes beyond it. */
export const headings: Record<string, string> = {
  '2': 'Resources and their fields',
  '2.1': 'Mailing',
  '2.2': 'Mailing synchronization',
  '2.3': 'Sending',
  '2.4': 'Mailing-upload',
  '2.5': 'Sending statistics',
  '2.6': 'Preview',
  '2.7': 'Test profile',
  '2.8': 'Test-mail group',
  '2.9': 'Accessible customer and list',
  '2.10': 'Accessible-lists configuration',
  '3': 'States of a sending',
  '4': 'Endpoints',
  '4.1': 'Create a sending',
  '4.2': 'Retrieve a sending',
  '4.3': 'Collection of sendings',
  '4.4': 'Sending statistics',
  '4.5': 'Retrieve a mailing synchronization',
  '4.6': 'Create and list mailing synchronizations',
  '4.7': 'Preview',
  '4.8': 'Test profiles',
  '4.9': 'Test-mail groups',
  '4.10': 'Create a mailing-upload',
  '4.11': 'Retrieve a mailing-upload',
  '4.12': 'Collection of mailings',
  '4.13': 'Retrieve a mailing',
  '4.14': 'Accessible customers',
  '4.15': 'Lists of a customer',
  '4.16': 'Accessible-lists configuration',
  '5': 'Authentication',
  '6': 'Events',
  '7': 'Errors',
  '8': 'Limits',
  '9': 'Versioning',
  S: 'Beyond the document',
}
