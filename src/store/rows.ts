import { z } from 'zod'
import { formatNumber, platformOrigins, sendingStates, uuidPattern } from './format.ts'
import { strict } from './validation-messages.ts'

/**
 * The content of a space, table by table. A fixture file has the same form, so these definitions check fixtures, give their
 * JSON Schema and type the store's rows. Members have the names of the API document (sections 2.1 to 2.10); members without
 * a counterpart there belong to the simulated platform.
 */

/** A stored date-time: UTC, three fraction digits, `Z`, so that text order is time order. */
const instant = z
  .string()
  .regex(
    /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/,
    'expected a UTC date-time such as 2026-03-01T09:30:00.000Z',
  )
  .refine(text => !Number.isNaN(Date.parse(text)), 'expected a date-time that exists')
const uuid = z.string().regex(uuidPattern, 'expected a lower-case dashed UUID')
const platformId = z.int().positive()
/** No address can have half a surrogate pair, nor can a header. */
const name = z
  .string()
  .min(1)
  .refine(text => text.isWellFormed(), 'expected whole characters')

export const right = z.enum(['read', 'write'])
/** A Basic-auth pair of a space. A user without `write` is answered 403 on every change. */
export const user = strict({
  name: name.regex(/^[^:+]+$/, 'expected a name without ":" and "+"'),
  password: name,
  rights: z.array(right).min(1),
})

/** No row leaves its table, since positions are stable: a deleted one stays, and the service does not find it. */
const removedAt = instant.optional().describe('When it was deleted; left out while it exists')

/** A link to `.` or `..` leads elsewhere, since clients resolve such a segment. */
export const customer = strict({
  name: name.regex(/^(?!\.\.?$)/, 'expected another name than "." and "..", which no address can have'),
  removedAt,
})

export const testProfile = strict({
  id: platformId,
  description: z.string(),
  attributes: z
    .record(z.string(), z.string())
    .describe('What fills the placeholders of a preview, such as {{firstName}}'),
})
export const testMailGroup = strict({ id: platformId, name, emails: z.array(z.email()) })

/** A list of a platform customer, with the profiles and groups that test its mailings. */
export const list = strict({
  id: platformId.describe('Unique in the space, not only within the customer'),
  customer: name.describe('Name of the customer it belongs to'),
  name,
  recipients: z.int().nonnegative().describe('How many recipients a sending to this list reaches'),
  testProfiles: z.array(testProfile),
  testMailGroups: z.array(testMailGroup),
  removedAt,
})

export const accessibleLists = strict({
  customer: name,
  creationDate: instant,
  modificationDate: instant,
  permitAll: z.boolean(),
  permittedLists: z.array(platformId),
})

/** One version of an editor mailing. Approval is final for a version; editing an approved one makes a new draft. */
export const version = strict({
  number: z.int().positive().describe('Counts the versions of this mailing'),
  name,
  subject: z.string(),
  html: z.string().describe('Placeholders: {{attribute}} or {{attribute|text when unknown}}'),
  text: z.string(),
})

/** A version that was approved before the current one. The statistics of its sendings still depend on it. */
export const earlierVersion = strict({
  number: z.int().positive(),
  size: z.int().nonnegative().describe('Bytes of HTML and text together'),
})

export const mailing = strict({
  id: uuid,
  creationDate: instant,
  modificationDate: instant,
  draft: version.nullable(),
  approved: version.nullable(),
  earlier: z.array(earlierVersion).optional().describe('Versions that were approved before, oldest first'),
  removedAt,
}).refine(it => it.draft || it.approved, 'expected a draft version, an approved version or both')

export const synchronization = strict({
  id: uuid,
  creationDate: instant,
  modificationDate: instant,
  mailingId: uuid,
  customer: name,
  listId: platformId,
  mailingUploadsModificationDate: instant.nullable(),
  sendingsModificationDate: instant.nullable(),
  removedAt,
})

export const mailingUpload = strict({
  id: uuid,
  synchronizationId: uuid,
  creationDate: instant,
  modificationDate: instant,
  platformMailingId: platformId,
})

export const sendingState = z.enum(sendingStates)
export const truth = z.enum(['sent', 'not-sent', 'never-starts', 'stopped'])

/** One state of a sending's plan. Without `times` and `for` it never ends. */
export const planStep = strict({
  state: sendingState,
  truth: truth
    .optional()
    .describe(
      'What the platform really does; CREATED is sent, others not unless said. A CREATED sending may also never start at its time, or be stopped before it (spec 4.1/1)',
    ),
  times: z.int().positive().optional().describe('How many attempts with the transaction ID the step lasts'),
  for: z.int().positive().optional().describe("How many milliseconds of the space's clock the step lasts"),
  partial: z
    .literal(true)
    .optional()
    .describe('The platform mailing is there from this step on, but not sent in it'),
})

export const sending = strict({
  id: uuid,
  synchronizationId: uuid,
  creationDate: instant,
  scheduleDate: instant.nullable(),
  transactionId: z.string().nullable(),
  name: z.string().nullable().describe('As the request gave it, for the platform mailing'),
  subject: z.string().nullable(),
  plan: z.array(planStep).min(1),
  step: z.int().nonnegative().describe('Index into the plan, as of stepSince'),
  stepSince: instant,
  stepAttempts: z.int().nonnegative().describe('Attempts answered in this step'),
  platformMailingId: platformId.nullable(),
  platformSendingId: platformId.nullable(),
  cause: z.string().describe('The request that made it'),
  hidden: z
    .literal(true)
    .optional()
    .describe('No response shows it: its request had no transaction ID, and its outcome is open'),
})

/** A mailing on the platform: what was actually created there, by which request. */
export const platformMailing = strict({
  id: platformId,
  origin: z.enum(platformOrigins),
  customer: name,
  listId: platformId,
  name: z.string(),
  subject: z.string(),
  mailingId: uuid.describe('The editor mailing that its content comes from'),
  version: z.int().positive().describe('Which version of it'),
  createdAt: instant,
  approvedAt: instant.nullable(),
  cause: z.string(),
})

/** A sending on the platform: what is actually sent. It starts as soon as the clock reaches `startsAt`. */
export const platformSending = strict({
  id: platformId,
  platformMailingId: platformId,
  kind: z.enum(['list', 'test']),
  recipients: z.int().nonnegative(),
  addresses: z.array(z.string()).nullable().describe('Of a test sending'),
  requestedAt: instant,
  startsAt: instant,
  stoppedAt: instant
    .optional()
    .describe('When the platform stopped it, at its start at the latest, so that it never goes out'),
  cause: z.string(),
  broughtBy: z
    .string()
    .optional()
    .describe('The later attempt that it was sent at; left out when the first request or the clock sent it'),
})

/** A synchronization with a scenario that applies to every client using it, like the test cards of payment providers. */
export const testSynchronization = strict({
  id: uuid.describe('ID of the synchronization'),
  scenario: name.describe('Name of the scenario'),
})

/** A setting of the rig, such as the clock. Opaque to the store. */
export const setting = strict({ name, value: z.json() })

export const fixture = strict({
  $schema: z.string().optional(),
  $format: z.literal(formatNumber),
  space: name.max(100).regex(/^(?!\.\.?$)[^+]+$/, 'expected a space name without "+", not "." or ".."'),
  description: z.string().optional(),
  users: z.array(user).min(1),
  customers: z.array(customer),
  lists: z.array(list),
  accessibleLists: z.array(accessibleLists),
  mailings: z.array(mailing),
  synchronizations: z.array(synchronization),
  mailingUploads: z.array(mailingUpload),
  sendings: z.array(sending),
  platformMailings: z.array(platformMailing),
  platformSendings: z.array(platformSending),
  testSynchronizations: z.array(testSynchronization).optional().describe('None when it is left out'),
  settings: z.array(setting).optional().describe('None when it is left out'),
})

export type Right = z.infer<typeof right>
export type User = Readonly<z.infer<typeof user>>
export type Customer = Readonly<z.infer<typeof customer>>
export type List = Readonly<z.infer<typeof list>>
export type TestProfile = Readonly<z.infer<typeof testProfile>>
export type TestMailGroup = Readonly<z.infer<typeof testMailGroup>>
export type AccessibleLists = Readonly<z.infer<typeof accessibleLists>>
export type Version = Readonly<z.infer<typeof version>>
export type Mailing = Readonly<z.infer<typeof mailing>>
export type Synchronization = Readonly<z.infer<typeof synchronization>>
export type MailingUpload = Readonly<z.infer<typeof mailingUpload>>
export type SendingState = z.infer<typeof sendingState>
export type PlanStep = Readonly<z.infer<typeof planStep>>
export type Sending = Readonly<z.infer<typeof sending>>
export type PlatformMailing = Readonly<z.infer<typeof platformMailing>>
export type PlatformSending = Readonly<z.infer<typeof platformSending>>
export type TestSynchronization = Readonly<z.infer<typeof testSynchronization>>
export type Setting = Readonly<z.infer<typeof setting>>

/** A row that may have been deleted. */
export type Removable = Customer | List | Mailing | Synchronization
export type Fixture = Readonly<z.infer<typeof fixture>>
