import { type Exchange, isSuccess } from '../exchange.ts'
import { member, shown } from '../hal.ts'
import { differs, lacking, type Outcome } from '../outcome.ts'
import type { Workshop } from '../workshop.ts'
import { entriesOf, listIdsOf } from '../world.ts'

/** What became of a customer's configuration while it was created, replaced and read. */
export interface Configured {
  readonly customer: string
  /** All lists of the customer, lowest ID first. */
  readonly lists: readonly number[]
  /** What GET answered before all of it. */
  readonly before: Exchange
  /** PUT with permitAll and one of the lists. */
  readonly first: Exchange
  /** GET of that. */
  readonly firstRead: Exchange
  /** PUTs of all lists in several orders, each with the GET after it. */
  readonly ordered: readonly {
    readonly sent: readonly number[]
    readonly put: Exchange
    readonly read: Exchange
  }[]
  /** PUT with the lowest list only. */
  readonly narrowed: Exchange
  readonly narrowedRead: Exchange
  readonly filtered: Exchange
  readonly unfiltered: Exchange
  /** POST of a synchronization to a list that is not permitted. */
  readonly refused: Exchange
}

/** Creates, replaces and reads a configuration, once for all checks. @throws Lacking without a customer to do it with */
export const configured = (workshop: Workshop): Promise<Configured> =>
  workshop.world.once('configured', () => act(workshop))

async function act(workshop: Workshop): Promise<Configured> {
  const { world } = workshop
  const { get } = world.target
  const { customer, lists } = await chosen(workshop)
  const address = world.configurationPath(customer)
  const before = await get(address)
  const first = await workshop.configure(customer, { permitAll: true, permittedLists: lists.slice(0, 1) })
  const firstRead = await get(address)
  const ordered = []
  for (const sent of ordersOf(lists)) {
    const put = await workshop.configure(customer, { permitAll: false, permittedLists: sent })
    ordered.push({ sent, put, read: await get(address) })
  }
  const narrowed = await workshop.configure(customer, { permitAll: false, permittedLists: lists.slice(0, 1) })
  const narrowedRead = await get(address)
  const filtered = await get(world.customerPath(customer, '/lists'))
  const unfiltered = await get(world.customerPath(customer, '/lists?showAllLists=true'))
  const refused = await workshop.synchronize({
    customer,
    listId: lists.at(-1),
    mailingName: workshop.name,
  })
  await workshop.configure(customer, { permitAll: true, permittedLists: [] })
  return {
    customer,
    lists,
    before,
    first,
    firstRead,
    ordered,
    narrowed,
    narrowedRead,
    filtered,
    unfiltered,
    refused,
  }
}

/** Orders that no sorting gives twice. */
function ordersOf(lists: readonly number[]): number[][] {
  const [first, ...rest] = lists.slice(0, 8)
  const back = rest.toReversed()
  return [
    [...rest, first!],
    [back[0]!, first!, ...back.slice(1)],
    [first!, ...back],
  ]
}

async function chosen({ world }: Workshop): Promise<{ customer: string; lists: number[] }> {
  const found = []
  for (const customer of await world.customerNames()) {
    const { items } = await world.lists(customer, '?showAllLists=true')
    const lists = listIdsOf(items)
    const isFresh = !isSuccess(await world.get(world.configurationPath(customer)))
    if (lists.length >= 2) found.push({ customer, lists: lists.sort((a, b) => a - b), isFresh })
  }
  found.sort((a, b) => Number(b.isFresh) - Number(a.isFresh) || b.lists.length - a.lists.length)
  return found[0] ?? lacking('no customer has two lists, so none can be left out')
}

export const listsIn = (exchange: Exchange): unknown[] =>
  entriesOf(exchange.json, 'lists').map(it => member(it, 'id'))

/** In which order permittedLists come back; any is right, as long as they are the same. */
export async function orderOfPermittedLists(workshop: Workshop): Promise<Outcome> {
  const { ordered } = await configured(workshop)
  const seen: string[] = []
  for (const { sent, put, read } of ordered) {
    if (!isSuccess(put)) return lacking(`putting a configuration was answered ${put.status}`)
    const told = member(read.json, 'permittedLists')
    const ids = Array.isArray(told) ? told : []
    const isSame = ids.length === sent.length && sent.every(id => ids.includes(id))
    if (!isSame) return differs(`the lists ${sent.join(', ')}, in any order`, shown(told), put, read)
    seen.push(orderNamed(ids, sent))
  }
  const names = ['as-sent', 'ascending', 'descending'].filter(name => seen.every(it => it.includes(name)))
  return {
    is: 'observed',
    dial: 'permitted-lists-order',
    value: names[0] ?? 'shuffled',
    expected: 'the same lists, in any order',
    seen: `the order is ${names[0] ?? 'none that can be told'}`,
    evidence: ordered.flatMap(({ put, read }) => [put, read]),
  }
}

const orderNamed = (ids: readonly number[], sent: readonly number[]): string => {
  const is = (other: readonly number[]) => other.every((id, at) => id === ids[at])
  return [
    is(sent) && 'as-sent',
    is(ids.toSorted((a, b) => a - b)) && 'ascending',
    is(ids.toSorted((a, b) => b - a)) && 'descending',
  ]
    .filter(Boolean)
    .join(' ')
}
