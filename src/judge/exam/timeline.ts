import type { EntryView } from '../../rig/entry-shape.ts'
import { JournalView } from '../../rig/entry-view.ts'
import type { AttemptShown, EffectShown } from '../../rig/exam-shape.ts'
import { ledgerOf } from '../../rig/ledger.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'

/** So many attempts are shown of the beginning and of the end: more would bury what happened. */
const most = { first: 150, last: 50 }

export interface Timeline {
  readonly attempts: AttemptShown[]
  readonly attemptsLeftOut: number
  readonly effects: EffectShown[]
}

/** What the client asked and was told, and what was true, on the service's clock. The ledger must be settled. */
export function timelineOf(rig: SpaceRig): Timeline {
  const entries = rig.journal.entries()
  const start = entries[0]?.arrived.clock ?? rig.clock.now()
  const since = (milliseconds: number) => Math.round(milliseconds - start) / 1000
  const view = new JournalView(rig)
  const isMuch = entries.length > most.first + most.last
  const kept = isMuch ? [...entries.slice(0, most.first), ...entries.slice(-most.last)] : entries
  const shown = kept.map(entry => view.entry(entry))
  return {
    attempts: shown.map(entry => attempt(entry, since)),
    attemptsLeftOut: entries.length - shown.length + rig.journal.dropped,
    effects: effectsOf(rig, since),
  }
}

function attempt(entry: EntryView, since: (milliseconds: number) => number): AttemptShown {
  return {
    id: entry.id,
    at: since(Date.parse(entry.arrived.clock)),
    until: entry.ended && since(Date.parse(entry.ended.clock)),
    method: entry.method,
    path: entry.target,
    operation: entry.operation,
    transactionId: entry.transactionId,
    told: told(entry),
    truth: truth(entry),
    isDisturbed: entry.decision !== null,
    isCreation: entry.operation === 'createSending',
  }
}

function told({ told, delivered, decision }: EntryView): string {
  const what = told === null ? 'nothing' : [told.status, told.state].filter(it => it !== null).join(' ')
  switch (delivered) {
    case 'handed':
      return what
    case 'cut':
      return decision?.fault ? `only part of ${what} (${decision.fault})` : `only part of ${what}`
    case 'none':
      return decision?.fault ? `nothing (${decision.fault})` : 'nothing'
    case 'aborted':
      return 'nothing: the client left before its answer'
    case 'server-stopped':
      return 'nothing: the mock was stopped'
    case 'open':
      return 'nothing yet'
  }
}

function truth({ truth, effects }: EntryView): string {
  const sent = effects.filter(it => it.what === 'sending')
  const scheduled = sent.filter(it => it.startsAt > it.at).length
  const parts = [
    truth === null ? 'not processed' : [truth.status, truth.state].filter(it => it !== null).join(' '),
    sent.length > scheduled ? `sent${times(sent.length - scheduled)}` : '',
    scheduled > 0 ? `scheduled${times(scheduled)}` : '',
  ]
  return parts.filter(Boolean).join(', ')
}

const times = (count: number) => (count === 1 ? '' : ` ${count} times`)

function effectsOf(rig: SpaceRig, since: (milliseconds: number) => number): EffectShown[] {
  const { mailings, sendings } = ledgerOf(rig)
  const sent = sendings
    .filter(({ kind }) => kind === 'list')
    .map(
      (row): EffectShown => ({
        at: since(Date.parse(row.requestedAt)),
        what: row.startsAt > row.requestedAt ? 'scheduled' : 'sent',
        cause: row.cause,
        transactionId: row.transactionId,
      }),
    )
  const orphans = mailings
    .filter(({ isOrphan }) => isOrphan)
    .map(
      (row): EffectShown => ({
        at: since(Date.parse(row.createdAt)),
        what: 'unsent mailing',
        cause: row.cause,
        transactionId: row.transactionId,
      }),
    )
  return [...sent, ...orphans].sort((one, other) => one.at - other.at)
}
