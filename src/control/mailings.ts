import { z } from 'zod'
import type { MailingChange } from '../rig/space-events.ts'
import type { SpaceView } from '../rig/space-view.ts'
import { latestVersion, withApproval, withDraft, withEdit } from '../service/mailings.ts'
import { problems } from '../service/problem.ts'
import { formatDateTime } from '../service/response.ts'
import { isReadyForSending } from '../service/synchronizations.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { Mailing, Version } from '../store/rows.ts'
import { pageCount, searchText, wholeNumber } from './requests.ts'
import { type IncomingCall, route, type SpaceCall } from './route.ts'
import { dateTime, document, members } from './schemas.ts'

const versionShape = z
  .strictObject({
    number: z.int().describe('Counts the versions of this mailing'),
    name: z.string(),
    subject: z.string(),
    hasHtml: z.boolean(),
    hasText: z.boolean(),
  })
  .nullable()

const mailingShape = {
  id: z.string(),
  name: z.string().describe('Of the latest version: the draft if there is one'),
  creationDate: dateTime,
  modificationDate: dateTime,
  isApproved: z.boolean(),
  hasDraft: z.boolean(),
  draft: versionShape,
  approved: versionShape,
  synchronizations: z.int().describe('How many hang on it'),
}

const maxSynchronizations = 1_000

const listedMailing = document(mailingShape)

const mailingDocument = document({
  ...mailingShape,
  _embedded: z.strictObject({
    synchronizations: z
      .array(
        z.strictObject({
          id: z.string(),
          customer: z.string(),
          listId: z.int(),
          listName: z.string(),
          readyForSending: z.boolean().describe('As the service tells it'),
          sendings: z.int().describe('In whatever state'),
        }),
      )
      .describe(`Those that came first, ${maxSynchronizations} at most`),
  }),
})

function toListedMailing(call: IncomingCall, { space }: SpaceView, mailing: Mailing) {
  const { id, creationDate, modificationDate, draft, approved } = mailing
  const link = (rest = '') => call.spaceLink(space.name, `/mailings/${id}${rest}`)
  return {
    id,
    name: latestVersion(mailing).name,
    creationDate,
    modificationDate,
    isApproved: approved !== null,
    hasDraft: draft !== null,
    draft: draft && toVersionView(draft),
    approved: approved && toVersionView(approved),
    synchronizations: space.data.tables.synchronizationsOfMailing.count(id),
    _links: {
      self: link(),
      ...(draft ? { approve: link('/approve') } : { draft: link('/draft') }),
      edit: link('/edit'),
      ...(draft && { 'preview-draft': link('/draft') }),
      ...(approved && { 'preview-approved': link('/approved') }),
    },
  }
}

function toMailingDocument(call: IncomingCall, rig: SpaceView, mailing: Mailing) {
  const shown = toListedMailing(call, rig, mailing)
  return {
    ...shown,
    _embedded: { synchronizations: synchronizationsOf(rig, mailing) },
    _links: {
      ...shown._links,
      mailings: call.spaceLink(rig.space.name, '/mailings'),
      space: call.spaceLink(rig.space.name),
    },
  }
}

function synchronizationsOf({ space }: SpaceView, mailing: Mailing) {
  const { synchronizations, synchronizationsOfMailing, sendingsOfSynchronization, lists } = space.data.tables
  const length = Math.min(synchronizationsOfMailing.count(mailing.id), maxSynchronizations)
  return Array.from({ length }, (_, n) => synchronizations.at(synchronizationsOfMailing.nth(mailing.id, n)!))
    .filter(row => unlessRemoved(row))
    .map(({ id, customer, listId }) => {
      const list = lists.get(listId)!
      return {
        id,
        customer,
        listId,
        listName: list.name,
        readyForSending: isReadyForSending(mailing, list),
        sendings: sendingsOfSynchronization.count(id),
      }
    })
}

const toVersionView = ({ number, name, subject, html, text }: Version) => ({
  number,
  name,
  subject,
  hasHtml: html !== '',
  hasText: text !== '',
})

const maxMailings = 1_000

const flag = z.enum(['true', 'false'])

const listQuery = members({
  isApproved: flag.optional().describe('Whether it has an approved version'),
  hasDraft: flag.optional().describe('Whether it has a draft'),
  name: searchText.optional().describe('A part of its name, in capitals or not'),
  after: searchText.optional().describe('Only those behind this one: its ID'),
  limit: wholeNumber(1, maxMailings)
    .prefault('100')
    .describe(`How many at most: 1 to ${maxMailings}, 100 unless given`),
})

function listMailings(call: SpaceCall<z.output<typeof listQuery>>, rig: SpaceView) {
  const { after, limit, isApproved, hasDraft, name } = call.query
  const start = after === undefined ? 0 : positionAfter(rig, after)
  const found = [...rig.space.data.tables.mailings.rows()]
    .slice(start)
    .filter(
      it =>
        it.removedAt === undefined &&
        (isApproved === undefined || String(it.approved !== null) === isApproved) &&
        (hasDraft === undefined || String(it.draft !== null) === hasDraft) &&
        (name === undefined || latestVersion(it).name.toLowerCase().includes(name.toLowerCase())),
    )
  const page = found.slice(0, limit)
  const address = (query: object) => call.spaceLink(rig.space.name, '/mailings', { ...query })
  return {
    count: found.length,
    _embedded: { mailings: page.map(mailing => toListedMailing(call, rig, mailing)) },
    _links: {
      self: address(call.query),
      ...(page.length < found.length && { next: address({ ...call.query, after: page.at(-1)!.id }) }),
      space: call.spaceLink(rig.space.name),
    },
  }
}

/** Position after a mailing. Nothing is ever removed, so positions are stable. @throws Problem 400 */
function positionAfter({ space }: SpaceView, id: string): number {
  const position = space.data.tables.mailings.position(id)
  if (position === undefined) throw problems.field('after', `there is no mailing ${JSON.stringify(id)} here`)
  return position + 1
}

const text = z.string({ error: 'expected text' })

const editShape = {
  name: text.min(1, 'expected at least one character').optional(),
  subject: text.optional(),
  html: text.optional().describe('Placeholders: {{attribute}} or {{attribute|text when unknown}}'),
  text: text.optional(),
}

const also = { 404: 'There is no such space, or no such mailing in it' }

export const mailingRoutes = [
  route('GET /spaces/{space}/mailings', 'listEditorMailings', {
    rel: 'mailings',
    summary: 'The mailings of a space as the editor knows them, in the order in which they came',
    query: listQuery,
    answer: document({ count: pageCount, _embedded: z.strictObject({ mailings: z.array(listedMailing) }) }),
    handle: async call => listMailings(call, await call.rig()),
  }),
  route('GET /spaces/{space}/mailings/{id}', 'getEditorMailing', {
    rel: 'mailing',
    summary: 'One mailing: its versions, and the synchronizations that hang on it',
    answer: mailingDocument,
    also,
    async handle(call) {
      const rig = await call.rig()
      return toMailingDocument(call, rig, findMailing(rig, call.params.id))
    },
  }),
  route('POST /spaces/{space}/mailings/{id}/approve', 'approveMailing', {
    rel: 'approve-mailing',
    summary: 'Approves the draft of a mailing',
    description:
      'From now on it is what sendings take, and its synchronizations are ready for sending. Approval is final for a version: there is no way back.',
    body: members({}),
    example: {},
    answer: mailingDocument,
    also: { ...also, 409: 'It has no draft' },
    handle: call =>
      applyChange(call, 'approved', (mailing, at) => {
        const after = withApproval(mailing, at)
        if (after) return after
        throw problems.notPossibleHere(
          `Mailing ${mailing.id} has no draft: its version ${mailing.approved!.number} is approved already; POST to its draft or edit makes the next one`,
        )
      }),
  }),
  route('POST /spaces/{space}/mailings/{id}/draft', 'draftMailing', {
    rel: 'draft-mailing',
    summary: 'Makes a new draft of a mailing, from its approved version',
    description: 'What is left out is as in the approved version, which stays in force untouched.',
    body: members(editShape),
    example: { name: 'Spring letter, second try', subject: 'Spring is here' },
    answer: mailingDocument,
    also: { ...also, 409: 'It has a draft' },
    handle: call =>
      applyChange(call, 'drafted', (mailing, at) => {
        const after = withDraft(mailing, call.body, at)
        if (after) return after
        throw problems.notPossibleHere(
          `Mailing ${mailing.id} has a draft already, version ${mailing.draft!.number}; POST to its edit changes it, POST to its approve approves it`,
        )
      }),
  }),
  route('POST /spaces/{space}/mailings/{id}/edit', 'editMailing', {
    rel: 'edit-mailing',
    summary: 'Renames a mailing, or changes its subject or content',
    description:
      'In its draft; of a mailing that has none a new one is made from the approved version. What is left out stays as it is.',
    body: members(editShape).refine(
      body => Object.keys(body).length > 0,
      `expected at least one of ${Object.keys(editShape).join(', ')}`,
    ),
    example: { name: 'Spring letter' },
    answer: mailingDocument,
    also,
    handle: call => applyChange(call, 'edited', (mailing, at) => withEdit(mailing, call.body, at)),
  }),
  route('DELETE /spaces/{space}/mailings/{id}', 'deleteMailing', {
    summary: 'Deletes a mailing, as a person does in the editor',
    description:
      'It is 404 from now on. Its synchronizations stay and are not ready for sending. A sending that was accepted before goes on. Only a reset brings the mailing back.',
    also,
    async handle(call) {
      await applyChange(call, 'deleted', (mailing, at) => ({ ...mailing, removedAt: at }))
    },
  }),
]

/**
 * Saves a change of a mailing and emits an event. Due work is done before: the platform sends the version that was
 * approved at that time. Nothing is awaited between reading and saving.
 */
async function applyChange(
  call: IncomingCall<{ readonly space: string; readonly id: string }>,
  what: MailingChange['what'],
  change: (mailing: Mailing, at: string) => Mailing,
) {
  const rig = await call.upToDateRig()
  const after = change(findMailing(rig, call.params.id), formatDateTime(call.changesAt))
  const { data } = rig.space
  data.save({ mailings: [after] })
  await data.durable
  const shown = toMailingDocument(call, rig, after)
  const { id, name, isApproved, hasDraft } = shown
  rig.events.emitMailing({ what, id, name, isApproved, hasDraft })
  return shown
}

/** @throws Problem 404 */
function findMailing({ space }: SpaceView, id: string): Mailing {
  const mailing = unlessRemoved(space.data.tables.mailings.get(id))
  if (mailing) return mailing
  throw problems.notFound(
    `mailing ${JSON.stringify(id.slice(0, 60))} in space "${space.name}"; GET …/mailings lists those there are`,
  )
}
