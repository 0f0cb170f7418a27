import { z } from 'zod'
import { latestVersion } from '../../service/mailings.ts'
import { problems } from '../../service/problem.ts'
import { instant } from '../../service/time.ts'
import { withApproval, withDraft, withEdit } from '../../service/versions.ts'
import type { Mailing } from '../../store/rows.ts'
import type { MailingChange } from '../events.ts'
import type { SpaceRig } from '../space-rig.ts'
import { listedMailing, mailingDocument, shownListed, shownMailing } from './mailings-document.ts'
import { settledRig } from './request-documents.ts'
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

const text = z.string({ error: 'expected text' })

/** What a person writes in the editor. */
const edit = {
  name: text.min(1, 'expected at least one character').optional(),
  subject: text.optional(),
  html: text.optional().describe('Placeholders: {{attribute}} or {{attribute|text when unknown}}'),
  text: text.optional(),
}

const also = { 404: 'There is no such space, or no such mailing in it' }

export const mailingRoutes = [
  route({
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
  }),
  route({
    id: 'getEditorMailing',
    method: 'GET',
    path: '/spaces/{space}/mailings/{id}',
    rel: 'mailing',
    summary: 'One mailing: its versions, and the synchronizations that hang on it',
    answer: mailingDocument,
    also,
    async handle(call) {
      const rig = await call.rig()
      return shownMailing(call, rig, mailingOf(rig, call.params.id))
    },
  }),
  route({
    id: 'approveMailing',
    method: 'POST',
    path: '/spaces/{space}/mailings/{id}/approve',
    rel: 'approve-mailing',
    summary: 'Approves the draft of a mailing',
    description:
      'From now on it is what sendings take, and its synchronizations are ready for sending. Approval is final for a version: there is no way back.',
    body: members({}),
    example: {},
    answer: mailingDocument,
    also: { ...also, 409: 'It has no draft' },
    async handle(call) {
      return changed(call, await settledRig(call), 'approved', (mailing, at) => {
        const after = withApproval(mailing, at)
        if (after) return after
        throw problems.notPossibleHere(
          `Mailing ${mailing.id} has no draft: its version ${mailing.approved!.number} is approved already; POST to its draft or edit makes the next one`,
        )
      })
    },
  }),
  route({
    id: 'draftMailing',
    method: 'POST',
    path: '/spaces/{space}/mailings/{id}/draft',
    rel: 'draft-mailing',
    summary: 'Makes a new draft of a mailing, from its approved version',
    description: 'What is left out is as in the approved version, which stays in force untouched.',
    body: members(edit),
    example: { name: 'Spring letter, second try', subject: 'Spring is here' },
    answer: mailingDocument,
    also: { ...also, 409: 'It has a draft' },
    async handle(call) {
      return changed(call, await settledRig(call), 'drafted', (mailing, at) => {
        const after = withDraft(mailing, call.body, at)
        if (after) return after
        throw problems.notPossibleHere(
          `Mailing ${mailing.id} has a draft already, version ${mailing.draft!.number}; POST to its edit changes it, POST to its approve approves it`,
        )
      })
    },
  }),
  route({
    id: 'editMailing',
    method: 'POST',
    path: '/spaces/{space}/mailings/{id}/edit',
    rel: 'edit-mailing',
    summary: 'Renames a mailing, or changes its subject or content',
    description:
      'In its draft; of a mailing that has none a new one is made from the approved version. What is left out stays as it is.',
    body: members(edit).refine(
      body => Object.keys(body).length > 0,
      `expected at least one of ${Object.keys(edit).join(', ')}`,
    ),
    example: { name: 'Spring letter' },
    answer: mailingDocument,
    also,
    async handle(call) {
      return changed(call, await settledRig(call), 'edited', (mailing, at) =>
        withEdit(mailing, call.body, at),
      )
    },
  }),
]

type OfMailing = Incoming<{ readonly space: string; readonly id: string }>

/**
 * Puts on record what a person does with a mailing, and tells of it. What is due by now was done before: what the
 * platform has sent is the version that was approved then. Nothing is awaited between looking and saving.
 */
async function changed(
  call: OfMailing,
  rig: SpaceRig,
  what: MailingChange['what'],
  change: (mailing: Mailing, at: string) => Mailing,
) {
  const after = change(mailingOf(rig, call.params.id), instant(rig.clock.now()))
  await rig.space.data.save({ mailings: [after] })
  const { id, draft, approved } = after
  rig.events.mailing({
    what,
    id,
    name: latestVersion(after).name,
    isApproved: approved !== null,
    hasDraft: draft !== null,
  })
  return shownMailing(call, rig, after)
}

/** @throws Problem 404 */
function mailingOf({ space }: SpaceRig, id: string): Mailing {
  const mailing = space.data.tables.mailings.get(id)
  if (mailing) return mailing
  throw problems.notFound(
    `mailing ${JSON.stringify(id.slice(0, 60))} in space "${space.name}"; GET …/mailings lists those there are`,
  )
}

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
  return {
    count,
    _embedded: { mailings: page.map(mailing => shownListed(call, rig, mailing)) },
    _links: {
      self: address(call, rig, call.query),
      ...(page.length < count && { next: address(call, rig, { ...call.query, after: page.at(-1)!.id }) }),
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

function address(
  call: Incoming,
  rig: SpaceRig,
  query: Readonly<Record<string, string | number | undefined>>,
) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return call.spaceLink(rig.space.name, `/mailings?${new URLSearchParams(given)}`)
}
