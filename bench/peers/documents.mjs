/** The answers of the floor's world as texts, for peers that serve what they are given. */
import { createWorld, integration, syncId } from '../world.mjs'

export const halType = 'application/hal+json;charset=UTF-8'
export const readPath = `${integration}/${syncId}`
export const sendingsPath = `${readPath}/sendings`
/** Where peers that count requests, whatever is in them, are asked for the fault. */
export const faultyPath = '/faulty'

/** @param {number} port */
export function documents(port, mailings) {
  const world = createWorld(`http://127.0.0.1:${port}`, mailings)
  const rows = world.mailings.filter(row => !row.hasDraft)
  return {
    synchronization: world.synchronizations.get(syncId),
    collection: world.listed(world.mailings, '/mailings'),
    filtered: world.listed(rows, '/mailings?hasDraft=false'),
    /** A sending, with the given texts in place of its ID and transaction ID. */
    sending: (id, transactionId) => ({
      id,
      creationDate: '2026-01-12T09:30:00.142Z',
      scheduleDate: null,
      mailingSynchronizationId: syncId,
      state: 'CREATED',
      transactionId,
      target: { mailingId: 100_001, sendingId: 100_001 },
      mailingId: world.synchronizations.get(syncId).mailingId,
      _links: {
        self: { href: `http://127.0.0.1:${port}${sendingsPath}/${id}` },
        'svc:report': { href: `${world.reports}/${id}/report` },
        curies: world.synchronizations.get(syncId)._links.curies,
      },
    }),
  }
}
