import { z } from 'zod'
import type { Entry } from '../entry.ts'
import { entryShape } from '../entry-shape.ts'
import type { JournalView } from '../entry-view.ts'
import type { SpaceRig } from '../space-rig.ts'
import type { Incoming } from './route.ts'
import { link } from './shapes.ts'

/** What documents about requests have in common. */

export const embeddedRequests = z.strictObject({
  requests: z.array(entryShape.extend({ _links: z.record(z.string(), link) })),
})

export const completeness = {
  dropped: z
    .int()
    .nonnegative()
    .describe('Requests that had to make room, since the beginning or since all were removed on purpose'),
  complete: z.boolean().describe('Whether everything is here that came in the range that was asked for'),
}

export const noSpace = { 404: 'There is no such space' }

export type InSpace<Query = unknown> = Incoming<{ readonly space: string }, Query>

/** The rig, with everything on record that the platform has done by now. @throws Problem 404 */
export async function settledRig(call: InSpace): Promise<SpaceRig> {
  const rig = await call.rig()
  await rig.settle()
  return rig
}

export const shownEntry = (call: Incoming, rig: SpaceRig, view: JournalView, entry: Entry) => ({
  ...view.entry(entry),
  _links: { self: requestLink(call, rig, entry.id) },
})

export const requestLink = (call: Incoming, rig: SpaceRig, id: string) =>
  call.spaceLink(rig.space.name, `/requests/${encodeURIComponent(id)}`)
