import type { Interview } from '../exchanges.ts'
import { customers, embedded, nowhere, type Scene, synchronizations } from './scene.ts'

export async function createSendings(it: Interview, { ready, draftOnly }: Scene): Promise<void> {
  const send = { method: 'POST', at: synchronizations(it, `/${ready}/sendings`) } as const
  const body = { transactionId: 'winter-service-week-1', name: 'Winter service week', subject: 'Book early' }
  await it.ask({ ...send, name: 'created', summary: 'With a transaction ID', body })
  await it.ask({ ...send, name: 'repeated', summary: 'Repeated', body })
  await it.ask({ ...send, name: 'atOnce', summary: 'Without a transaction ID', body: {} })
  await it.ask({
    ...send,
    name: 'scheduled',
    summary: 'Scheduled',
    body: { scheduleDate: '2035-05-17T11:30:00+02:00', transactionId: 'winter-service-week-2' },
  })
  await it.ask({
    ...send,
    name: 'pending',
    summary: 'Still being worked on',
    headers: { 'X-Mock-Scenario': 'pending-for-ever' },
    body: { transactionId: 'winter-service-week-3' },
  })
  await it.ask({ ...send, name: 'malformed', summary: 'No JSON', body: '{"transactionId": ' })
  await it.ask({
    ...send,
    name: 'invalid',
    summary: 'Members that are not as they must be',
    body: { transactionId: 'spring launch', scheduleDate: '2035-05-17' },
  })
  await it.ask({
    ...send,
    name: 'past',
    summary: 'A date in the past',
    body: { scheduleDate: '2026-01-01T00:00:00Z' },
  })
  await it.ask({
    ...send,
    name: 'notApproved',
    summary: 'The mailing is a draft',
    at: synchronizations(it, `/${draftOnly}/sendings`),
    body: {},
  })
  await it.ask({
    ...send,
    name: 'unknown',
    summary: 'There is no such synchronization',
    at: synchronizations(it, `/${nowhere}/sendings`),
    body: {},
  })
  await it.ask({
    ...send,
    name: 'lost',
    summary: 'Nothing was done, which the client cannot know',
    headers: { 'X-Mock-Scenario': 'error-500-before' },
    body: { transactionId: 'winter-service-week-4' },
  })
}

export async function createSynchronizations(it: Interview): Promise<void> {
  const create = { method: 'POST', at: synchronizations(it) } as const
  const target = { customer: 'lindenau', listId: 2001 }
  await it.ask({
    ...create,
    name: 'newMailing',
    summary: 'Of a new mailing',
    body: { ...target, mailingName: 'Herbst' },
  })
  const { answer } = await it.look({ at: '/mailings?pageSize=1' })
  const mailingId: string = embedded(answer)[0].id
  await it.ask({
    ...create,
    name: 'existing',
    summary: 'Of an existing mailing',
    body: { ...target, mailingId },
  })
  await it.ask({
    ...create,
    name: 'exclusive',
    summary: 'Of two mailings',
    body: { ...target, mailingId, templateMailingId: mailingId },
  })
  await it.ask({ ...create, name: 'malformed', summary: 'No JSON', body: '{"customer": ' })
  await it.ask({
    ...create,
    name: 'notPermitted',
    summary: 'A list that is not permitted',
    body: { ...target, listId: 2002 },
  })
}

export async function configureLists(it: Interview): Promise<void> {
  const at = (customer: string) => customers(it, `/${customer}/configuration/accessible-lists`)
  await it.ask({ name: 'configuration', summary: 'Two lists', at: at('lindenau') })
  await it.ask({ name: 'never', summary: 'Before the first PUT', at: at('harbour-group') })
  const put = { method: 'PUT', at: at('harbour-group') } as const
  const body = { permittedLists: [1001, 1002], permitAll: false }
  await it.ask({ ...put, name: 'created', summary: 'The first one', body })
  await it.ask({ ...put, name: 'replaced', summary: 'Replaced', body: { permitAll: true } })
  await it.ask({ ...put, name: 'invalid', summary: 'No lists', body: {} })
  await it.ask({ ...put, name: 'malformed', summary: 'No JSON', body: '{"permitAll": ' })
  await it.ask({ ...put, name: 'unknown', summary: 'No such customer', at: at('nobody'), body })
}
