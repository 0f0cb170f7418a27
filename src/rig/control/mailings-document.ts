import { z } from 'zod'
import { latestVersion } from '../../service/mailings.ts'
import type { Mailing, Synchronization, Version } from '../../store/rows.ts'
import type { SpaceRig } from '../space-rig.ts'
import type { Incoming } from './route.ts'
import { dateTime, document } from './shapes.ts'

/** A mailing as the editor knows it. */

const version = z
  .strictObject({
    number: z.int().describe('Counts the versions of this mailing'),
    name: z.string(),
    subject: z.string(),
    hasHtml: z.boolean(),
    hasText: z.boolean(),
  })
  .nullable()

const shape = {
  id: z.string(),
  name: z.string().describe('Of the latest version: the draft if there is one'),
  creationDate: dateTime,
  modificationDate: dateTime,
  isApproved: z.boolean(),
  hasDraft: z.boolean(),
  draft: version,
  approved: version,
  synchronizations: z.int().describe('How many hang on it'),
}

/** So many synchronizations of one mailing are shown. */
const mostSynchronizations = 1_000

export const listedMailing = document(shape)

export const mailingDocument = document({
  ...shape,
  _embedded: z.strictObject({
    synchronizations: z
      .array(
        z.strictObject({
          id: z.string(),
          customer: z.string(),
          listId: z.int(),
          listName: z.string(),
          readyForSending: z
            .boolean()
            .describe('As the service tells it: the mailing has an approved version'),
          sendings: z.int().describe('In whatever state'),
        }),
      )
      .describe(`Those that came first, ${mostSynchronizations} at most`),
  }),
})

const pathOf = ({ id }: Mailing) => `/mailings/${id}`

export function shownListed(
  call: Incoming,
  { space }: SpaceRig,
  mailing: Mailing,
): z.input<typeof listedMailing> {
  const { id, creationDate, modificationDate, draft, approved } = mailing
  const link = (rest = '') => call.spaceLink(space.name, pathOf(mailing) + rest)
  return {
    id,
    name: latestVersion(mailing).name,
    creationDate,
    modificationDate,
    isApproved: approved !== null,
    hasDraft: draft !== null,
    draft: draft && shownVersion(draft),
    approved: approved && shownVersion(approved),
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

export function shownMailing(
  call: Incoming,
  rig: SpaceRig,
  mailing: Mailing,
): z.input<typeof mailingDocument> {
  const shown = shownListed(call, rig, mailing)
  return {
    ...shown,
    _embedded: { synchronizations: [...synchronizationsOf(rig, mailing)] },
    _links: {
      ...shown._links,
      mailings: call.spaceLink(rig.space.name, '/mailings'),
      space: call.spaceLink(rig.space.name),
    },
  }
}

function* synchronizationsOf({ space }: SpaceRig, { id, approved }: Mailing) {
  const { synchronizations, synchronizationsOfMailing, sendingsOfSynchronization, lists } = space.data.tables
  const count = Math.min(synchronizationsOfMailing.count(id), mostSynchronizations)
  for (let n = 0; n < count; n++) {
    const row: Synchronization = synchronizations.at(synchronizationsOfMailing.nth(id, n)!)
    yield {
      id: row.id,
      customer: row.customer,
      listId: row.listId,
      listName: lists.get(row.listId)!.name,
      readyForSending: approved !== null,
      sendings: sendingsOfSynchronization.count(row.id),
    }
  }
}

const shownVersion = ({ number, name, subject, html, text }: Version) => ({
  number,
  name,
  subject,
  hasHtml: html !== '',
  hasText: text !== '',
})
