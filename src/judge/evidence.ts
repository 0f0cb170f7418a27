import {
  type CreatedSending,
  createdSendings,
  type Ledger,
  type LedgerSending,
  ledgerOf,
} from '../rig/ledger.ts'
import type { RecordReader } from '../rig/record-reader.ts'
import type { Moment } from '../rig/request-record.ts'
import type { RigView } from '../rig/space-view.ts'
import { goesToList } from '../store/platform-status.ts'
import { type Attempt, readRequestContent, toAttempt } from './attempt.ts'
import type { Unfired } from './terms.ts'

function findUnfired({ scenarios, faults }: RigView): Unfired[] {
  const unfired: Unfired[] = []
  for (const active of scenarios.all) {
    const { name, rules } = active.scenario
    if (rules.length === 0 || active.isContinued) continue
    if (!active.hasApplied) unfired.push({ what: 'scenario', name, rule: null })
    else
      for (const { rule, hits } of active.hits())
        if (hits === 0) unfired.push({ what: 'rule', name, rule: rule + 1 })
  }
  for (const { id, hits } of faults.all())
    if (hits.hits === 0) unfired.push({ what: 'fault', name: id, rule: null })
  return unfired
}

/** Everything that the judge reads: one space from its beginning until now, as plain data. */
export interface Evidence {
  readonly space: string
  readonly at: Moment
  /** Seconds of the space's clock per real second; 0 when frozen. */
  readonly rate: number
  /** Whether the first page of a collection has what is new, in place of the last one. */
  readonly isNewestFirst: boolean
  /** Every recorded request, in order of arrival. */
  readonly attempts: readonly Attempt[]
  readonly ledger: Ledger
  /** What of it goes to lists: the sendings that count. */
  readonly sent: readonly LedgerSending[]
  /** Sendings to lists that the platform stopped, so that nobody gets them. */
  readonly stopped: readonly LedgerSending[]
  readonly sendings: readonly CreatedSending[]
  /** Armed disturbances that never fired: a test without them proves nothing. */
  readonly unfired: readonly Unfired[]
  /** Requests dropped from the record because it was full. */
  readonly dropped: number
  /** Requests removed from the record on purpose. */
  readonly forgotten: number
  /** Those that count from before the record began: a restart keeps them, and not the requests that led to them. */
  readonly earlier: readonly LedgerSending[]
}

/**
 * The evidence of a space, after its platform has been advanced to the present.
 * @param reader reads what requests mean, by the definitions of their operations
 */
export async function collectEvidence(rig: RigView, reader: RecordReader = rig.reader): Promise<Evidence> {
  const { journal, clock, space } = rig
  await reader.prepare(journal.entries(), readRequestContent)
  await rig.advancePlatform()
  const entries = journal.entries()
  const ledger = ledgerOf(rig)
  const sent = ledger.sendings.filter(goesToList)
  const stopped = ledger.sendings.filter(({ kind, status }) => kind === 'list' && status === 'stopped')
  return {
    space: space.name,
    at: { real: clock.real, clock: clock.now() },
    rate: clock.rate,
    isNewestFirst: rig.defaultDials['collection-order'] === 'newest-first',
    attempts: entries.map(record => reader.memoize(record, toAttempt)),
    ledger,
    sent,
    stopped,
    sendings: createdSendings(rig),
    unfired: findUnfired(rig),
    dropped: journal.dropped,
    forgotten: journal.count - journal.dropped - entries.length,
    earlier: sent.filter(({ cause }) => rig.isBeforeRecord(cause)),
  }
}
