import type { ServiceNames } from '../../service/links.ts'
import { type OperationId, operations, partsOfSending, recogniseOperation } from '../../service/operations.ts'
import type { ServiceProblem } from '../../service/problem.ts'
import type { Json } from './json-schema.ts'

/** Examples by their place in the document; undefined where there are none. */
export type Examples = ReturnType<typeof examplesOf>

export function examplesOf(exchanges: readonly ExampleExchange[]) {
  const isOf = (it: ExampleExchange, id: OperationId) => it.operation === id && it.shows === undefined
  const named = (shown: 'answer' | 'body', isWanted: (it: ExampleExchange) => boolean): Json | undefined => {
    const all = exchanges.filter(it => isWanted(it) && it[shown] !== undefined)
    if (all.length === 0) return undefined
    return Object.fromEntries(all.map(it => [it.name, { summary: it.summary, value: it[shown] }]))
  }
  return {
    answers: (id: OperationId, status: number) => named('answer', it => isOf(it, id) && it.status === status),
    problems: (name: ServiceProblem) => named('answer', it => it.shows === name),
    bodies: (id: OperationId) => named('body', it => isOf(it, id) && it.status < 400),
    /** A value that the parameter had in a successful request. */
    parameter: (id: OperationId, name: string) =>
      exchanges.find(it => isOf(it, id) && it.status < 400 && name in it.params)?.params[name],
  }
}

export const noExamples = examplesOf([])

export const exampleBase = 'http://localhost:4025'

/** Sends a request to a service with the default fixture, its user demo, and its control API. */
export type AskService = (request: Request) => Promise<Response>

/** A request and its answer, as an example. */
export interface ExampleExchange {
  readonly operation: OperationId | undefined
  readonly name: string
  readonly summary: string
  readonly params: Readonly<Record<string, string | number>>
  /** The request body, if it was JSON. */
  readonly body: unknown
  readonly status: number
  /** The body of the answer; undefined without one. */
  readonly answer: unknown
  /** The problem that it is an example of, in every operation. */
  readonly shows: ServiceProblem | undefined
}

interface ExampleOptions {
  /** GET by default. */
  readonly method?: 'POST' | 'PUT' | 'DELETE'
  /** Sent as JSON; a text is sent as it is. */
  readonly body?: unknown
  readonly user?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly shows?: ServiceProblem
}

// biome-ignore lint/suspicious/noExplicitAny: an answer's members, which this file knows
type AnyJson = any

/** Sends requests to a service and records them with their answers. */
class ExampleRecorder {
  readonly exchanges: ExampleExchange[] = []
  readonly #names: ServiceNames
  readonly #ask: AskService

  constructor(ask: AskService, names: ServiceNames) {
    this.#ask = ask
    this.#names = names
  }

  /** @param path below the platform's segment of integration paths */
  integration(path: string): string {
    return `/integrations/${this.#names.platformSegment}${path}`
  }

  /** Sends a request without recording it. @param at path and query */
  async request(at: string, asked: ExampleOptions = {}): Promise<{ status: number; answer: AnyJson }> {
    const { method = 'GET', body, user = 'demo', headers } = asked
    const type = at.startsWith('/_mock') ? 'application/json' : 'application/hal+json'
    const response = await this.#ask(
      new Request(exampleBase + at, {
        method,
        headers: {
          ...(user !== '' && { Authorization: `Basic ${Buffer.from(`${user}:demo`).toString('base64')}` }),
          ...(body !== undefined && { 'Content-Type': type }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    const isJson = /json/.test(response.headers.get('content-type') ?? '')
    const answer = text === '' ? undefined : isJson ? JSON.parse(text) : text
    return { status: response.status, answer }
  }

  /** Sends a request, records it, and returns the body of the answer. */
  async ask(at: string, name: string, summary: string, asked: ExampleOptions = {}): Promise<AnyJson> {
    const { status, answer } = await this.request(at, asked)
    const { pathname } = new URL(at, exampleBase)
    const recognised = recogniseOperation(asked.method ?? 'GET', pathname, this.#names.platformSegment)
    const { platform: _, listId, ...params } = recognised?.params ?? {}
    this.exchanges.push({
      operation: recognised?.id,
      name,
      summary,
      params: listId === undefined ? params : { ...params, listId: Number(listId) },
      body: typeof asked.body === 'string' ? undefined : asked.body,
      status,
      answer,
      shows: asked.shows,
    })
    return answer
  }

  /** As `ask`, with a body. */
  post = (at: string, body: unknown, name: string, summary: string, more?: ExampleOptions) =>
    this.ask(at, name, summary, { ...more, method: 'POST', body })

  put = (at: string, body: unknown, name: string, summary: string) =>
    this.ask(at, name, summary, { method: 'PUT', body })
}

/** An ID of the right form that does not exist. */
const unknownId = '00000000-0000-4000-8000-000000000000'

const synchronizationsPath = (it: ExampleRecorder, rest = '') =>
  it.integration(`/mailing-synchronizations${rest}`)
const customersPath = (it: ExampleRecorder, rest = '') => it.integration(`/accessible-customers${rest}`)
/** The entries of a collection; a dial may add other members beside them. */
const embeddedEntries = (answer: AnyJson): AnyJson[] =>
  Object.values<AnyJson>(answer._embedded).find(Array.isArray)!
const firstId = (answer: AnyJson) => embeddedEntries(answer)[0].id

/** IDs in the default fixture that the examples need. */
async function findScene(it: ExampleRecorder) {
  const { answer } = await it.request(synchronizationsPath(it))
  const all = embeddedEntries(answer)
  const first = (is: (synchronization: AnyJson) => boolean): string => all.find(is).id
  return {
    ready: first(({ readyForSending }) => readyForSending),
    draftOnly: first(({ readyForSending }) => !readyForSending),
    repeated: first(({ mailingName }) => mailingName === 'Commuter week'),
    withUploads: first(({ mailingUploadsModificationDate }) => mailingUploadsModificationDate !== null),
  }
}

type ExampleScene = Awaited<ReturnType<typeof findScene>>

async function createSendings(it: ExampleRecorder, { ready, draftOnly }: ExampleScene): Promise<void> {
  const of = (id: string) => synchronizationsPath(it, `/${id}/sendings`)
  const at = of(ready)
  const body = { transactionId: 'winter-service-week-1', name: 'Winter service week', subject: 'Book early' }
  const scheduled = { scheduleDate: '2035-05-17T11:30:00+02:00', transactionId: 'winter-service-week-2' }
  const bad = { transactionId: 'spring launch', scheduleDate: '2035-05-17' }
  const pending = { headers: { 'X-Mock-Scenario': 'pending-for-ever' } }
  const failing = { headers: { 'X-Mock-Scenario': 'error-500-before' } }
  await it.post(at, body, 'created', 'With a transaction ID')
  await it.post(at, body, 'repeated', 'Repeated')
  await it.post(at, {}, 'atOnce', 'Without a transaction ID')
  await it.post(at, scheduled, 'scheduled', 'Scheduled')
  await it.post(at, { transactionId: 'winter-service-week-3' }, 'pending', 'Still being worked on', pending)
  await it.post(at, '{"transactionId": ', 'malformed', 'No JSON')
  await it.post(at, bad, 'invalid', 'Members that are not as they must be')
  await it.post(at, { scheduleDate: '2026-01-01T00:00:00Z' }, 'past', 'A date in the past')
  await it.post(of(draftOnly), {}, 'notApproved', 'The mailing is a draft')
  await it.post(of(unknownId), {}, 'unknown', 'There is no such synchronization')
  const lost = { transactionId: 'winter-service-week-4' }
  await it.post(at, lost, 'lost', 'Nothing was done, which the client cannot know', failing)
}

async function createSynchronizations(it: ExampleRecorder): Promise<void> {
  const at = synchronizationsPath(it)
  const target = { customer: 'lindenau', listId: 2001 }
  await it.post(at, { ...target, mailingName: 'Herbst' }, 'newMailing', 'Of a new mailing')
  const { answer } = await it.request('/mailings?pageSize=1')
  const mailingId: string = firstId(answer)
  const two = { ...target, mailingId, templateMailingId: mailingId }
  await it.post(at, { ...target, mailingId }, 'existing', 'Of an existing mailing')
  await it.post(at, two, 'exclusive', 'Of two mailings')
  await it.post(at, '{"customer": ', 'malformed', 'No JSON')
  await it.post(at, { ...target, listId: 2002 }, 'notPermitted', 'A list that is not permitted')
}

async function configureLists(it: ExampleRecorder): Promise<void> {
  const at = (customer: string) => customersPath(it, `/${customer}/configuration/accessible-lists`)
  const body = { permittedLists: [1001, 1002], permitAll: false }
  await it.ask(at('lindenau'), 'configuration', 'Two lists')
  await it.ask(at('harbour-group'), 'never', 'Before the first PUT')
  await it.put(at('harbour-group'), body, 'created', 'The first one')
  await it.put(at('harbour-group'), { permitAll: true }, 'replaced', 'Replaced')
  await it.put(at('harbour-group'), {}, 'invalid', 'No lists')
  await it.put(at('harbour-group'), '{"permitAll": ', 'malformed', 'No JSON')
  await it.put(at('nobody'), body, 'unknown', 'No such customer')
}

async function readSynchronizations(it: ExampleRecorder, { ready, draftOnly }: ExampleScene): Promise<void> {
  const at = (rest: string) => synchronizationsPath(it, rest)
  await it.ask(at(`/${ready}`), 'ready', 'Its mailing is approved')
  await it.ask(at(`/${draftOnly}`), 'draft', 'Its mailing is a draft')
  await it.ask(at(`/${unknownId}`), 'unknown', 'There is none')
  const first = await it.ask(at('?readyForSending=true&pageSize=2'), 'firstPage', 'Another page follows')
  const { mailingId } = embeddedEntries(first)[0]
  const modified = at(`?syncModifications=true&mailingId=${mailingId}`)
  await it.ask(modified, 'lastPage', 'The last page of an incremental synchronization')
  await it.ask(at('?syncModifications=true&sortBy=mailingName'), 'sorted', 'Sorted modifications')
  await it.ask(at('?cursor=stale'), 'stale', 'A made-up cursor')
}

async function readSendings(it: ExampleRecorder, { repeated }: ExampleScene): Promise<void> {
  const at = synchronizationsPath(it, `/${repeated}/sendings`)
  await it.ask(at, 'created', 'Those that are CREATED')
  const failed = firstId(
    await it.ask(`${at}?includeAllStates=true&pageSize=2`, 'allStates', 'In whatever state'),
  )
  const sent = firstId((await it.request(at)).answer)
  await it.ask(`${at}?includeAllStates=1`, 'flag', 'Neither true nor false')
  await it.ask(`${at}?cursor=stale`, 'stale', 'A made-up cursor')
  const elsewhere = synchronizationsPath(it, `/${unknownId}/sendings`)
  await it.ask(elsewhere, 'unknown', 'There is no such synchronization')
  await it.ask(`${at}/${sent}`, 'created', 'The mailing was sent')
  await it.ask(`${at}/${failed}`, 'failed', 'The mailing was not sent')
  await it.ask(`${at}/${unknownId}`, 'unknown', 'There is none')
  for (const part of partsOfSending) {
    const below = operations[part].path.slice(operations.getSending.path.length)
    await it.ask(`${at}/${sent}${below}`, 'sent', 'Long after it was sent')
    await it.ask(`${at}/${unknownId}${below}`, 'unknown', 'There is none')
  }
}

async function readMailings(it: ExampleRecorder): Promise<void> {
  const at = '/mailings'
  const approved = `${at}?isApproved=true&pageSize=2`
  const some = await it.ask(approved, 'firstPage', 'Approved ones; another page follows')
  await it.ask(`${at}?isApproved=false&hasDraft=false`, 'neither', 'Filters that exclude each other')
  await it.ask(`${at}?cursor=stale`, 'stale', 'A made-up cursor')
  await it.ask(`${at}/${firstId(some)}`, 'mailing', 'A mailing')
  await it.ask(`${at}/${unknownId}`, 'unknown', 'There is none')
}

async function readCustomers(it: ExampleRecorder): Promise<void> {
  const at = (rest = '') => customersPath(it, rest)
  await it.ask(at(), 'customers', 'All')
  await it.ask(at('?pageSize=0'), 'size', 'No size')
  await it.ask(at('?cursor=stale'), 'stale', 'A made-up cursor')
  await it.ask(at('/lindenau'), 'customer', 'A customer')
  await it.ask(at('/nobody'), 'unknown', 'There is none')
  await it.ask(at('/lindenau/lists'), 'permitted', 'Those that the space may use')
  await it.ask(at('/lindenau/lists?showAllLists=true'), 'all', 'All of the customer')
  await it.ask(at('/lindenau/lists?showAllLists=1'), 'flag', 'Neither true nor false')
  await it.ask(at('/lindenau/lists?cursor=stale'), 'stale', 'A made-up cursor')
  await it.ask(at('/nobody/lists'), 'unknown', 'No such customer')
  await it.ask(at('/lindenau/lists/2001'), 'list', 'A list')
  await it.ask(at('/lindenau/lists/1001'), 'unknown', 'There is none')
}

/** Problems that all operations have in common. */
async function provokeRefusals(it: ExampleRecorder, { ready }: ExampleScene): Promise<void> {
  const at = '/mailings'
  const sendings = synchronizationsPath(it, `/${ready}/sendings`)
  const html = { headers: { Accept: 'text/html' } }
  const text = { headers: { 'Content-Type': 'text/plain' } }
  const failing = { headers: { 'X-Mock-Scenario': 'error-500-before' } }
  const host = { headers: { Host: 'mailings.example.com' } }
  await it.ask(at, 'missing', 'No credentials', { user: '', shows: 'unauthorized' })
  await it.ask(at, 'wrong', 'Wrong credentials', { user: 'nobody', shows: 'unauthorized' })
  const reader = { user: 'demo-viewer', shows: 'missing-right' } as const
  await it.post(sendings, {}, 'readOnly', 'A user who may only read', reader)
  await it.ask(at, 'html', 'HTML only', { ...html, shows: 'not-acceptable' })
  await it.post(sendings, {}, 'text', 'Plain text', { ...text, shows: 'unsupported-media-type' })
  const large = ' '.repeat((1 << 20) + 1)
  await it.post(sendings, large, 'large', 'More than 1 MiB', { shows: 'body-too-large' })
  await it.post(sendings, {}, 'lost', 'Nothing was done', { ...failing, shows: 'not-processed' })
  await it.ask(at, 'host', 'A host that is not allowed', { ...host, shows: 'misdirected-request' })
  await it.ask('/mailing', 'path', 'No such path', { shows: 'not-found' })
  await it.ask(at, 'method', 'DELETE', { method: 'DELETE', shows: 'method-not-allowed' })
  await exceedRateLimit(it)
}

async function exceedRateLimit(it: ExampleRecorder): Promise<void> {
  const dials = '/_mock/spaces/demo/dials'
  await it.request(dials, { method: 'PUT', body: { 'rate-limit': '60' } })
  for (let n = 0; n < 60; n++) await it.request('/mailings?pageSize=1')
  await it.ask('/mailings', 'limit', 'The 61st', { shows: 'too-many-requests' })
  await it.request(dials, { method: 'PUT', body: {} })
}

async function readTestRecipients(it: ExampleRecorder, { ready, draftOnly }: ExampleScene): Promise<void> {
  const of = (rest: string, id = ready) => synchronizationsPath(it, `/${id}/${rest}`)
  const readAll = async (collection: string, name: string): Promise<number> => {
    const all = await it.ask(of(collection), name, 'All')
    await it.ask(of(`${collection}?pageSize=0`), 'size', 'No size')
    await it.ask(of(`${collection}?cursor=stale`), 'stale', 'A made-up cursor')
    await it.ask(of(collection, unknownId), 'unknown', 'There is none')
    return firstId(all)
  }
  const testProfileId = await readAll('test-profiles', 'profiles')
  const testMailGroupId = await readAll('test-mail-groups', 'groups')
  const absent = 'A version that is not there'
  await it.ask(of(`preview?testProfileId=${testProfileId}`), 'personalized', 'With a test profile')
  await it.ask(of('preview?kind=newest'), 'kind', 'An unknown kind')
  await it.ask(of('preview?kind=lastApproved', draftOnly), 'version', absent)
  const at = of('test-sendings')
  const recipientAddresses = ['reader@example.org']
  const toGroup = { testMailGroupId, testProfileId, subjectPrefix: '[Test] ' }
  await it.post(at, toGroup, 'group', 'To a test-mail group')
  await it.post(at, { recipientAddresses, kind: 'latest' }, 'addresses', 'To addresses')
  await it.post(at, {}, 'both', 'Neither group nor addresses')
  await it.post(at, '{"testMailGroupId": ', 'malformed', 'No JSON')
  const ofApproved = { recipientAddresses, kind: 'lastApproved' }
  await it.post(of('test-sendings', draftOnly), ofApproved, 'version', absent)
}

async function readAndCreateUploads(it: ExampleRecorder, { withUploads }: ExampleScene): Promise<void> {
  const of = (id: string) => synchronizationsPath(it, `/${id}/mailing-uploads`)
  const at = of(withUploads)
  await it.ask(`${at}/latest`, 'latest', 'The latest')
  await it.ask(`${at}/${unknownId}`, 'unknown', 'There is none')
  await it.post(at, {}, 'created', 'Created')
  await it.post(at, '', 'empty', 'Without a body')
  await it.post(of(unknownId), {}, 'unknown', 'There is no such synchronization')
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
