import { z } from 'zod'
import type { MailingUpload } from '../store/rows.ts'
import { assumed, specified } from './claim.ts'
import { latestVersion } from './mailings.ts'
import { operation, type ServiceContext, synchronizationsPath } from './operation.ts'
import { makePlatformMailing } from './platform.ts'
import { problems } from './problem.ts'
import { dateTime, group, member, numericId, resource, selfLink, uuid } from './resource.ts'
import { formatDateTime, halAnswer, laterOf } from './response.ts'
import { findSynchronization, joinRows, refuseWithoutParts } from './synchronizations.ts'

const uploadsPath = `${synchronizationsPath}/:syncId/mailing-uploads`

export const mailingUploadForm = resource<[MailingUpload]>()({
  name: 'MailingUpload',
  kind: 'mailing-upload',
  section: '2.4',
  members: {
    id: member(uuid, 'A mailing-upload has its ID as a string.'),
    creationDate: member(dateTime, 'A mailing-upload has the date-time of its creation.'),
    modificationDate: member(dateTime, 'A mailing-upload has the date-time of its last change.'),
    target: group(
      { mailingId: member(numericId, 'target.mailingId is the ID of the platform mailing, a number.') },
      'target is an object that says what the platform made of it.',
    ),
  },
  values: (_, upload) => ({ ...upload, target: { mailingId: upload.platformMailingId } }),
  links: { self: selfLink((links, { synchronizationId, id }) => links.mailingUpload(synchronizationId, id)) },
  linksSay: 'A mailing-upload links to itself by its ID.',
  hasCuries: 'as-in-examples',
})

/** It takes the latest version and needs no approval (assumed). */
export const createMailingUpload = operation({
  method: 'POST',
  path: uploadsPath,
  tag: 'Mailing-uploads',
  summary: 'Create a mailing-upload',
  claim: specified('4.10', 'POST on the mailing-uploads answers 200 with the mailing-upload.'),
  parameters: { syncId: [specified('4.10 id', 'The path names the synchronization by its ID.')] },
  body: {
    name: 'MailingUploadRequest',
    schema: z.object({}),
    claims: [specified('4.10 body', 'The body is an empty object.')],
    members: {},
  },
  means: { creates: 'mailing-upload' },
  answers: [
    {
      status: 200,
      cites: [
        '4.10',
        assumed('S repeated upload', 'Every mailing-upload is new, with a platform mailing of its own.'),
      ],
      shows: mailingUploadForm,
    },
  ],
  problems: ['not-ready-for-sending'],
  claims: [
    specified(
      '4.10 effect',
      'A platform mailing with the whole content is made on the target list before success is told.',
    ),
    assumed('S upload unsent', 'The platform mailing of a mailing-upload is not sent.'),
    assumed('S upload version', 'A mailing-upload takes the latest version and needs no approval.'),
  ],
  handle(c) {
    const { space, rendered, cause, dials } = c.env
    const [synchronization, mailing] = joinRows(space.data.tables, findSynchronization(c))
    refuseWithoutParts(space.data.tables, synchronization, mailing)
    const now = formatDateTime(space.clock.now())
    // The clock may have been set back since the latest one.
    const latestDate = laterOf(synchronization.mailingUploadsModificationDate ?? now, now)
    const content = latestVersion(mailing)
    const order = { origin: 'mailing-upload', content, now, cause } as const
    const made = makePlatformMailing(space, synchronization, order)
    const before =
      dials['repeated-upload'] === 'updates' ? findLatestUpload(c, synchronization.id) : undefined
    const uploaded = before ? { ...made, id: before.platformMailingId } : made
    const upload: MailingUpload = {
      id: before?.id ?? space.chance.uuid('mailing-upload', space.data.age),
      synchronizationId: synchronization.id,
      creationDate: before?.creationDate ?? now,
      modificationDate: before ? latestDate : now,
      platformMailingId: uploaded.id,
    }
    space.data.save({
      mailingUploads: [upload],
      platformMailings: [uploaded],
      synchronizations: [{ ...synchronization, mailingUploadsModificationDate: latestDate }],
    })
    return halAnswer(rendered.resource(mailingUploadForm, upload))
  },
})

export const getMailingUpload = operation({
  method: 'GET',
  path: `${uploadsPath}/:id`,
  tag: 'Mailing-uploads',
  summary: 'Retrieve a mailing-upload',
  claim: specified('4.11', 'GET on a mailing-upload answers 200 with it.'),
  parameters: {
    syncId: [specified('4.11 syncId', 'The path names the synchronization by its ID.')],
    id: specified({
      '4.11 id': 'The path names the mailing-upload by its ID.',
      '4.11 latest': 'latest stands for the mailing-upload that changed last.',
    }),
  },
  answers: [{ status: 200, cites: ['4.11'], shows: mailingUploadForm }],
  handle(c) {
    const { space, rendered } = c.env
    const { tables } = space.data
    const { id: synchronizationId } = findSynchronization(c)
    const id = c.req.param('id')!
    const upload = id === 'latest' ? findLatestUpload(c, synchronizationId) : tables.mailingUploads.get(id)
    if (upload?.synchronizationId !== synchronizationId)
      throw problems.notFound(`mailing-upload ${id} of mailing synchronization ${synchronizationId}`)
    return halAnswer(rendered.resource(mailingUploadForm, upload))
  },
})

function findLatestUpload(c: ServiceContext, synchronizationId: string): MailingUpload | undefined {
  const { mailingUploads, uploadsOfSynchronization } = c.env.space.data.tables
  let latest: MailingUpload | undefined
  for (let n = 0; n < uploadsOfSynchronization.count(synchronizationId); n++) {
    const upload = mailingUploads.at(uploadsOfSynchronization.nth(synchronizationId, n)!)
    if (!latest || upload.modificationDate >= latest.modificationDate) latest = upload
  }
  return latest
}
