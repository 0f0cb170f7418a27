import type { Tables } from '../store/content.ts'
import type { List, Mailing, Synchronization } from '../store/rows.ts'
import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import { isPermitted } from './customers.ts'
import { collection, hal, item, resource } from './hal.ts'
import type { Links } from './links.ts'
import { latestVersion } from './mailings.ts'
import type { Input } from './operations.ts'
import { chronological, ordered, page, pageLinks, position, seal, unseal, type Walk } from './paging.ts'
import { problems } from './problem.ts'
import { instant, later } from './time.ts'

/** @throws Problem 404 */
export function synchronizationOf(c: ServiceContext): Synchronization {
  const id = c.req.param('syncId')!
  const synchronization = c.env.space.data.tables.synchronizations.get(id)
  if (!synchronization) throw problems.notFound(`mailing synchronization ${id}`)
  return synchronization
}

/** The rows that a synchronization ties together; the store's references are checked when it is loaded. */
export const tied = (tables: Tables, synchronization: Synchronization) =>
  [
    synchronization,
    tables.mailings.get(synchronization.mailingId)!,
    tables.lists.get(synchronization.listId)!,
  ] as const

/** Spec 2.2. What the mailing shows here changes with the mailing, so its modification counts as well. */
const fields = (synchronization: Synchronization, mailing: Mailing, list: List) => ({
  id: synchronization.id,
  creationDate: synchronization.creationDate,
  modificationDate: later(synchronization.modificationDate, mailing.modificationDate),
  mailingId: mailing.id,
  mailingName: latestVersion(mailing).name,
  approvedMailingName: mailing.approved?.name ?? null,
  readyForSending: mailing.approved !== null,
  mailingHasDraft: mailing.draft !== null,
  mailingIsApproved: mailing.approved !== null,
  target: { customer: synchronization.customer, listId: list.id, listName: list.name },
  mailingUploadsModificationDate: synchronization.mailingUploadsModificationDate,
  sendingsModificationDate: synchronization.sendingsModificationDate,
})

/**
 * A link is there when what it leads to is: versions that exist, and an upload once there is one (assumed). The dial
 * makes them stay.
 */
function rels(links: Links, { id, mailingUploadsModificationDate }: Synchronization, mailing: Mailing) {
  const stay = links.dials['links-to-nothing'] === 'present'
  const preview = (version: 'draft' | 'approved') =>
    mailing[version] || stay ? links.mailingPreviewPage(mailing.id, version) : null
  return {
    self: links.synchronization(id),
    [links.rel('mailing-editor')]: links.mailingEditor(mailing.id),
    [links.rel('mailing-preview-draft')]: preview('draft'),
    [links.rel('mailing-preview-approved')]: preview('approved'),
    [links.rel('sendings')]: links.sendings(id),
    [links.rel('mailing-uploads')]:
      mailingUploadsModificationDate || stay ? links.mailingUpload(id, 'latest') : null,
  }
}

const single = (links: Links, synchronization: Synchronization, mailing: Mailing, list: List) =>
  resource(links, fields(synchronization, mailing, list), rels(links, synchronization, mailing))
const listed = (links: Links, synchronization: Synchronization, mailing: Mailing, list: List) =>
  item(fields(synchronization, mailing, list), rels(links, synchronization, mailing))

/** Spec 4.5. */
export function getMailingSynchronization(c: ServiceContext): Answer {
  const { space, links } = c.env
  return hal(links.kept(single, ...tied(space.data.tables, synchronizationOf(c))))
}

const collectionName = 'mailing-synchronizations'

/** Spec 4.6 names it; filters, order and incremental synchronization are documented beyond the spec. */
export function listMailingSynchronizations(
  c: ServiceContext,
  input: Input<'listMailingSynchronizations'>,
): Answer {
  const { space, links } = c.env
  const { tables } = space.data
  // What is modified while a client reads the pages must be in the next round: the token dates from the first page.
  const fresh = { ...input.query, until: space.data.seq, since: sinceOf(c, input.query.syncToken) }
  const at = position(c, collectionName, fresh)
  const { query } = at
  const mailingIds = query.mailingId && new Set(query.mailingId)
  const { rows, next } = page(c, collectionName, at, walkOf(c, query), synchronization => {
    const mailing = tables.mailings.get(synchronization.mailingId)!
    return (
      (!mailingIds || mailingIds.has(mailing.id)) &&
      (query.readyForSending === undefined || (mailing.approved !== null) === query.readyForSending) &&
      (query.mailingIsApproved === undefined || (mailing.approved !== null) === query.mailingIsApproved) &&
      (query.mailingHasDraft === undefined || (mailing.draft !== null) === query.mailingHasDraft) &&
      (query.since === undefined ||
        tables.synchronizations.sequence(synchronization) > query.since ||
        tables.mailings.sequence(mailing) > query.since)
    )
  })
  const upcoming =
    query.syncModifications && next === undefined
      ? links.at(
          `${c.req.path}?syncToken=${seal(space, collectionName, { since: query.until }, 'syncToken')}&syncModifications=true`,
        )
      : null
  const items = rows.map(row => links.kept(listed, ...tied(tables, row)))
  return hal(
    collection(links, collectionName, items, {
      ...pageLinks(c, next),
      [links.rel('upcoming-modifications')]: upcoming,
    }),
  )
}

function sinceOf(c: ServiceContext, token: string | undefined): number | undefined {
  return token === undefined
    ? undefined
    : unseal<{ since: number }>(c, collectionName, token, 'syncToken').since
}

function walkOf(
  c: ServiceContext,
  { sortBy, order }: Pick<Input<'listMailingSynchronizations'>['query'], 'sortBy' | 'order'>,
): Walk<Synchronization> {
  const { synchronizations, mailings } = c.env.space.data.tables
  if (!sortBy && !order) return chronological(c, synchronizations.size, n => synchronizations.at(n))
  const mailing = (row: Synchronization) => mailings.get(row.mailingId)!
  const orderValue = {
    creationDate: (row: Synchronization) => row.creationDate,
    modificationDate: (row: Synchronization) => later(row.modificationDate, mailing(row).modificationDate),
    mailingName: (row: Synchronization) => latestVersion(mailing(row)).name,
  }[sortBy ?? 'creationDate']
  return ordered(
    synchronizations,
    sortBy ?? 'creationDate',
    orderValue,
    order === 'desc' ? -1 : 1,
    mailings.revision,
  )
}

/** Creates a synchronization: of a new mailing, an existing one, or a copy of one (documented beyond the spec). */
export async function createMailingSynchronization(
  c: ServiceContext,
  { body }: Input<'createMailingSynchronization'>,
): Promise<Answer> {
  const { space, links, dials } = c.env
  const { tables } = space.data
  if (!tables.customers.get(body.customer))
    throw problems.field('customer', `"${body.customer}" is none of the accessible customers`)
  const list = tables.lists.get(body.listId)
  if (list?.customer !== body.customer)
    throw problems.field('listId', `there is no list ${body.listId} of customer "${body.customer}"`)
  if (!isPermitted(tables, list)) throw problems.listNotPermitted(list.id, list.customer)
  const known = (field: 'mailingId' | 'templateMailingId') => {
    const id = body[field]
    if (id === undefined) return undefined
    const mailing = tables.mailings.get(id)
    if (!mailing) throw problems.field(field, `there is no mailing ${id}`)
    return mailing
  }
  const existing = known('mailingId')
  const template = known('templateMailingId')

  const now = instant(space.clock.now())
  const mailing = existing ?? newMailing(c, body.mailingName ?? 'New Mailing', template, now)
  const synchronization: Synchronization = {
    id: space.chance.uuid('synchronization', space.data.age),
    creationDate: now,
    modificationDate: now,
    mailingId: mailing.id,
    customer: list.customer,
    listId: list.id,
    mailingUploadsModificationDate: null,
    sendingsModificationDate: null,
  }
  await space.data.save({ ...(!existing && { mailings: [mailing] }), synchronizations: [synchronization] })
  const document = links.kept(single, synchronization, mailing, list)
  if (dials['created-synchronization-status'] === '200') return hal(document)
  return hal(document, 201, links.synchronization(synchronization.id))
}

/** A new mailing starts as a draft: empty, or with the content of the template's latest version. */
function newMailing(c: ServiceContext, name: string, template: Mailing | undefined, now: string): Mailing {
  const { space } = c.env
  const content = template ? latestVersion(template) : { subject: '', html: '', text: '' }
  const { subject, html, text } = content
  return {
    id: space.chance.uuid('mailing', space.data.age),
    creationDate: now,
    modificationDate: now,
    draft: { number: 1, name, subject, html, text },
    approved: null,
  }
}
