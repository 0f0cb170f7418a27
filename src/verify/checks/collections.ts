import type { Exchange } from '../exchange.ts'
import { embedded, hrefOf, isObject, member, shown } from '../hal.ts'
import { differs, holds, type Outcome } from '../outcome.ts'
import { entriesOf } from '../world.ts'

/** Whether an answer is a collection with its entries under a relation, and links to itself. */
export function isCollectionOf(exchange: Exchange, relation: string): Outcome {
  const { json } = exchange
  const all = member(json, '_embedded')
  // Whether an empty collection has them too is a choice of its own, told by S empty collection.
  const isEmpty = (all === undefined || isObject(all)) && entriesOf(json, relation).length === 0
  if (!isEmpty && embedded(json, relation) === undefined)
    return differs(
      `an array embedded as ${relation}`,
      shown(isObject(all) ? Object.keys(all) : all),
      exchange,
    )
  if (hrefOf(json, 'self') === undefined) return differs('a self link', 'none', exchange)
  return holds()
}
