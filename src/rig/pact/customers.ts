import { problems } from '../../service/problem.ts'
import { instant } from '../../service/time.ts'
import type { AccessibleLists } from '../../store/rows.ts'
import { params, platformId, text } from './params.ts'
import { providerState } from './provider-state.ts'
import type { Scene } from './scene.ts'

const given = params({ customer: text.optional().describe('Name of the customer; made if there is none') })
const customer = { customer: 'Name of the customer' }

/** As a client would have put it (spec 4.16). */
async function configured(
  scene: Scene,
  of: string,
  rest: Pick<AccessibleLists, 'permitAll' | 'permittedLists'>,
) {
  const at = instant(scene.now)
  const known = scene.tables.accessibleLists.get(of)
  const row = { creationDate: known?.creationDate ?? at, modificationDate: at, customer: of, ...rest }
  await scene.rig.space.data.save({ accessibleLists: [row] })
}

/** A customer that the space knows nothing of yet, so that nothing has to vanish. @throws Problem 400 */
async function freshCustomer(
  scene: Scene,
  name: string | undefined,
  has: (name: string) => boolean,
  what: string,
) {
  const of = await scene.customer(name)
  if (!has(of)) return of
  throw problems.field('params.customer', `customer "${of}" has ${what}; name another, or none`)
}

export const customerStates = [
  providerState({
    name: 'a customer has lists',
    alsoNamed: ['customer {customer} has lists'],
    description: 'Two lists of a customer without an accessible-lists configuration.',
    params: given,
    values: { ...customer, listId: 'ID of one of its lists' },
    async setUp(scene, { customer: name }) {
      const of = await scene.customer(name)
      const { id } = await scene.list({ customer: of })
      await scene.list({ customer: of })
      return { customer: of, listId: id }
    },
  }),
  providerState({
    name: 'a customer has no lists',
    alsoNamed: ['customer {customer} has no lists'],
    description: 'An accessible customer without a list.',
    params: given,
    values: customer,
    async setUp(scene, { customer: name }) {
      const has = (it: string) => scene.tables.listsOfCustomer.count(it) > 0
      return { customer: await freshCustomer(scene, name, has, 'lists, and lists never vanish') }
    },
  }),
  providerState({
    name: 'there is no customer',
    alsoNamed: ['there is no customer {customer}'],
    description: 'Gives a name that no accessible customer has.',
    params: params({ customer: text.optional().describe('Made up unless given') }),
    values: { customer: 'Name that no customer has' },
    async setUp(scene, { customer: name = 'no-such-customer' }) {
      if (!scene.tables.customers.get(name)) return { customer: name }
      throw problems.field('params.customer', `there is a customer "${name}"`)
    },
  }),
  providerState({
    name: 'there is no list',
    alsoNamed: ['there is no list {listId}', 'there is no list {listId} of customer {customer}'],
    description: 'An accessible customer, and an ID that no list has.',
    params: params({ ...given.shape, listId: platformId.optional() }),
    takes: ['customer'],
    values: { ...customer, listId: 'ID that no list has' },
    async setUp(scene, { customer: name, listId = scene.freshListId() }) {
      if (scene.tables.lists.get(listId)) throw problems.field('params.listId', `there is a list ${listId}`)
      return { customer: await scene.customer(name), listId }
    },
  }),
  providerState({
    name: 'a customer has an accessible-lists configuration',
    description: 'Of its two lists only one is permitted.',
    params: given,
    values: { ...customer, listId: 'ID of the permitted list', forbiddenListId: 'ID of the other one' },
    async setUp(scene, { customer: name }) {
      const of = await scene.customer(name)
      const permitted = await scene.list({ customer: of })
      const other = await scene.list({ customer: of })
      await configured(scene, of, { permitAll: false, permittedLists: [permitted.id] })
      return { customer: of, listId: permitted.id, forbiddenListId: other.id }
    },
  }),
  providerState({
    name: 'all lists of a customer are permitted',
    description: 'Its accessible-lists configuration has permitAll.',
    params: given,
    values: { ...customer, listId: 'ID of one of its lists' },
    async setUp(scene, { customer: name }) {
      const of = await scene.customer(name)
      const { id } = await scene.list({ customer: of })
      await configured(scene, of, { permitAll: true, permittedLists: [] })
      return { customer: of, listId: id }
    },
  }),
  providerState({
    name: 'a customer has no accessible-lists configuration',
    description: 'A customer with a list, and nothing that restricts it.',
    params: given,
    values: { ...customer, listId: 'ID of its list' },
    async setUp(scene, { customer: name }) {
      const has = (it: string) => scene.tables.accessibleLists.get(it) !== undefined
      const of = await freshCustomer(scene, name, has, 'one, and configurations never vanish')
      return { customer: of, listId: (await scene.list({ customer: of })).id }
    },
  }),
]
