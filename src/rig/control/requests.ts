import { z } from 'zod'
import { entryShape } from '../entry-shape.ts'
import { JournalView } from '../entry-view.ts'
import { explain } from '../explain/explain.ts'
import { explanationShape } from '../explain/explanation-shape.ts'
import type { SpaceRig } from '../space-rig.ts'
import {
  completeness,
  embeddedRequests,
  type InSpace,
  noSpace,
  requestLink,
  settledRig,
  shownEntry,
} from './request-documents.ts'
import { entryOf, foundRequests, type ListQuery } from './requests-found.ts'
import { listQuery } from './requests-query.ts'
import { waitRoutes } from './requests-wait.ts'
import { route } from './route.ts'
import { document } from './shapes.ts'

export const requestRoutes = [
  route({
    id: 'listRequests',
    method: 'GET',
    path: '/spaces/{space}/requests',
    rel: 'requests',
    summary: 'What was asked in a space, and what was answered',
    description:
      'Also requests whose answer has not left. All filters that are given must hold. They compare for equality, or for a prefix where a star ends it; there are no regular expressions. `status` is that of answers that left whole; what was only meant for a client is found by `delivered`.',
    query: listQuery,
    answer: document({
      count: z
        .int()
        .nonnegative()
        .describe('How many match from where the page begins, those beyond its limit included'),
      ...completeness,
      _embedded: embeddedRequests,
    }),
    also: noSpace,
    handle: async call => listed(call, await settledRig(call)),
  }),
  route({
    id: 'clearRequests',
    method: 'DELETE',
    path: '/spaces/{space}/requests',
    summary: 'Removes the requests that are on record',
    description:
      'What they brought about stays, and so do the counts of scenarios. Later requests are numbered on.',
    also: noSpace,
    async handle(call) {
      const rig = await call.rig()
      rig.journal.clear()
      return undefined
    },
  }),
  ...waitRoutes,
  route({
    id: 'getRequest',
    method: 'GET',
    path: '/spaces/{space}/requests/{id}',
    rel: 'request',
    summary: 'One request, and its answer explained',
    description: 'Why it was this answer, what truly happened, and what would have changed it.',
    answer: document({ ...entryShape.shape, explanation: explanationShape }),
    also: { 404: 'There is no such space, or no such request on record in it' },
    async handle(call) {
      const rig = await settledRig(call)
      const entry = entryOf(rig, call.params.id)
      const view = new JournalView(rig)
      return {
        ...view.entry(entry),
        explanation: explain(entry, { rig, effects: view.effects, twin: view.twin(entry.id) }),
        _links: {
          self: requestLink(call, rig, entry.id),
          requests: call.spaceLink(rig.space.name, '/requests'),
          platform: call.spaceLink(rig.space.name, '/platform'),
        },
      }
    },
  }),
]

function listed(call: InSpace<ListQuery>, rig: SpaceRig) {
  const { count, page, next, isComplete } = foundRequests(rig, call.query)
  const view = new JournalView(rig)
  const address = (query: object) => call.spaceLink(rig.space.name, '/requests', { ...query })
  return {
    count,
    dropped: rig.journal.dropped,
    complete: isComplete,
    _embedded: { requests: page.map(entry => shownEntry(call, rig, view, entry)) },
    _links: {
      self: address(call.query),
      ...(next && { next: address(next) }),
      space: call.spaceLink(rig.space.name),
    },
  }
}
