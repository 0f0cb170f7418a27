import { latestVersion } from '../../service/mailings.ts'
import { makePlatformMailing } from '../../service/platform.ts'
import { problems } from '../../service/problem.ts'
import { formatDateTime } from '../../service/response.ts'
import { unlessRemoved } from '../../store/removal.ts'
import { type AccessibleLists, customer, type Synchronization } from '../../store/rows.ts'
import { params, platformId, providerState, type Scene, stateCause, text, uuid } from './scene.ts'

const customerName = text.pipe(customer.shape.name)

const synchronizationParams = params({
  synchronizationId: uuid.optional(),
  mailingId: uuid.optional(),
  mailingName: text.optional().describe('Name of its mailing'),
  customer: customerName.optional().describe('Name of the customer of its list; made if there is none'),
  listId: platformId.optional(),
})
const synchronizationValues = {
  synchronizationId: 'ID of the synchronization',
  mailingId: 'ID of its mailing',
  customer: 'Name of the customer',
  listId: 'ID of its list',
}

const synchronizationIds = ({ id, mailingId, customer, listId }: Synchronization) => ({
  synchronizationId: id,
  mailingId,
  customer,
  listId,
})

/** For states of a synchronization that an earlier state may have made. */
const ofSynchronization = {
  params: params({ synchronizationId: uuid.optional() }),
  takes: ['synchronizationId'],
} as const

/** A synchronization whose mailing is in one state of approval (spec 2.2, 3/3), on a list of one kind. */
const synchronizationState = (
  name: string,
  description: string,
  of: { readonly isApproved: boolean; readonly hasDraft?: boolean; readonly isBare?: boolean },
) =>
  providerState({
    name,
    alsoNamed: [name.replace('a synchronization', 'a synchronization {synchronizationId}')],
    description,
    params: synchronizationParams,
    takes: ['mailingId', 'customer', 'listId'],
    values: synchronizationValues,
    setUp(scene, { synchronizationId, mailingId, mailingName, customer, listId }) {
      const known = scene.tables.synchronizations.get(synchronizationId ?? '')
      const { isApproved, hasDraft = !isApproved, isBare } = of
      const owner = { customer: customer ?? known?.customer, listId: listId ?? known?.listId }
      const list = scene.list({ ...owner, isBare })
      const id = mailingId ?? known?.mailingId
      const mailing = scene.mailing({ mailingId: id, name: mailingName, isApproved, hasDraft })
      return synchronizationIds(scene.synchronization(synchronizationId, mailing, list))
    },
  })

export const synchronizationStates = [
  synchronizationState(
    'a synchronization is ready for sending',
    'Its mailing is approved. Its list has a test profile and a test-mail group.',
    { isApproved: true },
  ),
  synchronizationState('a synchronization is not ready for sending', 'Its mailing has only a draft.', {
    isApproved: false,
  }),
  synchronizationState(
    'a synchronization is ready for sending and its mailing has a draft',
    'Preview and name of the latest version differ from the approved one.',
    { isApproved: true, hasDraft: true },
  ),
  synchronizationState(
    'a synchronization has no test recipients',
    'Its list has neither test profiles nor test-mail groups.',
    { isApproved: true, isBare: true },
  ),
  providerState({
    name: 'a synchronization has test recipients',
    alsoNamed: ['a synchronization {synchronizationId} has test recipients'],
    description: 'Gives the IDs that a preview and a test sending take.',
    ...ofSynchronization,
    values: {
      ...synchronizationValues,
      testProfileId: 'ID of a test profile of its list',
      testMailGroupId: 'ID of a test-mail group of its list',
    },
    setUp(scene, { synchronizationId }) {
      const row = scene.readySynchronization(synchronizationId)
      // Adds what the list lacks.
      const { testProfiles, testMailGroups } = scene.list({ listId: row.listId })
      return {
        ...synchronizationIds(row),
        testProfileId: testProfiles[0]!.id,
        testMailGroupId: testMailGroups[0]!.id,
      }
    },
  }),
  providerState({
    name: 'there is no synchronization',
    alsoNamed: ['there is no synchronization {synchronizationId}'],
    description: 'Gives an ID that no synchronization has.',
    params: params({ synchronizationId: uuid.optional() }),
    values: { synchronizationId: 'ID that no synchronization has' },
    setUp(scene, { synchronizationId = scene.newId('synchronization') }) {
      if (!scene.tables.synchronizations.get(synchronizationId)) return { synchronizationId }
      throw problems.field('params.synchronizationId', `there is a synchronization ${synchronizationId}`)
    },
  }),
  providerState({
    name: 'a mailing was uploaded',
    description: 'A synchronization has a mailing-upload; `latest` selects it.',
    ...ofSynchronization,
    values: {
      synchronizationId: synchronizationValues.synchronizationId,
      mailingUploadId: 'ID of the mailing-upload',
    },
    // As `POST …/mailing-uploads` does (spec 4.10).
    setUp(scene, { synchronizationId }) {
      const { space } = scene.rig
      const owner = scene.readySynchronization(synchronizationId)
      const now = formatDateTime(scene.now)
      const content = latestVersion(scene.tables.mailings.get(owner.mailingId)!)
      const origin = 'mailing-upload'
      const made = makePlatformMailing(space, owner, { origin, content, now, cause: stateCause })
      const upload = {
        id: scene.newId('mailing-upload'),
        synchronizationId: owner.id,
        creationDate: now,
        modificationDate: now,
        platformMailingId: made.id,
      }
      space.data.save({
        mailingUploads: [upload],
        platformMailings: [made],
        synchronizations: [{ ...owner, modificationDate: now, mailingUploadsModificationDate: now }],
      })
      return { synchronizationId: owner.id, mailingUploadId: upload.id }
    },
  }),
  providerState({
    name: 'a synchronization has no mailing-upload',
    description: 'Nothing was uploaded yet; `latest` selects nothing.',
    ...ofSynchronization,
    values: synchronizationValues,
    setUp(scene, { synchronizationId }) {
      const row = scene.readySynchronization(synchronizationId)
      if (scene.tables.uploadsOfSynchronization.count(row.id) === 0) return synchronizationIds(row)
      throw problems.field(
        'params.synchronizationId',
        `synchronization ${row.id} has mailing-uploads; name another`,
      )
    },
  }),
  providerState({
    name: 'there is no mailing-upload',
    alsoNamed: ['there is no mailing-upload {mailingUploadId}'],
    description: 'A synchronization, ready for sending, and an ID that no mailing-upload has.',
    params: params({ synchronizationId: uuid.optional(), mailingUploadId: uuid.optional() }),
    takes: ['synchronizationId'],
    values: {
      synchronizationId: synchronizationValues.synchronizationId,
      mailingUploadId: 'ID that no mailing-upload has',
    },
    setUp(scene, { synchronizationId, mailingUploadId = scene.newId('mailing-upload') }) {
      if (scene.tables.mailingUploads.get(mailingUploadId))
        throw problems.field('params.mailingUploadId', `there is a mailing-upload ${mailingUploadId}`)
      const { id } = scene.readySynchronization(synchronizationId)
      return { synchronizationId: id, mailingUploadId }
    },
  }),
]

const mailingParams = params({ mailingId: uuid.optional(), name: text.optional().describe('Its name') })
const mailingValues = { mailingId: 'ID of the mailing', mailingName: 'Name of its latest version' }

/** A mailing in one state of approval (spec 2.1). An existing mailing is changed to it. */
const mailingState = (
  name: string,
  description: string,
  versions: { readonly isApproved: boolean; readonly hasDraft: boolean },
) =>
  providerState({
    name,
    alsoNamed: [name.replace('a mailing', 'a mailing {mailingId}')],
    description,
    params: mailingParams,
    values: mailingValues,
    setUp(scene, { mailingId, name: own }) {
      const row = scene.mailing({ mailingId, name: own, ...versions })
      return { mailingId: row.id, mailingName: latestVersion(row).name }
    },
  })

export const mailingStates = [
  mailingState('a mailing is approved', 'It has an approved version and no draft.', {
    isApproved: true,
    hasDraft: false,
  }),
  mailingState('a mailing has only a draft', 'Nothing of it was ever approved.', {
    isApproved: false,
    hasDraft: true,
  }),
  mailingState('a mailing is approved and has a draft', 'An approved version, and a newer one as a draft.', {
    isApproved: true,
    hasDraft: true,
  }),
  providerState({
    name: 'there is no mailing',
    alsoNamed: ['there is no mailing {mailingId}'],
    description: 'Gives an ID that no mailing has.',
    params: params({ mailingId: uuid.optional() }),
    values: { mailingId: 'ID that no mailing has' },
    setUp(scene, { mailingId = scene.newId('mailing') }) {
      if (!unlessRemoved(scene.tables.mailings.get(mailingId))) return { mailingId }
      throw problems.field('params.mailingId', `there is a mailing ${mailingId}, and no state deletes one`)
    },
  }),
]

const customerParams = params({
  customer: customerName.optional().describe('Name of the customer; made if there is none'),
})
const customerValues = { customer: 'Name of the customer' }

/** As a client would configure it (spec 4.16). */
function configureLists(
  scene: Scene,
  of: string,
  rest: Pick<AccessibleLists, 'permitAll' | 'permittedLists'>,
) {
  const at = formatDateTime(scene.now)
  const known = scene.tables.accessibleLists.get(of)
  const row = { creationDate: known?.creationDate ?? at, modificationDate: at, customer: of, ...rest }
  scene.rig.space.data.save({ accessibleLists: [row] })
}

/** A customer without such data, because nothing can be removed. @throws Problem 400 */
function freshCustomer(scene: Scene, name: string | undefined, has: (name: string) => boolean, what: string) {
  const of = scene.customer(name)
  if (!has(of)) return of
  throw problems.field('params.customer', `customer "${of}" has ${what}; name another, or none`)
}

export const customerStates = [
  providerState({
    name: 'a customer has lists',
    alsoNamed: ['customer {customer} has lists'],
    description: 'Two lists of a customer without an accessible-lists configuration.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of one of its lists' },
    setUp(scene, { customer: name }) {
      const of = scene.customer(name)
      const { id } = scene.list({ customer: of })
      scene.list({ customer: of })
      return { customer: of, listId: id }
    },
  }),
  providerState({
    name: 'a customer has no lists',
    alsoNamed: ['customer {customer} has no lists'],
    description: 'An accessible customer without a list.',
    params: customerParams,
    values: customerValues,
    setUp(scene, { customer: name }) {
      const has = (it: string) =>
        [...scene.tables.lists.rows()].some(list => list.customer === it && unlessRemoved(list))
      return { customer: freshCustomer(scene, name, has, 'lists, and no state deletes one') }
    },
  }),
  providerState({
    name: 'there is no customer',
    alsoNamed: ['there is no customer {customer}'],
    description: 'Gives a name that no accessible customer has.',
    params: params({ customer: customerName.optional().describe('Made up unless given') }),
    values: { customer: 'Name that no customer has' },
    setUp(scene, { customer: name = 'no-such-customer' }) {
      if (!unlessRemoved(scene.tables.customers.get(name))) return { customer: name }
      throw problems.field('params.customer', `there is a customer "${name}"`)
    },
  }),
  providerState({
    name: 'there is no list',
    alsoNamed: ['there is no list {listId}', 'there is no list {listId} of customer {customer}'],
    description: 'An accessible customer, and an ID that no list has.',
    params: params({ ...customerParams.shape, listId: platformId.optional() }),
    takes: ['customer'],
    values: { ...customerValues, listId: 'ID that no list has' },
    setUp(scene, { customer: name, listId = scene.freshListId() }) {
      if (scene.tables.lists.get(listId)) throw problems.field('params.listId', `there is a list ${listId}`)
      return { customer: scene.customer(name), listId }
    },
  }),
  providerState({
    name: 'a customer has an accessible-lists configuration',
    description: 'Of its two lists only one is permitted.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of the permitted list', forbiddenListId: 'ID of the other one' },
    setUp(scene, { customer: name }) {
      const of = scene.customer(name)
      const permitted = scene.list({ customer: of })
      const other = scene.list({ customer: of })
      configureLists(scene, of, { permitAll: false, permittedLists: [permitted.id] })
      return { customer: of, listId: permitted.id, forbiddenListId: other.id }
    },
  }),
  providerState({
    name: 'all lists of a customer are permitted',
    description: 'Its accessible-lists configuration has permitAll.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of one of its lists' },
    setUp(scene, { customer: name }) {
      const of = scene.customer(name)
      const { id } = scene.list({ customer: of })
      configureLists(scene, of, { permitAll: true, permittedLists: [] })
      return { customer: of, listId: id }
    },
  }),
  providerState({
    name: 'a customer has no accessible-lists configuration',
    description: 'A customer with a list, and nothing that restricts it.',
    params: customerParams,
    values: { ...customerValues, listId: 'ID of its list' },
    setUp(scene, { customer: name }) {
      const has = (it: string) => scene.tables.accessibleLists.get(it) !== undefined
      const of = freshCustomer(scene, name, has, 'one, and configurations never vanish')
      return { customer: of, listId: scene.list({ customer: of }).id }
    },
  }),
]
