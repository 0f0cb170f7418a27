/**
 * The floor's world: as many rows, with the members and links that the service gives them, so that a look-up and a
 * JSON.stringify of it is the same work. The run compares the sizes of the answers.
 */

export const authorization = `Basic ${Buffer.from('demo:demo').toString('base64')}`
export const integration = '/integrations/mailing-platform/mailing-synchronizations'
export const syncId = '22222222-0000-4000-8000-000000000001'

const number = at => String(at).padStart(12, '0')

export function createWorld(base) {
  const curies = [{ href: `${base}/_mock/relations/{rel}`, name: 'svc', templated: true }]
  const mailing = at => {
    const id = `11111111-0000-4000-8000-${number(at)}`
    return {
      id,
      name: `Newsletter of week ${at}`,
      creationDate: '2026-01-12T09:30:00.142Z',
      modificationDate: '2026-01-12T09:30:00.142Z',
      isApproved: true,
      hasDraft: false,
      _links: {
        self: { href: `${base}/mailings/${id}` },
        'svc:mailing-editor': { href: `${base}/_mock/spaces/demo/mailings/${id}` },
      },
    }
  }
  const synchronization = at => {
    const id = `22222222-0000-4000-8000-${number(at)}`
    const mailingId = `11111111-0000-4000-8000-${number(at)}`
    const page = `${base}/_mock/spaces/demo/mailings/${mailingId}`
    return {
      id,
      creationDate: '2026-01-12T09:30:00.142Z',
      modificationDate: '2026-01-12T09:30:00.142Z',
      mailingId,
      mailingName: `Newsletter of week ${at}`,
      approvedMailingName: `Newsletter of week ${at}`,
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
        curies,
      },
    }
  }
  const numbers = length => Array.from({ length }, (_, at) => at + 1)
  return {
    reports: `${base}/_mock/spaces/demo/sendings`,
    users: new Map([[authorization, { name: 'demo' }]]),
    synchronizations: new Map(
      numbers(14)
        .map(synchronization)
        .map(row => [row.id, row]),
    ),
    mailings: {
      _embedded: { 'svc:mailings': numbers(30).map(mailing) },
      _links: { self: { href: `${base}/mailings` }, curies },
    },
    sendings: new Map(),
  }
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
