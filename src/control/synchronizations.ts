import { formatDateTime } from '../service/response.ts'
import { unlessRemoved } from '../store/removal.ts'
import { findOrRefuse } from './lists.ts'
import { route } from './route.ts'

export const synchronizationRoutes = [
  route('DELETE /spaces/{space}/synchronizations/{id}', 'deleteSynchronization', {
    rel: 'synchronization',
    summary: 'Deletes a synchronization, for which the service has no operation',
    description:
      'It and everything below its address is 404 from now on, a repeat of a known transaction ID too. A sending that was accepted before goes on. Only a reset brings it back.',
    also: { 404: 'There is no such space, or no such synchronization in it' },
    async handle(call) {
      const { space } = await call.upToDateRig()
      const { id } = call.params
      const row = findOrRefuse(
        'synchronization',
        id,
        unlessRemoved(space.data.tables.synchronizations.get(id)),
      )
      space.data.save({ synchronizations: [{ ...row, removedAt: formatDateTime(call.changesAt) }] })
    },
  }),
]
