import { halType } from '../service/hal.ts'
import type { Tables } from '../store/content.ts'
import { curl } from './curl.ts'
import type { PageCall } from './page.ts'
import { serviceBase, userOf } from './service-address.ts'

/** A space that is there, or that will be. */
interface SomeSpace {
  readonly name: string
  readonly data: { readonly tables: Pick<Tables, 'synchronizations' | 'mailings'> }
}

/** A line that makes the first request in a space: it creates a sending, or lists the mailings where nothing is ready. */
export function firstRequest(call: PageCall, { name, data }: SomeSpace, transactionId = 'first-try'): string {
  const { synchronizations, mailings } = data.tables
  const base = serviceBase(call)
  const user = userOf(call, name)
  for (const { id, mailingId } of synchronizations.rows())
    if (mailings.get(mailingId)?.approved)
      return curl({
        method: 'POST',
        url: `${base}/integrations/${call.tools.names.platformSegment}/mailing-synchronizations/${id}/sendings`,
        user,
        headers: [['Content-Type', halType.split(';')[0]!]],
        body: JSON.stringify({ transactionId }),
      })
  return curl({ method: 'GET', url: `${base}/mailings`, user })
}
