import { isDeepStrictEqual } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { choices, failures, type VerifyResult } from '../../src/contract/verify/verify-result.ts'
import type { Json } from '../mock.ts'
import { Recording } from './answers.ts'
import { inEach, type Lie, lying } from './lies.ts'
import { mockTarget, verified } from './mock-target.ts'
import { together } from './together.ts'

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

const lies: [string, string, Lie][] = [
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
        // A sending links to its statistics in the collection alone.
        if (relation !== 'svc:statistics' || it !== told.json) delete it._links?.[relation]
      })(told, asked),
  ]),
]

/** What others are inside of, which hides them. */
const alone = new Set(['2.5 responseStatistics', '2.5 sendingStatistics', '2.2 mailingId'])

// Reading changes nothing: the truth behind all these lies is the same.
let truth: Recording
beforeAll(async () => {
  truth = new Recording((await mockTarget()).fetch)
  expect((await verified(truth.fetch)).verdict).toBe('faithful')
})

const clausesOf = (result: VerifyResult) => [...failures(result), ...choices(result)].map(it => it.clause)
const expectedOf = (some: readonly (typeof lies)[number][]) => some.map(([clause]) => clause).toSorted()

const runOf = together(
  lies.filter(([clause]) => !alone.has(clause)),
  6,
  some =>
    verified(
      lying(truth.again(), (...args) => {
        for (const [, , lie] of some) lie(...args)
      }),
    ),
  (result, some) => isDeepStrictEqual(clausesOf(result).toSorted(), expectedOf(some)),
)

describe('a target that lies in one field', () => {
  test.each(lies.map(it => [it[0], it[1], it] as const))(
    'a target that lies in one field is caught in %s: %s',
    async (clause, _, lie) => {
      const [result, some] = await runOf(lie)
      expect(result.incomplete).toBe(null)
      const told = [...failures(result), ...choices(result)]
      expect(
        clausesOf(result).toSorted(),
        JSON.stringify(told.map(it => [it.clause, it.expected, it.seen])),
      ).toEqual(expectedOf(some))
      expect(told.find(it => it.clause === clause)!.evidence).not.toEqual([])
      expect(result.verdict).toBe('differs')
    },
  )
})
