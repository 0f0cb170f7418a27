import type { SpaceRig } from '../../rig/space-rig.ts'
import type { Sending } from '../../store/rows.ts'

/** Something that a space's clock will come to. */
export interface DueItem {
  readonly key: string
  /** Milliseconds since 1970, on the space's clock. */
  readonly at: number
  readonly words: string
  readonly sendingId?: string
}

const mostShown = 20

/** What the clock of a space comes to next, the next one first: so many, and how many more there are. */
export function dueOf(rig: SpaceRig): { readonly items: readonly DueItem[]; readonly more: number } {
  const now = rig.clock.now()
  const { sendings, platformSendings } = rig.space.data.tables
  const items: DueItem[] = rig.clock.due.map((at, n) => ({
    key: `wait-${n}`,
    at,
    words: 'a delayed answer goes on',
  }))
  // Only what this space has made itself: what it began with is over.
  for (const { row } of sendings.changes()) {
    const change = nextChange(row)
    if (change && change.at > now) items.push(change)
    const sent = row.platformSendingId === null ? undefined : platformSendings.get(row.platformSendingId)
    const start = sent && Date.parse(sent.startsAt)
    if (start !== undefined && start > now)
      items.push({
        key: `start-${row.id}`,
        at: start,
        words: `sending ${nameOf(row)} starts`,
        sendingId: row.id,
      })
  }
  items.sort((a, b) => a.at - b.at)
  return { items: items.slice(0, mostShown), more: Math.max(0, items.length - mostShown) }
}

/** The end of a state that lasts for a while. */
function nextChange(sending: Sending): DueItem | undefined {
  const { id, plan, step, stepSince } = sending
  const lasts = plan[step]?.for
  const next = plan[step + 1]
  if (lasts === undefined || !next) return undefined
  return {
    key: `state-${id}`,
    at: Date.parse(stepSince) + lasts,
    words: `sending ${nameOf(sending)} becomes ${next.state}`,
    sendingId: id,
  }
}

const nameOf = ({ id, transactionId }: Sending) => transactionId ?? id.slice(0, 8)
