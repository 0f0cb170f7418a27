import { type Entry, reading, writing } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { member, shown, text } from '../hal.ts'
import { as, differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { Sighting } from '../sightings.ts'
import { unknownId, type World } from '../world.ts'
import { byId } from './by-id.ts'
import { isCollectionOf } from './collections.ts'
import { nothingSeen } from './fields.ts'

/** Sections 4.2 to 4.4: reading sendings and their statistics. */
export const readSendings: readonly Entry[] = [
  reading('4.2', 'GET on sendings', async world => {
    const [one] = listed(world)
    if (!one) return nothingSeen('sending')
    const answer = await world.sending(one.synchronization!, String(member(one.value, 'id')))
    return answer.status === 200 ? holds() : differs('200', `${answer.status}`, answer)
  }),
  foreign('4.2 syncId', 'a sending asked for under another synchronization', ''),
  byId('4.2 id', 'sending', async world => {
    const [one] = listed(world)
    const [some] = await world.chosen()
    const synchronization = one?.synchronization ?? some!
    const ids = listed(world).filter(it => it.synchronization === synchronization)
    return {
      ids: [...new Set(ids.map(it => String(member(it.value, 'id'))))],
      path: id => world.synchronizationPath(synchronization, `/sendings/${id}`),
    }
  }),
  writing('4.2 transactionId', 'the transactionId of a sending that is read', async (workshop, world) => {
    const { id, transactionId, synchronization } = await workshop.first()
    await workshop.repeated()
    const read = await world.target.get(world.synchronizationPath(synchronization.id, `/sendings/${id}`))
    const told = member(read.json, 'transactionId')
    if (!isSuccess(read)) return untestable(`reading the sending was answered ${read.status}`)
    return told === transactionId ? holds() : differs(transactionId, shown(told), read)
  }),
  reading('4.3', 'GET on the sendings of synchronizations', async world => {
    for (const id of await world.chosen()) {
      const { exchange } = await world.sendings(id)
      if (exchange.status !== 200) return differs('200', `${exchange.status}`, exchange)
    }
    return holds()
  }),
  reading('4.3 id', 'the sendings of an unknown synchronization', async world => {
    const answer = await world.get(world.synchronizationPath(unknownId, '/sendings'))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  reading('4.3 includeAllStates', 'sendings with includeAllStates=true', async world => {
    let isMore = false
    for (const id of await world.chosen()) {
      const { exchange: usual, items: some } = await world.sendings(id)
      if (!isSuccess(usual)) return as('4.3')
      const { exchange, items: all } = await world.sendings(id, '?includeAllStates=true')
      if (!isSuccess(exchange)) return differs('200', `${exchange.status}`, exchange)
      const ids = all.map(it => member(it, 'id'))
      const missing = some.find(it => text(it, 'id') !== undefined && !ids.includes(text(it, 'id')))
      if (missing !== undefined)
        return differs('all sendings', `not sending ${member(missing, 'id')}`, exchange)
      isMore ||= all.some(it => member(it, 'state') !== 'CREATED')
    }
    return isMore ? holds() : untestable('no sending is in another state than CREATED, as far as can be seen')
  }),
  reading('4.3 shape', 'the collection of sendings', async world => {
    const [id] = await world.chosen()
    const { exchange } = await world.sendings(id!)
    return isSuccess(exchange) ? isCollectionOf(exchange, 'sendings') : nothingSeen('collection of sendings')
  }),
  reading('4.4', 'GET on the statistics of sendings', async world => {
    const started = listed(world).filter(
      it => member(it.value, 'state') === 'CREATED' && member(it.value, 'scheduleDate') === null,
    )
    const [one] = started
    if (!one) return untestable('no sending has gone out')
    const answer = await world.statistics(one.synchronization!, String(member(one.value, 'id')))
    return answer.status === 200 ? holds() : differs('200', `${answer.status}`, answer)
  }),
  foreign('4.4 syncId', 'the statistics of a sending under another synchronization', '/statistics'),
  reading('4.4 sendingId', 'the statistics of an unknown sending', async world => {
    const [id] = await world.chosen()
    const answer = await world.get(world.synchronizationPath(id!, `/sendings/${unknownId}/statistics`))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  }),
  reading('7/1', 'sendings in state FAILED or INDETERMINATE_FAILURE, read', async world => {
    const failed = listed(world).filter(it => /FAIL/.test(String(member(it.value, 'state'))))
    for (const { value, synchronization } of failed.slice(0, 3)) {
      const answer = await world.sending(synchronization!, String(member(value, 'id')))
      if (answer.status !== 200) return differs('200 with the state', `${answer.status}`, answer)
    }
    return failed.length === 0 ? nothingSeen('sending that failed') : holds()
  }),
]

/** Sendings whose synchronization is known. */
const listed = (world: World): Sighting[] =>
  world.sightings
    .of('sending')
    .filter(it => it.isItem && it.synchronization !== undefined && text(it.value, 'id') !== undefined)

function foreign(clause: string, looksAt: string, rest: string) {
  return reading(clause, looksAt, async (world): Promise<Outcome> => {
    const [one] = listed(world)
    const other = (await world.chosen()).find(id => id !== one?.synchronization)
    if (!one || other === undefined)
      return untestable('there are not two synchronizations, one with a sending')
    const id = String(member(one.value, 'id'))
    const answer = await world.get(world.synchronizationPath(other, `/sendings/${id}${rest}`))
    return isRefused(answer)
      ? holds()
      : differs(`a 4xx, since sending ${id} is none of synchronization ${other}`, `${answer.status}`, answer)
  })
}
