import type { PlatformMailing, PlatformSending, Synchronization, Version } from '../store/rows.ts'
import type { Space } from '../store/space-data.ts'

/**
 * The imitated platform: what is really created and sent, whatever the client is told. Its rows are the
 * ledger of the space; each names the request that caused it.
 */

interface PlatformMailingOrder extends Pick<PlatformMailing, 'origin' | 'cause'> {
  readonly content: Version
  readonly now: string
  readonly name?: string | null
  readonly subject?: string | null
  /** When it is approved on the platform. An upload is not. */
  readonly approvedAt?: string | undefined
}

/** Makes the platform mailing with all content of the version, on the synchronization's list. The caller saves it. */
export function makePlatformMailing(
  space: Space,
  { customer, listId, mailingId }: Synchronization,
  { origin, content, now, name, subject, approvedAt, cause }: PlatformMailingOrder,
): PlatformMailing {
  const id = space.data.tables.nextPlatformId('platformMailings')
  return {
    id,
    origin,
    customer,
    listId,
    name: name ?? content.name,
    subject: subject ?? content.subject,
    mailingId,
    version: content.number,
    createdAt: now,
    approvedAt: approvedAt ?? null,
    cause,
  }
}

interface PlatformSendingOrder extends Pick<PlatformSending, 'cause'> {
  readonly mailing: PlatformMailing
  readonly now: string
  /** When it starts; null is now. */
  readonly startsAt: string | null
  /** When the platform stops it, at its start at the latest; undefined if it goes out. */
  readonly stoppedAt?: string | undefined
  /** Recipients of a test sending. Without them the sending goes to all recipients of the list. */
  readonly addresses?: readonly string[]
  /** The later attempt that it is sent at, if not `cause` itself or the clock. */
  readonly broughtBy?: string | undefined
}

/** Makes the platform sending of a mailing. It goes out when the clock reaches its start. The caller saves it. */
export function makePlatformSending(
  { data: { tables } }: Space,
  { mailing, now, cause, startsAt, stoppedAt, addresses, broughtBy }: PlatformSendingOrder,
): PlatformSending {
  const sending: PlatformSending = {
    id: tables.nextPlatformId('platformSendings'),
    platformMailingId: mailing.id,
    kind: addresses ? 'test' : 'list',
    recipients: addresses?.length ?? tables.lists.get(mailing.listId)!.recipients,
    addresses: addresses ? [...addresses] : null,
    requestedAt: now,
    startsAt: startsAt ?? now,
    ...(stoppedAt !== undefined && { stoppedAt }),
    cause,
  }
  return broughtBy === undefined ? sending : { ...sending, broughtBy }
}
