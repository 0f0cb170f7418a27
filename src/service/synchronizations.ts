import { z } from 'zod'
import type { Tables } from '../store/content.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { List, Mailing, Synchronization } from '../store/rows.ts'
import { assumed, documented, houseStyle, specified } from './claim.ts'
import { isPermitted } from './customers.ts'
import type { DialValues } from './dials.ts'
import { latestVersion } from './mailings.ts'
import { operation, type ServiceContext, synchronizationsPath, withSlash } from './operation.ts'
import {
  pageAnswer,
  pageParameters,
  pageQuery,
  renderRows,
  seal,
  takePage,
  unseal,
  type Walk,
  walkByCreation,
  walkByValue,
} from './paging.ts'
import { problems } from './problem.ts'
import { booleanText, listNumber, mailingIdList, requestPath } from './request-input.ts'
import {
  collection,
  dateTime,
  group,
  link,
  member,
  numericId,
  pageLink,
  resource,
  selfLink,
  uuid,
} from './resource.ts'
import { formatDateTime, halAnswer, laterOf } from './response.ts'

/** @throws Problem 404 */
export function findSynchronization(c: ServiceContext): Synchronization {
  const id = c.req.param('syncId')!
  const synchronization = c.env.space.data.tables.synchronizations.get(id)
  if (synchronization?.removedAt !== undefined || !synchronization)
    throw problems.notFound(`mailing synchronization ${id}`)
  return synchronization
}

/** The rows that a synchronization connects. They exist: the store checks references when it loads. */
export const joinRows = (tables: Tables, synchronization: Synchronization) =>
  [
    synchronization,
    tables.mailings.get(synchronization.mailingId)!,
    tables.lists.get(synchronization.listId)!,
  ] as const

/** @throws Problem 409 that names the mailing or the list if it was deleted */
export function refuseWithoutParts(
  { lists, hasRemovedLists }: Tables,
  { id, listId }: Synchronization,
  mailing: Mailing,
): void {
  if (mailing.removedAt !== undefined) throw problems.withoutPart(id, `mailing ${mailing.id}`)
  if (hasRemovedLists && !unlessRemoved(lists.get(listId))) throw problems.withoutPart(id, `list ${listId}`)
}

export const isReadyForSending = (mailing: Mailing, list: List): boolean =>
  mailing.approved !== null && mailing.removedAt === undefined && list.removedAt === undefined

type Parts = [synchronization: Synchronization, mailing: Mailing, list: List]

const previewLink = (version: 'draft' | 'approved') => {
  const dial = `${version}-preview-link` as const
  const words = version === 'draft' ? 'draft' : 'approved version'
  return pageLink<Parts>(
    `A synchronization links to the preview of its ${words}.`,
    (links, _, mailing) => links.mailingPreviewPage(mailing.id, version),
    {
      isThere: (dials, _, mailing) => mailing[version] !== null || dials[dial] === 'always',
      isOptional: dials => dials[dial] !== 'always',
      further: [
        assumed(
          `S ${version} preview link`,
          `The link to the preview of the ${words} is there only while the version exists.`,
        ),
      ],
    },
  )
}

/** The date-time of the last change that counts (assumed). It shows members of the mailing, so that one counts as well. */
function modifiedAt(dials: DialValues, synchronization: Synchronization, mailing: Mailing): string {
  const { modificationDate: own, sendingsModificationDate, mailingUploadsModificationDate } = synchronization
  const by = dials['synchronization-modified-by']
  if (by === 'own') return own
  const withMailing = laterOf(own, mailing.modificationDate)
  if (by === 'mailing') return withMailing
  return laterOf(withMailing, laterOf(sendingsModificationDate ?? own, mailingUploadsModificationDate ?? own))
}

/** approvedMailingName without an approved version, by the dial. */
const approvedNames = {
  null: { value: null, schema: z.string().nullable() },
  absent: { value: undefined, schema: z.string().optional() },
  empty: { value: '', schema: z.string() },
} as const

export const synchronizationForm = resource<Parts>()({
  name: 'MailingSynchronization',
  kind: 'synchronization',
  section: '2.2',
  members: {
    id: member(uuid, 'A synchronization has its ID as a string.'),
    creationDate: member(dateTime, 'A synchronization has the date-time of its creation.'),
    modificationDate: member(dateTime, 'A synchronization has the date-time of its last change.', {
      further: assumed({
        'S synchronization modificationDate':
          'Changes of the mailing move modificationDate; sendings and mailing-uploads move dates of their own.',
      }),
    }),
    mailingId: member(uuid, 'A synchronization names its editor mailing by ID.'),
    mailingName: member(z.string(), 'mailingName is the name of the latest version.'),
    approvedMailingName: member(
      z.string().nullish(),
      'approvedMailingName is the name of the approved version.',
      {
        further: [assumed('S unapproved name', 'Without an approved version approvedMailingName is null.')],
        byDials: (_, dials) => approvedNames[dials['approved-name-of-draft']].schema,
      },
    ),
    readyForSending: member(
      z.boolean(),
      'readyForSending tells whether a sending can be created, which takes an approved version.',
    ),
    mailingHasDraft: member(z.boolean(), 'mailingHasDraft tells whether a draft version exists.'),
    mailingIsApproved: member(z.boolean(), 'mailingIsApproved tells whether an approved version exists.'),
    target: group(
      {
        customer: member(z.string(), 'target.customer is the alias of the platform customer.'),
        listId: member(numericId, 'target.listId is the ID of the target list, a number.'),
        listName: member(z.string(), 'target.listName is the name of that list.'),
      },
      'target is an object that says where the mailing goes.',
    ),
    mailingUploadsModificationDate: member(
      dateTime.nullable(),
      'Null until the first mailing-upload, then the date-time of the latest change to one.',
    ),
    sendingsModificationDate: member(
      dateTime.nullable(),
      'Null until the first sending, then the date-time the latest was created.',
    ),
  },
  values: (dials, synchronization, mailing, list) => ({
    id: synchronization.id,
    creationDate: synchronization.creationDate,
    modificationDate: modifiedAt(dials, synchronization, mailing),
    mailingId: mailing.id,
    mailingName: latestVersion(mailing).name,
    approvedMailingName: mailing.approved
      ? mailing.approved.name
      : approvedNames[dials['approved-name-of-draft']].value,
    readyForSending: isReadyForSending(mailing, list),
    mailingHasDraft: mailing.draft !== null,
    mailingIsApproved: mailing.approved !== null,
    target: { customer: synchronization.customer, listId: list.id, listName: list.name },
    mailingUploadsModificationDate: synchronization.mailingUploadsModificationDate,
    sendingsModificationDate: synchronization.sendingsModificationDate,
  }),
  links: {
    self: selfLink(
      (links, { id }) => links.synchronization(id),
      'The self link leads to the synchronization.',
    ),
    'mailing-editor': pageLink('A synchronization links to the editor of its mailing.', (links, _, { id }) =>
      links.mailingEditor(id),
    ),
    'mailing-preview-draft': previewLink('draft'),
    'mailing-preview-approved': previewLink('approved'),
    sendings: link('A synchronization links to the collection of its sendings.', (links, { id }) =>
      links.sendings(id),
    ),
    'mailing-uploads': link(
      'A synchronization links to its latest mailing-upload, also before there is one.',
      (links, { id }) => links.mailingUpload(id, 'latest'),
      {
        isThere: (dials, { mailingUploadsModificationDate }) =>
          mailingUploadsModificationDate !== null || dials['mailing-uploads-link'] === 'always',
        isOptional: dials => dials['mailing-uploads-link'] !== 'always',
        further: assumed({
          'S mailing-uploads before upload':
            'Before the first mailing-upload the link is there as well, and following it is 404.',
        }),
      },
    ),
  },
  linksSay: 'A synchronization links to itself and to all that belongs to it.',
  hasCuries: true,
})

export const synchronizationItemForm = resource<Parts>()({
  ...synchronizationForm,
  name: 'MailingSynchronizationItem',
  kind: 'synchronization',
  hasCuries: false,
})

const collectionName = 'mailing-synchronizations'

export const synchronizationCollection = collection('4.6', collectionName, synchronizationItemForm, {
  cites: ['S list synchronizations'],
  links: {
    'upcoming-modifications': ['S incremental sync', 'S incremental sync pages', 'S incremental sync token'],
  },
})

export const getMailingSynchronization = operation({
  method: 'GET',
  path: `${synchronizationsPath}/:syncId`,
  tag: 'Mailing synchronizations',
  summary: 'Retrieve a mailing synchronization',
  claim: specified('4.5', 'GET on a synchronization answers 200 with it.'),
  parameters: { syncId: [specified('4.5 id', 'The path names the synchronization by its ID.')] },
  answers: [{ status: 200, cites: ['4.5'], shows: synchronizationForm }],
  claims: ['3/3', 'S versions'],
  handle(c) {
    const { space, rendered } = c.env
    const rows = joinRows(space.data.tables, findSynchronization(c))
    return halAnswer(rendered.resource(synchronizationForm, ...rows))
  },
})

const createsAndLists = documented('4.6', 'POST on the mailing-synchronizations creates one, GET lists them.')

const synchronizationsQuery = z
  .object({
    mailingId: mailingIdList.optional(),
    readyForSending: booleanText.optional(),
    mailingHasDraft: booleanText.optional(),
    mailingIsApproved: booleanText.optional(),
    sortBy: z
      .enum(
        ['creationDate', 'modificationDate', 'mailingName'],
        'expected creationDate, modificationDate or mailingName',
      )
      .optional(),
    order: z.enum(['asc', 'desc'], 'expected asc or desc').optional(),
    syncModifications: booleanText.default(false),
    syncToken: z.string().optional(),
    ...pageQuery.shape,
  })
  .refine(query => !query.syncModifications || (query.sortBy ?? query.order) === undefined, {
    path: [],
    error: 'sortBy and order cannot be combined with syncModifications=true',
  })
  .refine(query => query.syncToken === undefined || query.syncModifications, {
    path: [],
    error: 'syncToken needs syncModifications=true beside it',
  })

const filters = documented(
  'S list synchronizations filters',
  'mailingId keeps those of the mailings it names; readyForSending, mailingHasDraft and mailingIsApproved, set to true, keep those for which they hold.',
)
const flags = [
  filters,
  assumed(
    'S list synchronizations false',
    'readyForSending, mailingHasDraft and mailingIsApproved, set to false, keep those for which they do not hold.',
  ),
] as const

/** Filters, order and incremental synchronization are documented beyond the spec. */
export const listMailingSynchronizations = operation({
  method: 'GET',
  path: synchronizationsPath,
  alsoAt: [withSlash(synchronizationsPath)],
  tag: 'Mailing synchronizations',
  summary: 'List the mailing synchronizations',
  claim: createsAndLists,
  parameters: {
    mailingId: [filters],
    readyForSending: flags,
    mailingHasDraft: flags,
    mailingIsApproved: flags,
    sortBy: [
      documented(
        'S list synchronizations sort',
        'sortBy takes creationDate, modificationDate and mailingName; order is asc, or desc when asked for.',
      ),
      assumed('S sorted modifications', 'sortBy or order with syncModifications is 400.'),
    ],
    order: ['S list synchronizations sort', 'S sorted modifications'],
    syncModifications: documented({
      'S incremental sync':
        'syncModifications=true lists everything, and its last page links svc:upcoming-modifications.',
    }),
    syncToken: [
      documented(
        'S incremental sync token',
        'The link carries an opaque syncToken; following it lists what changed since and ends in a new link.',
      ),
      assumed('S sync token expiry', "A sync token lives for 30 days on the space's clock."),
      assumed(
        'S sync token filters',
        'A sync token keeps the filters of its round; one that is given beside it counts instead, from then on.',
      ),
      assumed(
        'S incremental rounds',
        'New synchronizations and changes of mailings count in incremental rounds; sendings and mailing-uploads do not.',
      ),
    ],
    ...pageParameters(
      documented('S list synchronizations pageSize', 'pageSize bounds a page of synchronizations.'),
    ),
  },
  query: synchronizationsQuery,
  answers: [
    {
      status: 200,
      cites: [
        assumed(
          'S list synchronizations',
          'The synchronizations are embedded as svc:mailing-synchronizations, each as it is alone.',
        ),
        'S default order',
        'S 200',
      ],
      shows: synchronizationCollection,
    },
  ],
  claims: [
    documented(
      'S incremental sync pages',
      'A page has the next link or the one for upcoming modifications, never both.',
    ),
    assumed('S sync token', 'A sync token that is unknown or too old is 410.'),
    'S versions',
  ],
  handle(c, { query: asked }) {
    const { space, links, rendered } = c.env
    const { tables } = space.data
    // The rows of a snapshot do not say when they changed, so what was handed out before it is unknown.
    const { beginning } = space.data.content
    const sealedFor = beginning ? `${collectionName} ${beginning.age}` : collectionName
    // Modifications while a client reads the pages must be in the next round, so the token dates from the first page.
    const until: Moment = { sequence: space.data.seq, count: tables.synchronizations.size }
    const { since, filters }: Partial<Round> =
      asked.syncToken === undefined ? {} : unseal<Round>(c, sealedFor, asked.syncToken, 'syncToken')
    // The space was removed, or lost with the memory, and is not yet where it was then.
    if (since && since.sequence > until.sequence) throw problems.gone('syncToken')
    const fresh = { ...filters, ...asked, until, since }
    const walk: Walk<Synchronization, typeof fresh> = (after, query) => chooseWalk(c, query)(after, query)
    const filter = (query: typeof fresh) => {
      const mailingIds = query.mailingId && new Set(query.mailingId)
      const hidden = c.env.hidesTestSynchronizations ? tables.testSynchronizations : undefined
      return (synchronization: Synchronization) => {
        const mailing = tables.mailings.get(synchronization.mailingId)!
        const isApproved = mailing.approved !== null
        const isReady = () => isReadyForSending(mailing, tables.lists.get(synchronization.listId)!)
        return (
          synchronization.removedAt === undefined &&
          hidden?.get(synchronization.id) === undefined &&
          (!mailingIds || mailingIds.has(mailing.id)) &&
          (query.readyForSending === undefined || isReady() === query.readyForSending) &&
          (query.mailingIsApproved === undefined || isApproved === query.mailingIsApproved) &&
          (query.mailingHasDraft === undefined || (mailing.draft !== null) === query.mailingHasDraft) &&
          (query.since === undefined || isModifiedSince(c, query.since, synchronization, mailing))
        )
      }
    }
    const { rows, next, query } = takePage(c, sealedFor, fresh, walk, filter)
    const upcoming =
      query.syncModifications && next === undefined
        ? links.at(
            `${requestPath(c.env.target)}?syncToken=${seal(space, sealedFor, roundAfter(query), 'syncToken')}&syncModifications=true`,
          )
        : null
    const items = renderRows(rows, row =>
      rendered.resource(synchronizationItemForm, ...joinRows(tables, row)),
    )
    return pageAnswer(c, synchronizationCollection, items, next, {
      [links.rel('upcoming-modifications')]: upcoming,
    })
  },
})

type Filters = Pick<
  z.output<typeof synchronizationsQuery>,
  'mailingId' | 'readyForSending' | 'mailingHasDraft' | 'mailingIsApproved'
>

/** What a sync token stands for. */
interface Round {
  readonly since: Moment
  readonly filters: Filters
}

/** The round that begins where this one ends, with its filters. */
function roundAfter(round: Filters & { readonly until: Moment }): Round {
  const { until, mailingId, readyForSending, mailingHasDraft, mailingIsApproved } = round
  return { since: until, filters: { mailingId, readyForSending, mailingHasDraft, mailingIsApproved } }
}

/** The number of the last save, and how many synchronizations there were. */
interface Moment {
  readonly sequence: number
  readonly count: number
}

/** Whether the synchronization belongs into the round since this moment (assumed). */
function isModifiedSince(
  c: ServiceContext,
  since: Moment,
  synchronization: Synchronization,
  mailing: Mailing,
): boolean {
  const { synchronizations, mailings } = c.env.space.data.tables
  if (synchronizations.position(synchronization.id)! >= since.count) return true
  if (mailings.sequence(mailing) > since.sequence) return true
  const isOwnChange = synchronizations.sequence(synchronization) > since.sequence
  return isOwnChange && c.env.dials['incremental-rounds'] === 'everything'
}

function chooseWalk(
  c: ServiceContext,
  { sortBy, order }: Pick<z.output<typeof synchronizationsQuery>, 'sortBy' | 'order'>,
): Walk<Synchronization> {
  const { synchronizations, mailings } = c.env.space.data.tables
  if (!sortBy && !order) return walkByCreation(c, synchronizations.size, n => synchronizations.at(n))
  const mailing = (row: Synchronization) => mailings.get(row.mailingId)!
  const orderValue = {
    creationDate: (row: Synchronization) => row.creationDate,
    modificationDate: (row: Synchronization) => modifiedAt(c.env.dials, row, mailing(row)),
    mailingName: (row: Synchronization) => latestVersion(mailing(row)).name,
  }[sortBy ?? 'creationDate']
  return walkByValue(
    synchronizations,
    `${sortBy ?? 'creationDate'} ${c.env.dials['synchronization-modified-by']}`,
    orderValue,
    order === 'desc' ? -1 : 1,
    mailings.revision,
  )
}

const synchronizationBody = z
  .object({
    customer: z
      .string('expected the name of an accessible customer')
      .min(1, 'expected the name of an accessible customer'),
    listId: listNumber,
    mailingName: z.string('expected a string').min(1, 'expected at least one character').optional(),
    mailingId: z.string('expected the ID of a mailing').nullish(),
    templateMailingId: z.string('expected the ID of a mailing').nullish(),
  })
  .refine(body => body.mailingId == null || body.templateMailingId == null, {
    path: [],
    error: 'mailingId and templateMailingId exclude each other',
  })
  .meta({
    rule: {
      not: {
        required: ['mailingId', 'templateMailingId'],
        properties: { mailingId: { type: 'string' }, templateMailingId: { type: 'string' } },
      },
    },
  })

/** Creates a synchronization of a new mailing, of an existing one, or of a copy of one. */
export const createMailingSynchronization = operation({
  method: 'POST',
  path: synchronizationsPath,
  tag: 'Mailing synchronizations',
  summary: 'Create a mailing synchronization',
  claim: createsAndLists,
  parameters: {},
  body: {
    name: 'MailingSynchronizationRequest',
    schema: synchronizationBody,
    members: {
      customer: documented({
        'S create synchronization customer': 'customer is required: an accessible customer.',
      }),
      listId: documented({
        'S create synchronization listId':
          'listId is required: a list of that customer which the space may use.',
      }),
      mailingName: documented({
        'S create synchronization mailingName':
          'mailingName names the new mailing, New Mailing when absent, and is ignored beside mailingId.',
      }),
      mailingId: documented({
        'S create synchronization mailingId': 'mailingId is an editor mailing to synchronize.',
        'S create synchronization exclusive': 'mailingId and templateMailingId exclude each other.',
      }),
      templateMailingId: [
        documented(
          'S create synchronization template',
          'templateMailingId is an editor mailing whose content the new draft copies.',
        ),
        'S create synchronization exclusive',
      ],
    },
  },
  means: 'nothing',
  answers: dials => {
    const isCreated = dials['created-synchronization-status'] === '201'
    return [
      {
        status: isCreated ? 201 : 200,
        cites: assumed({
          'S create synchronization status': 'The response is 201 with its Location and the synchronization.',
        }),
        shows: synchronizationForm,
        hasLocation: isCreated,
      },
    ]
  },
  problems: ['list-not-permitted'],
  claims: [
    '4.15 effect',
    documented('S create synchronization', 'Without mailingId an editor mailing with only a draft is made.'),
    houseStyle('S create synchronization rules', 'A member that breaks its rule is refused and named.'),
    documented('S create synchronization synchronous', 'It exists when the response arrives.'),
    assumed('S create synchronization several', 'A mailing may have several synchronizations.'),
  ],
  handle(c, { body }) {
    const { space, links, rendered, dials } = c.env
    const { tables } = space.data
    if (!unlessRemoved(tables.customers.get(body.customer)))
      throw problems.field('customer', `"${body.customer}" is none of the accessible customers`)
    const list = unlessRemoved(tables.lists.get(body.listId))
    if (list?.customer !== body.customer)
      throw problems.field('listId', `there is no list ${body.listId} of customer "${body.customer}"`)
    if (!isPermitted(tables, list)) throw problems.listNotPermitted(list.id, list.customer)
    const known = (field: 'mailingId' | 'templateMailingId') => {
      const id = body[field]
      if (id == null) return undefined
      const mailing = unlessRemoved(tables.mailings.get(id))
      if (!mailing) throw problems.field(field, `there is no mailing ${id}`)
      return mailing
    }
    const existing = known('mailingId')
    const template = known('templateMailingId')

    const now = formatDateTime(space.clock.now())
    const mailing = existing ?? makeMailing(c, body.mailingName ?? 'New Mailing', template, now)
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
    space.data.save({ ...(!existing && { mailings: [mailing] }), synchronizations: [synchronization] })
    const document = rendered.resource(synchronizationForm, synchronization, mailing, list)
    if (dials['created-synchronization-status'] === '200') return halAnswer(document)
    return halAnswer(document, 201, links.synchronization(synchronization.id))
  },
})

/** A new mailing is a draft: empty, or with the content of the template's latest version. */
function makeMailing(c: ServiceContext, name: string, template: Mailing | undefined, now: string): Mailing {
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
