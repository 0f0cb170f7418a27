import type { PlatformMailing, PlatformSending, Synchronization, Version } from '../store/rows.ts'
import type { Space } from '../store/space-data.ts'

/**
 * The imitated platform: what is really created and sent, whatever the client is told. Its rows are the
 * ledger of the space; each names the request that caused it.
 */

const firstPlatformMailing = 100001
const firstPlatformSending = 500001

export interface PlatformMailingOrder {
  readonly origin: PlatformMailing['origin']
  readonly content: Version
  readonly now: string
  readonly cause: string
  readonly name?: string | null
  readonly subject?: string | null
  /** When it is approved on the platform. An upload is not. */
  readonly approvedAt?: string | undefined
}

/** Makes the platform mailing with all content of the version, on the synchronization's list. The caller saves it. */
export function makePlatformMailing(
  space: Space,
  synchronization: Synchronization,
  order: PlatformMailingOrder,
): PlatformMailing {
  return {
    id: space.data.tables.nextPlatformId('platformMailings', firstPlatformMailing),
    origin: order.origin,
    customer: synchronization.customer,
    listId: synchronization.listId,
    name: order.name ?? order.content.name,
    subject: order.subject ?? order.content.subject,
    mailingId: synchronization.mailingId,
    version: order.content.number,
    createdAt: order.now,
    approvedAt: order.approvedAt ?? null,
    cause: order.cause,
  }
}

export interface PlatformSendingOrder {
  readonly mailing: PlatformMailing
  readonly now: string
  readonly cause: string
  /** When it starts; null is now. */
  readonly startsAt: string | null
  /** Recipients of a test sending. Without them the sending goes to all recipients of the list. */
  readonly addresses?: readonly string[]
  /** The later attempt that it is sent at, if not `cause` itself or the clock. */
  readonly broughtBy?: string | undefined
}

/** Makes the platform sending of a mailing. It goes out when the clock reaches its start. The caller saves it. */
export function makePlatformSending(space: Space, order: PlatformSendingOrder): PlatformSending {
  const { tables } = space.data
  const sending: PlatformSending = {
    id: tables.nextPlatformId('platformSendings', firstPlatformSending),
    platformMailingId: order.mailing.id,
    kind: order.addresses ? 'test' : 'list',
    recipients: order.addresses?.length ?? tables.lists.get(order.mailing.listId)!.recipients,
    addresses: order.addresses ? [...order.addresses] : null,
    requestedAt: order.now,
    startsAt: order.startsAt ?? order.now,
    cause: order.cause,
  }
  return order.broughtBy === undefined ? sending : { ...sending, broughtBy: order.broughtBy }
}
