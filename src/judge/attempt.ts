import type { Entry, Kept } from '../rig/entry.ts'
import { type EntryReader, jsonOf, toldState } from '../rig/entry-reader.ts'
import type { Decision } from '../rig/play.ts'
import { redactedTarget } from '../rig/redaction.ts'
import type { SendingState } from '../store/rows.ts'
import type { Asked, Attempt, Sighting, Struck, Told } from './evidence.ts'
import { payloadOf } from './payload.ts'

/** An entry of the journal as the judge reads it. */
export function attemptOf(entry: Entry, reader: EntryReader): Attempt {
  const { asked, decision, truth, told } = entry
  const operation = reader.operation(entry)
  const synchronizationId = reader.synchronizationId(entry)
  const transactionId = reader.transactionId(entry)
  const userAgent = asked.headers['user-agent']
  const answer = told && toldIn(told, operation, { synchronizationId, transactionId })
  return {
    id: asked.id,
    number: entry.number,
    user: asked.user,
    operation,
    method: asked.method,
    target: redactedTarget(asked.target),
    synchronizationId,
    transactionId,
    asked: askedIn(entry, operation === 'createSending', reader),
    connection: asked.connection,
    position: asked.position,
    userAgent: typeof userAgent === 'string' ? userAgent : undefined,
    arrived: entry.arrived,
    ended: entry.ended,
    epoch: entry.clockEpoch,
    told: answer,
    truth: truth && { status: truth.status, state: truthIn(truth, operation, told, answer) },
    delivered: entry.delivered,
    decision: decision && struck(decision),
    twinOf: asked.twinOf,
  }
}

/** The true state; read once where the same was told. */
function truthIn(
  truth: Kept,
  operation: Attempt['operation'],
  told: Kept | undefined,
  answer: Told | undefined,
): SendingState | undefined {
  if (operation !== 'createSending' || truth.status >= 300) return undefined
  return told?.place === truth.place ? stateIn(answer?.stateText) : toldState(truth)
}

/** Bodies up to this length stand for themselves; longer ones for their digest. */
const shortBody = 1_024

function askedIn(entry: Entry, isCreation: boolean, reader: EntryReader): Asked {
  const { body, bodyBytes } = entry
  if (!body || bodyBytes === 0)
    return { isWhole: entry.read !== undefined, bytes: undefined, payload: undefined }
  const isKept = body.length === bodyBytes
  const text = isKept ? Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString() : undefined
  return {
    isWhole: true,
    bytes: text !== undefined && text.length <= shortBody ? text : reader.digest(entry)?.sha256,
    payload: isCreation && text !== undefined ? payloadOf(text) : undefined,
  }
}

interface Whose {
  readonly synchronizationId: string | undefined
  readonly transactionId: string | undefined
}

const nothingTold = {
  state: undefined,
  stateText: undefined,
  isForeign: false,
  sendingId: undefined,
  problem: undefined,
  sightings: undefined,
}

function toldIn(kept: Kept, operation: Attempt['operation'], whose: Whose): Told {
  const told = {
    status: kept.status,
    mediaType: headerOf(kept, 'content-type')?.split(';')[0]?.trim().toLowerCase(),
    retryAfter: headerOf(kept, 'retry-after'),
  }
  // Most answers are of no other interest, and reading them takes time.
  if (kept.status >= 400) {
    const type = kept.status < 500 ? jsonOf(kept)?.type : undefined
    return {
      ...told,
      ...nothingTold,
      problem: typeof type === 'string' ? /[^/]*$/.exec(type)![0] : undefined,
    }
  }
  if (operation === 'createSending')
    return { ...told, ...nothingTold, ...sendingTold(kept, told.mediaType, whose) }
  const sightings = operation === 'listSendings' || operation === 'getSending' ? sightingsIn(kept) : undefined
  return { ...told, ...nothingTold, sightings }
}

function sendingTold(kept: Kept, mediaType: string | undefined, whose: Whose) {
  const json = jsonOf(kept)
  const stateText = typeof json?.state === 'string' ? json.state : undefined
  const isOurs =
    (json?.transactionId ?? whose.transactionId) === whose.transactionId &&
    (json?.mailingSynchronizationId ?? whose.synchronizationId) === whose.synchronizationId
  const isSending = (kept.status === 200 || kept.status === 201) && mediaType === 'application/hal+json'
  return {
    state: isOurs && isSending ? stateIn(stateText) : undefined,
    stateText,
    isForeign: !isOurs,
    sendingId: typeof json?.id === 'string' ? json.id : undefined,
  }
}

/** The sendings that an answer shows, or undefined where it cannot be read. */
function sightingsIn(kept: Kept): Sighting[] | undefined {
  const json = jsonOf(kept)
  if (!json) return undefined
  const embedded = json._embedded
  const lists = typeof embedded === 'object' && embedded !== null ? Object.values(embedded) : [[json]]
  return lists.flatMap(list => (Array.isArray(list) ? list.flatMap(sightingIn) : []))
}

function sightingIn(value: unknown): Sighting[] {
  if (typeof value !== 'object' || value === null) return []
  const { id, transactionId, state } = value as Record<string, unknown>
  const known = stateIn(state)
  if (typeof id !== 'string' || known === undefined) return []
  return [
    {
      sendingId: id,
      transactionId: typeof transactionId === 'string' ? transactionId : undefined,
      state: known,
    },
  ]
}

const states: ReadonlySet<unknown> = new Set<SendingState>([
  'PENDING',
  'CREATED',
  'FAILED',
  'INDETERMINATE_FAILURE',
])

const stateIn = (value: unknown): SendingState | undefined =>
  states.has(value) ? (value as SendingState) : undefined

function headerOf({ headers }: Kept, name: string): string | undefined {
  for (const known in headers) if (known.toLowerCase() === name) return headers[known]
  return undefined
}

function struck({ scenario, rule, stepIndex, step }: Decision): Struck {
  const { phase, answer, deliver, hold } = step
  return {
    scenario,
    rule: rule + 1,
    step: stepIndex + 1,
    phase,
    fault: answer && 'fault' in answer ? answer.fault : undefined,
    hidesLeaving: deliver === 'late' || hold !== undefined,
    isTwice: deliver === 'twice',
  }
}
