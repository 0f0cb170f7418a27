import { type Entry, outside, reading, writing } from '../check.ts'
import { type Exchange, isRefused, isSuccess } from '../exchange.ts'
import { isObject, linkOf, member, shown, text } from '../hal.ts'
import { differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { Sighting } from '../sightings.ts'
import { nobody, type Workshop } from '../workshop.ts'
import { isNear, quotientOf } from './2-5-statistics.ts'
import { ordered } from './s-pagination.ts'

/** Beyond the document: sendings, statistics and test sendings. */
export const sendingOperations: readonly Entry[] = [
  reading('S sendings collection', 'links of listed sendings', world => {
    const items = world.sightings.of('sending').filter(it => it.isItem)
    const without = items.find(it => linkOf(it.value, 'statistics') === undefined)
    if (without) return differs('a link statistics', 'none', without.from)
    return items.length === 0 ? untestable('there is no sending here') : holds()
  }),
  reading('S sendings pageSize', 'sendings with pageSize=1', async world => {
    const [id] = await withTwo(world.sightings.of('sending'))
    if (id === undefined) return untestable('no synchronization has two sendings')
    const { exchange, items } = await world.sendings(id, '?includeAllStates=true&pageSize=1')
    return isSuccess(exchange) && items.length === 1
      ? holds()
      : differs('a page of 1', `${exchange.status}, ${items.length} entries`, exchange)
  }),
  reading('S sendings order', 'creationDate of sendings, in their order', async world => {
    const ids = await withTwo(world.sightings.of('sending'))
    let outcome: Outcome = untestable('no synchronization has two sendings')
    for (const id of ids) {
      const { exchange, items } = await world.sendings(id, '?includeAllStates=true')
      const one = ordered(items, [exchange], 'sendings')
      if (one.is === 'differs') return one
      if (one.is === 'observed') outcome = one
    }
    return outcome
  }),
  reading('S target of unsent', 'target of sendings that are not CREATED', world => {
    const unsent = world.sightings.of('sending').filter(it => isUnsent(it.value))
    const [first] = unsent
    if (!first) return untestable('every sending that was seen is CREATED')
    const wrong = unsent.find(({ value }) => {
      const target = member(value, 'target')
      return target !== null && !isObject(target)
    })
    if (wrong) return differs('an object or null', shown(member(wrong.value, 'target')), wrong.from)
    const bare = unsent.find(it => member(it.value, 'target') === null)
    const { value, from } = bare ?? first
    return {
      is: 'observed',
      dial: 'target-of-unsent',
      value: bare ? 'null' : 'object-of-nulls',
      expected: 'an object whose IDs are null',
      seen: shown(member(value, 'target')),
      evidence: [from],
    }
  }),
  writing('S Location of a 200', 'headers of the answer to a repeat', async workshop => {
    await workshop.first()
    const answer = await workshop.repeated()
    if (answer.status !== 200) return untestable(`a repeat is answered ${answer.status}, as 4.1/5 tells`)
    const { location } = answer.headers
    return {
      is: 'observed',
      dial: 'location-on-200',
      value: location === undefined ? 'absent' : 'present',
      expected: 'no Location',
      seen: location ?? 'no Location',
      evidence: [answer],
    }
  }),
  outside('S transactionId expiry', 'it would take waiting for days'),
  writing('S transactionId rejected', 'a transaction ID after it was refused', async workshop => {
    const own = await workshop.ready()
    const transactionId = workshop.transactionId()
    const refused = await workshop.create(own, { transactionId, name: 5 })
    if (!isRefused(refused)) return untestable('a mistake is not refused, as 4.1/6 tells')
    const again = await workshop.create(own, { transactionId })
    return {
      is: 'observed',
      dial: 'rejected-transaction',
      value: isSuccess(again) ? 'free' : 'bound',
      expected: 'it may be used again',
      seen: isSuccess(again) ? 'it was taken' : `refused with ${again.status}`,
      evidence: [refused, again],
    }
  }),
  outside('S transactionId after 500', 'nobody outside can make the service stumble'),
  reading('S statistics rates', 'rates beside their figures', world => {
    for (const { value, from } of world.sightings.of('statistics')) {
      const quotient = quotientOf(
        value,
        'responseStatistics.openingRecipients',
        'sendingStatistics.recipientsCount',
      )
      const told = member(value, 'responseStatistics.openingRate')
      if (quotient === undefined || quotient < 0.01 || typeof told !== 'number') continue
      const isQuotient = isNear(told, quotient)
      // What is neither is told by 2.5.
      if (!isQuotient && !isNear(told, quotient * 100)) continue
      return {
        is: 'observed',
        dial: 'statistics-rates',
        value: isQuotient ? 'quotients' : 'percentages',
        expected: 'quotients from 0 to 1',
        seen: `openingRate ${told}`,
        evidence: [from],
      }
    }
    return untestable('no statistics here have openings')
  }),
  reading(
    'S statistics before start',
    'statistics of sendings that have not started',
    async (world, workshop) => {
      const own = workshop && (await workshop.first())
      const failed = world.sightings
        .of('sending')
        .find(it => it.isItem && it.synchronization !== undefined && isUnsent(it.value))
      if (!own && !failed) return untestable('every sending that was seen has started')
      const [synchronization, id] = own
        ? [own.synchronization.id, own.id]
        : [failed!.synchronization!, String(member(failed!.value, 'id'))]
      const answer = await world.statistics(synchronization, id)
      if (!isSuccess(answer) && answer.status !== 404)
        return differs('zeros, without dates', `${answer.status}`, answer)
      return {
        is: 'observed',
        dial: 'statistics-before-start',
        value: isSuccess(answer) ? 'zeros' : 'not-found',
        expected: 'zeros, without dates',
        seen: String(answer.status),
        evidence: [answer],
      }
    },
  ),

  writing('S test sending', 'a test sending to an address', async workshop => {
    const answer = await test(workshop, { recipientAddresses: [nobody] })
    if (answer.status !== 202) return differs('202', `${answer.status}`, answer)
    return answer.text === '' ? holds() : differs('no body', shown(answer.text), answer)
  }),
  writing('S test sending testProfileId', 'a test sending with a test profile', async (workshop, world) => {
    const { items } = await world.profiles((await workshop.ready()).id)
    const testProfileId = member(items[0], 'id')
    if (testProfileId === undefined) return untestable('the list has no test profile')
    return accepted(workshop, { recipientAddresses: [nobody], testProfileId })
  }),
  writing('S test sending recipientAddresses', 'a test sending to what is no address', async workshop =>
    refusedTest(workshop, { recipientAddresses: ['not-an-address'] }),
  ),
  writing(
    'S test sending testMailGroupId',
    'a test sending to a test-mail group',
    async (workshop, world) => {
      if (!workshop.sendTo) return untestable('its members would get it: name a list with --send-to')
      const { items } = await world.groups((await workshop.ready()).id)
      const testMailGroupId = member(items[0], 'id')
      if (testMailGroupId === undefined) return untestable('the list has no test-mail group')
      return accepted(workshop, { testMailGroupId })
    },
  ),
  writing('S test sending kind', 'test sendings with kind', async workshop => {
    const good = await accepted(workshop, { recipientAddresses: [nobody], kind: 'lastApproved' })
    return good.is === 'holds'
      ? refusedTest(workshop, { recipientAddresses: [nobody], kind: 'not-a-kind' })
      : good
  }),
  writing('S test sending subjectPrefix', 'a test sending with subjectPrefix', async workshop =>
    accepted(workshop, { recipientAddresses: [nobody], subjectPrefix: 'Verification: ' }),
  ),
  writing('S test sending rules', 'a test sending to addresses and a group', async workshop =>
    refusedTest(workshop, { recipientAddresses: [nobody], testMailGroupId: 1 }),
  ),
]

const isUnsent = (value: unknown) =>
  ['PENDING', 'FAILED', 'INDETERMINATE_FAILURE'].includes(text(value, 'state') ?? '')

/** IDs of synchronizations of which two sendings were seen in a collection. */
async function withTwo(sendings: readonly Sighting[]): Promise<string[]> {
  const ids = new Map<string, Set<unknown>>()
  for (const { synchronization, isItem, value } of sendings)
    if (isItem && synchronization !== undefined)
      ids.set(synchronization, (ids.get(synchronization) ?? new Set()).add(member(value, 'id')))
  return [...ids].filter(([, its]) => its.size > 1).map(([id]) => id)
}

async function test(workshop: Workshop, body: object): Promise<Exchange> {
  const { id } = await workshop.ready()
  return workshop.post(workshop.world.synchronizationPath(id, '/test-sendings'), body)
}

async function accepted(workshop: Workshop, body: object): Promise<Outcome> {
  const answer = await test(workshop, body)
  return isSuccess(answer) ? holds() : differs('202', `${answer.status}`, answer)
}

async function refusedTest(workshop: Workshop, body: object): Promise<Outcome> {
  const answer = await test(workshop, body)
  return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
}
