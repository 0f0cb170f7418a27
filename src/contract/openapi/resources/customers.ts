import { z } from 'zod'
import { dateTime, type Hal, number, type Resource } from './shapes.ts'

/** Spec 2.9 and 2.10: customers, their lists, and which of those the space may use. */
export function customerResources(hal: Hal) {
  const _links = hal.links({ self: hal.link })
  const customer = z.object({ name: z.string(), _links })
  const list = z.object({ id: number, name: z.string(), _links })
  // What nobody has put yet has no dates.
  const date = hal.dials['absent-configuration'] === 'permit-all' ? dateTime.nullable() : dateTime
  return {
    AccessibleCustomer: { schema: customer, section: '2.9' },
    AccessibleCustomers: { schema: hal.collection('accessible-customers', customer), section: '4.14' },
    List: { schema: list, section: '2.9 list' },
    Lists: { schema: hal.collection('lists', list), section: '4.15' },
    AccessibleListsConfiguration: {
      schema: z.object({
        creationDate: date,
        modificationDate: date,
        permitAll: z.boolean(),
        permittedLists: z.array(number),
        _links,
      }),
      section: '2.10',
    },
  } satisfies Record<string, Resource>
}
