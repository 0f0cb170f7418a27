import type { Entry, Kept } from '../../rig/entry.ts'
import { jsonOf, toldState } from '../../rig/entry-reader.ts'
import { sendingsMade } from '../../rig/sendings-made.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { type ReadStep, type Sending, wholeMoment } from './lanes.ts'

/** Requests that look what has become of sendings, by the sending that they are about. */
export function readsOf(
  rig: SpaceRig,
  sendings: readonly Sending[],
): ReadonlyMap<Sending, readonly ReadStep[]> {
  const found = new Map<Sending, ReadStep[]>(sendings.map(it => [it, []]))
  const byCause = new Map(
    sendings.flatMap(it => it.attempts.map(({ requestId }) => [requestId, it] as const)),
  )
  const made = new Map(sendingsMade(rig).map(it => [it.id, byCause.get(it.cause)]))
  const { reader } = rig
  for (const entry of rig.journal.entries()) {
    const operation = reader.operation(entry)
    if (operation !== 'getSending' && operation !== 'listSendings') continue
    const isList = operation === 'listSendings'
    const sending = isList
      ? latestBefore(entry, reader.synchronizationId(entry), sendings)
      : made.get(sendingIdIn(entry.target))
    if (sending) found.get(sending)!.push(readStep(entry, isList, sending))
  }
  return found
}

const sendingIdIn = (target: string) => /\/sendings\/([^/?]+)/.exec(target)?.[1] ?? ''

/** Who lists sendings wants to know of the one that was asked for last. */
function latestBefore(
  { arrived }: Entry,
  synchronizationId: string | undefined,
  sendings: readonly Sending[],
): Sending | undefined {
  let latest: Sending | undefined
  let latestAt = Number.NEGATIVE_INFINITY
  for (const sending of sendings) {
    if (sending.synchronizationId !== synchronizationId) continue
    const at = sending.attempts.findLast(it => Date.parse(it.arrived.real) <= arrived.real)?.arrived.real
    if (at === undefined || Date.parse(at) < latestAt) continue
    latest = sending
    latestAt = Date.parse(at)
  }
  return latest
}

function readStep(entry: Entry, isList: boolean, { transactionIds }: Sending): ReadStep {
  const { id, arrived, told, delivered } = entry
  const ends = entry.left ?? entry.ended
  return {
    what: 'read',
    id: `read-${id}`,
    requestId: id,
    begins: wholeMoment(arrived),
    ends: ends && wholeMoment(ends),
    isList,
    status: told?.status,
    state: told && (isList ? listedState(told, transactionIds) : toldState(told)),
    delivered,
  }
}

/** The state of the last transaction of a sending that a collection tells. */
function listedState(kept: Kept, transactionIds: Sending['transactionIds']): string | undefined {
  const embedded = jsonOf(kept)?._embedded
  if (typeof embedded !== 'object' || embedded === null) return undefined
  const rows: unknown[] = Object.values(embedded).flat()
  const states = new Map<unknown, unknown>()
  for (const row of rows)
    if (typeof row === 'object' && row !== null && 'transactionId' in row && 'state' in row)
      states.set(row.transactionId, row.state)
  const state = transactionIds.map(id => states.get(id)).findLast(it => it !== undefined)
  return typeof state === 'string' ? state : undefined
}
