import { isAscii } from 'node:buffer'
import { formatDateTime } from '../service/response.ts'
import { sendsInStep } from '../service/sendings/lifecycle.ts'
import { getOrMake } from '../store/maps.ts'
import type { PlatformMailing, PlatformSending } from '../store/rows.ts'
import type { RecordReader } from './record-reader.ts'
import { type RecordedResponse, responseBytes, responseState } from './recorded-response.ts'
import { hideSecrets, redactHeaders, redactTarget, secretsIn } from './redaction.ts'
import { hintedHeaders, type Moment, type RequestRecord, type RequestRecordView } from './request-record.ts'
import type { Decision } from './scenarios/scenario.ts'
import type { SpaceView } from './space-view.ts'

/** What one request caused on the platform, at once or later: by further attempts or by the clock. */
export interface Effects {
  readonly mailings: readonly PlatformMailing[]
  readonly sendings: readonly PlatformSending[]
}

/** A sending that a request caused and that the platform was told to send after the request was over. */
export interface LateSending {
  readonly row: PlatformSending
  /** The later attempt that brought it about; undefined if the clock did, or if the attempt is no longer recorded. */
  readonly at: RequestRecord | undefined
}

const noEffects: Effects = { mailings: [], sendings: [] }

/** What happened on the platform since the space began, by request. Built for one reading. */
export class EffectsByRequest {
  readonly #effects = new Map<string, { mailings: PlatformMailing[]; sendings: PlatformSending[] }>()
  readonly #broughtBy = new Map<string, PlatformSending[]>()
  readonly records: ReadonlyMap<string, RequestRecord>

  constructor({ space, journal }: SpaceView) {
    const { platformMailings, platformSendings } = space.data.tables
    this.records = new Map(journal.entries().map(it => [it.id, it]))
    for (const { row } of platformMailings.changes()) this.#of(row.cause).mailings.push(row)
    for (const { row } of platformSendings.changes()) {
      this.#of(row.cause).sendings.push(row)
      if (row.broughtBy === undefined) continue
      getOrMake(this.#broughtBy, row.broughtBy, () => []).push(row)
    }
  }

  /** @param cause ID of the request */
  of(cause: string): Effects {
    return this.#effects.get(cause) ?? noEffects
  }

  /** What the platform was told to send while the request was processed. @param id of the request */
  during(id: string): readonly PlatformSending[] {
    const own = this.of(id).sendings.filter(row => this.#isDuringCause(row))
    return [...own, ...(this.#broughtBy.get(id) ?? [])]
  }

  /** What the request caused and the platform was told to send after it was over. @param id of the request */
  later(id: string): readonly LateSending[] {
    return this.of(id)
      .sendings.filter(row => !this.#isDuringCause(row))
      .map(row => ({ row, at: this.records.get(row.broughtBy ?? '') }))
  }

  /** Whether the platform was told to send it while the request that caused it was processed. */
  #isDuringCause({ cause, broughtBy, requestedAt }: PlatformSending): boolean {
    if (broughtBy !== undefined) return false
    const record = this.records.get(cause)
    const [first] = record?.decision?.plan ?? []
    // The work may be done long after the client has left.
    if (!record || !first || sendsInStep(first)) return true
    return Date.parse(requestedAt) <= (record.ended?.clock ?? Number.POSITIVE_INFINITY)
  }

  #of(cause: string) {
    return getOrMake(this.#effects, cause, () => ({ mailings: [], sendings: [] }))
  }
}

/** The journal of a space as JSON. Built for one reading; later events on the platform are not in it. */
export class JournalView {
  readonly #rig: SpaceView
  readonly #reader: RecordReader
  #effects: EffectsByRequest | undefined
  #twins: ReadonlyMap<string, string> | undefined
  readonly #bodies: BodyViews = new WeakMap()

  constructor(rig: SpaceView) {
    this.#rig = rig
    this.#reader = rig.reader
  }

  get effects(): EffectsByRequest {
    this.#effects ??= new EffectsByRequest(this.#rig)
    return this.#effects
  }

  /** ID of the second delivery that `deliver: twice` made of this request. */
  twin(id: string): string | undefined {
    this.#twins ??= new Map(
      this.#rig.journal
        .entries()
        .flatMap(({ id: twin, twinOf }) => (twinOf === undefined ? [] : [[twinOf, twin]])),
    )
    return this.#twins.get(id)
  }

  view(record: RequestRecord): RequestRecordView {
    return {
      ...this.viewExchange(record),
      effects: effectsView(this.effects.of(record.id)),
      twinOf: record.twinOf ?? null,
      twin: this.twin(record.id) ?? null,
    }
  }

  /** A request and its answer, without what other requests and the platform have to do with it. */
  viewExchange(record: RequestRecord): Omit<RequestRecordView, 'effects' | 'twinOf' | 'twin'> {
    const { decision, truth, response, arrived, read, ended, left } = record
    const reader = this.#reader
    const secrets = secretsIn(record)
    const trueAnswer = truth ? answerView(truth, secrets, this.#bodies) : null
    return {
      id: record.id,
      number: record.number,
      connection:
        record.connection === 0
          ? null
          : {
              number: record.connection,
              position: record.position,
              remotePort: record.remotePort ?? null,
              ...(record.unfitTls && { unfitTls: record.unfitTls }),
            },
      user: record.user,
      operation: reader.operation(record) ?? null,
      method: record.method,
      target: redactTarget(record.target),
      synchronizationId: reader.synchronizationId(record) ?? null,
      transactionId: reader.transactionId(record) ?? null,
      headers: redactHeaders(record.headers),
      body: this.#body(record, secrets),
      arrived: momentView(arrived),
      read: read ? momentView(read) : null,
      ended: ended ? momentView(ended) : null,
      left: left ? momentView(left) : null,
      clockEpoch: record.clockEpoch,
      decision: decision ? viewDecision(decision) : null,
      truth: trueAnswer,
      told: response
        ? toldView(
            response,
            secrets,
            record,
            response === truth ? trueAnswer : answerView(response, secrets, this.#bodies),
          )
        : null,
      delivered: record.delivered,
      ...(record.isUnread && { received: false }),
      bytesSent: record.bytesSent,
    }
  }

  #body(record: RequestRecord, secrets: readonly string[]): RequestRecordView['body'] {
    const digest = this.#reader.digest(record)
    if (!record.body || !digest) return null
    const { sha256, payloadSha256 = null } = digest
    return { ...textView(Buffer.from(record.body), record.bodyBytes, secrets), sha256, payloadSha256 }
  }
}

function momentView({ real, clock }: Moment) {
  const text = formatDateTime(real)
  return { real: text, clock: Math.trunc(real) === clock ? text : formatDateTime(clock) }
}

/** A decision as JSON: rules and steps count from 1. */
export function viewDecision({ scenario, by, rule, stepIndex, attempt, step, plan }: Decision) {
  const { phase, state = null, truth = null, answer } = step
  const fault = answer && 'fault' in answer ? answer.fault.name : null
  return {
    scenario,
    by,
    rule: rule + 1,
    step: stepIndex + 1,
    attempt,
    phase,
    state,
    truth,
    fault,
    plan: [...plan],
  }
}

/** Of long bodies, which many requests may share, with the secrets that are hidden in them. */
type BodyViews = WeakMap<Buffer, { readonly hides: string; readonly view: ReturnType<typeof textView> }>

function answerView(response: RecordedResponse, secrets: readonly string[], bodies: BodyViews) {
  return {
    status: response.status,
    state: responseState(response) ?? null,
    headers: hideHeaderSecrets(response.headers, secrets),
    body: bodyView(response, secrets, bodies),
  }
}

function bodyView(response: RecordedResponse, secrets: readonly string[], bodies: BodyViews) {
  const bytes = responseBytes(response)
  const { body } = response
  if (bytes === 0) return null
  if (typeof body === 'string') {
    // It has no characters but those of ASCII.
    if (bytes === body.length)
      return { text: hideSecrets(body, secrets), encoding: 'utf8' as const, bytes, isCut: false }
    return textView(Buffer.from(body), bytes, secrets)
  }
  const hides = secrets.join('\n')
  const earlier = bodies.get(body)
  if (earlier?.hides === hides) return earlier.view
  const view = textView(body, bytes, secrets)
  bodies.set(body, { hides, view })
  return view
}

/** @param answer the view of the response, whatever was sent with it */
function toldView(
  response: RecordedResponse,
  secrets: readonly string[],
  record: RequestRecord,
  answer: ReturnType<typeof answerView> | null,
) {
  const told = { ...answer!, headers: hideHeaderSecrets(hintedHeaders(response.headers, record), secrets) }
  const { informational } = response
  if (!informational) return told
  const shown = informational.map(({ status, headers }) => ({
    status,
    headers: hideHeaderSecrets(headers, secrets),
  }))
  return { ...told, informational: shown }
}

function hideHeaderSecrets(headers: RecordedResponse['headers'], secrets: readonly string[]) {
  if (secrets.length === 0) return redactHeaders(headers)
  const entries = Object.entries(headers).map(([name, value]) => [name, hideSecrets(value, secrets)])
  return redactHeaders(Object.fromEntries(entries))
}

/** @param bytes length of the whole body */
function textView(body: Buffer, bytes: number, secrets: readonly string[]) {
  const isCut = body.length < bytes
  try {
    // The last character may be cut.
    const text = isAscii(body)
      ? body.toString('latin1')
      : new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: isCut })
    return { text: hideSecrets(text, secrets), encoding: 'utf8' as const, bytes, isCut }
  } catch {
    return { text: body.toString('base64'), encoding: 'base64' as const, bytes, isCut }
  }
}

const effectsView = ({ mailings, sendings }: Effects): RequestRecordView['effects'] => [
  ...mailings.map(({ id, origin, createdAt }) => ({
    what: 'mailing' as const,
    platformMailingId: id,
    origin,
    at: createdAt,
  })),
  ...sendings.map(({ id, platformMailingId, kind, recipients, requestedAt, startsAt }) => ({
    what: 'sending' as const,
    platformSendingId: id,
    platformMailingId,
    kind,
    recipients,
    at: requestedAt,
    startsAt,
  })),
]
