import { z } from 'zod'
import { dateTime, type Hal, number, type Resource, uuid } from './shapes.ts'

/** Spec 2.2, alone and listed, and what belongs to one: preview (2.6), upload (2.4), profiles and groups (2.7, 2.8). */
export function synchronizationResources(hal: Hal) {
  const { dials, link, pageLink } = hal
  const whileThere = (shape: z.ZodType) =>
    dials['links-to-nothing'] === 'present' ? shape : shape.optional()
  const fields = {
    id: uuid,
    creationDate: dateTime,
    modificationDate: dateTime,
    mailingId: uuid,
    mailingName: z.string(),
    approvedMailingName: z.string().nullable(),
    readyForSending: z.boolean(),
    mailingHasDraft: z.boolean(),
    mailingIsApproved: z.boolean(),
    target: z.object({ customer: z.string(), listId: number, listName: z.string() }),
    mailingUploadsModificationDate: dateTime.nullable(),
    sendingsModificationDate: dateTime.nullable(),
  }
  const rels = {
    self: link,
    [hal.rel('mailing-editor')]: pageLink,
    [hal.rel('mailing-preview-draft')]: whileThere(pageLink),
    [hal.rel('mailing-preview-approved')]: whileThere(pageLink),
    [hal.rel('sendings')]: link,
    [hal.rel('mailing-uploads')]: whileThere(link),
  }
  const item = z.object({ ...fields, _links: hal.links(rels) })
  const upcoming = { [hal.rel('upcoming-modifications')]: link.optional() }
  return {
    MailingSynchronization: {
      schema: z.object({ ...fields, _links: hal.linksWithCuries(rels) }),
      section: '2.2',
    },
    MailingSynchronizationItem: { schema: item, section: '2.2' },
    MailingSynchronizations: {
      schema: hal.collection('mailing-synchronizations', item, upcoming),
      section: '4.6',
    },
    ...belongings(hal),
  } satisfies Record<string, Resource>
}

function belongings(hal: Hal) {
  const testProfile = z.object({ id: number, description: z.string() })
  const testMailGroup = z.object({ id: number, name: z.string(), emails: z.array(z.email()) })
  return {
    Preview: {
      schema: z.object({
        htmlContent: z.string(),
        textContent: z.string(),
        subject: z.string(),
        _links: hal.links({ self: hal.templatedLink }),
      }),
      section: '2.6',
    },
    MailingUpload: {
      schema: z.object({
        id: uuid,
        creationDate: dateTime,
        modificationDate: dateTime,
        target: z.object({ mailingId: number }),
        _links: hal.links({ self: hal.link }),
      }),
      section: '2.4',
    },
    TestProfile: { schema: testProfile, section: '2.7' },
    TestProfiles: { schema: hal.collection('test-profiles', testProfile), section: '4.8' },
    TestMailGroup: { schema: testMailGroup, section: '2.8' },
    TestMailGroups: { schema: hal.collection('test-mail-groups', testMailGroup), section: '4.9' },
  } satisfies Record<string, Resource>
}
