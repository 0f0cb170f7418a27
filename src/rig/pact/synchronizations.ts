import { latestVersion } from '../../service/mailings.ts'
import { platformMailing } from '../../service/platform.ts'
import { problems } from '../../service/problem.ts'
import { instant } from '../../service/time.ts'
import type { MailingUpload, Synchronization } from '../../store/rows.ts'
import { params, platformId, text, uuid } from './params.ts'
import { providerState } from './provider-state.ts'
import { cause, type Scene } from './scene.ts'

const given = params({
  synchronizationId: uuid.optional(),
  mailingId: uuid.optional(),
  mailingName: text.optional().describe('Name of its mailing'),
  customer: text.optional().describe('Name of the customer of its list; made if there is none'),
  listId: platformId.optional(),
})
const values = {
  synchronizationId: 'ID of the synchronization',
  mailingId: 'ID of its mailing',
  customer: 'Name of the customer',
  listId: 'ID of its list',
}

const shown = ({ id, mailingId, customer, listId }: Synchronization) => ({
  synchronizationId: id,
  mailingId,
  customer,
  listId,
})

/** A synchronization whose mailing is in one state of approval (spec 2.2, 3/3), on a list of one kind. */
const synchronization = (
  name: string,
  description: string,
  of: { readonly isApproved: boolean; readonly hasDraft?: boolean; readonly isBare?: boolean },
) =>
  providerState({
    name,
    alsoNamed: [name.replace('a synchronization', 'a synchronization {synchronizationId}')],
    description,
    params: given,
    takes: ['mailingId', 'customer', 'listId'],
    values,
    async setUp(scene, { synchronizationId, mailingId, mailingName, customer, listId }) {
      const known =
        synchronizationId === undefined ? undefined : scene.tables.synchronizations.get(synchronizationId)
      const { isApproved, hasDraft = !isApproved, isBare } = of
      const list = await scene.list({
        customer: customer ?? known?.customer,
        listId: listId ?? known?.listId,
        ...(isBare && { isBare }),
      })
      const mailing = await scene.mailing({
        mailingId: mailingId ?? known?.mailingId,
        name: mailingName,
        isApproved,
        hasDraft,
      })
      return shown(await scene.synchronization(synchronizationId, mailing, list))
    },
  })

/** As `POST …/mailing-uploads` does it (spec 4.10). */
async function upload(scene: Scene, synchronizationId: string | undefined): Promise<MailingUpload> {
  const { space } = scene.rig
  const owner = await scene.readySynchronization(synchronizationId)
  const now = instant(scene.now)
  const content = latestVersion(scene.tables.mailings.get(owner.mailingId)!)
  const made = platformMailing(space, owner, { origin: 'mailing-upload', content, now, cause })
  const row: MailingUpload = {
    id: scene.newId('mailing-upload'),
    synchronizationId: owner.id,
    creationDate: now,
    modificationDate: now,
    platformMailingId: made.id,
  }
  await space.data.save({
    mailingUploads: [row],
    platformMailings: [made],
    synchronizations: [{ ...owner, modificationDate: now, mailingUploadsModificationDate: now }],
  })
  return row
}

export const synchronizationStates = [
  synchronization(
    'a synchronization is ready for sending',
    'Its mailing is approved. Its list has a test profile and a test-mail group.',
    { isApproved: true },
  ),
  synchronization('a synchronization is not ready for sending', 'Its mailing has only a draft.', {
    isApproved: false,
  }),
  synchronization(
    'a synchronization is ready for sending and its mailing has a draft',
    'Preview and name of the latest version differ from the approved one.',
    { isApproved: true, hasDraft: true },
  ),
  synchronization(
    'a synchronization has no test recipients',
    'Its list has neither test profiles nor test-mail groups.',
    { isApproved: true, isBare: true },
  ),
  providerState({
    name: 'a synchronization has test recipients',
    alsoNamed: ['a synchronization {synchronizationId} has test recipients'],
    description: 'Gives the IDs that a preview and a test sending take.',
    params: params({ synchronizationId: uuid.optional() }),
    takes: ['synchronizationId'],
    values: {
      ...values,
      testProfileId: 'ID of a test profile of its list',
      testMailGroupId: 'ID of a test-mail group of its list',
    },
    async setUp(scene, { synchronizationId }) {
      const row = await scene.readySynchronization(synchronizationId)
      // Fills in what the list lacks.
      const { testProfiles, testMailGroups } = await scene.list({ listId: row.listId })
      return { ...shown(row), testProfileId: testProfiles[0]!.id, testMailGroupId: testMailGroups[0]!.id }
    },
  }),
  providerState({
    name: 'there is no synchronization',
    alsoNamed: ['there is no synchronization {synchronizationId}'],
    description: 'Gives an ID that no synchronization has.',
    params: params({ synchronizationId: uuid.optional() }),
    values: { synchronizationId: 'ID that no synchronization has' },
    async setUp(scene, { synchronizationId = scene.newId('synchronization') }) {
      if (!scene.tables.synchronizations.get(synchronizationId)) return { synchronizationId }
      throw problems.field('params.synchronizationId', `there is a synchronization ${synchronizationId}`)
    },
  }),
  providerState({
    name: 'a mailing was uploaded',
    description: 'A synchronization has a mailing-upload; `latest` selects it.',
    params: params({ synchronizationId: uuid.optional() }),
    takes: ['synchronizationId'],
    values: { synchronizationId: values.synchronizationId, mailingUploadId: 'ID of the mailing-upload' },
    async setUp(scene, { synchronizationId }) {
      const row = await upload(scene, synchronizationId)
      return { synchronizationId: row.synchronizationId, mailingUploadId: row.id }
    },
  }),
  providerState({
    name: 'a synchronization has no mailing-upload',
    description: 'Nothing was uploaded yet; `latest` selects nothing.',
    params: params({ synchronizationId: uuid.optional() }),
    takes: ['synchronizationId'],
    values,
    async setUp(scene, { synchronizationId }) {
      const row = await scene.readySynchronization(synchronizationId)
      if (scene.tables.uploadsOfSynchronization.count(row.id) === 0) return shown(row)
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
      synchronizationId: values.synchronizationId,
      mailingUploadId: 'ID that no mailing-upload has',
    },
    async setUp(scene, { synchronizationId, mailingUploadId = scene.newId('mailing-upload') }) {
      if (scene.tables.mailingUploads.get(mailingUploadId))
        throw problems.field('params.mailingUploadId', `there is a mailing-upload ${mailingUploadId}`)
      const { id } = await scene.readySynchronization(synchronizationId)
      return { synchronizationId: id, mailingUploadId }
    },
  }),
]
