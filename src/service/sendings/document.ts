import type { Sending, SendingState } from '../../store/rows.ts'
import { quoted } from '../json-text.ts'
import type { Links } from '../links.ts'

/**
 * A sending as JSON text, in its three forms. Written member by member: making an object of it first and giving that to
 * `JSON.stringify` was an eighth of creating one.
 */
const document = (members: string, links: string) => `{${members},"_links":{${links}}}`

/** Spec 4.2. */
export const single = (links: Links, sending: Sending, state: SendingState): string =>
  document(members(links, sending, state), `${rels(links, sending)},${links.curiesText}`)

/** Spec 4.1. The field table names the editor mailing here, the example does not: a dial. */
export const created = (links: Links, sending: Sending, state: SendingState, mailingId: string): string => {
  const known = members(links, sending, state)
  const isNamed = links.dials['created-sending-mailing-id'] === 'present'
  return document(
    isNamed ? `${known},"mailingId":${quoted(mailingId)}` : known,
    `${rels(links, sending)},${links.curiesText}`,
  )
}

/** Spec 4.3: the collection has the curies. */
export const listed = (links: Links, sending: Sending, state: SendingState): string => {
  const statistics = links.statistics(sending.synchronizationId, sending.id)
  return document(
    members(links, sending, state),
    `${rels(links, sending)},${quoted(links.rel('statistics'))}:{"href":${quoted(statistics)}}`,
  )
}

/** Spec 2.3. */
const members = (links: Links, sending: Sending, state: SendingState): string =>
  `"id":${quoted(sending.id)},"creationDate":${quoted(sending.creationDate)},"scheduleDate":${quoted(sending.scheduleDate)},"mailingSynchronizationId":${quoted(sending.synchronizationId)},"state":"${state}","transactionId":${quoted(sending.transactionId)},"target":${target(links, sending)}`

/** Both IDs are null as long as nothing exists on the platform; the dial makes the whole of it null then. */
function target({ dials }: Links, { platformMailingId, platformSendingId }: Sending): string {
  const isNothing = platformMailingId === null && platformSendingId === null
  if (isNothing && dials['target-of-unsent'] === 'null') return 'null'
  return `{"mailingId":${platformMailingId},"sendingId":${platformSendingId}}`
}

const rels = (links: Links, { id, synchronizationId }: Sending): string =>
  `"self":{"href":${quoted(links.sending(synchronizationId, id))}},${quoted(links.rel('report'))}:{"href":${quoted(links.report(id))}}`
