import { sendingState } from '../../store/rows.ts'
import { type Entry, reading, writing } from '../check.ts'
import { isSuccess } from '../exchange.ts'
import { isObject, member, shown } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import type { Sighting } from '../sightings.ts'
import {
  aDateTime,
  aNumber,
  aString,
  field,
  having,
  link,
  nothingSeen,
  oneOf,
  orNull,
  type Those,
} from './fields.ts'
import { unapproved } from './s-errors.ts'

const kind = 'sending'
const isCreated = (it: Sighting) => member(it.value, 'state') === 'CREATED'
const created: Those = { words: 'is CREATED', are: isCreated }
const withTarget = having('target')

/** Section 2.3: sendings. */
export const sending: readonly Entry[] = [
  field('2.3 id', kind, 'id', aString),
  field('2.3 creationDate', kind, 'creationDate', aDateTime),
  field('2.3 scheduleDate', kind, 'scheduleDate', orNull(aDateTime)),
  field('2.3 mailingSynchronizationId', kind, 'mailingSynchronizationId', {
    words: 'the ID of its synchronization',
    fits: (value, { synchronization }) =>
      typeof value === 'string' && (synchronization === undefined || value === synchronization),
  }),
  field('2.3 state', kind, 'state', oneOf(...sendingState.options)),
  field('2.3 transactionId', kind, 'transactionId', orNull(aString)),
  // Of what did not come to exist, `S target of unsent` tells.
  field('2.3 target', kind, 'target', { words: 'an object', fits: isObject }, created),
  field('2.3 target.mailingId', kind, 'target.mailingId', orNull(aNumber), withTarget),
  field('2.3 target.sendingId', kind, 'target.sendingId', orNull(aNumber), withTarget),
  link('2.3 _links', kind, 'self'),
  link('2.3 report', kind, 'report'),
  writing('2.3 mailingId', 'mailingId in the answer to creating a sending', async workshop => {
    const { exchange, synchronization } = await workshop.first()
    const value = member(exchange.json, 'mailingId')
    if (value !== undefined && synchronization.mailingId !== undefined && value !== synchronization.mailingId)
      return differs(`mailingId ${synchronization.mailingId}`, shown(value), exchange)
    return {
      is: 'observed',
      dial: 'created-sending-mailing-id',
      value: value === undefined ? 'absent' : 'present',
      expected: 'the editor mailing as mailingId',
      seen: value === undefined ? 'no mailingId' : shown(value),
      evidence: [exchange],
    }
  }),
]

/** Section 3: states of a sending. */
export const states: readonly Entry[] = [
  ...['PENDING', 'FAILED', 'INDETERMINATE_FAILURE'].map(state => ({
    clause: `3 ${state}`,
    outside: 'what the platform really did shows in no answer',
  })),
  field(
    '3 CREATED',
    kind,
    'target',
    {
      words: 'mailingId and sendingId of what was sent or scheduled',
      // What they look like is told in 2.3.
      fits: value => !isObject(value) || (value.mailingId !== null && value.sendingId !== null),
    },
    created,
  ),
  reading('3 transitions', 'sendings in a final state, read again', async world => {
    const final = world.sightings
      .of(kind)
      .filter(it => !it.isItem && it.from.method === 'GET' && member(it.value, 'state') !== 'PENDING')
    for (const { value, from } of final.slice(0, 4)) {
      const again = await world.target.get(from.url)
      const state = member(again.json, 'state')
      if (isSuccess(again) && state !== member(value, 'state'))
        return differs(`state ${member(value, 'state')}, which is final`, shown(state), from, again)
    }
    return final.length === 0 ? nothingSeen('sending in a final state') : holds()
  }),
  reading('3/1', 'sendings without a transaction ID', world => {
    const all = world.sightings.of(kind).filter(it => member(it.value, 'transactionId') === null)
    const wrong = all.find(it => !isCreated(it))
    if (wrong) return differs('CREATED', shown(member(wrong.value, 'state')), wrong.from)
    return all.length === 0 ? nothingSeen('sending without a transaction ID') : holds()
  }),
  reading('3/2', 'sendings with and without includeAllStates', async world => {
    let seen = 0
    for (const id of await world.chosen()) {
      const { exchange, items } = await world.sendings(id)
      if (!isSuccess(exchange)) continue
      seen += items.length
      const other = items.find(it =>
        oneOf('PENDING', 'FAILED', 'INDETERMINATE_FAILURE').fits(member(it, 'state'), {
          value: it,
          from: exchange,
          isItem: true,
        }),
      )
      if (other) return differs('CREATED ones only', shown(member(other, 'state')), exchange)
    }
    return seen === 0 ? nothingSeen('sending') : holds()
  }),
  reading(
    '3/3',
    'readyForSending, and a sending of a mailing that is not approved',
    async (world, workshop) => {
      const all = world.sightings.of('synchronization')
      const wrong = all.find(
        ({ value }) =>
          member(value, 'readyForSending') === true && String(member(value, 'mailingIsApproved')) === 'false',
      )
      if (wrong) return differs('not ready without an approved version', 'readyForSending true', wrong.from)
      const answer = workshop && (await unapproved(workshop))
      if (answer && isSuccess(answer))
        return differs('a 4xx without an approved version', `${answer.status}`, answer)
      return all.length === 0 ? nothingSeen('synchronization') : holds()
    },
  ),
  {
    clause: '3/4',
    outside: 'nobody outside can bring a sending into PENDING, FAILED or INDETERMINATE_FAILURE',
  },
]
