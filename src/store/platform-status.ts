import type { PlatformSending } from './rows.ts'

/** What can have become of a sending on the platform. */
export const platformStatuses = ['sent', 'scheduled', 'stopped'] as const
export type PlatformStatus = (typeof platformStatuses)[number]

/**
 * What had become of a sending at a time. Nothing else compares a start with a time, so whatever else can become of a sending
 * is decided here. It takes the whole row: a view may lack what decides it.
 * @param at milliseconds since 1970
 */
export function statusOfSending({ startsAt, stoppedAt }: PlatformSending, at: number): PlatformStatus {
  if (stoppedAt !== undefined && Date.parse(stoppedAt) <= at) return 'stopped'
  return Date.parse(startsAt) > at ? 'scheduled' : 'sent'
}

/** Whether its recipients have it or get it in time, by its status. */
const reachesRecipients: Readonly<Record<PlatformStatus, boolean>> = {
  sent: true,
  scheduled: true,
  stopped: false,
}

/** A sending of the platform, as far as it says whom it reaches. */
export interface SendingOutcome extends Pick<PlatformSending, 'kind'> {
  readonly status: PlatformStatus
}

/** Whether the recipients of a list have it or get it in time, so that it counts as a mailing. A test sending does not. */
export const goesToList = ({ kind, status }: SendingOutcome): boolean =>
  kind === 'list' && reachesRecipients[status]

/** Whether the recipients of a list have it. */
export const hasGoneToList = ({ kind, status }: SendingOutcome): boolean =>
  kind === 'list' && status === 'sent'

/** How many sendings have each status. */
export function countStatuses(statuses: Iterable<PlatformStatus>): Record<PlatformStatus, number> {
  const counts: Record<PlatformStatus, number> = { sent: 0, scheduled: 0, stopped: 0 }
  for (const status of statuses) counts[status]++
  return counts
}
