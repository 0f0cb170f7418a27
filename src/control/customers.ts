import { problems } from '../service/problem.ts'
import { formatDateTime } from '../service/response.ts'
import { unlessRemoved } from '../store/removal.ts'
import { customer } from '../store/rows.ts'
import { findOrRefuse, newName } from './lists.ts'
import { route } from './route.ts'

const also = { 404: 'There is no such space, or no such customer in it' }

/** What a person does to a customer on the platform. */
export const customerRoutes = [
  route('DELETE /spaces/{space}/customers/{name}', 'deleteCustomer', {
    rel: 'customer',
    summary: 'Deletes a customer with all its lists, as a person does on the platform',
    description:
      'They are 404 from now on. Synchronizations with its lists stay and are not ready for sending. A sending that was accepted before goes on. Only a reset brings the customer back.',
    also,
    async handle(call) {
      const { space } = await call.upToDateRig()
      const { customers, lists } = space.data.tables
      const { name } = call.params
      const row = findOrRefuse('customer', name, unlessRemoved(customers.get(name)))
      const removedAt = formatDateTime(call.changesAt)
      const own = [...lists.rows()].filter(list => list.customer === name && unlessRemoved(list))
      space.data.save({
        customers: [{ ...row, removedAt }],
        lists: own.map(list => ({ ...list, removedAt })),
      })
    },
  }),
  route('PUT /spaces/{space}/customers/{name}/name', 'renameCustomer', {
    rel: 'customer-name',
    summary: 'Renames a customer: the old name is 404 from now on',
    description: 'Its lists, its synchronizations and its accessible-lists configuration show the new name.',
    body: newName,
    example: { name: 'harbour-holding' },
    also: { ...also, 409: 'There is a customer of that name' },
    async handle(call) {
      const { space } = await call.upToDateRig()
      const { customers, lists, synchronizations, accessibleLists } = space.data.tables
      const { name } = call.params
      const row = findOrRefuse('customer', name, unlessRemoved(customers.get(name)))
      const renamed = customer.safeParse({ name: call.body.name })
      if (!renamed.success) throw problems.field('name', renamed.error.issues[0]!.message)
      const next = renamed.data.name
      if (unlessRemoved(customers.get(next)))
        throw problems.notPossibleHere(`There is a customer ${JSON.stringify(next)} already`)
      const configured = accessibleLists.get(name)
      // Of a customer, the name is the key: the old row stays as a deleted one.
      space.data.save({
        customers: [{ ...row, removedAt: formatDateTime(call.changesAt) }, { name: next }],
        lists: [...lists.rows()].filter(it => it.customer === name).map(it => ({ ...it, customer: next })),
        synchronizations: [...synchronizations.rows()]
          .filter(it => it.customer === name)
          .map(it => ({ ...it, customer: next })),
        ...(configured && { accessibleLists: [{ ...configured, customer: next }] }),
      })
    },
  }),
]
