import type { RequestRecord } from '../rig/request-record.ts'
import type { RigView } from '../rig/space-view.ts'

/** The client of a request, by the ID of the request; undefined for one that is not on record. */
export type ClientOf = (requestId: string) => string | undefined

const nameOf = ({ headers }: RequestRecord): string =>
  [headers['user-agent']].flat().join(', ') || 'no User-Agent'

/** The client of each request of a space, as its User-Agent names it; undefined where all requests are of one client. */
export function findClients({ journal }: RigView): ClientOf | undefined {
  const names = new Map(journal.entries().map(it => [it.id, nameOf(it)]))
  return new Set(names.values()).size > 1 ? id => names.get(id) : undefined
}
