import type { ServiceNames } from '../../service/links.ts'
import { type AnyJson, type AskService, type ExampleExchange, ExampleRecorder } from './examples.ts'

/** An ID of the right form that does not exist. */
export const unknownId = '00000000-0000-4000-8000-000000000000'

/** IDs in the default fixture that the examples need. */
export interface ExampleScene {
  readonly ready: string
  readonly draftOnly: string
  readonly repeated: string
  readonly withUploads: string
}

export const synchronizationsPath = (it: ExampleRecorder, rest = '') =>
  it.integration(`/mailing-synchronizations${rest}`)
export const customersPath = (it: ExampleRecorder, rest = '') =>
  it.integration(`/accessible-customers${rest}`)
/** The entries of a collection; a dial may add other members beside them. */
export const embeddedEntries = (answer: AnyJson): AnyJson[] =>
  Object.values<AnyJson>(answer._embedded).find(Array.isArray)!

async function findScene(it: ExampleRecorder): Promise<ExampleScene> {
  const { answer } = await it.request({ at: synchronizationsPath(it) })
  const all = embeddedEntries(answer)
  const first = (is: (synchronization: AnyJson) => boolean): string => all.find(is).id
  return {
    ready: first(({ readyForSending }) => readyForSending),
    draftOnly: first(({ readyForSending }) => !readyForSending),
    repeated: first(({ mailingName }) => mailingName === 'Commuter week'),
    withUploads: first(({ mailingUploadsModificationDate }) => mailingUploadsModificationDate !== null),
  }
}

export async function createSendings(it: ExampleRecorder, { ready, draftOnly }: ExampleScene): Promise<void> {
  const send = { method: 'POST', at: synchronizationsPath(it, `/${ready}/sendings`) } as const
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
    at: synchronizationsPath(it, `/${draftOnly}/sendings`),
    body: {},
  })
  await it.ask({
    ...send,
    name: 'unknown',
    summary: 'There is no such synchronization',
    at: synchronizationsPath(it, `/${unknownId}/sendings`),
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

async function createSynchronizations(it: ExampleRecorder): Promise<void> {
  const create = { method: 'POST', at: synchronizationsPath(it) } as const
  const target = { customer: 'lindenau', listId: 2001 }
  await it.ask({
    ...create,
    name: 'newMailing',
    summary: 'Of a new mailing',
    body: { ...target, mailingName: 'Herbst' },
  })
  const { answer } = await it.request({ at: '/mailings?pageSize=1' })
  const mailingId: string = embeddedEntries(answer)[0].id
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

export async function configureLists(it: ExampleRecorder): Promise<void> {
  const at = (customer: string) => customersPath(it, `/${customer}/configuration/accessible-lists`)
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

async function readSynchronizations(it: ExampleRecorder, { ready, draftOnly }: ExampleScene): Promise<void> {
  await it.ask({
    name: 'ready',
    summary: 'Its mailing is approved',
    at: synchronizationsPath(it, `/${ready}`),
  })
  await it.ask({
    name: 'draft',
    summary: 'Its mailing is a draft',
    at: synchronizationsPath(it, `/${draftOnly}`),
  })
  await it.ask({ name: 'unknown', summary: 'There is none', at: synchronizationsPath(it, `/${unknownId}`) })
  const first = await it.ask({
    name: 'firstPage',
    summary: 'Another page follows',
    at: synchronizationsPath(it, '?readyForSending=true&pageSize=2'),
  })
  const { mailingId } = embeddedEntries(first)[0]
  await it.ask({
    name: 'lastPage',
    summary: 'The last page of an incremental synchronization',
    at: synchronizationsPath(it, `?syncModifications=true&mailingId=${mailingId}`),
  })
  await it.ask({
    name: 'sorted',
    summary: 'Sorted modifications',
    at: synchronizationsPath(it, '?syncModifications=true&sortBy=mailingName'),
  })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: synchronizationsPath(it, '?cursor=stale') })
}

export async function readSendings(it: ExampleRecorder, { repeated }: ExampleScene): Promise<void> {
  const at = synchronizationsPath(it, `/${repeated}/sendings`)
  await it.ask({ name: 'created', summary: 'Those that are CREATED', at })
  const all = await it.ask({
    name: 'allStates',
    summary: 'In whatever state',
    at: `${at}?includeAllStates=true&pageSize=2`,
  })
  const failed: string = embeddedEntries(all)[0].id
  const { answer } = await it.request({ at })
  const sent: string = embeddedEntries(answer)[0].id
  await it.ask({ name: 'flag', summary: 'Neither true nor false', at: `${at}?includeAllStates=1` })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: `${at}?cursor=stale` })
  await it.ask({
    name: 'unknown',
    summary: 'There is no such synchronization',
    at: synchronizationsPath(it, `/${unknownId}/sendings`),
  })
  await it.ask({ name: 'created', summary: 'The mailing was sent', at: `${at}/${sent}` })
  await it.ask({ name: 'failed', summary: 'The mailing was not sent', at: `${at}/${failed}` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${unknownId}` })
  await it.ask({ name: 'sent', summary: 'Long after it was sent', at: `${at}/${sent}/statistics` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${unknownId}/statistics` })
}

export async function readMailings(it: ExampleRecorder): Promise<void> {
  const at = '/mailings'
  const some = await it.ask({
    name: 'firstPage',
    summary: 'Approved ones; another page follows',
    at: `${at}?isApproved=true&pageSize=2`,
  })
  await it.ask({
    name: 'neither',
    summary: 'Filters that exclude each other',
    at: `${at}?isApproved=false&hasDraft=false`,
  })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: `${at}?cursor=stale` })
  await it.ask({ name: 'mailing', summary: 'A mailing', at: `${at}/${embeddedEntries(some)[0].id}` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${unknownId}` })
}

export async function readCustomers(it: ExampleRecorder): Promise<void> {
  await it.ask({ name: 'customers', summary: 'All', at: customersPath(it) })
  await it.ask({ name: 'size', summary: 'No size', at: customersPath(it, '?pageSize=0') })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: customersPath(it, '?cursor=stale') })
  await it.ask({ name: 'customer', summary: 'A customer', at: customersPath(it, '/lindenau') })
  await it.ask({ name: 'unknown', summary: 'There is none', at: customersPath(it, '/nobody') })
  const lists = customersPath(it, '/lindenau/lists')
  await it.ask({ name: 'permitted', summary: 'Those that the space may use', at: lists })
  await it.ask({ name: 'all', summary: 'All of the customer', at: `${lists}?showAllLists=true` })
  await it.ask({ name: 'flag', summary: 'Neither true nor false', at: `${lists}?showAllLists=1` })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: `${lists}?cursor=stale` })
  await it.ask({ name: 'unknown', summary: 'No such customer', at: customersPath(it, '/nobody/lists') })
  await it.ask({ name: 'list', summary: 'A list', at: `${lists}/2001` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${lists}/1001` })
}

/** Problems that all operations have in common. */
async function provokeRefusals(it: ExampleRecorder, { ready }: ExampleScene): Promise<void> {
  const at = '/mailings'
  const send = { method: 'POST', at: synchronizationsPath(it, `/${ready}/sendings`), body: {} } as const
  await it.ask({ name: 'missing', summary: 'No credentials', at, user: '', shows: 'unauthorized' })
  await it.ask({
    name: 'wrong',
    summary: 'Wrong credentials',
    at,
    user: 'nobody',
    shows: 'unauthorized',
  })
  await it.ask({
    ...send,
    name: 'readOnly',
    summary: 'A user who may only read',
    user: 'demo-viewer',
    shows: 'missing-right',
  })
  await it.ask({
    name: 'html',
    summary: 'HTML only',
    at,
    headers: { Accept: 'text/html' },
    shows: 'not-acceptable',
  })
  await it.ask({
    ...send,
    name: 'text',
    summary: 'Plain text',
    headers: { 'Content-Type': 'text/plain' },
    shows: 'unsupported-media-type',
  })
  await it.ask({
    ...send,
    name: 'large',
    summary: 'More than 1 MiB',
    body: ' '.repeat((1 << 20) + 1),
    shows: 'body-too-large',
  })
  await it.ask({
    ...send,
    name: 'lost',
    summary: 'Nothing was done',
    headers: { 'X-Mock-Scenario': 'error-500-before' },
    shows: 'not-processed',
  })
  await it.ask({
    name: 'host',
    summary: 'A host that is not allowed',
    at,
    headers: { Host: 'mailings.example.com' },
    shows: 'misdirected-request',
  })
  await it.ask({ name: 'path', summary: 'No such path', at: '/mailing', shows: 'not-found' })
  await it.ask({ name: 'method', summary: 'DELETE', method: 'DELETE', at, shows: 'method-not-allowed' })
  await exceedRateLimit(it)
}

async function exceedRateLimit(it: ExampleRecorder): Promise<void> {
  const dials = { method: 'PUT', at: '/_mock/spaces/demo/dials' } as const
  await it.request({ ...dials, body: { 'rate-limit': '60' } })
  for (let n = 0; n < 60; n++) await it.request({ at: '/mailings?pageSize=1' })
  await it.ask({ name: 'limit', summary: 'The 61st', at: '/mailings', shows: 'too-many-requests' })
  await it.request({ ...dials, body: {} })
}

async function readTestRecipients(it: ExampleRecorder, { ready, draftOnly }: ExampleScene): Promise<void> {
  const of = (rest: string, id = ready) => synchronizationsPath(it, `/${id}/${rest}`)
  const profiles = await it.ask({ name: 'profiles', summary: 'All', at: of('test-profiles') })
  await it.ask({ name: 'size', summary: 'No size', at: of('test-profiles?pageSize=0') })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: of('test-profiles?cursor=stale') })
  await it.ask({ name: 'unknown', summary: 'There is none', at: of('test-profiles', unknownId) })
  const groups = await it.ask({ name: 'groups', summary: 'All', at: of('test-mail-groups') })
  await it.ask({ name: 'size', summary: 'No size', at: of('test-mail-groups?pageSize=0') })
  await it.ask({ name: 'stale', summary: 'A made-up cursor', at: of('test-mail-groups?cursor=stale') })
  await it.ask({ name: 'unknown', summary: 'There is none', at: of('test-mail-groups', unknownId) })

  const testProfileId: number = embeddedEntries(profiles)[0].id
  const testMailGroupId: number = embeddedEntries(groups)[0].id
  await it.ask({
    name: 'personalized',
    summary: 'With a test profile',
    at: of(`preview?testProfileId=${testProfileId}`),
  })
  await it.ask({ name: 'kind', summary: 'An unknown kind', at: of('preview?kind=newest') })
  await it.ask({
    name: 'version',
    summary: 'A version that is not there',
    at: of('preview?kind=lastApproved', draftOnly),
  })
  const send = { method: 'POST', at: of('test-sendings') } as const
  await it.ask({
    ...send,
    name: 'group',
    summary: 'To a test-mail group',
    body: { testMailGroupId, testProfileId, subjectPrefix: '[Test] ' },
  })
  await it.ask({
    ...send,
    name: 'addresses',
    summary: 'To addresses',
    body: { recipientAddresses: ['reader@example.org'], kind: 'latest' },
  })
  await it.ask({ ...send, name: 'both', summary: 'Neither group nor addresses', body: {} })
  await it.ask({ ...send, name: 'malformed', summary: 'No JSON', body: '{"testMailGroupId": ' })
  await it.ask({
    ...send,
    name: 'version',
    summary: 'A version that is not there',
    at: of('test-sendings', draftOnly),
    body: { recipientAddresses: ['reader@example.org'], kind: 'lastApproved' },
  })
}

async function readAndCreateUploads(it: ExampleRecorder, { withUploads }: ExampleScene): Promise<void> {
  const at = synchronizationsPath(it, `/${withUploads}/mailing-uploads`)
  await it.ask({ name: 'latest', summary: 'The latest', at: `${at}/latest` })
  await it.ask({ name: 'unknown', summary: 'There is none', at: `${at}/${unknownId}` })
  const create = { method: 'POST', at } as const
  await it.ask({ ...create, name: 'created', summary: 'Created', body: {} })
  await it.ask({ ...create, name: 'empty', summary: 'Without a body', body: '' })
  await it.ask({
    ...create,
    name: 'unknown',
    summary: 'There is no such synchronization',
    at: synchronizationsPath(it, `/${unknownId}/mailing-uploads`),
    body: {},
  })
}

/** Sends all requests that the document shows as examples, always in the same order. */
export async function recordExamples(
  ask: AskService,
  names: ServiceNames,
): Promise<readonly ExampleExchange[]> {
  const it = new ExampleRecorder(ask, names)
  const scene = await findScene(it)
  await readSynchronizations(it, scene)
  await readSendings(it, scene)
  await readTestRecipients(it, scene)
  await readAndCreateUploads(it, scene)
  await readMailings(it)
  await readCustomers(it)
  await provokeRefusals(it, scene)
  await createSendings(it, scene)
  await createSynchronizations(it)
  await configureLists(it)
  return it.exchanges
}
