import { mailingId, testSynchronizationId } from '../../src/contract/examples/fixture-ids.ts'
import type { List, Synchronization, TestSynchronization } from '../../src/store/rows.ts'

/**
 * The scenarios with a test synchronization, in the order of their published IDs. A new scenario is added at the end;
 * nothing is ever removed or moved, or IDs that somebody has written down would mean something else.
 */
export const scenarioNames: readonly string[] = [
  'happy-path',
  'pending-then-created',
  'pending-for-a-while',
  'pending-for-ever',
  'pending-until-4m50',
  'pending-until-5m10',
  'pending-then-failed',
  'pending-then-indeterminate-sent',
  'pending-then-indeterminate-not-sent',
  'failed-once',
  'failed-three-times',
  'failed-for-ever',
  'failed-then-pending',
  'indeterminate-sent',
  'indeterminate-not-sent',
  'error-500-before',
  'error-500-after',
  'error-500-seven-times',
  'gateway-502-not-sent',
  'gateway-502-sent',
  'gateway-504-sent',
  'unavailable-retry-after-seconds',
  'unavailable-retry-after-date',
  'unavailable-retry-after-past-date',
  'unavailable-retry-after-junk',
  'unavailable-retry-after-two-minutes',
  'too-many-requests-429',
  'reset-before',
  'reset-after',
  'hang-before',
  'hang-after',
  'close-before',
  'close-after',
  'reset-upload',
  'keepalive-race-not-sent',
  'keepalive-race-sent',
  'truncated-created',
  'truncated-eof',
  'truncated-gzip',
  'truncated-chunks',
  'status-cut',
  'headers-cut',
  'reset-mid-body',
  'length-short',
  'empty-created',
  'stalled-body',
  'drip',
  'drip-headers',
  'malformed-json',
  'wrong-content-type',
  'garbage',
  'foreign-sending',
  'stateless-sending',
  'unknown-state',
  'lower-case-state',
  'html-200',
  'early-hints',
  'redirect-301',
  'redirect-303',
  'redirect-307',
  'late-first-attempt',
  'delivered-twice',
  'overlapping-attempts',
  'slow-but-fine-29s',
  'slow-but-fine-59s',
  'slow-but-fine-61s',
  'slow-but-fine',
  'mixed-trouble',
  'not-approved',
  'schedule-in-the-past',
  'schedule-passes-unbound',
  'schedule-passes-bound',
  'list-no-longer-permitted',
  'credentials-revoked',
  'collection-trap',
  'orphan-mailing',
  'unspecified',
  'created-never-starts',
  'created-stopped',
]

export const labCustomer = 'scenario-lab'

/** Small, so that what goes out is easily counted. */
export const labList: List = {
  id: 9001,
  customer: labCustomer,
  name: 'Scenario recipients',
  recipients: 12,
  testProfiles: [
    {
      id: 7901,
      description: 'Somebody who tests',
      attributes: { firstName: 'Ada', lastName: 'Quell', city: 'Eastholme' },
    },
  ],
  testMailGroups: [{ id: 8901, name: 'Laboratory', emails: ['lab@studio-north.example.net'] }],
}

/** An approved mailing, and one that is not, for the scenario that is about it. */
const approved = 28
const draftOnly = 23
const withDraftOnly: ReadonlySet<string> = new Set(['not-approved'])

export const testSynchronizations: readonly TestSynchronization[] = scenarioNames.map((scenario, index) => ({
  id: testSynchronizationId(index + 1),
  scenario,
}))

/** Their synchronizations, made one after the other on a day in September. */
export const labSynchronizations: readonly Synchronization[] = testSynchronizations.map(
  ({ id, scenario }, index) => {
    const created = new Date(Date.UTC(2026, 8, 1, 8, index)).toISOString()
    return {
      id,
      creationDate: created,
      modificationDate: created,
      mailingId: mailingId(withDraftOnly.has(scenario) ? draftOnly : approved),
      customer: labCustomer,
      listId: labList.id,
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
    }
  },
)
