import { z } from 'zod'
import { dateTime, type Hal, type Resource, uuid } from './shapes.ts'

/** Spec 2.1, alone and listed. */
export function mailingResources(hal: Hal) {
  const fields = {
    id: uuid,
    name: z.string(),
    creationDate: dateTime,
    modificationDate: dateTime,
    isApproved: z.boolean(),
    hasDraft: z.boolean(),
  }
  const alone = hal.dials['single-mailing'] === 'as-listed' ? fields : { id: uuid }
  const rels = { self: hal.link, [hal.rel('mailing-editor')]: hal.pageLink }
  const item = z.object({ ...fields, _links: hal.links(rels) })
  return {
    Mailing: { schema: z.object({ ...alone, _links: hal.linksWithCuries(rels) }), section: '2.1' },
    MailingItem: { schema: item, section: '2.1' },
    Mailings: { schema: hal.collection('mailings', item), section: '4.12' },
  } satisfies Record<string, Resource>
}
