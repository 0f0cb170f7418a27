import { z } from 'zod'
import { latestVersion } from '../../service/mailings.ts'
import { problems } from '../../service/problem.ts'
import type { Mailing } from '../../store/rows.ts'
import type { SpaceRig } from '../space-rig.ts'
import { listedMailing, shownListed } from './mailings-document.ts'
import { wholeNumber } from './requests-query.ts'
import { type Incoming, route } from './route.ts'
import { document, members } from './shapes.ts'

/** Longest page. */
const most = 1_000

const flag = z.enum(['true', 'false'])
const given = z.string().min(1).max(200)

const listQuery = members({
  isApproved: flag.optional().describe('Whether it has an approved version'),
  hasDraft: flag.optional().describe('Whether it has a draft'),
  name: given.optional().describe('A part of its name, in capitals or not'),
  after: given.optional().describe('Only those behind this one: its ID'),
  limit: wholeNumber(1, most).prefault('100').describe(`How many at most: 1 to ${most}, 100 unless given`),
})

/** The mailings of a space, page by page. */
export const listRoute = route({
  id: 'listEditorMailings',
  method: 'GET',
  path: '/spaces/{space}/mailings',
  rel: 'mailings',
  summary: 'The mailings of a space as the editor knows them, in the order in which they came',
  query: listQuery,
  answer: document({
    count: z
      .int()
      .nonnegative()
      .describe('How many match from where the page begins, those beyond its limit included'),
    _embedded: z.strictObject({ mailings: z.array(listedMailing) }),
  }),
  also: { 404: 'There is no such space' },
  handle: async call => listed(call, await call.rig()),
})

type ListCall = Incoming<{ readonly space: string }, z.output<typeof listQuery>>

function listed(call: ListCall, rig: SpaceRig) {
  const { after, limit, ...filter } = call.query
  const { mailings } = rig.space.data.tables
  const start = after === undefined ? 0 : behind(rig, after)
  const page: Mailing[] = []
  let count = 0
  for (let position = start; position < mailings.size; position++) {
    const mailing = mailings.at(position)
    if (!matches(mailing, filter)) continue
    count++
    if (page.length < limit) page.push(mailing)
  }
  const address = (query: object) => call.spaceLink(rig.space.name, '/mailings', { ...query })
  return {
    count,
    _embedded: { mailings: page.map(mailing => shownListed(call, rig, mailing)) },
    _links: {
      self: address(call.query),
      ...(page.length < count && { next: address({ ...call.query, after: page.at(-1)!.id }) }),
      space: call.spaceLink(rig.space.name),
    },
  }
}

/** Where the page behind a mailing begins; nothing is ever removed, so a position stands. @throws Problem 400 */
function behind({ space }: SpaceRig, id: string): number {
  const position = space.data.tables.mailings.position(id)
  if (position === undefined) throw problems.field('after', `there is no mailing ${JSON.stringify(id)} here`)
  return position + 1
}

type Filter = Pick<z.output<typeof listQuery>, 'isApproved' | 'hasDraft' | 'name'>

const matches = (mailing: Mailing, { isApproved, hasDraft, name }: Filter): boolean =>
  (isApproved === undefined || String(mailing.approved !== null) === isApproved) &&
  (hasDraft === undefined || String(mailing.draft !== null) === hasDraft) &&
  (name === undefined || latestVersion(mailing).name.toLowerCase().includes(name.toLowerCase()))
