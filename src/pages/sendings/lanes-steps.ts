import { Brought } from '../../rig/brought.ts'
import { realTime } from '../../rig/journal.ts'
import type { Ledger, LedgerMailing, LedgerSending } from '../../rig/ledger-shape.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { latestVersion } from '../../service/mailings.ts'
import {
  type AttemptStep,
  byTime,
  type Finding,
  type HiddenStep,
  type Lane,
  letterOf,
  type Moment,
  type Sending,
  type SentStep,
  type Step,
  wholeMoment,
} from './lanes.ts'
import { grouped } from './lanes-grouped.ts'
import { readsOf } from './lanes-reads.ts'
import type { Citations } from './lanes-selected.ts'

/** So many steps are drawn at the beginning of a lane, and so many at its end. */
const shownFirst = 12
const shownLast = 8
/** So many more are drawn in between because findings cite them. */
const shownCited = 8

/** What is drawn of sendings. */
export function lanesOf(
  rig: SpaceRig,
  ledger: Ledger,
  sendings: readonly Sending[],
  citations: Citations,
): Lane[] {
  const reads = readsOf(rig, sendings)
  const effects = effectsIn(rig, ledger)
  return sendings.map(sending => {
    const attempts = sending.attempts.map((_, at) => attemptStep(sending, at, effects, citations))
    const begin = attempts[0]!.begins
    const unrecorded = unrecordedOf(sending, effects)
    const before = unrecorded.filter(it => it.status === 'sent' && Date.parse(it.startsAt) <= begin.clock)
    const since = unrecorded.filter(it => !before.includes(it))
    const brought = [...attempts.flatMap(({ sendings }) => sendings), ...since]
    const scheduled = brought.filter(({ status }) => status === 'scheduled').length
    const sent = [
      ...attempts.flatMap(step => sentLater(step, rig)),
      ...since.filter(({ status }) => status === 'sent').map(it => sentStep(it, begin, rig)),
    ]
    // What was due when a request came had been done before it was answered.
    const steps = [...sent, ...attempts, ...reads.get(sending)!].sort((one, other) =>
      byTime(one.begins, other.begins),
    )
    return {
      id: `lane-${attempts[0]!.attempt.requestId}`,
      sending,
      mailing: mailingOf(sending, rig),
      steps: shortened(steps),
      findings: citations.findingsOf(sending),
      harm: citations.harmOf(sending),
      before,
      sent: brought.length - scheduled,
      scheduled,
    }
  })
}

interface Effects {
  readonly mailings: ReadonlyMap<string, readonly LedgerMailing[]>
  /** Sendings to lists, by the attempt at which they came about. */
  readonly brought: Brought<LedgerSending>
  /** The same sendings by what they belong to. */
  readonly byTransaction: ReadonlyMap<string, readonly LedgerSending[]>
}

function effectsIn(rig: SpaceRig, { mailings, sendings }: Ledger): Effects {
  const toLists = sendings.filter(({ kind }) => kind === 'list')
  return {
    mailings: grouped(mailings, ({ cause }) => [cause]),
    brought: new Brought(rig, toLists),
    byTransaction: grouped(toLists, ({ synchronizationId, transactionId }) =>
      transactionId === null ? [] : [transactionKey(synchronizationId, transactionId)],
    ),
  }
}

const transactionKey = (synchronizationId: string | null, transactionId: string) =>
  JSON.stringify([synchronizationId, transactionId])

/** Sendings of its transactions whose request the journal has no more: removed, lost in a restart, or made room. */
function unrecordedOf(
  { synchronizationId, transactionIds, attempts }: Sending,
  { byTransaction }: Effects,
): LedgerSending[] {
  const causes = new Set(attempts.map(({ requestId }) => requestId))
  return transactionIds
    .flatMap(id => (id === null ? [] : (byTransaction.get(transactionKey(synchronizationId, id)) ?? [])))
    .filter(({ cause }) => !causes.has(cause))
}

function attemptStep(
  { attempts, transactionIds }: Sending,
  at: number,
  effects: Effects,
  citations: Citations,
): AttemptStep {
  const attempt = attempts[at]!
  const { requestId, transactionId, arrived, ended } = attempt
  const isOther = transactionIds.length > 1 && attempts[at - 1]?.transactionId !== transactionId
  return {
    what: 'attempt',
    id: `attempt-${requestId}`,
    number: at + 1,
    begins: moment(arrived),
    ends: ended ? moment(ended) : undefined,
    attempt,
    letter: isOther ? letterOf(transactionIds.indexOf(transactionId)) : undefined,
    findings: ofEachRule(citations.of(requestId)),
    mailings: effects.mailings.get(requestId) ?? [],
    sendings: sendingsAt(requestId, effects),
  }
}

/** What an attempt sent, at once or by the clock; what went out at a later attempt is that one's. */
const sendingsAt = (requestId: string, { brought }: Effects): LedgerSending[] => [
  ...brought.during(requestId),
  ...brought.later(requestId).flatMap(({ row, at }) => (at ? [] : [row])),
]

/** The first of each rule: a pin says which rule, and the lane's own list says the rest. */
const ofEachRule = (findings: readonly Finding[]) =>
  [...new Map([...findings].reverse().map(it => [it.rule, it])).values()].reverse()

const moment = ({ real, clock }: { real: string; clock: string }): Moment => ({
  real: Date.parse(real),
  clock: Date.parse(clock),
})

/** Whether it went out when the attempt that brought it about was over for its client. */
export const isLater = ({ ends }: AttemptStep, { status, startsAt }: LedgerSending): boolean =>
  status === 'sent' && ends !== undefined && Date.parse(startsAt) > ends.clock

function sentLater(step: AttemptStep, rig: SpaceRig): SentStep[] {
  return step.sendings
    .filter(sending => isLater(step, sending))
    .map(sending => sentStep(sending, step.ends!, rig))
}

/** @param after a moment that it went out after */
function sentStep(sending: LedgerSending, after: Moment, rig: SpaceRig): SentStep {
  const begins = momentOf(Date.parse(sending.startsAt), after, rig)
  return { what: 'sent', id: `sent-${sending.platformSendingId}`, begins, ends: begins, sending }
}

/**
 * When the space's clock came to a time. The platform has no other clock: on the machine's it was before the next request
 * that came later.
 */
function momentOf(clock: number, after: Moment, { journal }: SpaceRig): Moment {
  const next = journal.entries().find(({ arrived }) => arrived.real >= after.real && arrived.clock >= clock)
  const guess = after.real + (clock - after.clock)
  return wholeMoment({ real: Math.min(guess, next?.arrived.real ?? realTime()), clock })
}

function mailingOf({ synchronizationId }: Sending, { space }: SpaceRig): Lane['mailing'] {
  const { synchronizations, mailings } = space.data.tables
  const synchronization = synchronizationId === null ? undefined : synchronizations.get(synchronizationId)
  const mailing = synchronization && mailings.get(synchronization.mailingId)
  return mailing && { id: mailing.id, name: latestVersion(mailing).name }
}

/** The steps without those in the middle of a long lane, except what findings cite. */
function shortened(steps: readonly Step[]): Step[] {
  if (steps.length <= shownFirst + shownLast + 1) return [...steps]
  const middle = steps.slice(shownFirst, -shownLast)
  const cited = new Set(middle.filter(isCited).slice(0, shownCited))
  const shown: Step[] = []
  let hidden: Step[] = []
  const hide = () => {
    // A gap takes as much room as one step.
    if (hidden.length > 1) shown.push(gap(hidden))
    else shown.push(...hidden)
    hidden = []
  }
  for (const step of middle) {
    if (!cited.has(step)) {
      hidden.push(step)
      continue
    }
    hide()
    shown.push(step)
  }
  hide()
  return [...steps.slice(0, shownFirst), ...shown, ...steps.slice(-shownLast)]
}

const isCited = (step: Step) =>
  (step.what === 'attempt' && (step.findings.length > 0 || step.sendings.length > 0)) || step.what === 'sent'

function gap(hidden: readonly Step[]): HiddenStep {
  const [first, last] = [hidden[0]!, hidden.at(-1)!]
  return {
    what: 'hidden',
    id: `hidden-${first.id}`,
    begins: first.begins,
    ends: last.ends,
    count: hidden.length,
  }
}
