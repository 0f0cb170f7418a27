import type { RequestRecord } from '../rig/request-record.ts'
import type { RigView } from '../rig/space-view.ts'

/** The client of a request, by the ID of the request; undefined for one that is not on record. */
export type ClientOf = (requestId: string) => string | undefined

/** The client of a request, as its User-Agent names it. */
export const clientName = ({ headers }: Pick<RequestRecord, 'headers'>): string =>
  [headers['user-agent']].flat().join(', ') || 'no User-Agent'

/** The client of each request of a space, as its User-Agent names it; undefined where all requests are of one client. */
export function findClients({ journal }: RigView): ClientOf | undefined {
  const names = new Map(journal.entries().map(it => [it.id, clientName(it)]))
  return new Set(names.values()).size > 1 ? id => names.get(id) : undefined
}
