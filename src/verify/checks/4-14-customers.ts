import { type Entry, follows, reading, writing } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { member, shown } from '../hal.ts'
import { differs, holds, type Outcome, untestable } from '../outcome.ts'
import { unknownId, type World } from '../world.ts'
import { byId } from './by-id.ts'
import { isCollectionOf } from './collections.ts'
import { configured, listsIn } from './configuration-acts.ts'

/** Sections 4.14 to 4.16: customers, lists and their configuration. */
export const customerOperations: readonly Entry[] = [
  reading('4.14', 'GET on the accessible-customers', async world => {
    const { exchange } = await world.customers()
    if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    return isCollectionOf(exchange, 'accessible-customers')
  }),
  reading('4.14 single', 'GET on an accessible customer', async world => {
    const answer = await world.get(world.customerPath(await aCustomer(world)))
    return isSuccess(answer) ? holds() : differs('a customer', `${answer.status}`, answer)
  }),
  byId(
    '4.14 customerName',
    'customer',
    async world => ({ ids: await world.customerNames(), path: name => world.customerPath(name) }),
    'name',
  ),
  reading('4.15', 'GET on the lists of a customer', async world => {
    const { exchange } = await world.lists(await aCustomer(world))
    if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    return isCollectionOf(exchange, 'lists')
  }),
  reading('4.15 customerName', 'the lists of an unknown customer', async world => {
    const answer = await world.get(world.customerPath(unknownId, '/lists'))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  reading(
    '4.15 showAllLists',
    'lists with showAllLists=true beside the permitted ones',
    async (world, workshop) => {
      for (const customer of await world.customerNames()) {
        const { items } = await world.lists(customer)
        const all = await world.lists(customer, '?showAllLists=true')
        if (!isSuccess(all.exchange)) return differs('200', `${all.exchange.status}`, all.exchange)
        const ids = all.items.map(it => member(it, 'id'))
        const missing = items.find(it => member(it, 'id') !== undefined && !ids.includes(member(it, 'id')))
        if (missing !== undefined)
          return differs('every list', `not list ${shown(member(missing, 'id'))}`, all.exchange)
      }
      const acts = workshop && (await configured(workshop))
      if (!acts || !isSuccess(acts.narrowed)) return holds()
      const { lists, narrowed, unfiltered } = acts
      const seen = listsIn(unfiltered)
      return seen.length >= lists.length
        ? holds()
        : differs(`the lists ${lists.join(', ')}`, shown(seen), narrowed, unfiltered)
    },
  ),
  writing('4.15 effect', 'lists and new synchronizations under a configuration', async workshop => {
    const { lists, filtered, refused, narrowed } = await configured(workshop)
    if (!isSuccess(narrowed)) return untestable(`putting a configuration was answered ${narrowed.status}`)
    const shownLists = listsIn(filtered)
    const isNarrowed = shownLists.length === 1 && shownLists[0] === lists[0]
    if (!isNarrowed) return differs(`list ${lists[0]} only`, shown(shownLists), narrowed, filtered)
    return isRefused(refused)
      ? holds()
      : differs('a 4xx for a list that is not permitted', `${refused.status}`, narrowed, refused)
  }),
  writing('4.16', 'PUT on the configuration, and GET after it', async workshop => {
    const { lists, narrowed, narrowedRead } = await configured(workshop)
    if (!isSuccess(narrowed)) return differs('a success', `${narrowed.status}`, narrowed)
    const told = member(narrowedRead.json, 'permitAll')
    return told === false || typeof told !== 'boolean'
      ? holds()
      : differs(`only list ${lists[0]}`, `permitAll ${told}`, narrowed, narrowedRead)
  }),
  reading('4.16 customerName', 'the configuration of an unknown customer', async world => {
    const answer = await world.get(world.configurationPath(unknownId))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  writing('4.16 permittedLists', 'permittedLists after they were put', async workshop => {
    const { lists, narrowed, narrowedRead } = await configured(workshop)
    if (!isSuccess(narrowed)) return untestable(`putting a configuration was answered ${narrowed.status}`)
    const told = member(narrowedRead.json, 'permittedLists')
    const isSame = Array.isArray(told) && told.length === 1 && told[0] === lists[0]
    return isSame ? holds() : differs(`[${lists[0]}]`, shown(told), narrowed, narrowedRead)
  }),
  writing('4.16 permitAll', 'permitAll beside permittedLists', async workshop => {
    const { first, firstRead } = await configured(workshop)
    if (!isSuccess(first)) return untestable(`putting a configuration was answered ${first.status}`)
    const told = member(firstRead.json, 'permitAll')
    return told === true || typeof told !== 'boolean'
      ? holds()
      : differs('permitAll true', shown(told), first, firstRead)
  }),
  writing('4.16 rules', 'a configuration with a list that the customer does not have', async workshop => {
    const { customer } = await configured(workshop)
    const bodies = [{ permitAll: false, permittedLists: [999_999_999] }, { permitAll: 'perhaps' }]
    for (const body of bodies) {
      const answer = await workshop.configure(customer, body)
      if (isRefused(answer)) continue
      // What was taken must not stay in force while others look.
      await workshop.configure(customer, { permitAll: true, permittedLists: [] })
      return differs(`a 4xx for ${JSON.stringify(body)}`, `${answer.status}`, answer)
    }
    return holds()
  }),
  writing('4.16 created', 'the status of a first PUT', async workshop => {
    const { before, first } = await configured(workshop)
    const isUnconfigured = !isSuccess(before) || member(before.json, 'creationDate') === null
    if (!isUnconfigured) return untestable('every customer with two lists has a configuration already')
    return first.status === 201 ? holds() : differs('201', `${first.status}`, first)
  }),
  writing('4.16 replaced', 'the status of a later PUT', async workshop => {
    const { narrowed } = await configured(workshop)
    const value = String(narrowed.status)
    if (!['200', '201', '204'].includes(value)) return differs('200', value, narrowed)
    return {
      is: 'observed',
      dial: 'replaced-configuration-status',
      value,
      expected: '200',
      seen: value,
      evidence: [narrowed],
    }
  }),
  reading('4.16 get', 'GET on configurations', async world => {
    const seen = world.sightings.of('configuration').filter(it => it.from.method === 'GET')
    for (const name of await world.customerNames()) {
      const answer = await world.get(world.configurationPath(name))
      // Where there is none yet, S configuration before PUT tells what is answered.
      if (answer.status !== 200 && answer.status !== 404) return differs('200', `${answer.status}`, answer)
    }
    return seen.length === 0 ? untestable('no customer has a configuration') : holds()
  }),
  follows('S configuration created', '4.16 created'),
  follows('S replaced configuration', '4.16 replaced'),
  reading('S configuration before PUT', 'configurations that nobody has put', async world => {
    for (const name of await world.customerNames()) {
      const answer = await world.get(world.configurationPath(name))
      const isOpen = isSuccess(answer) && member(answer.json, 'creationDate') === null
      if (isRefused(answer) || isOpen) return beforePut(answer.status, answer)
    }
    return untestable('every customer has a configuration')
  }),
  writing('S ignored permittedLists', 'permittedLists beside permitAll', async workshop => {
    const { lists, first, firstRead } = await configured(workshop)
    if (!isSuccess(first)) return untestable(`putting a configuration was answered ${first.status}`)
    const told = member(firstRead.json, 'permittedLists')
    const isAsSent = Array.isArray(told) && told.length === 1 && told[0] === lists[0]
    const isEmpty = Array.isArray(told) && told.length === 0
    if (!isAsSent && !isEmpty) return differs(`[${lists[0]}] or []`, shown(told), first, firstRead)
    return {
      is: 'observed',
      dial: 'ignored-permitted-lists',
      value: isAsSent ? 'as-sent' : 'empty',
      expected: 'the lists that were sent',
      seen: shown(told),
      evidence: [first, firstRead],
    }
  }),
]

function beforePut(status: number, answer: Parameters<typeof differs>[2]): Outcome {
  if (status !== 404 && status !== 200) return differs('404', `${status}`, answer)
  return {
    is: 'observed',
    dial: 'absent-configuration',
    value: status === 404 ? 'not-found' : 'permit-all',
    expected: '404',
    seen: status === 404 ? '404' : '200 with permitAll true and no dates',
    evidence: [answer!],
  }
}

async function aCustomer(world: World): Promise<string> {
  const [name] = await world.customerNames()
  return name ?? unknownId
}
