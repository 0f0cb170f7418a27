import type { PlanStep, Sending, Synchronization } from '../../store/rows.ts'
import type { Space } from '../../store/space.ts'
import { andThen } from '../and-then.ts'
import type { Answer } from '../answer.ts'
import type { ServiceContext } from '../call.ts'
import { collection, hal, resource } from '../hal.ts'
import type { Links } from '../links.ts'
import type { Input } from '../operations.ts'
import { chronological, page, pageLinks, position } from '../paging.ts'
import { problems } from '../problem.ts'
import { synchronizationOf } from '../synchronizations.ts'
import { instant } from '../time.ts'
import { created, listed, single } from './document.ts'
import { attempted, isSent, type Settled, settled, settledRows, stateOf, undisturbed } from './lifecycle.ts'
import { toldStatistics } from './statistics.ts'
import { isForgotten } from './transaction-expiry.ts'

/** Spec 4.1. Nothing is awaited between looking the transaction ID up and claiming it. */
export function createSending(c: ServiceContext, { body }: Input<'createSending'>): Answer | Promise<Answer> {
  const { space, links, cause, dials, plan = undisturbed } = c.env
  const { tables } = space.data
  const synchronization = synchronizationOf(c)
  const now = space.clock.now()
  const transactionId = body.transactionId ?? null
  if (transactionId !== null) {
    const known = tables.sendingOfTransaction(synchronization.id, transactionId)
    // 4.1/5 and 4.1/9
    if (known && !isForgotten(known, dials, now))
      return andThen(repeat(space, known, now), sending => {
        const document = links.kept(created, sending, stateOf(sending, now), synchronization.mailingId)
        return hal(document, 200, locationOfKnown(links, sending))
      })
  }
  if (body.scheduleDate != null && Date.parse(body.scheduleDate) <= now)
    throw problems.scheduleDateInPast(body.scheduleDate, instant(now)) // 7/2
  if (!tables.mailings.get(synchronization.mailingId)!.approved) throw problems.notReady(synchronization.id) // 3/3

  const isCreated = plan[0]!.state === 'CREATED'
  const isTold = transactionId !== null || isCreated // 3/1: without a transaction ID only CREATED can be told

  const at = instant(now)
  // Nobody can ask for the outcome without a transaction ID, so the work is taken to its end at once.
  const isSentInTheEnd = plan.some(isSent)
  const fresh = settled(
    space,
    {
      id: space.chance.uuid('sending', space.data.age),
      synchronizationId: synchronization.id,
      creationDate: at,
      scheduleDate: body.scheduleDate == null ? null : instant(Date.parse(body.scheduleDate)),
      transactionId,
      name: body.name ?? null,
      subject: body.subject ?? null,
      plan: (isTold || !isSentInTheEnd ? plan : undisturbed) as PlanStep[], // shared: rows never change in place
      step: 0,
      stepSince: at,
      stepAttempts: 1,
      platformMailingId: null,
      platformSendingId: null,
      cause,
    },
    now,
  )
  if (!isTold && !isSentInTheEnd) {
    const { mailing } = fresh.effect
    return andThen(mailing && space.data.save({ platformMailings: [mailing] }), () => {
      throw problems.notProcessed('The sending could not be set up')
    })
  }
  return andThen(space.data.save(settledRows(fresh, sentFrom(synchronization, at))), () => {
    if (!isTold) throw problems.notProcessed('The outcome of setting the sending up is unknown')
    const document = created(links, fresh.sending, plan[0]!.state, synchronization.mailingId)
    // 4.1/4 and 4.1/5
    return isCreated
      ? hal(document, 201, links.sending(synchronization.id, fresh.sending.id))
      : hal(document, 200, locationOfKnown(links, fresh.sending))
  })
}

/** Only a 201 has a Location by the document; the dial gives one to every answer with a sending. */
const locationOfKnown = (links: Links, { synchronizationId, id }: Sending) =>
  links.dials['location-on-200'] === 'present' ? links.sending(synchronizationId, id) : undefined

/** Member by member: spreading a row that was itself made by spreading is about twenty times as dear. */
const sentFrom = (synchronization: Synchronization, at: string): Synchronization => ({
  id: synchronization.id,
  creationDate: synchronization.creationDate,
  modificationDate: at,
  mailingId: synchronization.mailingId,
  customer: synchronization.customer,
  listId: synchronization.listId,
  mailingUploadsModificationDate: synchronization.mailingUploadsModificationDate,
  sendingsModificationDate: at,
})

function repeat(space: Space, known: Sending, now: number): Sending | Promise<Sending> {
  return record(space, known, settled(space, attempted(known, now), now))
}

/** The sending with everything that has happened to it by now. */
function upToDate(space: Space, sending: Sending): Sending | Promise<Sending> {
  return record(space, sending, settled(space, sending, space.clock.now()))
}

function record(space: Space, before: Sending, after: Settled): Sending | Promise<Sending> {
  const { sending } = after
  return sending === before ? sending : andThen(space.data.save(settledRows(after)), () => sending)
}

/** @throws Problem 404 */
function sendingOf(c: ServiceContext): Sending | Promise<Sending> {
  const { space } = c.env
  const synchronization = synchronizationOf(c)
  const id = c.req.param('id')!
  const sending = space.data.tables.sendings.get(id)
  if (sending?.synchronizationId !== synchronization.id)
    throw problems.notFound(`sending ${id} of mailing synchronization ${synchronization.id}`)
  return upToDate(space, sending)
}

/** Spec 4.2. */
export function getSending(c: ServiceContext): Answer | Promise<Answer> {
  const { space, links } = c.env
  return andThen(sendingOf(c), sending =>
    hal(links.kept(single, sending, stateOf(sending, space.clock.now()))),
  )
}

/** Spec 4.3 and 3/2: only CREATED ones unless all states are asked for. */
export async function listSendings(c: ServiceContext, input: Input<'listSendings'>): Promise<Answer> {
  const { space, links } = c.env
  const { tables } = space.data
  const { id } = synchronizationOf(c)
  const now = space.clock.now()
  const owner = `sendings of ${id}`
  const at = position(c, owner, input.query)
  const walk = chronological(c, tables.sendingsOfSynchronization.count(id), n =>
    tables.sendings.at(tables.sendingsOfSynchronization.nth(id, n)!),
  )
  const matches = (sending: Sending) => at.query.includeAllStates || stateOf(sending, now) === 'CREATED'
  const { rows, next } = page(c, owner, at, walk, matches)
  const items: Buffer[] = []
  for (const row of rows) {
    const after = settled(space, row, now)
    if (after.sending !== row) await space.data.save(settledRows(after))
    items.push(links.kept(listed, after.sending, stateOf(after.sending, now)))
  }
  return hal(collection(links, 'sendings', items, pageLinks(c, next)))
}

/** Spec 4.4. */
export async function getSendingStatistics(c: ServiceContext): Promise<Answer> {
  const { links } = c.env
  const sending = await sendingOf(c)
  return hal(
    resource(
      links,
      { synchronizationId: sending.synchronizationId, ...toldStatistics(c.env, sending) },
      { self: links.statistics(sending.synchronizationId, sending.id) },
    ),
  )
}
