import type { MailingUpload } from '../store/rows.ts'
import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import { hal, resource } from './hal.ts'
import type { Links } from './links.ts'
import { latestVersion } from './mailings.ts'
import { platformMailing } from './platform.ts'
import { problems } from './problem.ts'
import { synchronizationOf, tied } from './synchronizations.ts'
import { instant } from './time.ts'

/** Spec 2.4. */
const uploadResource = (links: Links, upload: MailingUpload) =>
  resource(
    links,
    {
      id: upload.id,
      creationDate: upload.creationDate,
      modificationDate: upload.modificationDate,
      target: { mailingId: upload.platformMailingId },
    },
    { self: links.mailingUpload(upload.synchronizationId, upload.id) },
  )

/** Spec 4.10. It takes the latest version and needs no approval (assumed). */
export async function createMailingUpload(c: ServiceContext): Promise<Answer> {
  const { space, links, cause } = c.env
  const [synchronization, mailing] = tied(space.data.tables, synchronizationOf(c))
  const now = instant(space.clock.now())
  const content = latestVersion(mailing)
  const uploaded = platformMailing(space, synchronization, { origin: 'mailing-upload', content, now, cause })
  const upload: MailingUpload = {
    id: space.chance.uuid('mailing-upload', space.data.age),
    synchronizationId: synchronization.id,
    creationDate: now,
    modificationDate: now,
    platformMailingId: uploaded.id,
  }
  await space.data.save({
    mailingUploads: [upload],
    platformMailings: [uploaded],
    synchronizations: [{ ...synchronization, modificationDate: now, mailingUploadsModificationDate: now }],
  })
  return hal(links.kept(uploadResource, upload))
}

/** Spec 4.11. `latest` selects the one with the most recent changes. */
export function getMailingUpload(c: ServiceContext): Answer {
  const { space, links } = c.env
  const { tables } = space.data
  const { id: synchronizationId } = synchronizationOf(c)
  const id = c.req.param('id')!
  const upload = id === 'latest' ? latestUpload(c, synchronizationId) : tables.mailingUploads.get(id)
  if (upload?.synchronizationId !== synchronizationId)
    throw problems.notFound(`mailing-upload ${id} of mailing synchronization ${synchronizationId}`)
  return hal(links.kept(uploadResource, upload))
}

function latestUpload(c: ServiceContext, synchronizationId: string): MailingUpload | undefined {
  const { mailingUploads, uploadsOfSynchronization } = c.env.space.data.tables
  let latest: MailingUpload | undefined
  for (let n = 0; n < uploadsOfSynchronization.count(synchronizationId); n++) {
    const upload = mailingUploads.at(uploadsOfSynchronization.nth(synchronizationId, n)!)
    if (!latest || upload.modificationDate >= latest.modificationDate) latest = upload
  }
  return latest
}
