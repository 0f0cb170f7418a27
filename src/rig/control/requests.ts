import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { problems } from '../../service/problem.ts'
import { awaitEntries } from '../awaited-entries.ts'
import { matches } from '../entry-filter.ts'
import { EntryReader } from '../entry-reader.ts'
import { entryShape } from '../entry-shape.ts'
import { JournalView } from '../entry-view.ts'
import { explain } from '../explain/explain.ts'
import { explanationShape } from '../explain/explanation-shape.ts'
import type { Entry } from '../journal.ts'
import type { SpaceRig } from '../space-rig.ts'
import { listQuery, numberOf, waitQuery } from './requests-query.ts'
import { type Incoming, route } from './route.ts'
import { document, link } from './shapes.ts'

const request = entryShape.extend({ _links: z.record(z.string(), link) })
const requests = z.strictObject({ requests: z.array(request) })
const noSpace = { 404: 'There is no such space' }

const completeness = {
  dropped: z
    .int()
    .nonnegative()
    .describe('Requests that had to make room, since the beginning or since all were removed on purpose'),
  complete: z.boolean().describe('Whether everything is here that came in the range that was asked for'),
}

type InSpace<Query = unknown> = Incoming<{ readonly space: string }, Query>

export const requestRoutes = [
  route({
    id: 'listRequests',
    method: 'GET',
    path: '/spaces/{space}/requests',
    rel: 'requests',
    summary: 'What was asked in a space, and what was answered',
    description:
      'Also requests whose answer has not left. All filters that are given must hold. They compare for equality, or for a prefix where a star ends it; there are no regular expressions.',
    query: listQuery,
    answer: document({
      count: z
        .int()
        .nonnegative()
        .describe('How many match from where the page begins, those beyond its limit included'),
      ...completeness,
      _embedded: requests,
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
      _embedded: requests,
    }),
    also: noSpace,
    handle: async call => awaited(call, await call.rig()),
  }),
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
      const reader = readerOf(call)
      const view = new JournalView(rig, reader)
      return {
        ...view.entry(entry),
        explanation: explain(entry, { rig, reader, effects: view.effects, twin: view.twin(entry.asked.id) }),
        _links: {
          self: requestLink(call, rig, entry.asked.id),
          requests: call.spaceLink(rig.space.name, '/requests'),
          platform: call.spaceLink(rig.space.name, '/platform'),
        },
      }
    },
  }),
]

/** The rig, with everything on record that the platform has done by now. */
export async function settledRig(call: InSpace): Promise<SpaceRig> {
  const rig = await call.rig()
  await rig.settle()
  return rig
}

export const readerOf = ({ tools }: Incoming) => new EntryReader(tools.names.platformSegment)

/** @throws Problem 404 */
function entryOf({ journal }: SpaceRig, id: string): Entry {
  const entry = journal.find(id)
  if (entry) return entry
  const last = journal.entries().at(-1)?.asked.id
  const there = last === undefined ? 'none is on record' : `the last one on record is ${last}`
  const gone = journal.dropped > 0 ? `; ${journal.dropped} had to make room` : ''
  throw problems.notFound(`request "${id.slice(0, 60)}" here: ${there}${gone}`)
}

function listed(call: InSpace<z.output<typeof listQuery>>, rig: SpaceRig) {
  const { since, before, limit, order, ...filter } = call.query
  const { journal } = rig
  const first = since === undefined ? 0 : numberOf(journal, 'since', since)
  const last = before === undefined ? Number.POSITIVE_INFINITY : numberOf(journal, 'before', before)
  const reader = readerOf(call)
  const found = journal
    .entries()
    .filter(entry => entry.number > first && entry.number < last && matches(entry, filter, reader))
  if (order === 'newest') found.reverse()
  const page = found.slice(0, limit)
  const view = new JournalView(rig, reader)
  const self = address(call, rig, call.query)
  const end = page.at(-1)
  const rest = order === 'newest' ? { before: end?.number } : { since: end?.number }
  const isCut = page.length < found.length
  return {
    count: found.length,
    dropped: journal.dropped,
    complete: journal.isComplete(first),
    _embedded: { requests: page.map(entry => shown(call, rig, view, entry)) },
    _links: {
      self,
      ...(isCut && { next: address(call, rig, { ...call.query, ...rest }) }),
      space: call.spaceLink(rig.space.name),
    },
  }
}

async function awaited(call: InSpace<z.output<typeof waitQuery>>, rig: SpaceRig) {
  const { count, timeout, state, since: given, ...filter } = call.query
  const { journal } = rig
  const since = given === undefined ? 0 : numberOf(journal, 'since', given)
  const reader = readerOf(call)
  const over = new AbortController()
  const timer = pause(timeout, undefined, { signal: over.signal }).catch(() => {})
  const { isMet, entries } = await awaitEntries(
    journal,
    reader,
    { filter, count, state, since },
    Promise.race([timer, call.left]),
  )
  over.abort()
  if (!journal.hasEnded) await rig.settle()
  const view = new JournalView(rig, reader)
  const last = entries.at(-1)
  return {
    met: isMet,
    ended: isMet ? ('met' as const) : journal.hasEnded ? ('reset' as const) : ('timeout' as const),
    count: entries.length,
    dropped: journal.dropped,
    complete: journal.isComplete(since),
    _embedded: { requests: entries.map(entry => shown(call, rig, view, entry)) },
    _links: {
      self: call.spaceLink(rig.space.name, '/requests/wait'),
      requests: call.spaceLink(rig.space.name, '/requests'),
      ...(last && { later: call.spaceLink(rig.space.name, `/requests?since=${last.number}`) }),
    },
  }
}

const shown = (call: Incoming, rig: SpaceRig, view: JournalView, entry: Entry) => ({
  ...view.entry(entry),
  _links: { self: requestLink(call, rig, entry.asked.id) },
})

const requestLink = (call: Incoming, rig: SpaceRig, id: string) =>
  call.spaceLink(rig.space.name, `/requests/${encodeURIComponent(id)}`)

function address(
  call: Incoming,
  rig: SpaceRig,
  query: Readonly<Record<string, string | number | undefined>>,
) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return call.spaceLink(rig.space.name, `/requests?${new URLSearchParams(given)}`)
}
