import type { LedgerSending } from '../rig/ledger.ts'
import { sentClause } from '../rig/words.ts'
import type { PlatformStatus } from '../store/platform-status.ts'
import { type Attempt, comparePayloads } from './attempt.ts'
import type { ClientHistory } from './client-history.ts'
import { groupBy } from './grouping.ts'
import type { VerdictView } from './verdict-shape.ts'

/**
 * What happened to recipients and records. `DOUBLE`: sent more often than intended. `ASTRAY`: sent for another
 * synchronization. `LOST`: not sent, and the client reports that it was. `GIVEN-UP`: not sent, and the client says so.
 * `UNAWARE`: sent, and the client reports that it was not. `CONTENT`, `TIME`: sent with other content or at another
 * time than the client last asked for. `ORPHAN`: a platform mailing was made and never sent.
 */
export type HarmKind = HarmFinding['kind']

/** Proved by the ledger, independent of who caused it. */
export type Harm = VerdictView['harm']
export type HarmFinding = Harm['findings'][number]

export function findHarm(history: ClientHistory): Harm {
  const all = history.evidence.sent
  const isMeant = ({ synchronizationId }: LedgerSending) =>
    history.end?.task === undefined || synchronizationId === history.end.task.synchronizationId
  const sent = all.filter(isMeant)
  const stopped = history.evidence.stopped.filter(isMeant)
  return {
    findings: [
      ...findDoubles(history, sent),
      ...findAstray(all.filter(it => !isMeant(it))),
      ...findWrongBeliefs(history, sent, stopped.length),
      ...findChangedContent(history),
      ...findWrongTimes(history, sent),
      ...findOrphans(history),
    ],
    sent: all.length,
    scheduled: all.filter(isScheduled).length,
    stopped: history.evidence.stopped.length,
    expected: history.meant ?? null,
    believes: history.end?.believes ?? null,
  }
}

const isScheduled = ({ status }: LedgerSending) => status === 'scheduled'

/** How many of these mailings were sent, and how many are scheduled. */
function sentWords(sent: readonly LedgerSending[]): string {
  const scheduled = sent.filter(isScheduled).length
  return sentClause(sent.length - scheduled, scheduled)
}

/** What has become of sendings to lists, each counted once. */
export const statusCounts = <Counts extends Record<PlatformStatus, number>>(counts: Counts) => ({
  ...counts,
  sent: counts.sent - counts.scheduled,
})

export const expectedWords = (expected: number): string =>
  expected === 0 ? 'none was' : expected === 1 ? '1 was' : `${expected} were`

/**
 * What became of mailings that were sent too often, in the same words in texts and on pages.
 * @param doubles findings of kind `DOUBLE`, at least one
 * @param expected how many mailings were meant; null where it was not said
 */
export function excessName(
  doubles: readonly Pick<HarmFinding, 'evidence' | 'surplus'>[],
  expected: number | null,
): string {
  const [times, ...others] = doubles.map(({ evidence }) => evidence.length) as [number, ...number[]]
  if (expected === 0) return 'sent unasked'
  if (doubles[0]?.surplus !== undefined) return `${surplusOf(doubles)} sent too many`
  if (others.some(it => it !== times)) return 'sent more than once'
  return times === 2 ? 'sent twice' : `sent ${times} times`
}

/** How many were sent too many. Where a number was meant, what looks like a repeat beside it is part of it. */
export function surplusOf(doubles: readonly Pick<HarmFinding, 'evidence' | 'surplus'>[]): number {
  const whole = doubles.find(({ surplus }) => surplus !== undefined)
  return whole?.surplus ?? doubles.reduce((sum, { evidence }) => sum + evidence.length - 1, 0)
}

/** Each kind of harm in a word or two. What was sent too often has words by its number. */
export const harmWords: Record<Exclude<HarmKind, 'DOUBLE'>, string> = {
  ASTRAY: 'went astray',
  LOST: 'lost',
  'GIVEN-UP': 'given up',
  UNAWARE: 'sent unnoticed',
  CONTENT: 'other content',
  TIME: 'another date',
  ORPHAN: 'orphan',
}

/**
 * Harm of one kind and one status in a word or two, with a question mark where it is not certain.
 * @param expected how many mailings were meant; null where it was not said
 */
export function harmName(all: readonly [HarmFinding, ...HarmFinding[]], expected: number | null): string {
  const [{ kind, status }, ...more] = all
  // In the words of a stated number, so that the same harm has one name with it and without it.
  const excess = more.length > 0 && `${surplusOf(all)} sent too many`
  const words = kind === 'DOUBLE' ? excess || excessName(all, expected) : harmWords[kind]
  return words + (status === 'open' ? '?' : '')
}

/** What was sent, by synchronization: of several, only those sent more than once can be the repeat of a mailing. */
function groupSent(sent: readonly LedgerSending[]) {
  const groups = [...groupBy(sent, it => it.synchronizationId).values()]
  const isSeveral = groups.length > 1
  return { isSeveral, repeated: isSeveral ? groups.filter(it => it.length > 1) : groups }
}

/** Maximum number of synchronizations whose requests are named, and of their requests. */
const maxNamed = 4

/** The first requests of the first groups. */
function nameGroups(groups: readonly (readonly string[])[]): string {
  const more = groups.length - maxNamed
  const names = groups.slice(0, maxNamed).map(ids => ids.slice(0, maxNamed).join(' and '))
  return [...names, ...(more > 0 ? [`and ${more} more`] : [])].join('; ')
}

/** More than the one mailing that was to be sent, or none, and why the service took them for several. @param wish such as "1 was meant" */
export function describeExcess(sent: readonly LedgerSending[], wish: string): string {
  const { isSeveral, repeated } = groupSent(sent)
  return [
    `${sentWords(sent)}, where ${wish}.`,
    isSeveral && repeated.length > 0 && `For one synchronization: ${nameGroups(repeated.map(causeIds))}.`,
    whySeveral(repeated.flat()),
  ]
    .filter(Boolean)
    .join(' ')
}

/** Why the service took these sendings for several mailings. */
function whySeveral(sent: readonly LedgerSending[]): string {
  const ids = sent.map(({ transactionId }) => transactionId)
  const isNamed = new Set(ids.filter(it => it !== null)).size > 1
  // A single one without an ID among others is not why they are several.
  const isUnnamed = ids.filter(it => it === null).length > (isNamed ? 1 : 0)
  return [
    isUnnamed &&
      'The service sends a mailing for each request without a transactionId: put one into each request.',
    isNamed && 'The service sends a mailing for each new transactionId: take a new one only after FAILED.',
  ]
    .filter(Boolean)
    .join(' ')
}

const certainHarm = (kind: HarmKind, sentence: string, evidence: HarmFinding['evidence']) =>
  ({ kind, status: 'certain', sentence, evidence }) as const

const causeIds = (sent: readonly LedgerSending[]) => sent.map(({ cause }) => cause)

function* findDoubles(history: ClientHistory, sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  const { meant } = history
  if (meant !== undefined) {
    if (sent.length <= meant) return
    if (meant > 1) return yield* findSurplus(history, sent, meant)
    const { isSeveral, repeated } = groupSent(sent)
    const evidence = causeIds(repeated.length > 0 ? repeated.flat() : sent)
    const harm = certainHarm('DOUBLE', describeExcess(sent, `${expectedWords(meant)} meant`), evidence)
    yield isSeveral ? { ...harm, surplus: sent.length - meant } : harm
    return
  }
  yield* findCopies(history)
}

/** More than several mailings that were meant: the number proves how many, and only what looks like a repeat can be which. */
function* findSurplus(
  history: ClientHistory,
  sent: readonly LedgerSending[],
  meant: number,
): Iterable<HarmFinding> {
  const surplus = sent.length - meant
  const causes = new Set(causeIds(sent))
  const copies = [...findCopies(history)].filter(({ evidence }) => evidence.every(it => causes.has(it)))
  const groups = copies.map(({ evidence }) => evidence)
  const suspected = surplusOf(copies)
  const isExplained = suspected === surplus || (copies.length === 1 && suspected > surplus)
  const copied = new Set(groups.flat())
  const sentence = [
    `${sentWords(sent)}, where ${expectedWords(meant)} meant${isExplained ? '' : `: ${surplus} too many`}.`,
    copies.length === 0
      ? 'Nothing tells which.'
      : isExplained
        ? `Sent for what looks like one: ${nameGroups(groups)}.`
        : `What looks like a repeat may explain ${suspected < surplus ? `${suspected} of them` : 'them'}: ${nameGroups(groups)}.`,
    whySeveral(copies.length === 0 ? sent : sent.filter(({ cause }) => copied.has(cause))),
  ]
    .filter(Boolean)
    .join(' ')
  yield { ...certainHarm('DOUBLE', sentence, isExplained ? [...copied] : []), surplus }
  if (!isExplained) yield* copies
}

/** Mailings that were sent several times, for certain or as it looks. */
function* findCopies(history: ClientHistory): Iterable<HarmFinding> {
  for (const { attempts, transactions } of history.repeated) {
    const makers = attempts.filter(({ id }) => history.effects.has(id))
    const effects = makers.flatMap(({ id }) => history.effects.get(id)!)
    if (effects.length < 2) continue
    // One transaction ID can mean only one mailing, unless its client used it for another one when it had expired.
    const isOne =
      transactions[0]?.transactionId !== undefined && new Set(makers.map(it => it.request.bytes)).size === 1
    yield {
      kind: 'DOUBLE',
      status: transactions.length === 1 && isOne ? 'certain' : 'open',
      sentence: `${sentWords(effects)} for what looks like one.`,
      evidence: causeIds(effects),
    }
  }
  yield* findTwinDoubles(history)
}

/** A request without a transaction ID that a proxy delivers twice is sent twice. The client is not to blame. */
function* findTwinDoubles({ twins, effects }: ClientHistory): Iterable<HarmFinding> {
  for (const { id, twinOf } of twins)
    if (twinOf !== undefined && effects.has(id) && effects.has(twinOf))
      yield certainHarm(
        'DOUBLE',
        'A request without a transactionId was delivered twice by the scenario, and both were sent.',
        [twinOf, id],
      )
}

function* findAstray(sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  if (sent.length === 0) return
  const synchronizations = [...new Set(sent.map(({ synchronizationId }) => synchronizationId))]
  yield certainHarm(
    'ASTRAY',
    `${sent.length === 1 ? 'A mailing that was not meant was' : `${sent.length} mailings that were not meant were`} sent, of synchronization ${synchronizations.join(' and ')}.`,
    causeIds(sent),
  )
}

/** The last request that may have been told INDETERMINATE_FAILURE of one of the client's sendings. */
export const lastIndeterminate = (history: ClientHistory) =>
  history.attempts.findLast(
    it => history.showsState(it, 'INDETERMINATE_FAILURE') && history.knowledge.receipt(it) !== 'none',
  )

/** Whether it was truly told CREATED of a sending that no request made: the space began with it. */
const isOfContent = ({ truth, response }: Attempt, { ownSendings }: ClientHistory) =>
  truth?.state === 'CREATED' && response?.state === 'CREATED' && !ownSendings.has(response.sendingId ?? '')

/** @param stopped how many were stopped by the platform: no answer tells a client, so it may believe that they were sent */
function* findWrongBeliefs(
  history: ClientHistory,
  sent: readonly LedgerSending[],
  stopped: number,
): Iterable<HarmFinding> {
  const { end, meant } = history
  // Where the number is not known, only that nothing was sent can be held against what the client reports.
  if (!end || (meant === undefined && sent.length + stopped > 0)) return
  const expected = meant ?? 1
  const evidence = causeIds(sent)
  const unsure = lastIndeterminate(history)
  const advice = unsure
    ? ` ${unsure.id} told it INDETERMINATE_FAILURE, so the outcome is unknown, and that is what it should report.`
    : ''
  if (end.believes === 'sent' && sent.length + stopped < expected) {
    const lost = `${sent.length} of ${expected} were sent, and the client reports that ${expected === 1 ? 'it was' : 'all were'} sent.`
    const old = history.creations.find(it => isOfContent(it, history))
    const why = old ? ` ${old.id} told it of one that was there at the beginning, as after a snapshot.` : ''
    yield { ...certainHarm('LOST', lost + why, evidence), ...(old && { status: 'open' }) }
  }
  if (end.believes !== 'not-sent' || expected === 0) return
  const few =
    sent.length === 0
      ? `Nothing was sent${meant === undefined ? '' : `, where ${expectedWords(meant)} meant`}; the client reports that.`
      : `${sent.length} of ${expected} were sent; the client reports that not all were.`
  yield sent.length < expected
    ? certainHarm('GIVEN-UP', few + advice, evidence)
    : certainHarm(
        'UNAWARE',
        `It was sent, and the client reports that it was not. If it sends it again, recipients get it once more.${advice}`,
        evidence,
      )
}

/** It goes out at another time than the client was told. */
function* findWrongTimes({ end }: ClientHistory, sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  const date = end?.task?.scheduleDate
  if (date === undefined) return
  for (const { startsAt, cause } of sent)
    if (!isSameTime(startsAt, date))
      yield certainHarm('TIME', `It goes out at ${startsAt}, where ${date} was meant.`, [cause])
}

/** Times are equal within a minute: a client may leave out seconds. */
export const isSameTime = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < 60_000

/** It goes out with other content than the client last asked for under the same transaction ID. */
function* findChangedContent(history: ClientHistory): Iterable<HarmFinding> {
  for (const sending of history.repeated)
    for (const { transactionId, attempts } of sending.transactions) {
      if (transactionId === undefined) continue
      // An expired ID can be bound again.
      const binding = attempts.findLast(({ id }) => history.effects.has(id))
      const last = attempts.findLast(
        ({ truth }) => truth === undefined || truth.status < 400 || truth.status >= 500,
      )
      if (!binding?.request.payload || !last?.request.payload) continue
      const { isRescheduled, content } = comparePayloads(binding.request.payload, last.request.payload)
      const evidence = [binding.id, last.id]
      const other = `It was sent with the ${content.join(' and ')} of ${binding.id}, not with that of ${last.id}.`
      if (content.length > 0) yield certainHarm('CONTENT', other, evidence)
      const when = `It goes out when ${binding.id} asked for, not when ${last.id} did.`
      if (isRescheduled) yield certainHarm('TIME', when, evidence)
    }
}

/** Of a sending that is FAILED or was ended nothing is sent, so a remaining platform mailing is expected. */
function* findOrphans({ evidence, endings }: ClientHistory): Iterable<HarmFinding> {
  const stateOf = new Map(evidence.sendings.map(({ id, state }) => [id, state]))
  for (const { isOrphan, sendingId, platformMailingId, cause } of evidence.ledger.mailings) {
    if (
      !isOrphan ||
      (sendingId !== null && (stateOf.get(sendingId) === 'FAILED' || endings.isTrue(sendingId)))
    )
      continue
    yield certainHarm('ORPHAN', `Platform mailing ${platformMailingId} was made and never sent.`, [cause])
  }
}
