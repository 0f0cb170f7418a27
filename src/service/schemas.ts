import { z } from 'zod'
import type { DialValues } from './dials.ts'

/**
 * What requests may carry: query parameters and bodies of spec section 4. Unknown members are ignored.
 *
 * The OpenAPI document is written from these schemas. Metadata says what they cannot say themselves: `wire` is the JSON
 * Schema of what a client sends where values are read from text, `rule` what a refinement checks.
 */

const flag = z
  .enum(['true', 'false'], 'expected true or false')
  .transform(text => text === 'true')
  .meta({ wire: { type: 'boolean' } })
const whole = z
  .string()
  .regex(/^-?\d{1,15}$/, 'expected a whole number')
  .transform(Number)
  .meta({ wire: { type: 'integer' } })

const pageSizeUpTo = (limit: number, otherwise: number) => {
  const expected = `expected 1 to ${limit}`
  return whole.pipe(z.int().min(1, expected).max(limit, expected)).default(otherwise)
}

/** Spec 8: default 1000. The maximum is house style, and a dial. */
const pageSizes = {
  '1000': pageSizeUpTo(1000, 1000),
  '10000': pageSizeUpTo(10_000, 1000),
  '100': pageSizeUpTo(100, 100),
  capped: whole
    .pipe(z.int().min(1, 'expected at least 1'))
    .transform(size => Math.min(size, 1000))
    .meta({ wire: { type: 'integer', minimum: 1 } })
    .default(1000),
} satisfies Record<DialValues['page-size-limit'], z.ZodType>

const pageSize = pageSizes['1000']
const cursor = z.string().optional()

const mailingIdList = z
  .string()
  .min(1, 'expected comma-separated mailing IDs')
  .transform(text => text.split(','))
  .meta({ wire: { type: 'array', items: { type: 'string' }, minItems: 1 } })

export const paged = z.object({ pageSize, cursor })

/** Spec 4.12. */
export const mailingsQuery = z
  .object({
    isApproved: flag.optional(),
    hasDraft: flag.optional(),
    id: mailingIdList
      .refine(ids => ids.length <= 50, {
        error: ({ input }) => `expected at most 50 IDs, got ${(input as string[]).length}`,
      })
      .meta({ wire: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 50 } })
      .optional(),
    pageSize,
    cursor,
  })
  .refine(({ isApproved, hasDraft }) => !(isApproved === false && hasDraft === false), {
    path: [],
    error:
      'hasDraft=false and isApproved=false exclude each other: every mailing has a draft, an approved version or both',
  })

/** Spec 4.3. */
export const sendingsQuery = z.object({ includeAllStates: flag.default(false), pageSize, cursor })

/** Spec 4.6, documented beyond it. */
export const synchronizationsQuery = z
  .object({
    mailingId: mailingIdList.optional(),
    readyForSending: flag.optional(),
    mailingHasDraft: flag.optional(),
    mailingIsApproved: flag.optional(),
    sortBy: z
      .enum(
        ['creationDate', 'modificationDate', 'mailingName'],
        'expected creationDate, modificationDate or mailingName',
      )
      .optional(),
    order: z.enum(['asc', 'desc'], 'expected asc or desc').optional(),
    syncModifications: flag.default(false),
    syncToken: z.string().optional(),
    pageSize,
    cursor,
  })
  .refine(query => !query.syncModifications || (query.sortBy ?? query.order) === undefined, {
    path: [],
    error: 'sortBy and order cannot be combined with syncModifications=true',
  })
  .refine(query => query.syncToken === undefined || query.syncModifications, {
    path: [],
    error: 'syncToken needs syncModifications=true beside it',
  })

const kind = z.enum(['latest', 'draft', 'lastApproved'], 'expected latest, draft or lastApproved')

/** Spec 4.7. */
export const previewQuery = z.object({
  kind: kind.default('latest'),
  testProfileId: whole.optional(),
})

/** Spec 4.15. */
export const listsQuery = z.object({ showAllLists: flag.default(false), pageSize, cursor })

/** A query as it is checked where the dial limits pages so; one of a collection without pages stays as it is. */
export function pageLimited(query: z.ZodType, limit: DialValues['page-size-limit']): z.ZodType {
  const isPaged = query instanceof z.ZodObject && 'pageSize' in query.shape
  // Spec 8 grants 1000 mailings a page.
  if (!isPaged || limit === '1000' || (limit === '100' && query === mailingsQuery)) return query
  return query.safeExtend({ pageSize: pageSizes[limit] })
}

/** Date-times that come in: the zone is mandatory, seconds' fractions are not (spec 2 and 4.1). */
const dateTime = z
  .union(
    [z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })],
    'expected an ISO 8601 date-time with a time zone, such as 2030-05-17T09:30:00Z or 2030-05-17T11:30:00+02:00',
  )
  // Beyond it a date-time can no longer be written with four digits for the year.
  .refine(
    text => Date.parse(text) <= Date.UTC(9999, 11, 31, 23, 59, 59, 999),
    'expected a date-time before the year 10000 in UTC',
  )
  .meta({ wire: { type: 'string', format: 'date-time' } })

/** Spec 4.1. A member that is null counts as not given. */
export const sendingBody = z.object({
  scheduleDate: dateTime.nullish(),
  name: z.string('expected a string').nullish(),
  subject: z.string('expected a string').nullish(),
  transactionId: z
    .string('expected a string')
    .min(1, 'expected 1 to 100 characters')
    .max(100, { error: ({ input }) => `expected 1 to 100 characters, got ${String(input).length}` })
    .regex(/^[A-Za-z0-9.:_-]*$/, 'expected only letters, digits, dots, colons, hyphens and underscores')
    .nullish(),
})

/** Spec 4.10: no members are defined. */
export const emptyBody = z.object({})

const listNumber = z.int('expected a list ID (a whole number)')

/** Spec 4.16. */
export const accessibleListsBody = z
  .object({
    permittedLists: z.array(listNumber, 'expected an array of list IDs').optional(),
    permitAll: z.boolean('expected true or false').default(false),
  })
  .refine(body => body.permitAll || body.permittedLists, {
    path: ['permittedLists'],
    error: 'expected an array of list IDs, since permitAll is not true',
  })
  .meta({
    rule: {
      anyOf: [
        { required: ['permittedLists'] },
        { required: ['permitAll'], properties: { permitAll: { const: true } } },
      ],
    },
  })

/** Creating a synchronization (spec 4.6, documented beyond it). */
export const synchronizationBody = z
  .object({
    customer: z
      .string('expected the name of an accessible customer')
      .min(1, 'expected the name of an accessible customer'),
    listId: listNumber,
    mailingName: z.string('expected a string').min(1, 'expected at least one character').optional(),
    mailingId: z.string('expected the ID of a mailing').optional(),
    templateMailingId: z.string('expected the ID of a mailing').optional(),
  })
  .refine(body => body.mailingId === undefined || body.templateMailingId === undefined, {
    path: [],
    error: 'mailingId and templateMailingId exclude each other',
  })
  .meta({
    rule: {
      not: {
        required: ['mailingId', 'templateMailingId'],
        properties: { mailingId: {}, templateMailingId: {} },
      },
    },
  })

/** Test sending (documented beyond the spec). */
export const testSendingBody = z
  .object({
    testProfileId: listNumber.nullish(),
    recipientAddresses: z
      .array(z.email('expected an e-mail address'))
      .min(1, 'expected at least one e-mail address')
      .nullish(),
    testMailGroupId: z.int('expected the ID of a test-mail group').nullish(),
    kind: kind.nullish(),
    subjectPrefix: z.string('expected a string').nullish(),
  })
  .refine(body => (body.recipientAddresses == null) !== (body.testMailGroupId == null), {
    path: [],
    error: 'expected either recipientAddresses or testMailGroupId',
  })
  .meta({
    rule: {
      oneOf: [
        { required: ['recipientAddresses'], properties: { recipientAddresses: { type: 'array' } } },
        { required: ['testMailGroupId'], properties: { testMailGroupId: { type: 'integer' } } },
      ],
    },
  })
