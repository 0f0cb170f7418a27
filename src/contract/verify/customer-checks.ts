import { type ClauseEntry, reading, writing } from './check.ts'
import { byIdCheck, mustBeCollection, unknownCheck } from './collection-checks.ts'
import { type Exchange, isRefused, isSuccess } from './exchange.ts'
import {
  compareEach,
  differs,
  holds,
  must,
  need,
  nothingAsked,
  type Outcome,
  observe,
  observedStatus,
  untestable,
} from './outcome.ts'
import { entriesOf, listIdsOf } from './target-reader.ts'
import type { TestData } from './test-data.ts'
import { describeMember, describeValue, memberAt, textAt } from './unknown-json.ts'

const noCustomer = 'there is no customer'

/** All answers while a configuration was created, replaced and read, once. @throws CannotCheck without a customer */
export const runConfiguration = (testData: TestData) =>
  testData.reader.once('configured', async () => {
    const { reader } = testData
    const { get } = reader.target
    const { customer, lists } = await chooseCustomer(testData)
    const address = reader.configurationPath(customer)
    const put = async (permitAll: boolean, permittedLists: readonly number[]) => ({
      put: await testData.putConfiguration(customer, { permitAll, permittedLists }),
      read: await get(address),
    })
    const lowest = lists.slice(0, 1)
    const before = await get(address)
    const first = await put(true, lowest)
    const listsPath = reader.path('listCustomerLists', { customer })
    const unrestricted = await get(listsPath)
    const ordered = []
    for (const sent of ordersOf(lists)) ordered.push({ sent, ...(await put(false, sent)) })
    const narrowed = await put(false, lowest)
    const filtered = await get(listsPath)
    const unfiltered = await get(`${listsPath}?showAllLists=true`)
    const synchronize = (listId = lists[0]) =>
      testData.synchronize({ customer, listId, mailingName: testData.name })
    const permitted = await synchronize()
    /** POST of a synchronization for a list that is not permitted. */
    const refused = await synchronize(lists.at(-1))
    await testData.putConfiguration(customer, { permitAll: true, permittedLists: [] })
    // Refused as well when all lists are permitted, it says nothing of the configuration.
    const unpermitted = isRefused(permitted) && isSuccess(await synchronize()) ? permitted : undefined
    const found = { customer, lists, before, first, unrestricted, ordered, narrowed, filtered, unfiltered }
    return { ...found, refused, unpermitted }
  })

/** Three orders that no sorting turns into one another. */
function ordersOf(lists: readonly number[]): number[][] {
  const [first, ...rest] = lists.slice(0, 8)
  const back = rest.toReversed()
  return [
    [...rest, first!],
    [back[0]!, first!, ...back.slice(1)],
    [first!, ...back],
  ]
}

async function chooseCustomer({ reader }: TestData): Promise<{ customer: string; lists: number[] }> {
  const found = []
  for (const customer of await reader.customerNames()) {
    const { items } = await reader.lists(customer, '?showAllLists=true')
    const lists = listIdsOf(items)
    const isFresh = !isSuccess(await reader.get(reader.configurationPath(customer)))
    if (lists.length >= 2) found.push({ customer, lists: lists.sort((a, b) => a - b), isFresh })
  }
  found.sort((a, b) => Number(b.isFresh) - Number(a.isFresh) || b.lists.length - a.lists.length)
  return need.value(found[0], 'no customer has two lists, so none can be left out')
}

/** A member of a configuration, read after it was put. @throws CannotCheck if it was not taken */
function toldAfter({ put, read }: { put: Exchange; read: Exchange }, member: string): unknown {
  need.success(put, 'putting a configuration')
  return memberAt(read.json, member)
}

const listsIn = (exchange: Exchange): unknown[] =>
  entriesOf(exchange.json, 'lists').map(it => memberAt(it, 'id'))

/** @throws CannotCheck unless an answer shows all these lists */
function mustShowAll(lists: readonly number[], answer: Exchange, put: Exchange): Outcome {
  const shown = listsIn(answer)
  const isWhole = lists.every(id => shown.map(Number).includes(id))
  return must.be(isWhole, `the lists ${lists.join(', ')}`, describeValue(shown), put, answer)
}

/** Observes the order in which permittedLists come back. Any order is right if the lists are the same. */
export async function observeListOrder(testData: TestData): Promise<Outcome> {
  const { ordered } = await runConfiguration(testData)
  const seen: string[][] = []
  for (const { sent, put, read } of ordered) {
    const told = toldAfter({ put, read }, 'permittedLists')
    const ids = Array.isArray(told) ? told : []
    const isSame = ids.length === sent.length && sent.every(id => ids.includes(id))
    if (!isSame) return differs(`the lists ${sent.join(', ')}, in any order`, describeValue(told), put, read)
    seen.push(orderNames(ids, sent))
  }
  const [name] = ['as-sent', 'ascending', 'descending'].filter(it => seen.every(all => all.includes(it)))
  const evidence = ordered.flatMap(({ put, read }) => [put, read])
  const order = `the order is ${name ?? 'none that can be told'}`
  const expected = 'the same lists, in any order'
  return observe('permitted-lists-order', name ?? 'shuffled', expected, order, ...evidence)
}

function orderNames(ids: readonly number[], sent: readonly number[]): string[] {
  const orders = {
    'as-sent': sent,
    ascending: ids.toSorted((a, b) => a - b),
    descending: ids.toSorted((a, b) => b - a),
  }
  return Object.entries(orders).flatMap(([name, its]) => (String(its) === String(ids) ? [name] : []))
}

/** Sections 4.14 to 4.16: customers, lists and their configuration. */
export const customerOperationChecks: readonly ClauseEntry[] = [
  reading('4.14', 'GET on the accessible-customers', async reader => {
    const { exchange } = await reader.customers()
    must.haveStatus(exchange, 200)
    return mustBeCollection(exchange, 'accessible-customers')
  }),
  reading('4.14 single', 'GET on an accessible customer', async reader => {
    const [name] = need.some(await reader.customerNames(), noCustomer)
    return must.succeed(await reader.get(reader.customerPath(name)), 'a customer')
  }),
  byIdCheck(
    '4.14 customerName',
    'customer',
    async reader => ({ ids: await reader.customerNames(), path: name => reader.customerPath(name) }),
    'name',
  ),
  reading('4.15', 'GET on the lists of a customer', async reader => {
    const [name] = need.some(await reader.customerNames(), noCustomer)
    const { exchange } = await reader.lists(name)
    must.haveStatus(exchange, 200)
    return mustBeCollection(exchange, 'lists')
  }),
  unknownCheck('4.15 customerName', 'the lists of an unknown customer', 'listCustomerLists'),
  reading('4.15 showAllLists', 'lists with and without showAllLists=true', async (reader, own) => {
    const nothing = 'no customer has a list that the space may use'
    const listed = await compareEach(await reader.customerNames(), nothing, async customer => {
      const { items } = await reader.lists(customer)
      const all = await reader.lists(customer, '?showAllLists=true')
      must.succeed(all.exchange)
      const ids = all.items.map(it => memberAt(it, 'id'))
      const usual = items.map(it => memberAt(it, 'id')).filter(id => id !== undefined)
      if (usual.length === 0) return undefined
      const missing = usual.find(id => !ids.includes(id))
      return must.be(missing === undefined, 'every list', `not list ${describeValue(missing)}`, all.exchange)
    })
    const acts = own && (await runConfiguration(own))
    if (!acts || !isSuccess(acts.narrowed.put)) return listed
    return mustShowAll(acts.lists, acts.unfiltered, acts.narrowed.put)
  }),
  writing('4.15 effect', 'lists and new synchronizations under a configuration', async testData => {
    const { lists, filtered, refused, unpermitted, narrowed } = await runConfiguration(testData)
    const { put } = narrowed
    need.success(put, 'putting a configuration')
    const shown = listsIn(filtered)
    must.be(isOnly(shown, lists[0]), `list ${lists[0]} only`, describeValue(shown), put, filtered)
    must.be(isRefused(refused), 'a 4xx for a list that is not permitted', `${refused.status}`, put, refused)
    if (!unpermitted) return holds
    return differs(`a synchronization with list ${lists[0]}`, `${unpermitted.status}`, put, unpermitted)
  }),
  writing('4.16', 'PUT on the configuration, and GET after it', async testData => {
    const { lists, first, narrowed } = await runConfiguration(testData)
    const { put, read } = narrowed
    must.succeed(put, 'a success')
    need.success(read, 'reading the configuration')
    const told = memberAt(read.json, 'permitAll')
    must.be(told !== true, `only list ${lists[0]}`, `permitAll ${told}`, put, read)
    // A replacement may be answered without a body; what is kept otherwise than sent is reported by its member's clause.
    for (const [name, sent] of Object.entries({ permitAll: false, permittedLists: lists.slice(0, 1) })) {
      const [answered, kept] = [put, read].map(it => describeMember(it, name))
      const isRight = put.text === '' || answered === kept || answered === describeValue(sent)
      must.be(isRight, `${name} ${kept}, as read`, answered!, put, read)
    }
    // A replacement that is answered 201 may be a new configuration.
    const isLater = put.status !== 201 && textAt(first.read.json, 'creationDate') !== undefined
    return isLater ? must.agree(first.read, read, 'creationDate') : holds
  }),
  unknownCheck('4.16 customerName', 'the configuration of an unknown customer', 'getAccessibleLists'),
  writing('4.16 permittedLists', 'permittedLists after they were put', async testData => {
    const { lists, narrowed } = await runConfiguration(testData)
    const told = toldAfter(narrowed, 'permittedLists')
    return must.be(isOnly(told, lists[0]), `[${lists[0]}]`, describeValue(told), narrowed.put, narrowed.read)
  }),
  writing('4.16 permitAll', 'permitAll beside permittedLists', async testData => {
    const { lists, first, unrestricted } = await runConfiguration(testData)
    const told = toldAfter(first, 'permitAll')
    must.be(told !== false, 'permitAll true', describeValue(told), first.put, first.read)
    need.success(unrestricted, 'reading the lists')
    return mustShowAll(lists, unrestricted, first.put)
  }),
  writing('4.16 rules', 'a configuration that does not fit', async testData => {
    const { customer } = await runConfiguration(testData)
    const bodies = [{ permitAll: false, permittedLists: 'all' }, { permitAll: 'perhaps' }]
    return compareEach(bodies, nothingAsked, async body => {
      const answer = await testData.putConfiguration(customer, body)
      if (isRefused(answer)) return holds
      // A configuration that was accepted must not stay in force for the other checks.
      await testData.putConfiguration(customer, { permitAll: true, permittedLists: [] })
      return differs(`a 4xx for ${JSON.stringify(body)}`, `${answer.status}`, answer)
    })
  }),
  writing('4.16 optional members', 'permittedLists alone, and permitAll alone', async testData => {
    const { customer, lists } = await runConfiguration(testData)
    return compareEach(
      [{ permittedLists: lists.slice(0, 1) }, { permitAll: true }],
      nothingAsked,
      async body => {
        const answer = await testData.putConfiguration(customer, body)
        return must.succeed(answer, `a success for ${JSON.stringify(body)}`)
      },
    )
  }),
  writing('4.16 created', 'the status of a first PUT', async testData => {
    const { before, first } = await runConfiguration(testData)
    if (isSuccess(before) && memberAt(before.json, 'creationDate') !== null)
      return untestable('every customer with two lists has a configuration already')
    return must.haveStatus(first.put, 201)
  }),
  writing('4.16 replaced', 'the status of a later PUT', async testData => {
    const { narrowed } = await runConfiguration(testData)
    return observedStatus('replaced-configuration-status', narrowed.put)
  }),
  reading('4.16 get', 'GET on configurations', async reader => {
    const nothing = 'no customer has a configuration'
    return compareEach(await reader.customerNames(), nothing, async name => {
      const answer = await reader.get(reader.configurationPath(name))
      // Without a configuration, S configuration before PUT checks the answer.
      return isRefused(answer) ? undefined : must.haveStatus(answer, 200)
    })
  }),
  reading('S configuration before PUT', 'configurations before the first PUT', async reader => {
    for (const name of await reader.customerNames()) {
      const answer = await reader.get(reader.configurationPath(name))
      const isOpen = isSuccess(answer) && memberAt(answer.json, 'creationDate') === null
      if (!isRefused(answer) && !isOpen) continue
      if (answer.status !== 200) must.haveStatus(answer, 404)
      const [value, seen] =
        answer.status === 404 ? ['not-found', '404'] : ['permit-all', '200 with permitAll true and no dates']
      return observe('absent-configuration', value!, '404', seen!, answer)
    }
    return untestable('every customer has a configuration')
  }),
  writing('S ignored permittedLists', 'permittedLists beside permitAll', async testData => {
    const { lists, first } = await runConfiguration(testData)
    const told = toldAfter(first, 'permittedLists')
    const [seen, evidence] = [describeValue(told), [first.put, first.read]]
    const value = isOnly(told, lists[0]) ? 'as-sent' : 'empty'
    const isRight = value === 'as-sent' || (Array.isArray(told) && told.length === 0)
    must.be(isRight, `[${lists[0]}] or []`, seen, ...evidence)
    return observe('ignored-permitted-lists', value, 'the lists that were sent', seen, ...evidence)
  }),
]

const isOnly = (all: unknown, one: unknown): boolean =>
  Array.isArray(all) && all.length === 1 && all[0] === one
