import type { Tables } from '../store/content.ts'
import type { Mailing, Version } from '../store/rows.ts'
import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import { collection, hal, item, resource } from './hal.ts'
import type { Links } from './links.ts'
import type { Input } from './operations.ts'
import { ordered, page, pageLinks, pathAndQuery, position } from './paging.ts'
import { problems } from './problem.ts'

/** The version that an editor shows first: the draft if there is one. */
export const latestVersion = (mailing: Mailing): Version => (mailing.draft ?? mailing.approved)!

/** @throws Problem 404 */
export function mailingOf(tables: Tables, id: string): Mailing {
  const mailing = tables.mailings.get(id)
  if (!mailing) throw problems.notFound(`mailing ${id}`)
  return mailing
}

const fields = (mailing: Mailing) => ({
  id: mailing.id,
  name: latestVersion(mailing).name,
  creationDate: mailing.creationDate,
  modificationDate: mailing.modificationDate,
  isApproved: mailing.approved !== null,
  hasDraft: mailing.draft !== null,
})

const rels = (links: Links, { id }: Mailing) => ({
  self: links.mailing(id),
  [links.rel('mailing-editor')]: links.mailingEditor(id),
})

/** Spec 2.1, as an item of the collection. */
const mailingItem = (links: Links, mailing: Mailing) => item(fields(mailing), rels(links, mailing))

/** Spec 2.1, alone: the ID and links only, unless the dial gives it all fields. */
const singleMailing = (links: Links, mailing: Mailing) =>
  resource(
    links,
    links.dials['single-mailing'] === 'as-listed' ? fields(mailing) : { id: mailing.id },
    rels(links, mailing),
  )

/** Spec 4.12: by modificationDate, latest first. */
export function listMailings(c: ServiceContext, input: Input<'listMailings'>): Answer {
  const { space, links } = c.env
  const { mailings } = space.data.tables
  const target = pathAndQuery(c)
  const follows = [mailings, mailings.revision]
  const known = links.keptCollection(target, follows)
  if (known) return hal(known)
  const at = position(c, 'mailings', input.query)
  const { isApproved, hasDraft } = at.query
  const ids = at.query.id && new Set(at.query.id)
  const { rows, next } = page(
    c,
    'mailings',
    at,
    ordered(mailings, 'modificationDate', mailing => mailing.modificationDate, -1),
    mailing =>
      (isApproved === undefined || (mailing.approved !== null) === isApproved) &&
      (hasDraft === undefined || (mailing.draft !== null) === hasDraft) &&
      (!ids || ids.has(mailing.id)),
  )
  const bytes = collection(
    links,
    'mailings',
    rows.map(row => links.kept(mailingItem, row)),
    pageLinks(c, next),
  )
  // A cursor expires: whoever comes with it, or is given one, is answered anew.
  if (input.query.cursor === undefined && next === undefined) links.keepCollection(target, follows, bytes)
  return hal(bytes)
}

/** Spec 4.13. */
export function getMailing(c: ServiceContext): Answer {
  const { space, links } = c.env
  return hal(links.kept(singleMailing, mailingOf(space.data.tables, c.req.param('id')!)))
}
