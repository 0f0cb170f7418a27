import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { duration } from '../rig/duration.ts'
import type { ReadableJournal } from '../rig/journal.ts'
import { JournalView } from '../rig/journal-view.ts'
import type { RecordReader } from '../rig/record-reader.ts'
import type { RejectedLogin } from '../rig/rejected-logins.ts'
import { type RequestRecord, type RequestRecordView, traceIdOf } from '../rig/request-record.ts'
import { delivery, requestRecordSchema } from '../rig/request-record-schema.ts'
import type { RigView } from '../rig/space-view.ts'
import { operationIds } from '../service/operations.ts'
import { problems } from '../service/problem.ts'
import { atOnce } from '../store/turns.ts'
import { explain, explanationShape } from './explain/explain.ts'
import { each } from './outgoing.ts'
import { route, type SpaceCall, textAnswer, textFormat } from './route.ts'
import { document, link, members } from './schemas.ts'
import { requestsText, requestText } from './text.ts'
import type { ControlTools } from './tools.ts'

const embeddedRequests = z.strictObject({
  requests: z.array(requestRecordSchema.extend({ _links: z.record(z.string(), link) })),
})

export const pageCount = z
  .int()
  .nonnegative()
  .describe('How many match from where the page begins, those beyond its limit included')

const completeness = {
  dropped: z
    .int()
    .nonnegative()
    .describe('Requests dropped to make room, since the beginning or since all were removed on purpose'),
  complete: z.boolean().describe('Whether everything is here that came in the range that was asked for'),
  madeRoom: z
    .literal(true)
    .optional()
    .describe(
      'Only where the private space made room for others before: what came until then is not on record',
    ),
}

const madeRoom = ({ hasLostRecord }: RigView) => (hasLostRecord ? { madeRoom: true as const } : {})

const toRequestDocument = (call: SpaceCall, view: JournalView, entry: RequestRecord) => ({
  ...view.view(entry),
  _links: call.spaceLinks(requestPath(entry.id)),
})

const requestPath = (id: string) => `/requests/${encodeURIComponent(id)}`

const maxRequests = 1_000

export const wholeNumber = (least: number, greatest: number) => {
  const expected = `expected a whole number from ${least} to ${greatest}`
  return z
    .string()
    .regex(/^\d{1,9}$/, expected)
    .transform(Number)
    .refine(given => given >= least && given <= greatest, expected)
}

export const searchText = z.string().min(1).max(200)

const position = z
  .string()
  .regex(
    /^(?:\d{1,9}|r\d{1,12}-\d{1,12})$/,
    'expected a number of a request, such as 12, or its id, such as r0-12',
  )

const filters = {
  operation: z.enum(operationIds).optional(),
  status: z
    .string()
    .regex(/^[1-5](?:\d\d|xx)$/, 'expected a status such as 201, or a class of them such as 5xx')
    .optional()
    .describe(
      'Of a response that left whole: 201, or a class such as 5xx. One that was withheld or cut has none',
    ),
  transactionId: searchText
    .optional()
    .describe('That a sending was to be created with; a star at the end makes it a prefix'),
  synchronizationId: searchText.optional(),
  delivered: delivery.optional(),
  scenario: searchText
    .optional()
    .describe(
      'Name of the scenario, or ID of the one-shot fault, that fired; a star at the end makes it a prefix',
    ),
  traceId: z
    .string()
    .regex(/^[0-9a-f]{32}$/, 'expected 32 hexadecimal digits')
    .optional()
    .describe('ID of the trace in the header traceparent (W3C Trace Context)'),
  since: position.optional().describe('Only requests after this one: its number or id'),
}

export const listQuery = members({
  ...filters,
  before: position.optional().describe('Only requests before this one: its number or id'),
  limit: wholeNumber(1, maxRequests)
    .prefault('100')
    .describe(`How many at most: 1 to ${maxRequests}, 100 unless given`),
  order: z.enum(['oldest', 'newest']).default('oldest').describe('Which come first'),
  ...textFormat.shape,
})

const maxWait = 60_000

const waitQuery = members({
  ...filters,
  count: wholeNumber(1, maxRequests)
    .prefault('1')
    .describe(`For how many: 1 to ${maxRequests}, 1 unless given`),
  timeout: duration
    .prefault('5s')
    .refine(length => length <= maxWait, 'expected a duration of at most 60s')
    .describe('For how long, in real time: at most 60s, 5s unless given'),
  state: z
    .enum(['closed', 'opened'])
    .default('closed')
    .describe('Whether they must have ended, or need only have come'),
})

/** All given parts must match. Equality and prefix only. */
interface RecordFilter extends Omit<z.output<z.ZodObject<typeof filters>>, 'since'> {
  /** For a person who searches. Programs count with a filter, and IDs that differ in case are different ones. */
  readonly ignoresCase?: boolean
}

/** Whether a record matches the filter. Cheap checks come first. */
function matchesFilter(record: RequestRecord, filter: RecordFilter, reader: RecordReader): boolean {
  const { operation, status, transactionId, synchronizationId, delivered, scenario, traceId } = filter
  if (traceId !== undefined && traceIdOf(record) !== traceId) return false
  if (delivered !== undefined && record.delivered !== delivered) return false
  const matches = (seen: string | undefined, wanted: string | undefined) =>
    wanted === undefined || (seen !== undefined && matchesText(seen, wanted, filter.ignoresCase))
  if (!matches(record.decision?.scenario, scenario)) return false
  if (status !== undefined && !hasStatus(record, status)) return false
  if (operation !== undefined && reader.operation(record) !== operation) return false
  if (synchronizationId !== undefined && reader.synchronizationId(record) !== synchronizationId) return false
  return transactionId === undefined || matches(reader.transactionId(record), transactionId)
}

function hasStatus({ response, delivered }: RequestRecord, wanted: string): boolean {
  // A client has no status if the answer was withheld, cut, or has not been sent yet.
  if (!response || delivered !== 'handed') return false
  const seen = String(response.status)
  return wanted.endsWith('xx') ? seen[0] === wanted[0] : seen === wanted
}

/** Whether a text is the wanted one, or has the beginning that stands before its `*`. */
export function matchesText(seen: string, wanted: string, ignoresCase = false): boolean {
  if (ignoresCase) return matchesText(seen.toLowerCase(), wanted.toLowerCase())
  return wanted.endsWith('*') ? seen.startsWith(wanted.slice(0, -1)) : seen === wanted
}

/** The number that a position stands for. @throws Problem 400 for an ID that is not recorded */
function requestNumber(journal: ReadableJournal, field: 'since' | 'before', position: string): number {
  if (/^\d/.test(position)) return Number(position)
  const entry = journal.find(position)
  if (entry) return entry.number
  throw problems.field(
    field,
    `there is no request ${position} here, or it was dropped to make room; its number is possible even then`,
  )
}

export type ListQuery = z.output<typeof listQuery>

/** A page of matching requests. @throws Problem 400 for the ID of a request that is not recorded */
export function findRequests(
  { journal, reader }: RigView,
  query: ListQuery & { ignoresCase?: boolean; isWanted?: (record: RequestRecord) => boolean },
) {
  const { ignoresCase, isWanted, ...asked } = query
  const { since, before, limit, order, format: _, ...filter } = query
  const first = since === undefined ? 0 : requestNumber(journal, 'since', since)
  const last = before === undefined ? Number.POSITIVE_INFINITY : requestNumber(journal, 'before', before)
  const found = journal
    .entries()
    .filter(
      entry =>
        entry.number > first &&
        entry.number < last &&
        matchesFilter(entry, filter, reader) &&
        (isWanted?.(entry) ?? true),
    )
  if (order === 'newest') found.reverse()
  const page = found.slice(0, limit)
  const end = page.at(-1)
  const rest = order === 'newest' ? { before: end?.number } : { since: end?.number }
  return {
    /** Number of matches from the start of the page, including those beyond its limit. */
    count: found.length,
    page,
    /** The query of the next page; undefined on the last page. */
    next: page.length < found.length ? { ...asked, ...rest } : undefined,
    /** Whether no request of the requested range was dropped. */
    isComplete: journal.isComplete(first),
  }
}

/** @throws Problem 404 for a request that is not, or no longer, recorded; one that was refused is found in `rigs` */
export function findRequest(rig: RigView, id: string, { rigs }: Pick<ControlTools, 'rigs'>): RequestRecord {
  const { journal } = rig
  const entry = journal.find(id)
  if (entry) return entry
  const ids = journal.entries().map(it => it.id)
  const there = ids.length === 0 ? 'none is on record' : `those on record run from ${ids[0]} to ${ids.at(-1)}`
  const gone = journal.dropped > 0 ? `; ${journal.dropped} dropped to make room` : ''
  const before = rig.isBeforeRecord(id)
    ? '; it came before a restart, which keeps sendings and no requests'
    : ''
  const refused = rigs.rejectedLogins.latest.find(it => it.id === id)
  const why = refused
    ? `it had ${describeRejectedLogin(refused)}. The page of all spaces lists such requests`
    : `${there}${gone}${before}`
  throw problems.notFound(`request "${id.slice(0, 60)}" here: ${why}`)
}

/** What was wrong with the credentials of a request, and where it is on record. A space that is not open has no record. */
function describeRejectedLogin({ account, recordId }: RejectedLogin): string {
  if (!account) return 'credentials of no known user, so it belongs to no space'
  const where = recordId === undefined ? 'which was not open yet' : `where it is ${recordId}`
  return `a wrong password for space ${account.spaceName}, ${where}`
}

/** Maximum number of waits in one space: each request is held against all of them. */
const maxWaits = 100
const tooManyWaits = `${maxWaits} calls wait for requests in this space already, and no more are allowed; let some of them end first`

/**
 * Waits for requests of clients, in constant time for each. A second delivery of `deliver: twice` does not count.
 * @throws Problem 503 when as many wait already as may
 */
async function awaitRequests(call: SpaceCall<z.output<typeof waitQuery>>, rig: RigView) {
  const { count, timeout, state, since: given, ...filter } = call.query
  const { journal, reader } = rig
  if (journal.waiting >= maxWaits) throw problems.noRoom(tooManyWaits)
  await reader.prepare(journal.entries())
  let hasLeft = false
  const left = call.left.then(() => {
    hasLeft = true
  })
  const since = given === undefined ? 0 : requestNumber(journal, 'since', given)
  // Those that the journal has dropped meanwhile count, too.
  const found = new Set<RequestRecord>()
  const look = (record: RequestRecord): void => {
    if (record.number <= since || record.twinOf !== undefined) return
    if (state === 'closed' && !record.ended) return
    if (matchesFilter(record, filter, reader)) found.add(record)
  }
  const over = new AbortController()
  const timer = pause(timeout, undefined, { signal: over.signal }).catch(() => {})
  const isMet = await journal.waitUntil(
    changed => {
      if (changed) look(changed)
      else for (const record of journal.entries()) look(record)
      return found.size >= count
    },
    Promise.race([timer, left]),
  )
  over.abort()
  // Many waits may end together, and each answer reads the whole journal.
  await call.tools.outgoing.turns.next()
  if (hasLeft) return undefined
  if (!journal.hasEnded) await rig.advancePlatform()
  const entries = [...found].sort((a, b) => a.number - b.number)
  const view = new JournalView(rig)
  const last = entries.at(-1)
  return {
    met: isMet,
    ended: isMet ? ('met' as const) : journal.hasEnded ? ('reset' as const) : ('timeout' as const),
    count: entries.length,
    dropped: journal.dropped,
    complete: journal.isComplete(since),
    ...madeRoom(rig),
    _embedded: { requests: each(entries, entry => toRequestDocument(call, view, entry)) },
    _links: {
      ...call.spaceLinks('/requests/wait', 'requests'),
      ...(last && { later: call.spaceLink(rig.space.name, `/requests?since=${last.number}`) }),
    },
  }
}

export const requestRoutes = [
  route('GET /spaces/{space}/requests', 'listRequests', {
    rel: 'requests',
    summary: 'What was asked in a space, and what was answered',
    description:
      'Also requests whose response has not left. All filters that are given must hold. They compare for equality, or for a prefix where a star ends it; there are no regular expressions. `status` is that of responses that left whole; what was only meant for a client is found by `delivered`.',
    query: listQuery,
    answer: document({ count: pageCount, ...completeness, _embedded: embeddedRequests }),
    text: true,
    handle: async call => listRequests(call, await call.upToDateRig()),
  }),
  route('DELETE /spaces/{space}/requests', 'clearRequests', {
    summary: 'Removes the requests that are on record',
    description:
      'What they brought about stays, and so do the counts of scenarios. Later requests are numbered on.',
    async handle(call) {
      const rig = await call.rig()
      rig.journal.clear()
    },
  }),
  route('GET /spaces/{space}/requests/wait', 'awaitRequests', {
    rel: 'requests-wait',
    summary: 'Waits for a number of matching requests',
    description:
      'Requests that are on record already count; `since` leaves them out. The second delivery that `deliver: twice` makes does not count. The response is 200 in any case: `met` tells whether they have come, and the requests that did are in it, so that one sees what came instead.',
    query: waitQuery,
    answer: document({
      met: z.boolean(),
      ended: z
        .enum(['met', 'timeout', 'reset'])
        .describe('Why the wait is over; reset: the space started again'),
      count: z.int().nonnegative().describe('How many have come'),
      ...completeness,
      _embedded: embeddedRequests,
    }),
    handle: async call => awaitRequests(call, await call.rig()),
  }),
  route('GET /spaces/{space}/requests/{id}', 'getRequest', {
    rel: 'request',
    summary: 'One request, and its response explained',
    description: 'Why it was this response, what truly happened, and what would have changed it.',
    query: members(textFormat.shape),
    answer: document({ ...requestRecordSchema.shape, explanation: explanationShape }),
    text: true,
    also: { 404: 'There is no such space, or no such request on record in it' },
    async handle(call) {
      const rig = await call.upToDateRig()
      const entry = findRequest(rig, call.params.id, call.tools)
      const view = new JournalView(rig)
      const explanation = explain(entry, rig, view)
      if (call.wantsText) return textAnswer(requestText(rig, view.view(entry), explanation))
      return {
        ...view.view(entry),
        explanation,
        _links: call.spaceLinks(requestPath(entry.id), 'requests', 'platform'),
      }
    },
  }),
]

async function listRequests(call: SpaceCall<ListQuery>, rig: RigView) {
  await rig.reader.prepare(rig.journal.entries())
  const { count, page, next, isComplete } = findRequests(rig, call.query)
  const view = new JournalView(rig)
  const address = (query: object) => call.spaceLink(rig.space.name, '/requests', { ...query })
  if (call.wantsText) {
    const views: RequestRecordView[] = []
    for (const entry of page) {
      if (views.length % atOnce === atOnce - 1) await call.tools.outgoing.turns.next()
      views.push(view.view(entry))
    }
    return textAnswer(requestsText(rig, { count, views, next: next && address(next).href }))
  }
  return {
    count,
    dropped: rig.journal.dropped,
    ...madeRoom(rig),
    complete: isComplete,
    _embedded: { requests: each(page, entry => toRequestDocument(call, view, entry)) },
    _links: {
      self: address(call.query),
      ...(next && { next: address(next) }),
      space: call.spaceLink(rig.space.name),
    },
  }
}
