import { type ClauseEntry, reading, writing } from './check.ts'
import { byIdCheck, isCollectionOf } from './collection-checks.ts'
import { describeValue, type Exchange, isRefused, isSuccess, memberAt } from './exchange.ts'
import {
  cannotCheck,
  differs,
  expectRefused,
  expectStatus,
  expectSuccess,
  type Outcome,
  observed,
  observedStatus,
  passed,
  untestable,
} from './outcome.ts'
import { entriesOf, listIdsOf, type TargetReader, unknownId } from './target-reader.ts'
import type { TestData } from './test-data.ts'

/** All answers while a customer's configuration was created, replaced and read. */
interface ConfigurationRun {
  readonly customer: string
  /** All lists of the customer, lowest ID first. */
  readonly lists: readonly number[]
  /** GET before the first PUT. */
  readonly before: Exchange
  /** PUT with permitAll and one of the lists. */
  readonly first: Exchange
  /** GET of that. */
  readonly firstRead: Exchange
  /** PUTs of all lists in several orders, each with a GET after it. */
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
  /** POST of a synchronization for a list that is not permitted. */
  readonly refused: Exchange
}

/**
 * Creates, replaces and reads a configuration, once for all checks.
 * @throws CannotCheck without a suitable customer
 */
export const runConfiguration = (testData: TestData): Promise<ConfigurationRun> =>
  testData.reader.once('configured', () => configureInSteps(testData))

async function configureInSteps(testData: TestData): Promise<ConfigurationRun> {
  const { reader } = testData
  const { get } = reader.target
  const { customer, lists } = await chooseCustomer(testData)
  const address = reader.configurationPath(customer)
  const before = await get(address)
  const first = await testData.putConfiguration(customer, {
    permitAll: true,
    permittedLists: lists.slice(0, 1),
  })
  const firstRead = await get(address)
  const ordered = []
  for (const sent of ordersOf(lists)) {
    const put = await testData.putConfiguration(customer, { permitAll: false, permittedLists: sent })
    ordered.push({ sent, put, read: await get(address) })
  }
  const narrowed = await testData.putConfiguration(customer, {
    permitAll: false,
    permittedLists: lists.slice(0, 1),
  })
  const narrowedRead = await get(address)
  const filtered = await get(reader.path('listCustomerLists', { customer: customer }))
  const unfiltered = await get(
    reader.path('listCustomerLists', { customer: customer }) + '?showAllLists=true',
  )
  const refused = await testData.synchronize({
    customer,
    listId: lists.at(-1),
    mailingName: testData.name,
  })
  await testData.putConfiguration(customer, { permitAll: true, permittedLists: [] })
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
  return found[0] ?? cannotCheck('no customer has two lists, so none can be left out')
}

const listsIn = (exchange: Exchange): unknown[] =>
  entriesOf(exchange.json, 'lists').map(it => memberAt(it, 'id'))

/** Observes the order in which permittedLists come back. Any order is right if the lists are the same. */
export async function observeListOrder(testData: TestData): Promise<Outcome> {
  const { ordered } = await runConfiguration(testData)
  const seen: string[] = []
  for (const { sent, put, read } of ordered) {
    if (!isSuccess(put)) return cannotCheck(`putting a configuration was answered ${put.status}`)
    const told = memberAt(read.json, 'permittedLists')
    const ids = Array.isArray(told) ? told : []
    const isSame = ids.length === sent.length && sent.every(id => ids.includes(id))
    if (!isSame) return differs(`the lists ${sent.join(', ')}, in any order`, describeValue(told), put, read)
    seen.push(orderNames(ids, sent))
  }
  const names = ['as-sent', 'ascending', 'descending'].filter(name => seen.every(it => it.includes(name)))
  return observed(
    'permitted-lists-order',
    names[0] ?? 'shuffled',
    'the same lists, in any order',
    `the order is ${names[0] ?? 'none that can be told'}`,
    ...ordered.flatMap(({ put, read }) => [put, read]),
  )
}

const orderNames = (ids: readonly number[], sent: readonly number[]): string => {
  const is = (other: readonly number[]) => other.every((id, at) => id === ids[at])
  return [
    is(sent) && 'as-sent',
    is(ids.toSorted((a, b) => a - b)) && 'ascending',
    is(ids.toSorted((a, b) => b - a)) && 'descending',
  ]
    .filter(Boolean)
    .join(' ')
}

/** Sections 4.14 to 4.16: customers, lists and their configuration. */
export const customerOperationChecks: readonly ClauseEntry[] = [
  reading('4.14', 'GET on the accessible-customers', async reader => {
    const { exchange } = await reader.customers()
    if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    return isCollectionOf(exchange, 'accessible-customers')
  }),
  reading('4.14 single', 'GET on an accessible customer', async reader => {
    const answer = await reader.get(reader.customerPath(await firstCustomer(reader)))
    return expectSuccess(answer, 'a customer')
  }),
  byIdCheck(
    '4.14 customerName',
    'customer',
    async reader => ({ ids: await reader.customerNames(), path: name => reader.customerPath(name) }),
    'name',
  ),
  reading('4.15', 'GET on the lists of a customer', async reader => {
    const { exchange } = await reader.lists(await firstCustomer(reader))
    if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    return isCollectionOf(exchange, 'lists')
  }),
  reading('4.15 customerName', 'the lists of an unknown customer', async reader => {
    const answer = await reader.get(reader.path('listCustomerLists', { customer: unknownId }))
    return expectRefused(answer)
  }),
  reading(
    '4.15 showAllLists',
    'lists with showAllLists=true beside the permitted ones',
    async (reader, testData) => {
      for (const customer of await reader.customerNames()) {
        const { items } = await reader.lists(customer)
        const all = await reader.lists(customer, '?showAllLists=true')
        if (!isSuccess(all.exchange)) return differs('200', `${all.exchange.status}`, all.exchange)
        const ids = all.items.map(it => memberAt(it, 'id'))
        const missing = items.find(
          it => memberAt(it, 'id') !== undefined && !ids.includes(memberAt(it, 'id')),
        )
        if (missing !== undefined)
          return differs('every list', `not list ${describeValue(memberAt(missing, 'id'))}`, all.exchange)
      }
      const acts = testData && (await runConfiguration(testData))
      if (!acts || !isSuccess(acts.narrowed)) return passed()
      const { lists, narrowed, unfiltered } = acts
      const seen = listsIn(unfiltered)
      return seen.length >= lists.length
        ? passed()
        : differs(`the lists ${lists.join(', ')}`, describeValue(seen), narrowed, unfiltered)
    },
  ),
  writing('4.15 effect', 'lists and new synchronizations under a configuration', async testData => {
    const { lists, filtered, refused, narrowed } = await runConfiguration(testData)
    if (!isSuccess(narrowed)) return untestable(`putting a configuration was answered ${narrowed.status}`)
    const shownLists = listsIn(filtered)
    const isNarrowed = shownLists.length === 1 && shownLists[0] === lists[0]
    if (!isNarrowed) return differs(`list ${lists[0]} only`, describeValue(shownLists), narrowed, filtered)
    return isRefused(refused)
      ? passed()
      : differs('a 4xx for a list that is not permitted', `${refused.status}`, narrowed, refused)
  }),
  writing('4.16', 'PUT on the configuration, and GET after it', async testData => {
    const { lists, narrowed, narrowedRead } = await runConfiguration(testData)
    if (!isSuccess(narrowed)) return differs('a success', `${narrowed.status}`, narrowed)
    const told = memberAt(narrowedRead.json, 'permitAll')
    return told === false || typeof told !== 'boolean'
      ? passed()
      : differs(`only list ${lists[0]}`, `permitAll ${told}`, narrowed, narrowedRead)
  }),
  reading('4.16 customerName', 'the configuration of an unknown customer', async reader => {
    const answer = await reader.get(reader.configurationPath(unknownId))
    return expectRefused(answer)
  }),
  writing('4.16 permittedLists', 'permittedLists after they were put', async testData => {
    const { lists, narrowed, narrowedRead } = await runConfiguration(testData)
    if (!isSuccess(narrowed)) return untestable(`putting a configuration was answered ${narrowed.status}`)
    const told = memberAt(narrowedRead.json, 'permittedLists')
    const isSame = Array.isArray(told) && told.length === 1 && told[0] === lists[0]
    return isSame ? passed() : differs(`[${lists[0]}]`, describeValue(told), narrowed, narrowedRead)
  }),
  writing('4.16 permitAll', 'permitAll beside permittedLists', async testData => {
    const { first, firstRead } = await runConfiguration(testData)
    if (!isSuccess(first)) return untestable(`putting a configuration was answered ${first.status}`)
    const told = memberAt(firstRead.json, 'permitAll')
    return told === true || typeof told !== 'boolean'
      ? passed()
      : differs('permitAll true', describeValue(told), first, firstRead)
  }),
  writing('4.16 rules', 'a configuration that does not fit', async testData => {
    const { customer } = await runConfiguration(testData)
    const bodies = [{ permitAll: false, permittedLists: 'all' }, { permitAll: 'perhaps' }]
    for (const body of bodies) {
      const answer = await testData.putConfiguration(customer, body)
      if (isRefused(answer)) continue
      // A configuration that was accepted must not stay in force for the other checks.
      await testData.putConfiguration(customer, { permitAll: true, permittedLists: [] })
      return differs(`a 4xx for ${JSON.stringify(body)}`, `${answer.status}`, answer)
    }
    return passed()
  }),
  writing(
    '4.16 optional members',
    'a configuration with permittedLists alone, and one with permitAll alone',
    async testData => {
      const { customer, lists } = await runConfiguration(testData)
      for (const body of [{ permittedLists: lists.slice(0, 1) }, { permitAll: true }]) {
        const answer = await testData.putConfiguration(customer, body)
        if (!isSuccess(answer))
          return differs(`a success for ${JSON.stringify(body)}`, `${answer.status}`, answer)
      }
      return passed()
    },
  ),
  writing('4.16 created', 'the status of a first PUT', async testData => {
    const { before, first } = await runConfiguration(testData)
    const isUnconfigured = !isSuccess(before) || memberAt(before.json, 'creationDate') === null
    if (!isUnconfigured) return untestable('every customer with two lists has a configuration already')
    return expectStatus(first, 201)
  }),
  writing('4.16 replaced', 'the status of a later PUT', async testData => {
    const { narrowed } = await runConfiguration(testData)
    return observedStatus('replaced-configuration-status', narrowed)
  }),
  reading('4.16 get', 'GET on configurations', async reader => {
    const seen = reader.observed.of('configuration').filter(it => it.from.method === 'GET')
    for (const name of await reader.customerNames()) {
      const answer = await reader.get(reader.configurationPath(name))
      // Without a configuration, S configuration before PUT checks the answer.
      if (answer.status !== 200 && answer.status !== 404) return differs('200', `${answer.status}`, answer)
    }
    return seen.length === 0 ? untestable('no customer has a configuration') : passed()
  }),
  reading('S configuration before PUT', 'configurations that nobody has put', async reader => {
    for (const name of await reader.customerNames()) {
      const answer = await reader.get(reader.configurationPath(name))
      const isOpen = isSuccess(answer) && memberAt(answer.json, 'creationDate') === null
      if (isRefused(answer) || isOpen) return observeBeforePut(answer.status, answer)
    }
    return untestable('every customer has a configuration')
  }),
  writing('S ignored permittedLists', 'permittedLists beside permitAll', async testData => {
    const { lists, first, firstRead } = await runConfiguration(testData)
    if (!isSuccess(first)) return untestable(`putting a configuration was answered ${first.status}`)
    const told = memberAt(firstRead.json, 'permittedLists')
    const isAsSent = Array.isArray(told) && told.length === 1 && told[0] === lists[0]
    const isEmpty = Array.isArray(told) && told.length === 0
    if (!isAsSent && !isEmpty) return differs(`[${lists[0]}] or []`, describeValue(told), first, firstRead)
    return observed(
      'ignored-permitted-lists',
      isAsSent ? 'as-sent' : 'empty',
      'the lists that were sent',
      describeValue(told),
      first,
      firstRead,
    )
  }),
]

function observeBeforePut(status: number, answer: Parameters<typeof differs>[2]): Outcome {
  if (status !== 404 && status !== 200) return differs('404', `${status}`, answer)
  return observed(
    'absent-configuration',
    status === 404 ? 'not-found' : 'permit-all',
    '404',
    status === 404 ? '404' : '200 with permitAll true and no dates',
    answer!,
  )
}

async function firstCustomer(reader: TargetReader): Promise<string> {
  const [name] = await reader.customerNames()
  return name ?? unknownId
}
