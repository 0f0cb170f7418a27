import { hash } from 'node:crypto'
import type { Entry, Kept } from '../rig/entry.ts'
import { type EntryReader, jsonOf, toldState } from '../rig/entry-reader.ts'
import type { Decision } from '../rig/play.ts'
import { redactedTarget } from '../rig/redaction.ts'
import { textAt } from '../rig/shelves.ts'
import type { SendingState } from '../store/rows.ts'
import type { Attempt, Sighting, Struck, Told } from './evidence.ts'
import { objectIn, payloadOf } from './payload.ts'

/** An entry of the journal as the judge reads it. */
export function attemptOf(entry: Entry, reader: EntryReader): Attempt {
  const { decision, truth, told } = entry
  const operation = reader.operation(entry)
  const synchronizationId = reader.synchronizationId(entry)
  const { asked, transactionId } = askedIn(entry, operation === 'createSending', reader)
  const userAgent = entry.headers['user-agent']
  const isTrue = told !== undefined && told === truth
  const answer = told && toldIn(told, operation, { synchronizationId, transactionId }, isTrue)
  return {
    id: entry.id,
    number: entry.number,
    user: entry.user,
    operation,
    method: entry.method,
    target: redactedTarget(entry.target),
    synchronizationId,
    transactionId,
    asked,
    connection: entry.connection,
    position: entry.position,
    userAgent: typeof userAgent === 'string' ? userAgent : undefined,
    arrived: entry.arrived,
    ended: entry.left ?? entry.ended,
    epoch: entry.clockEpoch,
    told: answer,
    truth: truth && { status: truth.status, state: truthIn(truth, operation, isTrue, answer) },
    delivered: entry.delivered,
    decision: decision && struck(decision),
    twinOf: entry.twinOf,
  }
}

/** The true state; read once where the same was told. */
function truthIn(
  truth: Kept,
  operation: Attempt['operation'],
  isTold: boolean,
  answer: Told | undefined,
): SendingState | undefined {
  if (operation !== 'createSending' || truth.status >= 300) return undefined
  return isTold ? stateIn(answer?.stateText) : toldState(truth)
}

/** Bodies up to this length stand for themselves; longer ones for their digest. */
const shortBody = 1_024

/** Its body is read once. */
function askedIn(
  entry: Entry,
  isCreation: boolean,
  reader: EntryReader,
): Pick<Attempt, 'asked' | 'transactionId'> {
  const { place, bodyBytes } = entry
  if (!place || bodyBytes === 0) {
    const asked = { isWhole: entry.read !== undefined, bytes: undefined, payload: undefined }
    return { asked, transactionId: undefined }
  }
  const isKept = place.end - place.start === bodyBytes
  const text = isKept ? textAt(place) : undefined
  const json = isCreation && text !== undefined ? objectIn(text) : undefined
  const id = json?.transactionId
  return {
    asked: {
      isWhole: true,
      bytes: text !== undefined && bodyBytes <= shortBody ? text : digest(entry),
      payload: json && payloadOf(json),
    },
    transactionId: isKept ? (typeof id === 'string' ? id : undefined) : reader.transactionId(entry),
  }
}

const digest = ({ digest, body }: Entry) => digest?.sha256 ?? (body && hash('sha256', body))

interface Whose {
  readonly synchronizationId: string | undefined
  readonly transactionId: string | undefined
}

/** What an answer says of sendings. */
type OfSendings = Pick<Told, 'state' | 'stateText' | 'foreignBy' | 'sendingId' | 'sightings'>

const ofNone: OfSendings = {
  state: undefined,
  stateText: undefined,
  foreignBy: undefined,
  sendingId: undefined,
  sightings: undefined,
}

/** @param isTrue whether it is what the service answered, so that nothing in it is foreign or damaged */
function toldIn(kept: Kept, operation: Attempt['operation'], whose: Whose, isTrue: boolean): Told {
  const { status } = kept
  const mediaType = mediaTypeOf(kept)
  const said = sendingsIn(kept, operation, mediaType, whose, isTrue)
  // Member by member: an object that is made by spreading others is many times as dear.
  return {
    status,
    mediaType,
    retryAfter: headerOf(kept, 'retry-after'),
    problem: kept.problem?.name ?? (status >= 400 && status < 500 ? problemIn(kept) : undefined),
    state: said.state,
    stateText: said.stateText,
    foreignBy: said.foreignBy,
    sendingId: said.sendingId,
    sightings: said.sightings,
  }
}

/** Most answers are of no other interest, and reading them takes time. */
function sendingsIn(
  kept: Kept,
  operation: Attempt['operation'],
  mediaType: string | undefined,
  whose: Whose,
  isTrue: boolean,
): OfSendings {
  if (kept.status >= 400) return ofNone
  if (operation === 'createSending')
    return isTrue ? ownSendingTold(kept) : sendingTold(kept, mediaType, whose)
  if (operation !== 'listSendings' && operation !== 'getSending') return ofNone
  const isOwnSending = isTrue && operation === 'getSending'
  return { ...ofNone, sightings: isOwnSending ? ownSighting(kept) : sightingsIn(kept) }
}

function problemIn(kept: Kept): string | undefined {
  const type = jsonOf(kept)?.type
  return typeof type === 'string' ? /[^/]*$/.exec(type)![0] : undefined
}

function mediaTypeOf(kept: Kept): string | undefined {
  const text = headerOf(kept, 'content-type')
  if (text === undefined) return undefined
  return text.startsWith(`${halType};`) ? halType : text.split(';')[0]!.trim().toLowerCase()
}

export const halType = 'application/hal+json'

/** What the service answers by itself need not be read as a whole: no text in it can look like these members. */
function ownSendingTold(kept: Kept): OfSendings {
  const text = textAt(kept, 'latin1')
  const stateText = stateMember.exec(text)?.[1]
  const sendingId = idMember.exec(text)?.[1]
  return { state: stateIn(stateText), stateText, foreignBy: undefined, sendingId, sightings: undefined }
}

const stateMember = /"state":"([A-Z_]+)"/
const idMember = /"id":"([^"]+)"/
const transactionMember = /"transactionId":"([^"]*)"/

function ownSighting(kept: Kept): Sighting[] {
  const text = textAt(kept, 'latin1')
  const sendingId = idMember.exec(text)?.[1]
  const state = stateIn(stateMember.exec(text)?.[1])
  if (sendingId === undefined || state === undefined) return []
  return [{ sendingId, transactionId: transactionMember.exec(text)?.[1], state }]
}

function sendingTold(kept: Kept, mediaType: string | undefined, whose: Whose): OfSendings {
  const json = jsonOf(kept)
  const stateText = typeof json?.state === 'string' ? json.state : undefined
  const foreignBy = foreignMember(json, whose)
  const isSending = (kept.status === 200 || kept.status === 201) && mediaType === halType
  return {
    state: foreignBy === undefined && isSending ? stateIn(stateText) : undefined,
    stateText,
    foreignBy,
    sendingId: typeof json?.id === 'string' ? json.id : undefined,
    sightings: undefined,
  }
}

function foreignMember(json: ReturnType<typeof jsonOf>, whose: Whose): Told['foreignBy'] {
  if ((json?.transactionId ?? whose.transactionId) !== whose.transactionId) return 'transactionId'
  const isOfAnother = (json?.mailingSynchronizationId ?? whose.synchronizationId) !== whose.synchronizationId
  return isOfAnother ? 'mailingSynchronizationId' : undefined
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
  for (const known in headers)
    if (known.length === name.length && known.toLowerCase() === name) return headers[known]
  return undefined
}

function struck({ scenario, rule, stepIndex, step }: Decision): Struck {
  const { phase, answer, deliver } = step
  return {
    scenario,
    rule: rule + 1,
    step: stepIndex + 1,
    phase,
    fault: answer && 'fault' in answer ? answer.fault : undefined,
    isTwice: deliver === 'twice',
  }
}
