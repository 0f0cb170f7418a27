import { type Entry, writing } from '../check.ts'
import { isRefused, isSuccess } from '../exchange.ts'
import { member, shown } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import type { Workshop } from '../workshop.ts'

/** Beyond the document: creating synchronizations. */
export const createSynchronization: readonly Entry[] = [
  writing('S create synchronization', 'a synchronization without mailingId', async workshop => {
    const { exchange, mailingId } = await workshop.draft()
    const { mailingHasDraft, mailingIsApproved } = exchange.json as Record<string, unknown>
    const isDraft = mailingHasDraft === true && mailingIsApproved === false
    const isTold = typeof mailingHasDraft === 'boolean' && typeof mailingIsApproved === 'boolean'
    if (mailingId === undefined || (isTold && !isDraft))
      return differs('a new mailing with only a draft', shown(exchange.json), exchange)
    return holds()
  }),
  refused('S create synchronization customer', 'a synchronization for an unknown customer', async () => ({
    customer: 'there-is-no-such-customer',
  })),
  refused('S create synchronization listId', 'a synchronization with a list that is not there', async () => ({
    listId: 999_999_999,
  })),
  writing('S create synchronization mailingName', 'the names of new mailings', async workshop => {
    const { exchange } = await workshop.draft()
    const name = member(exchange.json, 'mailingName')
    if (typeof name === 'string' && name !== workshop.name)
      return differs(shown(workshop.name), shown(name), exchange)
    const usual = await workshop.synchronize({})
    const other = member(usual.json, 'mailingName')
    if (!isSuccess(usual)) return differs('a synchronization without mailingName', `${usual.status}`, usual)
    return typeof other !== 'string' || other === 'New Mailing'
      ? holds()
      : differs('"New Mailing"', shown(other), usual)
  }),
  writing('S create synchronization mailingId', 'a synchronization with mailingId', async workshop => {
    const { exchange } = await workshop.ready()
    const asked = await workshop.approved()
    const told = member(exchange.json, 'mailingId')
    return told === asked || typeof told !== 'string'
      ? holds()
      : differs(`mailingId ${asked}`, shown(told), exchange)
  }),
  writing('S create synchronization template', 'a synchronization with templateMailingId', async workshop => {
    const templateMailingId = await workshop.approved()
    const answer = await workshop.synchronize({ templateMailingId, mailingName: workshop.name })
    if (!isSuccess(answer)) return differs('a synchronization', `${answer.status}`, answer)
    return member(answer.json, 'mailingId') === templateMailingId
      ? differs('a copy of the mailing', 'the mailing itself', answer)
      : holds()
  }),
  refused('S create synchronization exclusive', 'mailingId beside templateMailingId', async workshop => {
    const mailingId = await workshop.approved()
    return { mailingId, templateMailingId: mailingId }
  }),
  refused('S create synchronization rules', 'a listId that is no number', async () => ({ listId: 'first' })),
  writing(
    'S create synchronization synchronous',
    'a synchronization, read as soon as it is created',
    async workshop => {
      const { id } = await workshop.second()
      const read = await workshop.world.target.get(workshop.world.synchronizationPath(id))
      return isSuccess(read) ? holds() : differs('200', `${read.status}`, read)
    },
  ),
  writing('S create synchronization status', 'status and Location of a synchronization', async workshop => {
    const { exchange } = await workshop.ready()
    const { status, headers } = exchange
    if (status === 201 && headers.location === undefined) return differs('a Location', 'none', exchange)
    if (status !== 201 && status !== 200) return differs('201', `${status}`, exchange)
    return {
      is: 'observed',
      dial: 'created-synchronization-status',
      value: String(status),
      expected: '201 with a Location',
      seen: `${status}`,
      evidence: [exchange],
    }
  }),
  writing('S create synchronization several', 'two synchronizations of one mailing', async workshop => {
    const [one, other] = [await workshop.ready(), await workshop.second()]
    return one.id !== other.id ? holds() : differs('two synchronizations', `one, ${one.id}`, other.exchange)
  }),
  writing(
    'S synchronization final',
    'DELETE, PUT and PATCH on a synchronization of our own',
    async workshop => {
      const { id } = await workshop.second()
      const path = workshop.world.synchronizationPath(id)
      for (const method of ['PUT', 'PATCH', 'DELETE']) {
        const answer = await workshop.send(method, path, '{}')
        if (!isRefused(answer)) return differs(`a 4xx for ${method}`, `${answer.status}`, answer)
      }
      const read = await workshop.world.target.get(path)
      return isSuccess(read) ? holds() : differs('it is still there', `${read.status}`, read)
    },
  ),
]

function refused(clause: string, looksAt: string, body: (workshop: Workshop) => Promise<object>): Entry {
  return writing(clause, looksAt, async workshop => {
    const answer = await workshop.synchronize(await body(workshop))
    return isRefused(answer) ? holds() : differs('a 4xx', `${answer.status}`, answer)
  })
}
