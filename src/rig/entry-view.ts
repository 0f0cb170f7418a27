import { instant } from '../service/time.ts'
import type { PlatformSending } from '../store/rows.ts'
import { Brought } from './brought.ts'
import type { Effects } from './effects.ts'
import { EffectsByCause } from './effects.ts'
import type { Entry, Kept, Moment } from './entry.ts'
import { type EntryReader, toldState } from './entry-reader.ts'
import type { EntryView } from './entry-shape.ts'
import { withHints } from './hints.ts'
import type { Decision } from './play.ts'
import { redactedHeaders, redactedTarget, secretsIn, withoutSecrets } from './redaction.ts'
import type { SpaceRig } from './space-rig.ts'

/** The journal of a space as it is shown. Made for one reading: what happens on the platform later is not in it. */
export class JournalView {
  readonly #reader: EntryReader
  readonly #rig: SpaceRig
  #brought: Brought<PlatformSending> | undefined
  readonly effects: EffectsByCause
  readonly #twins = new Map<string, string>()

  constructor(rig: SpaceRig) {
    const { journal, space, reader } = rig
    this.#rig = rig
    this.#reader = reader
    this.effects = new EffectsByCause(space.data.tables)
    for (const { id, twinOf } of journal.entries()) if (twinOf !== undefined) this.#twins.set(twinOf, id)
  }

  /** At which request the platform was told to send what. Found out when it is first asked for. */
  get brought(): Brought<PlatformSending> {
    this.#brought ??= new Brought(this.#rig, sendingRows(this.#rig))
    return this.#brought
  }

  /** ID of the second delivery that `deliver: twice` made of a request. */
  twin(id: string): string | undefined {
    return this.#twins.get(id)
  }

  entry(entry: Entry): EntryView {
    const { decision, truth, told, arrived, read, ended, left } = entry
    const reader = this.#reader
    const secrets = secretsIn(entry)
    return {
      id: entry.id,
      number: entry.number,
      connection:
        entry.connection === 0
          ? null
          : {
              number: entry.connection,
              position: entry.position,
              remotePort: entry.remotePort ?? null,
            },
      user: entry.user,
      operation: reader.operation(entry) ?? null,
      method: entry.method,
      target: redactedTarget(entry.target),
      synchronizationId: reader.synchronizationId(entry) ?? null,
      transactionId: reader.transactionId(entry) ?? null,
      headers: redactedHeaders(entry.headers),
      body: this.#body(entry, secrets),
      arrived: shownMoment(arrived),
      read: read ? shownMoment(read) : null,
      ended: ended ? shownMoment(ended) : null,
      left: left ? shownMoment(left) : null,
      clockEpoch: entry.clockEpoch,
      decision: decision ? shownDecision(decision) : null,
      truth: truth ? shownAnswer(truth, secrets) : null,
      told: told
        ? shownAnswer(told, secrets, entry.hints && withHints(told.headers, entry.hints, entry.id))
        : null,
      delivered: entry.delivered,
      bytesSent: entry.bytesSent,
      effects: shownEffects(this.effects.of(entry.id)),
      twinOf: entry.twinOf ?? null,
      twin: this.twin(entry.id) ?? null,
    }
  }

  #body(entry: Entry, secrets: readonly string[]): EntryView['body'] {
    const digest = this.#reader.digest(entry)
    if (!entry.body || !digest) return null
    const { sha256, payloadSha256 = null } = digest
    return { ...shownText(Buffer.from(entry.body), entry.bodyBytes, secrets), sha256, payloadSha256 }
  }
}

function* sendingRows({ space }: SpaceRig): Generator<PlatformSending> {
  for (const { row } of space.data.tables.platformSendings.changes()) yield row
}

const shownMoment = ({ real, clock }: Moment) => ({ real: instant(real), clock: instant(clock) })

function shownDecision({ scenario, by, rule, stepIndex, attempt, step, plan }: Decision) {
  const { phase, state = null, truth = null, answer } = step
  const fault = answer && 'fault' in answer ? answer.fault : null
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

const shownAnswer = (kept: Kept, secrets: readonly string[], headers = kept.headers) => ({
  status: kept.status,
  state: toldState(kept) ?? null,
  headers: withoutSecretValues(headers, secrets),
  body: kept.bodyBytes === 0 ? null : shownText(kept.body, kept.bodyBytes, secrets),
})

function withoutSecretValues(headers: Kept['headers'], secrets: readonly string[]) {
  const shown = Object.entries(headers).map(([name, value]) => [name, withoutSecrets(value, secrets)])
  return redactedHeaders(Object.fromEntries(shown))
}

/** @param bytes length of the whole */
function shownText(body: Buffer, bytes: number, secrets: readonly string[]) {
  const isCut = body.length < bytes
  try {
    // A character may be cut at the end of what was kept.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(body, { stream: isCut })
    return { text: withoutSecrets(text, secrets), encoding: 'utf8' as const, bytes, isCut }
  } catch {
    return { text: body.toString('base64'), encoding: 'base64' as const, bytes, isCut }
  }
}

const shownEffects = ({ mailings, sendings }: Effects): EntryView['effects'] => [
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
