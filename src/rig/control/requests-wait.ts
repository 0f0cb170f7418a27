import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { awaitEntries } from '../awaited-entries.ts'
import { JournalView } from '../entry-view.ts'
import type { SpaceRig } from '../space-rig.ts'
import { completeness, embeddedRequests, type InSpace, noSpace, shownEntry } from './request-documents.ts'
import { numberOf, waitQuery } from './requests-query.ts'
import { route } from './route.ts'
import { document } from './shapes.ts'

export const waitRoutes = [
  route({
    id: 'awaitRequests',
    method: 'GET',
    path: '/spaces/{space}/requests/wait',
    rel: 'requests-wait',
    summary: 'Waits until so many matching requests have come',
    description:
      'Requests that are on record already count; `since` leaves them out. The second delivery that `deliver: twice` makes does not count. The answer is 200 in any case: `met` tells whether they have come, and the requests that did are in it, so that one sees what came instead.',
    query: waitQuery,
    answer: document({
      met: z.boolean(),
      ended: z
        .enum(['met', 'timeout', 'reset'])
        .describe('Why the wait is over; reset: the space began anew'),
      count: z.int().nonnegative().describe('How many have come'),
      ...completeness,
      _embedded: embeddedRequests,
    }),
    also: noSpace,
    handle: async call => awaited(call, await call.rig()),
  }),
]

async function awaited(call: InSpace<z.output<typeof waitQuery>>, rig: SpaceRig) {
  const { count, timeout, state, since: given, ...filter } = call.query
  const { journal } = rig
  const since = given === undefined ? 0 : numberOf(journal, 'since', given)
  const over = new AbortController()
  const timer = pause(timeout, undefined, { signal: over.signal }).catch(() => {})
  const { isMet, entries } = await awaitEntries(
    journal,
    rig.reader,
    { filter, count, state, since },
    Promise.race([timer, call.left]),
  )
  over.abort()
  if (!journal.hasEnded) await rig.settle()
  const view = new JournalView(rig)
  const last = entries.at(-1)
  return {
    met: isMet,
    ended: isMet ? ('met' as const) : journal.hasEnded ? ('reset' as const) : ('timeout' as const),
    count: entries.length,
    dropped: journal.dropped,
    complete: journal.isComplete(since),
    _embedded: { requests: entries.map(entry => shownEntry(call, rig, view, entry)) },
    _links: {
      self: call.spaceLink(rig.space.name, '/requests/wait'),
      requests: call.spaceLink(rig.space.name, '/requests'),
      ...(last && { later: call.spaceLink(rig.space.name, `/requests?since=${last.number}`) }),
    },
  }
}
