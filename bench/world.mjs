/**
 * The floor's world: as many rows, with the members and links that the service gives them, so that a look-up and a
 * JSON.stringify of it is the same work. The run compares the sizes of the answers.
 */

export const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`
export const integration = '/integrations/mailing-platform/mailing-synchronizations'

/** The fixture here is the bench's own: it has no IDs but these, and a measured process loads nothing of ours to make them. */
const numberedId = (family, at) => `${family.repeat(8)}-0000-4000-8000-${String(at).padStart(12, '0')}`
const mailingId = at => numberedId('1', at)
export const synchronizationId = at => numberedId('2', at)
export const sendingId = at => numberedId('3', at)
export const syncId = synchronizationId(1)

/** So many mailings the start is measured with, as many as the packaged fixture has, and so many the work. */
export const fewMailings = 30
export const manyMailings = 1_000

const date = '2026-01-12T09:30:00.142Z'
const numbers = length => Array.from({ length }, (_, at) => at + 1)
/** Every second mailing, as the filter of the bench asks for it. */
const hasDraft = at => at % 2 === 0

export function createWorld(base, mailings = fewMailings) {
  const curies = [{ href: `${base}/_mock/relations/{rel}`, name: 'svc', templated: true }]
  const mailing = at => {
    const id = mailingId(at)
    return {
      id,
      name: `Newsletter of week ${at}`,
      creationDate: date,
      modificationDate: date,
      isApproved: true,
      hasDraft: hasDraft(at),
      _links: {
        self: { href: `${base}/mailings/${id}` },
        'svc:mailing-editor': { href: `${base}/_mock/spaces/demo/mailings/${id}` },
      },
    }
  }
  const synchronization = at => {
    // Odd ones, which have no draft.
    const of = 2 * at - 1
    const id = synchronizationId(at)
    const page = `${base}/_mock/spaces/demo/mailings/${mailingId(of)}`
    return {
      id,
      creationDate: date,
      modificationDate: date,
      mailingId: mailingId(of),
      mailingName: `Newsletter of week ${of}`,
      approvedMailingName: `Newsletter of week ${of}`,
      readyForSending: true,
      mailingHasDraft: false,
      mailingIsApproved: true,
      target: { customer: 'harbour-group', listId: 1001, listName: 'Harbour Cycles newsletter' },
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
      _links: {
        self: { href: `${base}${integration}/${id}` },
        'svc:mailing-editor': { href: page },
        'svc:mailing-preview-approved': { href: `${page}/approved` },
        'svc:sendings': { href: `${base}${integration}/${id}/sendings` },
        'svc:mailing-uploads': { href: `${base}${integration}/${id}/mailing-uploads/latest` },
        curies,
      },
    }
  }
  const curiesAnd = self => ({ self: { href: self }, curies })
  return {
    reports: `${base}/_mock/spaces/demo/sendings`,
    users: new Map([[authorization, { name: 'demo' }]]),
    synchronizations: new Map(
      numbers(synchronizations)
        .map(synchronization)
        .map(row => [row.id, row]),
    ),
    mailings: numbers(mailings).map(mailing),
    /** The collection as it goes out. */
    listed: (rows, pathAndQuery) => ({
      _embedded: { 'svc:mailings': rows },
      _links: curiesAnd(base + pathAndQuery),
    }),
    sendings: new Map(),
    /** How often a transaction ID was answered 503. */
    refused: new Map(),
  }
}

const synchronizations = 14

/** The same as a fixture. */
export function fixture(mailings) {
  const content = (at, version) => ({
    number: version,
    name: `Newsletter of week ${at}`,
    subject: `Week ${at}`,
    html: `<p>Week ${at}</p>`,
    text: `Week ${at}`,
  })
  const dates = { creationDate: date, modificationDate: date }
  return {
    $format: 1,
    space: 'demo',
    users: [{ name: 'demo', password: 'demo', rights: ['read', 'write'] }],
    customers: [{ name: 'harbour-group' }],
    lists: [
      {
        id: 1001,
        customer: 'harbour-group',
        name: 'Harbour Cycles newsletter',
        recipients: 12_480,
        testProfiles: [],
        testMailGroups: [],
      },
    ],
    accessibleLists: [],
    mailings: numbers(mailings).map(at => ({
      id: mailingId(at),
      ...dates,
      draft: hasDraft(at) ? content(at, 2) : null,
      approved: content(at, 1),
    })),
    synchronizations: numbers(synchronizations).map(at => ({
      id: synchronizationId(at),
      ...dates,
      mailingId: mailingId(2 * at - 1),
      customer: 'harbour-group',
      listId: 1001,
      mailingUploadsModificationDate: null,
      sendingsModificationDate: null,
    })),
    mailingUploads: [],
    sendings: [],
    platformMailings: [],
    platformSendings: [],
  }
}

/** So often a transaction ID of the fault row is answered 503 before its sending is made. */
export const refusals = 2
export const faultPrefix = 'fault-'

/** Whether this attempt is answered 503. */
export function isRefused({ refused }, transactionId) {
  if (!transactionId.startsWith(faultPrefix)) return false
  const count = refused.get(transactionId) ?? 0
  if (count >= refusals) return false
  refused.set(transactionId, count + 1)
  return true
}

/** What a refused attempt is told: as long as a problem of the service. */
export const refusal = {
  type: 'about:blank',
  title: 'Service Unavailable',
  status: 503,
  detail: 'Try again.',
}

let created = 100_000

/** The sending, made unless its transaction ID is known. */
export function send(world, synchronization, { transactionId }) {
  const known = world.sendings.get(transactionId)
  if (known) return { sending: known, isFresh: false }
  const id = crypto.randomUUID()
  const self = `${synchronization._links['svc:sendings'].href}/${id}`
  const sending = {
    id,
    creationDate: new Date().toISOString(),
    scheduleDate: null,
    mailingSynchronizationId: synchronization.id,
    state: 'CREATED',
    transactionId,
    target: { mailingId: ++created, sendingId: created },
    mailingId: synchronization.mailingId,
    _links: {
      self: { href: self },
      'svc:report': { href: `${world.reports}/${id}/report` },
      curies: synchronization._links.curies,
    },
  }
  world.sendings.set(transactionId, sending)
  return { sending, isFresh: true }
}
