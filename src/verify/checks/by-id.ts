import { type Check, reading } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { member, shown } from '../hal.ts'
import { differs, holds, untestable } from '../outcome.ts'
import { unknownId, type World } from '../world.ts'

interface Addressed {
  /** Of resources that exist. */
  readonly ids: readonly string[]
  readonly path: (id: string) => string
}

/**
 * That a path names a resource by its ID: another ID gives another resource, and an ID of nothing gives nothing.
 * @param name the member that holds the ID; none where what the path names is not in the answer
 */
export const byId = (
  clause: string,
  what: string,
  addressed: (world: World) => Promise<Addressed>,
  name: string | undefined = 'id',
): Check =>
  reading(clause, `the ${what} that a path names`, async world => {
    const { ids, path } = await addressed(world)
    for (const id of name === undefined ? [] : ids.slice(0, 2)) {
      const exchange = await world.get(path(id))
      if (!isSuccess(exchange)) continue
      const there = member(exchange.json, name)
      // An ID in another form is told by its own clause.
      if ((typeof there === 'string' || there === undefined) && there !== id)
        return differs(`${what} ${id}`, shown(there), exchange)
    }
    const nobody = await world.get(path(unknownId))
    if (!isRefused(nobody)) return differs(`a 4xx for an unknown ${what}`, `${nobody.status}`, nobody)
    return ids.length === 0 ? untestable(`there is no ${what}, and an unknown one is refused`) : holds()
  })
