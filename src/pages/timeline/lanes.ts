import { groupBy } from '../../judge/grouping.ts'
import { byTime } from '../../judge/timeline-grid.tsx'
import type { VerdictView } from '../../judge/verdict-shape.ts'
import { realTime } from '../../rig/clock.ts'
import { JournalView } from '../../rig/journal-view.ts'
import { createdSendings, type LedgerSending, ledgerOf } from '../../rig/ledger.ts'
import type { Moment, RequestRecord } from '../../rig/request-record.ts'
import type { SpaceView } from '../../rig/space-view.ts'
import { tellsTruth, toldAnswer } from '../../rig/words.ts'
import type { ShownSending } from '../../service/operation.ts'
import { upcomingChanges } from '../../service/sendings/lifecycle.ts'
import { getOrMake } from '../../store/maps.ts'
import { countStatuses, statusOfSending } from '../../store/platform-status.ts'
import type { Mark } from '../components/chips.tsx'
import { findingMark, harmMarks, isRefusedSending } from '../components/verdict-words.tsx'
import { mailingName } from '../mailing-versions.tsx'

export type Sending = VerdictView['sendings'][number]
export type Attempt = Sending['attempts'][number]
export type Finding = VerdictView['findings'][number]
export type Harm = VerdictView['harm']['findings'][number]

/** The clock in whole milliseconds, as a verdict has it. Real time keeps its fractions, which order what one millisecond holds. */
const roundDownClock = ({ real, clock }: Moment): Moment => ({ real, clock: Math.floor(clock) })

/** A request to create the sending. */
export type AttemptStep = Readonly<ReturnType<typeof createAttemptStep>>
/** A request that reads the state of the sending. */
export type ReadStep = Readonly<ReturnType<typeof createReadStep>>
/** Reads in a row that were told the same. */
export type ReadsStep = Readonly<ReturnType<typeof foldReads>>
/** The mailing was sent after the end of the attempt that caused it. */
export type SentStep = Readonly<ReturnType<typeof createSentStep>>
/** Steps that are not shown, because there are too many. */
export type HiddenStep = Readonly<ReturnType<typeof createGap>>

/** Its ID is unique in its lane, and stable; its end is undefined while it is open. */
export type ShownStep = SingleStep | ReadsStep
type SingleStep = AttemptStep | ReadStep | SentStep
export type Step = ShownStep | HiddenStep

/** An intended sending as it is drawn: what happened for it, in the order of time. */
export type Lane = Readonly<ReturnType<typeof buildLanes>[number]>

/** A letter for one transactionId of several. @param at its index, from 0 */
export const transactionLetter = (at: number): string =>
  at < 26 ? String.fromCharCode(65 + at) : String(at + 1)

/** Requests that read sendings, by the sending that they are about. A list is about the latest one before it. */
function collectReads(
  rig: SpaceView,
  sendings: readonly Sending[],
  journal: JournalView,
  citations: Citations,
) {
  const found = new Map<Sending, ReadStep[]>()
  const byCause = new Map(
    sendings.flatMap(it => it.attempts.map(({ requestId }) => [requestId, it] as const)),
  )
  const made = new Map(createdSendings(rig).map(it => [it.id, byCause.get(it.cause)]))
  const latest = new Map<string | null | undefined, Sending>()
  const { reader } = rig
  for (const record of rig.journal.entries()) {
    const asked = byCause.get(record.id)
    if (asked) latest.set(asked.synchronizationId, asked)
    if (!reader.isReadOfState(record)) continue
    const isList = reader.operation(record) === 'listSendings'
    const sending = isList
      ? latest.get(reader.synchronizationId(record))
      : made.get(sendingIdIn(record.target))
    if (sending)
      getOrMake(found, sending, () => []).push(
        createReadStep(record, isList, sending, journal, citations, reader.shownSendings(record)),
      )
  }
  return found
}

const sendingIdIn = (target: string) => /\/sendings\/([^/?]+)/.exec(target)?.[1] ?? ''

function createReadStep(
  record: RequestRecord,
  isList: boolean,
  { transactionIds }: Sending,
  journal: JournalView,
  citations: Citations,
  shown: readonly ShownSending[] = [],
) {
  const { id, arrived, response, delivered } = record
  const ends = record.left ?? record.ended
  const states = new Map<unknown, string>(shown.map(it => [it.transactionId, it.state]))
  const state = isList
    ? transactionIds.map(id => states.get(id)).findLast(it => it !== undefined)
    : shown[0]?.state
  return {
    what: 'read' as const,
    id: `read-${id}`,
    requestId: id,
    begins: roundDownClock(arrived),
    ends: ends && roundDownClock(ends),
    target: record.target,
    /** Whether it requested the list of sendings. */
    isList,
    /** What the verdict cites it for. */
    marks: citations.marksOf(id),
    /** With the sending's state; null when there was no response. */
    told: response && state ? { status: response.status, state } : toldAnswer(journal.view(record)),
    delivered,
  }
}

/** Number of steps shown at the beginning and at the end of a long lane. */
const shownFirst = 12
const shownLast = 8
/** Maximum number of further steps shown in the middle: those that begin an ID or sent something before those with findings alone. */
const shownCited = 16

export function buildLanes(rig: SpaceView, sendings: readonly Sending[], citations: Citations) {
  const journal = new JournalView(rig)
  const reads = collectReads(rig, sendings, journal, citations)
  const effects = collectEffects(journal, rig)
  const upcoming = [...upcomingChanges(rig.space, rig.clock.now())].filter(it => it.sends)
  return sendings.map(sending => {
    const attempts = sending.attempts.map((_, at) => createAttemptStep(sending, at, effects, citations))
    const tones = attempts.map(({ attempt }) => citations.accusation(attempt.requestId))
    const begin = attempts[0]!.begins
    const unrecorded = unrecordedSendings(sending, effects)
    const before = unrecorded.filter(it => it.status === 'sent' && effects.wasSentBy(it, begin.clock))
    const since = unrecorded.filter(it => !before.includes(it))
    const brought = [...attempts.flatMap(({ sendings }) => sendings), ...since]
    const sent = [
      ...attempts.flatMap(step => step.sentLater.map(it => createSentStep(it, step.ends!, rig))),
      ...since.filter(({ status }) => status === 'sent').map(it => createSentStep(it, begin, rig)),
    ]
    // What was due before a request was done before its response, so it comes first.
    const steps = [...sent, ...attempts, ...(reads.get(sending) ?? [])].sort((one, other) =>
      byTime(one.begins, other.begins),
    )
    const counts = countStatuses(brought.map(({ status }) => status))
    return {
      id: `lane-${attempts[0]!.attempt.requestId}`,
      sending,
      mailing: findLaneMailing(sending, rig),
      steps: shortenSteps(withFoldedReads(steps)),
      /** Whether there is no more to tell than that it was created, perhaps read, and asked for again without a mistake. */
      isCalm:
        attempts.every(it => isCalmAttempt(it, citations)) &&
        attempts.slice(1).every(it => it.findings.length > 0) &&
        steps.every(it => it.what === 'attempt' || (it.what === 'read' && isCalmRead(it))) &&
        counts.sent + counts.scheduled === 1 &&
        counts.stopped === 0 &&
        unrecorded.length === 0,
      findings: citations.findingsOf(sending),
      /** Whether it has a part in harm, in a word for each kind. */
      harm: citations.harmOf(sending),
      unproved: attempts.flatMap(it => it.unproved),
      /** Whether the verdict is. */
      isSuspected: citations.isSuspected,
      /** The colour of its bar, as among the requests. */
      tone: tones.includes('bad') ? 'bad' : tones.find(Boolean),
      /** What was sent for it before its first recorded attempt: the ledger survives a restart, the journal does not. */
      before,
      /** When the next of them, still PENDING, is sent unless a request changes that; on the space's clock. */
      due: upcoming
        .filter(it => sending.attempts.some(({ requestId }) => requestId === it.sending.cause))
        .map(it => it.at)
        .sort((a, b) => a - b)[0],
      /** How many sendings to lists it has led to since, by what has become of them. */
      counts,
    }
  })
}

/** Information is none. */
export const isMistake = ({ severity }: Finding): boolean => severity !== 'information'

/** Whether it was CREATED, the client was told so, and nothing speaks against it. */
const isCalmAttempt = ({ attempt, isTrue, harm, unproved }: AttemptStep, citations: Citations): boolean =>
  attempt.disturbance === null &&
  attempt.delivered === 'handed' &&
  attempt.told?.state === 'CREATED' &&
  isTrue &&
  harm.length + unproved.length + citations.citing(attempt.requestId).filter(isMistake).length === 0

/** A list need not have it: it has pages, and a filter. */
const isCalmRead = ({ told, delivered, isList }: ReadStep): boolean =>
  delivered === 'handed' &&
  told?.status === 200 &&
  !('flaw' in told && told.flaw) &&
  (told.state === 'CREATED' || (isList && !told.state))

type Effects = ReturnType<typeof collectEffects>

function collectEffects(journal: JournalView, rig: SpaceView) {
  const { mailings, sendings } = ledgerOf(rig, { seeded: true })
  const { platformSendings } = rig.space.data.tables
  const toLists = sendings.filter(({ kind }) => kind === 'list')
  return {
    journal,
    /** Whether it had gone out by a time of the space's clock. */
    wasSentBy: ({ platformSendingId }: LedgerSending, at: number) =>
      statusOfSending(platformSendings.get(platformSendingId)!, at) === 'sent',
    mailings: groupBy(mailings, ({ cause }) => cause),
    /** Sendings to lists, by their IDs on the platform. */
    toLists: new Map(toLists.map(it => [it.platformSendingId, it])),
    /** The same sendings by transaction. */
    byTransaction: groupBy(toLists, it => transactionKey(it.synchronizationId, it.transactionId)),
  }
}

const transactionKey = (synchronizationId: string | null, transactionId: string | null) =>
  JSON.stringify([synchronizationId, transactionId])

/** Sendings of the lane's transactions whose requests are no longer on record: removed, evicted or lost in a restart. */
function unrecordedSendings({ synchronizationId, transactionIds, attempts }: Sending, effects: Effects) {
  const causes = new Set(attempts.map(({ requestId }) => requestId))
  const sendingsOf = (id: string) => effects.byTransaction.get(transactionKey(synchronizationId, id)) ?? []
  return transactionIds
    .flatMap(id => (id === null ? [] : sendingsOf(id)))
    .filter(({ cause }) => !causes.has(cause))
}

function createAttemptStep(
  { attempts, transactionIds }: Sending,
  at: number,
  effects: Effects,
  citations: Citations,
) {
  const attempt = attempts[at]!
  const { requestId, transactionId, arrived, ended } = attempt
  const record = effects.journal.effects.records.get(requestId)
  const { told, truth, delivered } = attempt
  const { response } = record ?? {}
  const ends = ended ? parseMoment(ended, record?.left ?? record?.ended) : undefined
  const sendings = sendingsOfAttempt(requestId, effects)
  const isOther = transactionIds.length > 1 && attempts[at - 1]?.transactionId !== transactionId
  return {
    what: 'attempt' as const,
    id: `attempt-${requestId}`,
    /** Whether it has a part in sending the mailing too often. */
    isDouble: citations.isDouble(requestId),
    begins: parseMoment(arrived, record?.arrived),
    ends,
    attempt,
    // Only a success without a state has more to say than the verdict does.
    told:
      record && told?.state === null && told.status < 300 ? toldAnswer(effects.journal.view(record)) : told,
    /** Whether the response was the true one to the last character. */
    isTrue:
      tellsTruth(told, truth, delivered) &&
      (!record?.truth || !response || String(record.truth.body) === String(response.body)),
    /** A letter for its transactionId, if the sending has several and the previous attempt had another one. */
    letter: isOther ? transactionLetter(transactionIds.indexOf(transactionId)) : undefined,
    /** Harm that it has a part in. */
    harm: citations.harmMarksOf(requestId),
    findings: firstOfEachRule(citations.citing(requestId)),
    unproved: citations.unprovedOf(requestId),
    /** Platform mailings that it created. */
    mailings: effects.mailings.get(requestId) ?? [],
    /** What it led to, at once or when due. */
    sendings,
    /** Those that went out after its end: they are steps of their own. */
    sentLater: sendings.filter(
      it => it.status === 'sent' && ends !== undefined && !effects.wasSentBy(it, ends.clock),
    ),
  }
}

/** What an attempt sent, at once or by the clock. What was sent at a later attempt belongs to that one. */
const sendingsOfAttempt = (requestId: string, { journal: { effects }, toLists }: Effects): LedgerSending[] =>
  [
    ...effects.during(requestId),
    ...effects.later(requestId).flatMap(({ row, at }) => (at ? [] : [row])),
  ].flatMap(({ id }) => toLists.get(id) ?? [])

/** The first finding of each rule: the list below the lane has all. */
const firstOfEachRule = (findings: readonly Finding[]) =>
  findings.filter(({ rule }, at) => findings.findIndex(it => it.rule === rule) === at)

/** A moment of an attempt. @param recorded the same in its record, unless that was removed since the verdict */
const parseMoment = ({ real, clock }: { real: string; clock: string }, recorded?: Moment): Moment =>
  recorded ? roundDownClock(recorded) : { real: Date.parse(real), clock: Date.parse(clock) }

/** @param after a moment before it was sent */
function createSentStep(sending: LedgerSending, after: Moment, rig: SpaceView) {
  const begins = estimateMoment(Date.parse(sending.startsAt), after, rig)
  return { what: 'sent' as const, id: `sent-${sending.platformSendingId}`, begins, ends: begins, sending }
}

/**
 * The moment at which the space's clock reached a time. The platform has only that clock, so the real time is
 * estimated: it was before the next request that came later.
 */
function estimateMoment(clock: number, after: Moment, { journal }: SpaceView): Moment {
  const next = journal.entries().find(({ arrived }) => arrived.real >= after.real && arrived.clock >= clock)
  const guess = after.real + (clock - after.clock)
  return roundDownClock({ real: Math.min(guess, next?.arrived.real ?? realTime()), clock })
}

/** The mailing that was to be sent, if it still exists. */
function findLaneMailing({ synchronizationId }: Sending, { space }: SpaceView) {
  const { synchronizations, mailings } = space.data.tables
  const synchronization = synchronizationId === null ? undefined : synchronizations.get(synchronizationId)
  const mailing = synchronization && mailings.get(synchronization.mailingId)
  return mailing && { id: mailing.id, name: mailingName(mailing) }
}

/** So many reads in a row that were told the same have a row each; more have one together. */
export const maxReads = 3

function withFoldedReads(steps: readonly SingleStep[]): ShownStep[] {
  const runs: [SingleStep, ...SingleStep[]][] = []
  /** The last state that the client was told. */
  let known: string | undefined
  /** Whether the last run takes no more. */
  let isClosed = true
  for (const step of steps) {
    const state = stateTold(step)
    const isNews = state !== undefined && state !== known
    known = state ?? known
    const standsAlone = step.what !== 'read' || isNews || step.marks.length > 0
    const run = runs.at(-1)
    if (run && !isClosed && !standsAlone && areAlike(run[0], step)) run.push(step)
    else runs.push([step])
    isClosed = standsAlone
  }
  return runs.flatMap((run): ShownStep[] => {
    const reads = run.filter(it => it.what === 'read')
    return reads.length > maxReads ? [foldReads(reads)] : run
  })
}

/** The state that a step surely told the client. */
function stateTold(step: SingleStep): string | undefined {
  if (step.what === 'sent') return undefined
  const delivered = step.what === 'read' ? step.delivered : step.attempt.delivered
  return delivered === 'handed' ? (step.told?.state ?? undefined) : undefined
}

const areAlike = (one: SingleStep, other: SingleStep) =>
  one.what === 'read' &&
  other.what === 'read' &&
  one.target === other.target &&
  one.delivered === other.delivered &&
  one.told?.status === other.told?.status &&
  one.told?.state === other.told?.state &&
  one.told?.flaw === other.told?.flaw

/** @param reads in a row, at least one */
function foldReads(reads: readonly ReadStep[]) {
  const { id, begins } = reads[0]!
  return { what: 'reads' as const, id: `all-${id}`, begins, ends: reads.at(-1)!.ends, reads }
}

/** Leaves out steps in the middle of a long lane, except cited ones. */
function shortenSteps(steps: readonly ShownStep[]): Step[] {
  if (steps.length <= shownFirst + shownLast + 1) return [...steps]
  const middle = steps.slice(shownFirst, -shownLast)
  const relevant = middle.filter(isRelevant)
  const cited = [...relevant.filter(isTurn), ...relevant].slice(0, shownCited)
  const kept = new Set([...cited, ...steps.slice(-shownLast)])
  const shown: Step[] = steps.slice(0, shownFirst)
  let hidden: ShownStep[] = []
  for (const step of steps.slice(shownFirst)) {
    if (!kept.has(step)) {
      hidden.push(step)
      continue
    }
    // A gap takes as much room as one step.
    shown.push(...(hidden.length > 1 ? [createGap(hidden)] : hidden), step)
    hidden = []
  }
  return shown
}

/** Whether it begins an ID, or something was sent. */
const isTurn = (step: ShownStep) =>
  step.what === 'sent' || (step.what === 'attempt' && (step.letter !== undefined || step.sendings.length > 0))

const isRelevant = (step: ShownStep) => isTurn(step) || (step.what === 'attempt' && step.findings.length > 0)

function createGap(hidden: readonly ShownStep[]) {
  const { id, begins } = hidden[0]!
  return {
    what: 'hidden' as const,
    id: `hidden-${id}`,
    begins,
    ends: hidden.at(-1)!.ends,
    count: hidden.length,
  }
}

const isDisturbed = ({ attempts }: Sending) => attempts.some(({ disturbance }) => disturbance !== null)

/** Filters for sendings: words, and whether a sending is one of them. */
export const sendingKinds = {
  found: {
    words: 'with findings or harm',
    has: (it, citations) => it.attempts.some(({ requestId }) => citations.isAccused(requestId)),
  },
  double: {
    words: 'sent too often',
    has: (it, citations) => it.attempts.some(({ requestId }) => citations.isDouble(requestId)),
  },
  disturbed: { words: 'disturbed', has: isDisturbed },
  calm: { words: 'undisturbed', has: it => !isDisturbed(it) },
  refused: { words: 'refused, so not intended', has: isRefusedSending },
} as const satisfies Record<
  string,
  { words: string; has: (sending: Sending, citations: Citations) => boolean }
>

/** Findings and harm, by the request that they cite. */
export class Citations {
  readonly #findings: ReadonlyMap<string, readonly Finding[]>
  readonly #harm: ReadonlyMap<string, readonly Harm[]>
  readonly #hint: string
  readonly #expected: number | null
  readonly isSuspected: boolean

  constructor(verdict: Pick<VerdictView, 'findings' | 'harm' | 'hint' | 'suspicion'> | undefined) {
    this.#hint = verdict?.hint ?? ''
    this.isSuspected = (verdict?.suspicion ?? null) !== null
    this.#expected = verdict?.harm.expected ?? null
    this.#findings = byRequest(verdict?.findings ?? [])
    this.#harm = byRequest(verdict?.harm.findings ?? [])
  }

  citing(requestId: string): readonly Finding[] {
    return this.#findings.get(requestId) ?? []
  }

  /** Red for a request that broke a rule for certain or has a part in harm, amber for a warning. */
  accusation(requestId: string): 'bad' | 'warn' | undefined {
    const proved = this.citing(requestId).filter(({ status }) => status === 'guilty')
    const isSuspected = this.citing(requestId).some(it => this.markOf(it).tone === 'bad')
    if (this.#harm.has(requestId) || isSuspected) return 'bad'
    return proved.some(({ severity }) => severity === 'warning') ? 'warn' : undefined
  }

  markOf = (finding: Finding): Mark => findingMark(finding, this.isSuspected)

  /** Rules that could not be proved, as a request came too soon: the judge's hint begins with its ID. */
  unprovedOf(requestId: string): Mark[] {
    if (!this.#hint.startsWith(`${requestId} came `)) return []
    const rules = /, so (.+?) cannot be proved/.exec(this.#hint)?.[1]?.split(' and ') ?? []
    return rules.map(rule => ({ tone: 'calm', words: `${rule} unproved`, title: this.#hint }))
  }

  harmMarksOf(requestId: string): Mark[] {
    return this.#harmMarks(this.#harm.get(requestId) ?? [])
  }

  /** The harm that a request has a part in, and the rules that it broke or may have broken. */
  marksOf(requestId: string): Mark[] {
    return [
      ...this.harmMarksOf(requestId),
      ...firstOfEachRule(this.citing(requestId)).map(this.markOf),
      ...this.unprovedOf(requestId),
    ]
  }

  /** Whether a request has a part in harm, or in what is or may be a mistake. */
  isAccused(requestId: string): boolean {
    return (
      this.#harm.has(requestId) ||
      this.citing(requestId).some(isMistake) ||
      this.unprovedOf(requestId).length > 0
    )
  }

  /** Whether a request has a part in sending a mailing too often. */
  isDouble(requestId: string): boolean {
    return this.#harm.get(requestId)?.some(({ kind }) => kind === 'DOUBLE') ?? false
  }

  /** Without repetition, in the verdict's order. */
  findingsOf(sending: Sending): Finding[] {
    return distinctCited(sending, this.#findings)
  }

  /** The harm that a sending has a part in, in words. */
  harmOf(sending: Sending): Mark[] {
    return this.#harmMarks(distinctCited(sending, this.#harm))
  }

  #harmMarks(findings: readonly Harm[]): Mark[] {
    return harmMarks({ findings, expected: this.#expected })
  }
}

/** Findings by each request that they cite. */
function byRequest<It extends { readonly evidence: readonly string[] }>(findings: readonly It[]) {
  const cited = new Map<string, It[]>()
  for (const it of findings) for (const id of it.evidence) getOrMake(cited, id, () => []).push(it)
  return cited
}

/** The sendings that match a query, latest first. @param request ID of one of their attempts */
export const selectSendings = (
  sendings: readonly Sending[],
  citations: Citations,
  { only, request }: { only?: keyof typeof sendingKinds | undefined; request?: string | undefined },
): Sending[] =>
  sendings
    .filter(it => only === undefined || sendingKinds[only].has(it, citations))
    .filter(it => request === undefined || it.attempts.some(({ requestId }) => requestId === request))
    .sort((one, other) => beginOf(one) - beginOf(other))
    .reverse()

const beginOf = ({ attempts }: Sending) => Date.parse(attempts[0]!.arrived.real)

function distinctCited<It>({ attempts }: Sending, by: ReadonlyMap<string, readonly It[]>): It[] {
  return [...new Set(attempts.flatMap(({ requestId }) => by.get(requestId) ?? []))]
}

/** Lanes with a story that overlap in time, or undisturbed ones in a row. */
export interface Episode {
  /** In the order of their first step; undisturbed ones latest first. */
  readonly lanes: readonly Lane[]
  /** Whether its lanes are undisturbed. */
  readonly isCalm: boolean
  /** Milliseconds since the end of the previous episode, on the clock that advanced more; undefined for the first. */
  readonly before: number | undefined
}

/** Groups lanes into episodes, latest first. Lanes with a story that overlap in time share one, and with it a scale. */
export function groupEpisodes(lanes: readonly Lane[]): Episode[] {
  const spans = lanes
    .map(lane => ({ lane, ...laneSpan(lane) }))
    .reverse()
    .sort((one, other) => one.begin.real - other.begin.real)
  const episodes: (Episode & { lanes: Lane[] })[] = []
  let end = { real: Number.NEGATIVE_INFINITY, clock: 0 }
  /** The latest episode with a story, and when it ends. */
  let story = { lanes: [] as Lane[], end }
  for (const { lane, begin, until } of spans) {
    const last = episodes.at(-1)
    const before = last && Math.max(begin.real - end.real, begin.clock - end.clock)
    if (lane.isCalm) {
      if (last?.isCalm) last.lanes.unshift(lane)
      else episodes.push({ lanes: [lane], isCalm: true, before })
    } else if (begin.real < story.end.real) story.lanes.push(lane)
    else {
      story = { lanes: [lane], end: until }
      episodes.push({ lanes: story.lanes, isCalm: false, before })
    }
    if (!lane.isCalm && until.real >= story.end.real) story.end = until
    if (until.real >= end.real) end = until
  }
  return episodes.reverse()
}

const endOfTime = { real: Number.POSITIVE_INFINITY, clock: Number.POSITIVE_INFINITY }

function laneSpan({ steps }: Lane) {
  const ends = steps.map(step => step.ends ?? endOfTime)
  return { begin: steps[0]!.begins, until: ends.reduce((last, it) => (it.real > last.real ? it : last)) }
}
