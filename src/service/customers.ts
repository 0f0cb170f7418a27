import type { Tables } from '../store/content.ts'
import type { AccessibleLists, Customer, List } from '../store/rows.ts'
import type { Chance } from '../store/space.ts'
import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import type { DialValues } from './dials.ts'
import { collection, hal, item, resource } from './hal.ts'
import type { Links } from './links.ts'
import type { Input } from './operations.ts'
import { chronological, page, pageLinks, position } from './paging.ts'
import { problems } from './problem.ts'
import { instant } from './time.ts'

/** @throws Problem 404 */
function customerOf(c: ServiceContext): Customer {
  const name = c.req.param('customer')!
  const customer = c.env.space.data.tables.customers.get(name)
  if (!customer) throw problems.notFound(`accessible customer "${name}"`)
  return customer
}

/** Whether the space may use the list (spec 4.16). Until something is configured it may use all (assumed). */
export function isPermitted(tables: Tables, list: List): boolean {
  const configured = tables.accessibleLists.get(list.customer)
  return !configured || configured.permitAll || configured.permittedLists.includes(list.id)
}

/** Spec 2.9. */
const customerResource = (links: Links, { name }: Customer) => item({ name }, { self: links.customer(name) })
const listResource = (links: Links, { id, name, customer }: List) =>
  item({ id, name }, { self: links.list(customer, id) })

/** Spec 2.10. Nothing of it has a date before it is put. */
type Configuration = Omit<AccessibleLists, 'creationDate' | 'modificationDate'> & {
  readonly creationDate: string | null
  readonly modificationDate: string | null
}

const accessibleListsResource = (links: Links, configured: Configuration, chance: Chance) =>
  resource(
    links,
    {
      creationDate: configured.creationDate,
      modificationDate: configured.modificationDate,
      permitAll: configured.permitAll,
      permittedLists: shownLists(configured, links.dials, chance),
    },
    { self: links.accessibleLists(configured.customer) },
  )

function shownLists(
  { permitAll, permittedLists, modificationDate }: Configuration,
  dials: DialValues,
  chance: Chance,
): readonly number[] {
  if (permitAll && dials['ignored-permitted-lists'] === 'empty') return []
  const place = (id: number) => chance.fraction('permitted lists', modificationDate ?? '', id)
  switch (dials['permitted-lists-order']) {
    case 'as-sent':
      return permittedLists
    case 'ascending':
      return permittedLists.toSorted((a, b) => a - b)
    case 'descending':
      return permittedLists.toSorted((a, b) => b - a)
    case 'shuffled':
      return permittedLists.toSorted((a, b) => place(a) - place(b))
  }
}

/** Spec 4.14. */
export function listAccessibleCustomers(c: ServiceContext, input: Input<'listAccessibleCustomers'>): Answer {
  const { space, links } = c.env
  const { customers } = space.data.tables
  const at = position(c, 'accessible-customers', input.query)
  const walk = chronological(c, customers.size, n => customers.at(n))
  const { rows, next } = page(c, 'accessible-customers', at, walk)
  const items = rows.map(row => links.kept(customerResource, row))
  return hal(collection(links, 'accessible-customers', items, pageLinks(c, next)))
}

export function getAccessibleCustomer(c: ServiceContext): Answer {
  return hal(c.env.links.kept(customerResource, customerOf(c)))
}

/** Spec 4.15. */
export function listCustomerLists(c: ServiceContext, input: Input<'listCustomerLists'>): Answer {
  const { space, links } = c.env
  const { tables } = space.data
  const { name } = customerOf(c)
  const owner = `lists of ${name}`
  const at = position(c, owner, input.query)
  const walk = chronological(c, tables.listsOfCustomer.count(name), n =>
    tables.lists.at(tables.listsOfCustomer.nth(name, n)!),
  )
  const { rows, next } = page(c, owner, at, walk, list => at.query.showAllLists || isPermitted(tables, list))
  return hal(
    collection(
      links,
      'lists',
      rows.map(row => links.kept(listResource, row)),
      pageLinks(c, next),
    ),
  )
}

/** Where a list item's `self` leads. Permitted or not: `showAllLists` hands out links to either. */
export function getCustomerList(c: ServiceContext): Answer {
  const { name } = customerOf(c)
  const id = c.req.param('listId')!
  const list = c.env.space.data.tables.lists.get(/^[1-9]\d{0,14}$/.test(id) ? Number(id) : Number.NaN)
  if (list?.customer !== name) throw problems.notFound(`list ${id} of customer "${name}"`)
  return hal(c.env.links.kept(listResource, list))
}

/** Spec 4.16: creates or replaces the configuration. */
export async function putAccessibleLists(
  c: ServiceContext,
  input: Input<'putAccessibleLists'>,
): Promise<Answer> {
  const { space, links, dials } = c.env
  const { tables } = space.data
  const { name } = customerOf(c)
  const { permitAll, permittedLists: sent = [] } = input.body
  if (!permitAll)
    for (const [at, id] of sent.entries())
      if (tables.lists.get(id)?.customer !== name)
        throw problems.field(`permittedLists.${at}`, `there is no list ${id} of customer "${name}"`)
  // With permitAll they are ignored, so nothing is refused; 2.10 shows list IDs alone, and no ID is below 1.
  const permittedLists = [...new Set(sent)].filter(id => id > 0)

  const before = tables.accessibleLists.get(name)
  const now = instant(space.clock.now())
  const configured = {
    customer: name,
    creationDate: before?.creationDate ?? now,
    modificationDate: now,
    permitAll,
    permittedLists,
  }
  await space.data.save({ accessibleLists: [configured] })
  const document = links.kept(accessibleListsResource, configured, space.chance)
  const status = before ? dials['replaced-configuration-status'] : '201'
  return status === '204' ? { status: 204, headers: {}, body: '' } : hal(document, statuses[status])
}

const statuses = { '200': 200, '201': 201 } as const

export function getAccessibleLists(c: ServiceContext): Answer {
  const { space, links, dials } = c.env
  const { name } = customerOf(c)
  const configured = space.data.tables.accessibleLists.get(name)
  if (configured) return hal(links.kept(accessibleListsResource, configured, space.chance))
  if (dials['absent-configuration'] === 'not-found')
    throw problems.notFound(`accessible-lists configuration of customer "${name}" before the first PUT`)
  const dates = { creationDate: null, modificationDate: null }
  const open = { ...dates, customer: name, permitAll: true, permittedLists: [] }
  return hal(accessibleListsResource(links, open, space.chance))
}
