import { isLinkOfItems, type ResourceKind } from '../../src/contract/verify/resource-kinds.ts'
import type { Json } from '../mock.ts'
import { inEach, type Lie } from './lies.ts'

/** Sections by the kind of their resource: each field is in turn what it cannot be. */
const fields: Record<string, readonly [kind: string, paths: readonly string[]]> = {
  '2.1': ['mailing', ['modificationDate', 'hasDraft']],
  '2.2': [
    'synchronization',
    [
      'creationDate',
      'modificationDate',
      'mailingId',
      'approvedMailingName',
      'mailingHasDraft',
      'mailingIsApproved',
      'target.customer',
      'mailingUploadsModificationDate',
      'sendingsModificationDate',
    ],
  ],
  '2.3': ['sending', ['creationDate', 'transactionId', 'target.mailingId']],
  '2.4': ['upload', ['creationDate', 'modificationDate']],
  '2.5': [
    'statistics',
    [
      ...['clickingRecipients', 'openingRate', 'openingRecipients', 'totalClicks', 'uniqueClickRate'],
      ...['unsubscribeClicks', 'listUnsubscribeClicks', 'unsubscribeRate'],
    ]
      .map(name => `responseStatistics.${name}`)
      .concat(
        [
          ...['averageMailSize', 'deliveredMailsCount', 'mailsPerHour', 'notSentMailsCount'],
          ...['recipientsCount', 'sentErrorCount', 'endDate'],
        ].map(name => `sendingStatistics.${name}`),
        ['responseStatistics', 'sendingStatistics'],
      ),
  ],
  '2.6': ['preview', ['htmlContent', 'textContent']],
  '2.7': ['profile', ['description']],
  '2.8': ['group', ['id', 'name']],
  '2.10': ['configuration', ['creationDate', 'modificationDate', 'permittedLists']],
}

const links: [string, string, string][] = [
  ['2.2 mailing-editor', 'synchronization', 'svc:mailing-editor'],
  ['2.2 mailing-preview-approved', 'synchronization', 'svc:mailing-preview-approved'],
  ['2.2 sendings', 'synchronization', 'svc:sendings'],
  ['2.3 _links', 'sending', 'self'],
  ['2.5 _links', 'statistics', 'self'],
  ['2.9 _links', 'customer', 'self'],
  ['2.9 list _links', 'list', 'self'],
  ['2.10 _links', 'configuration', 'self'],
  ['S sendings collection', 'sending', 'svc:statistics'],
]

/** A list is no value of any field but permittedLists, and an object with a member none at all. */
function spoil(it: Json, path: string): void {
  const names = path.split('.')
  const last = names.pop()!
  const inside = names.reduce((at, name) => at?.[name], it)
  if (inside && last in inside) inside[last] = last.endsWith('Statistics') ? 5 : [{ odd: true }]
}

export const liesOfFields: [clause: string, what: string, lie: Lie][] = [
  ...Object.entries(fields).flatMap(([section, [kind, paths]]) =>
    paths.map((path): [string, string, Lie] => [
      `${section} ${path}`,
      `${path} of a ${kind} is a list`,
      inEach(kind, it => spoil(it, path)),
    ]),
  ),
  ...links.map(([clause, kind, relation]): [string, string, Lie] => [
    clause,
    `a ${kind} without link ${relation}`,
    (told, asked) =>
      inEach(kind, it => {
        const isAsEntry = isLinkOfItems(kind as ResourceKind, relation.replace('svc:', ''))
        if (!isAsEntry || it !== told.json) delete it._links?.[relation]
      })(told, asked),
  ]),
]
