import { z } from 'zod'
import type { Tables } from '../store/content.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { Mailing, Version } from '../store/rows.ts'
import { documented, specified } from './claim.ts'
import { operation } from './operation.ts'
import { pageAnswer, pageParameters, pageQuery, renderRows, takePage, walkByValue } from './paging.ts'
import { problems } from './problem.ts'
import { booleanText, mailingIdList } from './request-input.ts'
import { collection, dateTime, member, membersWhen, pageLink, resource, selfLink, uuid } from './resource.ts'
import { halAnswer } from './response.ts'

/** The version that an editor shows first: the draft if there is one. */
export const latestVersion = (mailing: Mailing): Version => (mailing.draft ?? mailing.approved)!

/** @throws Problem 404 */
export function findMailing(tables: Tables, id: string): Mailing {
  const mailing = unlessRemoved(tables.mailings.get(id))
  if (!mailing) throw problems.notFound(`mailing ${id}`)
  return mailing
}

const { id: mailingId, ...listedMembers } = {
  id: member(uuid, 'A mailing has its ID as a string.', { further: ['2.1 single'] }),
  name: member(z.string(), 'An item of the mailings has the name of the mailing.'),
  creationDate: member(dateTime, 'An item of the mailings has the date-time of its creation.'),
  modificationDate: member(dateTime, 'An item of the mailings has the date-time of its last change.'),
  isApproved: member(z.boolean(), 'isApproved is true exactly when an approved version exists.'),
  hasDraft: member(z.boolean(), 'hasDraft is true exactly when a draft version exists.'),
}

export const mailingItemForm = resource<[Mailing]>()({
  name: 'MailingItem',
  section: '2.1',
  members: { id: mailingId, ...listedMembers },
  values: (_, mailing) => ({
    ...mailing,
    name: latestVersion(mailing).name,
    isApproved: mailing.approved !== null,
    hasDraft: mailing.draft !== null,
  }),
  links: {
    self: selfLink((links, { id }) => links.mailing(id)),
    'mailing-editor': pageLink('A mailing links to the editor that opens it.', (links, { id }) =>
      links.mailingEditor(id),
    ),
  },
  linksSay: 'An item of the mailings links to itself and to its editor.',
})

/** Alone it has only the ID and links, unless the dial adds all members. */
export const mailingForm = resource<[Mailing]>()({
  ...mailingItemForm,
  name: 'Mailing',
  members: { id: mailingId, ...membersWhen(dials => dials['single-mailing'] === 'as-listed', listedMembers) },
  hasCuries: true,
  claims: [documented('2.1 single', 'A single mailing has its ID and links, and no other field.')],
})

export const mailingCollection = collection('4.12', 'mailings', mailingItemForm)

const mailingsQuery = z
  .object({
    isApproved: booleanText.optional(),
    hasDraft: booleanText.optional(),
    id: mailingIdList
      .refine(ids => ids.length <= 50, {
        error: ({ input }) => `expected at most 50 IDs, got ${(input as string[]).length}`,
      })
      .meta({ wire: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 50 } })
      .optional(),
    ...pageQuery.shape,
  })
  .refine(({ isApproved, hasDraft }) => !(isApproved === false && hasDraft === false), {
    path: [],
    error:
      'hasDraft=false and isApproved=false exclude each other: every mailing has a draft, an approved version or both',
  })

/** By modificationDate, latest first. */
export const listMailings = operation({
  method: 'GET',
  path: '/mailings',
  tag: 'Mailings',
  summary: 'List the mailings',
  claim: specified('4.12', 'GET answers 200 with the mailings embedded as svc:mailings and a self link.'),
  answers: [
    {
      status: 200,
      cites: ['4.12', specified('4.12 sort order', 'The mailing that changed last comes first.')],
      shows: mailingCollection,
    },
  ],
  parameters: {
    isApproved: [
      specified('4.12 isApproved', 'isApproved keeps the mailings with, or without, an approved version.'),
      '4.12 both false',
    ],
    hasDraft: [
      specified('4.12 hasDraft', 'hasDraft keeps the mailings with, or without, a draft version.'),
      '4.12 both false',
    ],
    id: [
      specified('4.12 id', 'id keeps the mailings it names, up to 50 separated by commas.'),
      '8 IDs in the id filter',
      'S too many IDs',
    ],
    ...pageParameters(specified('4.12 pageSize', 'pageSize bounds a page, and is 1000 when not given.')),
  },
  query: mailingsQuery,
  isPageSizeGranted: true,
  claims: [specified('4.12 both false', 'hasDraft and isApproved must not both be false.'), 'S versions'],
  handle(c, { query }) {
    const { space, target, rendered } = c.env
    const { mailings } = space.data.tables
    const follows = [mailings, mailings.revision]
    const kept = rendered.collection(target, follows)
    if (kept) return halAnswer(kept)
    const walk = walkByValue(mailings, 'modificationDate', mailing => mailing.modificationDate, -1)
    const filter = ({ isApproved, hasDraft, id }: typeof query) => {
      const ids = id && new Set(id)
      return (mailing: Mailing) =>
        mailing.removedAt === undefined &&
        (isApproved === undefined || (mailing.approved !== null) === isApproved) &&
        (hasDraft === undefined || (mailing.draft !== null) === hasDraft) &&
        (!ids || ids.has(mailing.id))
    }
    const { rows, next } = takePage(c, 'mailings', query, walk, filter)
    const items = renderRows(rows, row => rendered.resource(mailingItemForm, row))
    const answer = pageAnswer(c, mailingCollection, items, next)
    // A cursor expires, so answers with a cursor in the request or in a link are not kept.
    if (query.cursor === undefined && next === undefined)
      rendered.keepCollection(target, follows, answer.body as Buffer)
    return answer
  },
})

export const getMailing = operation({
  method: 'GET',
  path: '/mailings/:id',
  tag: 'Mailings',
  summary: 'Retrieve a mailing',
  claim: specified('4.13', 'GET on a mailing answers 200 with it.'),
  parameters: { id: [specified('4.13 id', 'The path names the mailing by its ID.')] },
  answers: [{ status: 200, cites: ['4.13', '2.1 single'], shows: mailingForm }],
  handle(c) {
    const { space, rendered } = c.env
    return halAnswer(rendered.resource(mailingForm, findMailing(space.data.tables, c.req.param('id')!)))
  },
})

/**
 * The versions of an editor mailing: a new one starts as a draft, approval is final for a version, and
 * editing an approved mailing makes a new draft beside it (documented beyond the spec). The service has no
 * operation for it; a person does it in the editor. The functions return new rows.
 */

/** What a person changes in the editor. Absent members stay as they are. */
export type Edit = { readonly [Member in 'name' | 'subject' | 'html' | 'text']?: string | undefined }

/** The mailing with its draft as the approved version. Undefined without a draft. @param at date-time of the approval */
export function withApproval(mailing: Mailing, at: string): Mailing | undefined {
  const { draft, approved, earlier = [] } = mailing
  if (!draft) return undefined
  return {
    ...mailing,
    modificationDate: at,
    draft: null,
    approved: draft,
    ...(approved && { earlier: [...earlier, { number: approved.number, size: sizeOf(approved) }] }),
  }
}

/** The mailing with a new draft of that time, made from the approved version. Undefined if there is a draft already. */
export function withDraft(mailing: Mailing, edit: Edit, at: string): Mailing | undefined {
  const { draft, approved } = mailing
  if (draft || !approved) return undefined
  const next = { ...applyEdit(approved, edit), number: approved.number + 1 }
  return { ...mailing, modificationDate: at, draft: next }
}

/** The mailing after an edit of its draft, or of a new draft if it has none. @param at date-time of the edit */
export function withEdit(mailing: Mailing, edit: Edit, at: string): Mailing {
  const { draft } = mailing
  if (!draft) return withDraft(mailing, edit, at)!
  return { ...mailing, modificationDate: at, draft: applyEdit(draft, edit) }
}

/**
 * Size in bytes of HTML and text of a version that is or was approved. A fixture may have sendings of versions that it
 * does not contain. The oldest known version stands for them, so that later approvals do not change their figures.
 */
export function approvedSize({ approved, earlier = [] }: Mailing, number: number): number {
  if (approved?.number === number) return sizeOf(approved)
  const known = earlier.find(version => version.number === number) ?? earlier[0]
  return known?.size ?? (approved ? sizeOf(approved) : 0)
}

const sizeOf = ({ html, text }: Version): number => Buffer.byteLength(html) + Buffer.byteLength(text)

const applyEdit = (version: Version, { name, subject, html, text }: Edit): Version => ({
  number: version.number,
  name: name ?? version.name,
  subject: subject ?? version.subject,
  html: html ?? version.html,
  text: text ?? version.text,
})
