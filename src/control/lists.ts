import { z } from 'zod'
import { problems } from '../service/problem.ts'
import { formatDateTime } from '../service/response.ts'
import type { Tables } from '../store/content.ts'
import { unlessRemoved } from '../store/removal.ts'
import type { List } from '../store/rows.ts'
import { shorten } from '../store/validation-messages.ts'
import { route } from './route.ts'
import { members } from './schemas.ts'

/** The name that something gets. */
export const newName = members({ name: z.string({ error: 'expected text' }).min(1, 'expected a name') })

/** @throws Problem 404 without a row */
export function findOrRefuse<Row>(what: string, name: string, row: Row | undefined): Row {
  if (row) return row
  throw problems.notFound(`${what} ${JSON.stringify(shorten(name, 60))} in this space`)
}

const findList = (tables: Tables, id: string): List =>
  findOrRefuse('list', id, /^\d+$/.test(id) ? unlessRemoved(tables.lists.get(Number(id))) : undefined)

const also = { 404: 'There is no such space, or no such list in it' }

/** What a person does to a list on the platform. */
export const listRoutes = [
  route('DELETE /spaces/{space}/lists/{id}', 'deleteList', {
    rel: 'list',
    summary: 'Deletes a list, as a person does on the platform',
    description:
      'It is 404 from now on. Its synchronizations stay and are not ready for sending. A sending that was accepted before goes on. Only a reset brings the list back.',
    also,
    async handle(call) {
      const { space } = await call.upToDateRig()
      const list = findList(space.data.tables, call.params.id)
      space.data.save({ lists: [{ ...list, removedAt: formatDateTime(call.changesAt) }] })
    },
  }),
  route('PUT /spaces/{space}/lists/{id}/name', 'renameList', {
    rel: 'list-name',
    summary: 'Renames a list',
    body: newName,
    example: { name: 'Members and friends' },
    also,
    async handle(call) {
      const { space } = await call.upToDateRig()
      const list = findList(space.data.tables, call.params.id)
      space.data.save({ lists: [{ ...list, name: call.body.name }] })
    },
  }),
]
