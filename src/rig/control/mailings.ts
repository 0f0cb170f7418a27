import { z } from 'zod'
import { latestVersion } from '../../service/mailings.ts'
import { problems } from '../../service/problem.ts'
import { instant } from '../../service/time.ts'
import { withApproval, withDraft, withEdit } from '../../service/versions.ts'
import type { Mailing } from '../../store/rows.ts'
import type { MailingChange } from '../events.ts'
import type { SpaceRig } from '../space-rig.ts'
import { mailingDocument, shownMailing } from './mailings-document.ts'
import { listRoute } from './mailings-list.ts'
import { settledRig } from './request-documents.ts'
import { type Incoming, route } from './route.ts'
import { members } from './shapes.ts'

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
  listRoute,
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
