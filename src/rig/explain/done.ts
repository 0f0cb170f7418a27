import { stateOf } from '../../service/sendings/lifecycle.ts'
import type { PlatformMailing, PlatformSending, Sending } from '../../store/rows.ts'
import type { Entry } from '../entry.ts'
import { toldState } from '../entry-reader.ts'
import type { Known } from './known.ts'
import { sendingOf } from './sending-of.ts'
import { counted, planWords } from './words.ts'

/** What truly happened, whatever the client was told. */
export function done(entry: Entry, known: Known): string[] {
  const { truth, decision, method } = entry
  const { rig, reader, twin } = known
  const { step } = decision ?? {}
  if (!truth) return [...notAsked(entry, known)]
  if (truth.status >= 400 && truth.status < 500)
    return [`The service refused it with ${truth.status}: nothing was changed.`]
  if (method === 'GET' || method === 'HEAD') return ['It only read: nothing was changed.']
  const sending = sendingOf(entry, rig, reader)
  const made = [...(sending ? ofSending(entry, sending, known) : []), ...ofPlatform(entry, sending, known)]
  return [
    ...(truth.status >= 500 ? [endWords(entry, known)] : []),
    ...made,
    ...(truth.status < 300 && made.length === 0 ? ['It was done as it was asked for.'] : []),
    ...(step?.deliver === 'late'
      ? ['It was worked on late, whether or not the client was still there.']
      : []),
    ...(twin === undefined
      ? []
      : [
          `It was delivered twice: ${twin} is the second delivery, and the client got the answer to that one.`,
        ]),
  ]
}

function endWords(entry: Entry, { reader }: Known): string {
  const isAnonymous = reader.operation(entry) === 'createSending' && reader.transactionId(entry) === undefined
  return isAnonymous
    ? 'Without a transactionId only CREATED can be told of a sending (3/1), so any other end of it is a 500.'
    : 'The service could not process it.'
}

function* notAsked({ decision, ended, delivered, told }: Entry, { rig }: Known): Generator<string> {
  const { step } = decision ?? {}
  if (step?.phase === 'before') yield 'Nothing was done: the step strikes before any work.'
  else if (told?.status === 401) yield 'Nothing was done: nobody was let in.'
  else if (told) yield 'Nothing was done: the service was never asked.'
  else if (step?.hold !== undefined && rig.holds.counts().has(step.hold))
    yield `Nothing was done yet: it is held at "${step.hold}".`
  else if (step?.delay !== undefined) yield "Nothing was done yet: it waits on the space's clock."
  else if (ended || delivered !== 'open') yield 'Nothing was done: it ended before the service was asked.'
  else yield 'Nothing was done yet: it is under way.'
}

function ofSending(entry: Entry, sending: Sending, { rig, reader }: Known): string[] {
  const state = entry.truth && toldState(entry.truth)
  const now = stateOf(sending, rig.clock.now())
  const later = state !== undefined && now !== state ? [`By now the sending is ${now}.`] : []
  if (sending.cause === entry.id) {
    const { decision } = entry
    const plan = decision && sending.plan.length > 1 ? `; its plan: ${planWords(sending.plan)}` : ''
    const isUnknownToClient = state === undefined ? ' (the answer does not tell of it)' : ''
    return [`It made sending ${sending.id}, ${state ?? now}${plan}${isUnknownToClient}.`, ...later]
  }
  const first = rig.journal.find(sending.cause)
  const before = first && reader.digest(first)?.payloadSha256
  const isOther = before !== undefined && before !== reader.digest(entry)?.payloadSha256
  return [
    `Its transactionId was known: ${first ? first.id : 'an earlier request'} made sending ${sending.id}, whose plan stands whatever scenario applies now; a repeat makes no second one (4.1/5).`,
    `The sending was ${state ?? now}.`,
    ...(isOther
      ? [`The payload differs from that of ${sending.cause}; what differs was ignored (4.1/9).`]
      : []),
    ...later,
  ]
}

function ofPlatform(entry: Entry, sending: Sending | undefined, { rig, effects }: Known): string[] {
  const caused = effects.of(sending?.cause ?? entry.id)
  const now = rig.clock.now()
  const unsent = caused.mailings.filter(({ id }) => !caused.sendings.some(it => it.platformMailingId === id))
  const told = [
    ...caused.sendings.map(it => sendingWords(it, now)),
    ...unsent.map(mailing => mailingWords(mailing, sending)),
  ]
  if (told.length > 0) return told
  return sending ? ['On the platform nothing has been made or sent.'] : []
}

function sendingWords(row: PlatformSending, now: number): string {
  const to =
    row.kind === 'test'
      ? counted(row.recipients, 'test address', 'test addresses')
      : counted(row.recipients, 'recipient')
  const when =
    Date.parse(row.startsAt) > now ? `is scheduled for ${row.startsAt}` : `went out at ${row.startsAt}`
  return `On the platform mailing ${row.platformMailingId} was made, and sending ${row.id} to ${to} ${when}.`
}

function mailingWords({ id, createdAt, origin }: PlatformMailing, sending: Sending | undefined): string {
  const isOpen = sending !== undefined && sending.plan.length - 1 > sending.step
  const fate = origin === 'mailing-upload' ? '' : isOpen ? ', not sent so far' : ', and never sent'
  return `On the platform mailing ${id} was made at ${createdAt}${fate}.`
}
