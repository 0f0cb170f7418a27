import type { PlatformMailing, PlatformSending, Synchronization, Version } from '../store/rows.ts'
import type { Space } from '../store/space.ts'

/**
 * The platform underneath: what is really created and sent there, whatever a client is told. Its rows are the
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
  /** When it is approved on the platform; an upload is not. */
  readonly approvedAt?: string | undefined
}

/** The platform mailing with all content of the version, on the synchronization's list; the caller saves it. */
export function platformMailing(
  space: Space,
  synchronization: Synchronization,
  order: PlatformMailingOrder,
): PlatformMailing {
  return {
    id: nextNumber(space.data.tables.platformMailings, firstPlatformMailing),
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
  /** When it is to start; null is now. */
  readonly startsAt: string | null
  /** Who gets a test sending; without it the sending goes to all recipients of the list. */
  readonly addresses?: readonly string[]
}

/** The platform sending of a mailing; the caller saves it. It goes out as soon as the clock reaches its start. */
export function platformSending(space: Space, order: PlatformSendingOrder): PlatformSending {
  const { tables } = space.data
  return {
    id: nextNumber(tables.platformSendings, firstPlatformSending),
    platformMailingId: order.mailing.id,
    kind: order.addresses ? 'test' : 'list',
    recipients: order.addresses?.length ?? tables.lists.get(order.mailing.listId)!.recipients,
    addresses: order.addresses ? [...order.addresses] : null,
    requestedAt: order.now,
    startsAt: order.startsAt ?? order.now,
    cause: order.cause,
  }
}

/** Numbers follow one another: the platform's IDs are chronological. */
const nextNumber = (table: { highest: number }, first: number): number => Math.max(first, table.highest + 1)
