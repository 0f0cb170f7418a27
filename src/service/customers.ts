import { z } from 'zod'
import type { Tables } from '../store/content.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { AccessibleLists, Customer, List } from '../store/rows.ts'
import type { Chance } from '../store/space-data.ts'
import { assumed, documented, houseStyle, specified } from './claim.ts'
import type { DialValues } from './dials.ts'
import { customersPath, operation, type ServiceContext, withSlash } from './operation.ts'
import { pageAnswer, pageParameters, pageQuery, renderRows, takePage, walkByCreation } from './paging.ts'
import { problems } from './problem.ts'
import { booleanText, listNumber } from './request-input.ts'
import { collection, dateTime, member, numericId, resource, selfLink } from './resource.ts'
import { formatDateTime, halAnswer } from './response.ts'

const customerPath = `${customersPath}/:customer`

/** @throws Problem 404 */
function findCustomer(c: ServiceContext): Customer {
  const name = c.req.param('customer')!
  const customer = unlessRemoved(c.env.space.data.tables.customers.get(name))
  if (!customer) throw problems.notFound(`accessible customer "${name}"`)
  return customer
}

const isThere = (row: Customer | List) => unlessRemoved(row) !== undefined

/** Whether the space may use the list (spec 4.16). Without a configuration it may use all (assumed). */
export function isPermitted(tables: Tables, list: List): boolean {
  const configured = tables.accessibleLists.get(list.customer)
  return !configured || configured.permitAll || configured.permittedLists.includes(list.id)
}

export const customerForm = resource<[Customer]>()({
  name: 'AccessibleCustomer',
  kind: 'customer',
  section: '2.9',
  members: { name: member(z.string(), 'An accessible customer has a name.') },
  values: (_, { name }) => ({ name }),
  links: { self: selfLink((links, { name }) => links.customer(name)) },
  linksSay: 'An accessible customer links to itself.',
})

export const customerCollection = collection('4.14', 'accessible-customers', customerForm)

export const listForm = resource<[List]>()({
  name: 'List',
  section: '2.9 list',
  members: {
    id: member(numericId, 'A list has its ID as a number.'),
    name: member(z.string(), 'A list has a name.'),
  },
  values: (_, { id, name }) => ({ id, name }),
  links: { self: selfLink((links, { customer, id }) => links.list(customer, id)) },
  linksSay: 'Every list in the collection links to itself.',
})

export const listCollection = collection('4.15', 'lists', listForm)

/** The dates are null before the first PUT. */
type Configuration = Omit<AccessibleLists, 'creationDate' | 'modificationDate'> & {
  readonly creationDate: string | null
  readonly modificationDate: string | null
}

const configurationDate = (says: string) =>
  member(dateTime.nullable(), says, {
    further: ['S configuration before PUT'],
    byDials: (schema, dials) => (dials['absent-configuration'] === 'permit-all' ? schema : schema.unwrap()),
  })

export const accessibleListsForm = resource<[configured: Configuration, chance: Chance]>()({
  name: 'AccessibleListsConfiguration',
  kind: 'configuration',
  section: '2.10',
  members: {
    creationDate: configurationDate('The configuration has the date-time of its creation.'),
    modificationDate: configurationDate('The configuration has the date-time of its last replacement.'),
    permitAll: member(z.boolean(), 'permitAll tells whether the space may use every list.'),
    permittedLists: member(
      z.array(numericId),
      'permittedLists holds the IDs of the lists the space may use.',
      {
        further: [
          '2.10 order',
          assumed(
            'S ignored permittedLists',
            'With permitAll the lists that were sent are shown, although they count for nothing.',
          ),
        ],
      },
    ),
  },
  values: (dials, configured, chance) => ({
    ...configured,
    permittedLists: orderPermittedLists(configured, dials, chance),
  }),
  links: { self: selfLink((links, { customer }) => links.accessibleLists(customer)) },
  linksSay: 'The configuration links to itself.',
  claims: [specified('2.10 order', 'permittedLists comes back with the same IDs, in whatever order.')],
})

function orderPermittedLists(
  { permitAll, permittedLists, modificationDate }: Configuration,
  dials: DialValues,
  chance: Chance,
): number[] {
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

export const listAccessibleCustomers = operation({
  method: 'GET',
  path: customersPath,
  alsoAt: [withSlash(customersPath)],
  tag: 'Accessible customers',
  summary: 'List the accessible customers',
  claim: specified(
    '4.14',
    'GET answers 200 with the customers embedded as svc:accessible-customers and a self link.',
  ),
  parameters: pageParameters(),
  query: pageQuery,
  answers: [{ status: 200, cites: ['4.14', 'S default order'], shows: customerCollection }],
  handle(c, { query }) {
    const { space, rendered } = c.env
    const { customers } = space.data.tables
    const walk = walkByCreation(c, customers.size, n => customers.at(n))
    const { rows, next } = takePage(c, 'accessible-customers', query, walk, () => isThere)
    const items = renderRows(rows, row => rendered.resource(customerForm, row))
    return pageAnswer(c, customerCollection, items, next)
  },
})

export const getAccessibleCustomer = operation({
  method: 'GET',
  path: customerPath,
  tag: 'Accessible customers',
  summary: 'Retrieve an accessible customer',
  claim: specified('4.14 single', 'GET on an accessible customer answers with it.'),
  parameters: { customer: [specified('4.14 customerName', 'The path names the customer by its name.')] },
  answers: [{ status: 200, cites: ['4.14 single', 'S 200'], shows: customerForm }],
  claims: ['S no curies'],
  handle(c) {
    return halAnswer(c.env.rendered.resource(customerForm, findCustomer(c)))
  },
})

export const listCustomerLists = operation({
  method: 'GET',
  path: `${customerPath}/lists`,
  tag: 'Accessible customers',
  summary: 'List the lists of a customer',
  claim: specified('4.15', 'GET answers 200 with the lists embedded as svc:lists and a self link.'),
  parameters: {
    customer: [specified('4.15 customerName', 'The path names the customer by its name.')],
    showAllLists: [
      specified('4.15 showAllLists', 'showAllLists shows every list, whatever the configuration says.'),
      assumed('S showAllLists', 'showAllLists is true or false.'),
    ],
    ...pageParameters(),
  },
  query: z.object({ showAllLists: booleanText.default(false), ...pageQuery.shape }),
  answers: [{ status: 200, cites: ['4.15', '4.15 effect', 'S default order'], shows: listCollection }],
  claims: [
    specified(
      '4.15 effect',
      'The accessible-lists configuration filters the lists and bounds the creation of synchronizations.',
    ),
    documented('S list self', 'The self link of a list in the collection leads to the single list.'),
  ],
  handle(c, { query }) {
    const { space, rendered } = c.env
    const { tables } = space.data
    const { name } = findCustomer(c)
    const walk = walkByCreation(c, tables.lists.size, n => tables.lists.at(n))
    const filter =
      ({ showAllLists }: typeof query) =>
      (list: List) =>
        list.customer === name && isThere(list) && (showAllLists || isPermitted(tables, list))
    const { rows, next } = takePage(c, `lists of ${name}`, query, walk, filter)
    const items = renderRows(rows, row => rendered.resource(listForm, row))
    return pageAnswer(c, listCollection, items, next)
  },
})

/** The target of a list item's `self`. It also answers for lists that are not permitted: `showAllLists` links to them. */
export const getCustomerList = operation({
  method: 'GET',
  path: `${customerPath}/lists/:listId`,
  tag: 'Accessible customers',
  summary: 'Retrieve a list of a customer',
  claim: documented('S single list', 'GET on a list answers with its ID, name and self link.'),
  parameters: { customer: ['S single list'], listId: ['S single list'] },
  answers: [{ status: 200, cites: ['S single list', 'S 200'], shows: listForm }],
  claims: ['S list self', 'S no curies'],
  handle(c) {
    const { name } = findCustomer(c)
    const id = c.req.param('listId')!
    const { lists } = c.env.space.data.tables
    const list = unlessRemoved(lists.get(/^[1-9]\d{0,14}$/.test(id) ? Number(id) : Number.NaN))
    if (list?.customer !== name) throw problems.notFound(`list ${id} of customer "${name}"`)
    return halAnswer(c.env.rendered.resource(listForm, list))
  },
})

const accessibleListsBody = z
  .object({
    permittedLists: z.array(listNumber, 'expected an array of list IDs').nullish(),
    permitAll: z.boolean('expected true or false').nullable().default(false),
  })
  .refine(body => body.permitAll || body.permittedLists, {
    path: ['permittedLists'],
    error: 'expected an array of list IDs, since permitAll is not true',
  })
  .meta({
    rule: {
      anyOf: [
        { required: ['permittedLists'], properties: { permittedLists: { type: 'array' } } },
        { required: ['permitAll'], properties: { permitAll: { const: true } } },
      ],
    },
  })

const configurationPath = `${customerPath}/configuration/accessible-lists`
const configuredCustomer = specified('4.16 customerName', 'The path names the customer by its name.')

export const putAccessibleLists = operation({
  method: 'PUT',
  path: configurationPath,
  tag: 'Accessible customers',
  summary: 'Create or replace the accessible-lists configuration',
  claim: specified('4.16', 'PUT creates the configuration or replaces the whole of it.'),
  parameters: { customer: [configuredCustomer] },
  body: {
    name: 'AccessibleListsRequest',
    schema: accessibleListsBody,
    /** 4.16: with permitAll the lists are ignored, whatever is in their place. */
    withoutCheck: (_, { permitAll }) => (permitAll === true ? { permitAll } : undefined),
    claims: assumed({
      '4.16 optional members':
        'permitAll counts as false when absent, and permittedLists may be absent beside it when it is true.',
    }),
    members: {
      permittedLists: [
        specified('4.16 permittedLists', 'permittedLists holds the IDs of the lists to permit.'),
        ...assumed({
          'S unknown permitted list': 'A list that the customer does not have is refused.',
          'S repeated permitted list': 'A list that permittedLists names more than once is shown once.',
        }),
      ],
      permitAll: specified({
        '4.16 permitAll':
          'With permitAll every list is permitted and permittedLists is ignored, without it only those named.',
      }),
    },
  },
  means: 'nothing',
  answers: dials => {
    const replaced = Number(dials['replaced-configuration-status'])
    const shows = accessibleListsForm
    if (replaced === 201) return [{ status: 201, cites: ['4.16 created', '4.16 replaced'], shows }]
    return [
      { status: 201, cites: ['4.16 created'], shows },
      { status: replaced, cites: ['4.16 replaced'], ...(replaced === 200 && { shows }) },
    ]
  },
  claims: [
    houseStyle('4.16 rules', 'A body that does not fit is refused.'),
    specified('4.16 created', 'Creating the configuration is answered 201 with it.'),
    assumed('4.16 replaced', 'Replacing the configuration is answered 200 with it.'),
    'S no curies',
  ],
  handle(c, { body }) {
    const { space, rendered, dials } = c.env
    const { tables } = space.data
    const { name } = findCustomer(c)
    const permitAll = body.permitAll === true
    const sent = body.permittedLists ?? []
    const isOwn = (id: number) => unlessRemoved(tables.lists.get(id))?.customer === name
    // With permitAll they are ignored, so none is refused.
    if (!permitAll) {
      const at = sent.findIndex(
        (id, at) =>
          (dials['unknown-permitted-list'] === 'refused' && !isOwn(id)) ||
          (dials['repeated-permitted-list'] === 'refused' && sent.indexOf(id) !== at),
      )
      const id = sent[at]!
      if (at >= 0)
        throw problems.field(
          `permittedLists.${at}`,
          isOwn(id) ? `list ${id} is named more than once` : `there is no list ${id} of customer "${name}"`,
        )
    }
    const named = dials['repeated-permitted-list'] === 'kept' ? sent : [...new Set(sent)]
    // 2.10 shows list IDs alone, and no ID is below 1.
    const permittedLists = named.filter(
      id => id > 0 && (permitAll || dials['unknown-permitted-list'] === 'kept' || isOwn(id)),
    )

    const before = tables.accessibleLists.get(name)
    const now = formatDateTime(space.clock.now())
    const configured = {
      customer: name,
      creationDate: before?.creationDate ?? now,
      modificationDate: now,
      permitAll,
      permittedLists,
    }
    space.data.save({ accessibleLists: [configured] })
    const document = rendered.resource(accessibleListsForm, configured, space.chance)
    const status = before ? dials['replaced-configuration-status'] : '201'
    if (status === '204') return { status: 204, headers: {}, body: '' }
    return halAnswer(document, status === '201' ? 201 : 200)
  },
})

export const getAccessibleLists = operation({
  method: 'GET',
  path: configurationPath,
  tag: 'Accessible customers',
  summary: 'Retrieve the accessible-lists configuration',
  claim: specified('4.16 get', 'GET on the configuration answers 200 with it.'),
  parameters: { customer: [configuredCustomer] },
  answers: [
    {
      status: 200,
      cites: [
        '4.16 get',
        assumed(
          'S configuration before PUT',
          'Until a configuration is put, every list is permitted and GET is 404.',
        ),
      ],
      shows: accessibleListsForm,
    },
  ],
  claims: ['S no curies'],
  handle(c) {
    const { space, links, rendered, dials } = c.env
    const { name } = findCustomer(c)
    const configured = space.data.tables.accessibleLists.get(name)
    if (configured) return halAnswer(rendered.resource(accessibleListsForm, configured, space.chance))
    if (dials['absent-configuration'] === 'not-found')
      throw problems.notFound(`accessible-lists configuration of customer "${name}" before the first PUT`)
    const dates = { creationDate: null, modificationDate: null }
    const open = { ...dates, customer: name, permitAll: true, permittedLists: [] }
    return halAnswer(accessibleListsForm.render(links, dials, open, space.chance))
  },
})
