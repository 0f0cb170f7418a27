import { type Check, type Entry, follows, reading } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { isObject, member, shown, text } from '../hal.ts'
import { differs, holds, untestable } from '../outcome.ts'
import { byId } from './by-id.ts'
import { isCollectionOf } from './collections.ts'
import { nothingSeen } from './fields.ts'

/** Sections 4.12 and 4.13: the operations on mailings. */
export const mailingOperations: readonly Entry[] = [
  reading('4.12', 'GET /mailings', async world => {
    const { exchange } = await world.mailings()
    if (exchange.status !== 200) return differs('200', String(exchange.status), exchange)
    return isCollectionOf(exchange, 'mailings')
  }),
  reading('4.12 sort order', 'modificationDate of the mailings, in their order', async world => {
    const { exchange, items } = await world.mailings()
    const dates = items.map(it => Date.parse(String(member(it, 'modificationDate'))))
    if (dates.length < 2) return untestable('there are fewer than two mailings')
    const at = dates.findIndex((date, n) => n > 0 && date > dates[n - 1]!)
    if (at < 0) return holds()
    const both = [items[at - 1], items[at]].map(it => member(it, 'modificationDate'))
    return differs('the one that changed last first', `${both[0]} before ${both[1]}`, exchange)
  }),
  flagFilter('4.12 isApproved', 'isApproved'),
  flagFilter('4.12 hasDraft', 'hasDraft'),
  reading('4.12 id', 'mailings asked for by their IDs', async world => {
    const { items } = await world.mailings()
    const ids = items.flatMap(it => text(it, 'id') ?? []).slice(-3)
    if (ids.length < 2) return untestable('there are fewer than two mailings')
    const some = ids.slice(0, Math.max(1, Math.min(ids.length, items.length - 1)))
    const { exchange, items: found } = await world.list(
      'mailing item',
      'mailings',
      `/mailings?id=${some.join(',')}`,
    )
    const seen = found.map(it => member(it, 'id'))
    const isSame = seen.length === some.length && some.every(id => seen.includes(id))
    return isSame
      ? holds()
      : differs(`the mailings ${some.join(', ')}`, `${seen.length}: ${shown(seen)}`, exchange)
  }),
  reading('4.12 pageSize', 'mailings with pageSize=2', async world => {
    const { exchange, items } = await world.list('mailing item', 'mailings', '/mailings?pageSize=2')
    const { items: all } = await world.mailings()
    if (all.length < 3) return untestable('there are fewer than three mailings')
    return isSuccess(exchange) && items.length === 2
      ? holds()
      : differs('a page of 2 mailings', `${exchange.status}, ${items.length} mailings`, exchange)
  }),
  reading('4.12 both false', 'mailings with hasDraft=false&isApproved=false', async world => {
    const exchange = await world.get('/mailings?hasDraft=false&isApproved=false')
    return isRefused(exchange) ? holds() : differs('a 4xx', `${exchange.status}`, exchange)
  }),
  reading('4.13', 'single mailings', async world => {
    const { items } = await world.mailings()
    const id = items.map(it => text(it, 'id')).find(it => it !== undefined)
    if (id === undefined) return nothingSeen('mailing')
    const exchange = await world.get(`/mailings/${id}`)
    if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    return isObject(exchange.json) ? holds() : differs('a mailing', shown(exchange.text), exchange)
  }),
  byId('4.13 id', 'mailing', async world => {
    const { items } = await world.mailings()
    return { ids: items.flatMap(it => text(it, 'id') ?? []), path: id => `/mailings/${id}` }
  }),
  follows('7/4', '4.12 both false'),
]

function flagFilter(clause: string, flag: 'isApproved' | 'hasDraft'): Check {
  return reading(clause, `mailings with ${flag}=true and ${flag}=false`, async world => {
    const { items: all } = await world.mailings()
    for (const value of ['true', 'false']) {
      const { exchange, items } = await world.list('mailing item', 'mailings', `/mailings?${flag}=${value}`)
      if (!isSuccess(exchange)) return differs('200', `${exchange.status}`, exchange)
      const wanted = all.filter(it => String(member(it, flag)) === value).flatMap(it => text(it, 'id') ?? [])
      const seen = items.map(it => member(it, 'id'))
      const opposite = String(value === 'false')
      const other = items.find(it => String(member(it, flag)) === opposite)
      if (other)
        return differs(
          `only mailings with ${flag} ${value}`,
          `mailing ${shown(member(other, 'id'))}`,
          exchange,
        )
      const missing = wanted.find(id => !seen.includes(id))
      if (missing !== undefined && (await world.mailings()).next === undefined)
        return differs(`all mailings with ${flag} ${value}`, `not mailing ${missing}`, exchange)
    }
    return all.length === 0 ? nothingSeen('mailing') : holds()
  })
}
