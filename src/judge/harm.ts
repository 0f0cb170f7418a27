import type { LedgerSending } from '../rig/ledger-shape.ts'
import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import type { Transaction } from './logical-sendings.ts'
import { differences } from './payload.ts'

/**
 * What came of it. `DOUBLE`: sent more often than meant. `ASTRAY`: sent for another synchronization than was meant. `LOST`: not sent, and the client believes that it was.
 * `GIVEN-UP`: not sent, and the client knows or fears so. `UNAWARE`: sent, and the client believes that it was not.
 * `CONTENT`, `TIME`: sent otherwise than the client asked for last. `ORPHAN`: a platform mailing was made and never sent.
 */
export type HarmKind = 'DOUBLE' | 'ASTRAY' | 'LOST' | 'GIVEN-UP' | 'UNAWARE' | 'CONTENT' | 'TIME' | 'ORPHAN'

/** Proved by the ledger, whoever is to blame. */
export interface Harm {
  /** None means that there was none. */
  readonly findings: readonly HarmFinding[]
  /** Sendings to lists that truly went out or will. */
  readonly sent: number
  /** How many were meant; null where nobody has said so. */
  readonly expected: number | null
  /** What the client believes; null where nobody has said so. */
  readonly believes: 'sent' | 'not-sent' | 'unknown' | null
}

export interface HarmFinding {
  readonly kind: HarmKind
  /** `open`: whether it is one hangs on what was meant, which nobody has said. */
  readonly status: 'certain' | 'open'
  readonly sentence: string
  /** IDs of requests. */
  readonly evidence: readonly string[]
}

export function harmIn(file: CaseFile): Harm {
  const all = file.evidence.ledger.sendings.filter(({ kind }) => kind === 'list')
  const isMeant = ({ synchronizationId }: LedgerSending) =>
    file.end?.task === undefined || synchronizationId === file.end.task.synchronizationId
  const sent = all.filter(isMeant)
  return {
    findings: [
      ...double(file, sent),
      ...astray(all.filter(it => !isMeant(it))),
      ...beliefs(file, sent),
      ...changed(file),
      ...atOtherTimes(file, sent),
      ...orphans(file),
    ],
    sent: all.length,
    expected: file.end ? file.expected : null,
    believes: file.end?.believes ?? null,
  }
}

const meant = ({ expected }: CaseFile) =>
  expected === 0 ? 'none was' : expected === 1 ? '1 was' : `${expected} were`

const causes = (sent: readonly LedgerSending[]) => sent.map(({ cause }) => cause)

function* double(file: CaseFile, sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  if (file.end) {
    if (sent.length > file.expected)
      yield {
        kind: 'DOUBLE',
        status: 'certain',
        sentence: `${sent.length} ${sent.length === 1 ? 'sending' : 'sendings'} went out, where ${meant(file)} meant.`,
        evidence: causes(sent),
      }
    return
  }
  for (const { attempts, transactions } of file.repeated) {
    const own = attempts.flatMap(({ id }) => file.effects.get(id) ?? [])
    if (own.length < 2) continue
    yield {
      kind: 'DOUBLE',
      // One transaction ID can mean one mailing only.
      status: transactions.length === 1 && attempts[0]?.transactionId !== undefined ? 'certain' : 'open',
      sentence: `${own.length} sendings went out for what looks like one.`,
      evidence: causes(own),
    }
  }
  yield* twins(file)
}

/** A request without a transaction ID that a proxy delivered twice is sent twice, and nobody is to blame here. */
function* twins({ twins, effects }: CaseFile): Iterable<HarmFinding> {
  for (const { id, twinOf } of twins)
    if (twinOf !== undefined && effects.has(id) && effects.has(twinOf))
      yield {
        kind: 'DOUBLE',
        status: 'certain',
        sentence:
          'A request without a transactionId was delivered twice by the scenario, and both were sent.',
        evidence: [twinOf, id],
      }
}

function* astray(sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  if (sent.length === 0) return
  const synchronizations = [...new Set(sent.map(({ synchronizationId }) => synchronizationId))]
  yield {
    kind: 'ASTRAY',
    status: 'certain',
    sentence: `${sent.length === 1 ? 'A sending that was' : `${sent.length} sendings that were`} not meant went out, of synchronization ${synchronizations.join(' and ')}.`,
    evidence: causes(sent),
  }
}

function* beliefs({ end, expected }: CaseFile, sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  if (!end) return
  const evidence = causes(sent)
  if (end.believes === 'sent' && sent.length < expected)
    yield {
      kind: 'LOST',
      status: 'certain',
      sentence: `${sent.length} of ${expected} went out, and the client believes that ${expected === 1 ? 'it was' : 'all were'} sent.`,
      evidence,
    }
  if (end.believes === 'not-sent' && sent.length === 0 && expected > 0)
    yield {
      kind: 'GIVEN-UP',
      status: 'certain',
      sentence: 'Nothing went out, and the client says so.',
      evidence,
    }
  if (end.believes === 'not-sent' && sent.length > 0 && sent.length >= expected)
    yield {
      kind: 'UNAWARE',
      status: 'certain',
      sentence:
        'It went out, and the client believes that it did not: whoever sends it again now sends it twice.',
      evidence,
    }
}

/** When it goes out is not when the client was told to send it. */
function* atOtherTimes({ end }: CaseFile, sent: readonly LedgerSending[]): Iterable<HarmFinding> {
  const wanted = end?.task?.scheduleDate
  if (wanted === undefined) return
  for (const { startsAt, cause } of sent)
    if (!isSameTime(startsAt, wanted))
      yield {
        kind: 'TIME',
        status: 'certain',
        sentence: `It goes out at ${startsAt}, where ${wanted} was meant.`,
        evidence: [cause],
      }
}

/** A client may leave out seconds, and nobody is harmed. */
export const isSameTime = (one: string, other: string): boolean =>
  Math.abs(Date.parse(one) - Date.parse(other)) < 60_000

/** What went out is not what the client asked for last under the same transaction ID. */
function* changed(file: CaseFile): Iterable<HarmFinding> {
  for (const sending of file.repeated)
    for (const transaction of sending.transactions) {
      const binding = transaction.attempts.find(({ id }) => file.effects.has(id))
      const last = lastAsked(transaction)
      if (!binding?.asked.payload || !last?.asked.payload) continue
      const members = differences(binding.asked.payload, last.asked.payload)
      const content = members.filter(it => it !== 'scheduleDate')
      const evidence = [binding.id, last.id]
      if (content.length > 0)
        yield {
          kind: 'CONTENT',
          status: 'certain',
          sentence: `It went out with the ${content.join(' and ')} of ${binding.id}, not with that of ${last.id}.`,
          evidence,
        }
      if (members.includes('scheduleDate'))
        yield {
          kind: 'TIME',
          status: 'certain',
          sentence: `It goes out when ${binding.id} asked for, not when ${last.id} did.`,
          evidence,
        }
    }
}

function lastAsked({ transactionId, attempts }: Transaction): Attempt | undefined {
  if (transactionId === undefined) return undefined
  return attempts.findLast(({ truth }) => truth === undefined || truth.status < 400 || truth.status >= 500)
}

/** FAILED says that it was not sent, so that a platform mailing that stays behind surprises nobody. */
function* orphans({ evidence }: CaseFile): Iterable<HarmFinding> {
  const left = evidence.ledger.mailings.filter(({ isOrphan }) => isOrphan)
  if (left.length === 0) return
  const stateOf = new Map(evidence.sendings.map(({ id, state }) => [id, state]))
  for (const { sendingId, platformMailingId, cause } of left) {
    if (sendingId !== null && stateOf.get(sendingId) === 'FAILED') continue
    yield {
      kind: 'ORPHAN',
      status: 'certain',
      sentence: `Platform mailing ${platformMailingId} was made and never sent.`,
      evidence: [cause],
    }
  }
}
