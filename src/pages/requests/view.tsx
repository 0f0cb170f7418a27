import { settledRig } from '../../rig/control/request-documents.ts'
import type { ListQuery } from '../../rig/control/requests-found.ts'
import { listQuery } from '../../rig/control/requests-query.ts'
import { Glance } from '../glance.tsx'
import type { PageCall, Shown } from '../page.ts'
import { RequestFilter } from './request-filter.tsx'
import { RequestList, usualLimit } from './request-list.tsx'

/** As the control call has it; a person wants the newest first, and no more of them than can be looked over. */
export const pageQuery = listQuery.extend({
  limit: listQuery.shape.limit.prefault(String(usualLimit)),
  order: listQuery.shape.order.default('newest'),
})

/** A space at a glance, and what was asked in it. */
export async function requestsView(
  call: PageCall<{ readonly space: string }>,
  query: ListQuery,
): Promise<Shown> {
  const rig = await settledRig(call)
  return {
    title: 'Requests',
    space: rig,
    tab: 'requests',
    content: (
      <>
        <h1>Requests</h1>
        <Glance call={call} rig={rig} />
        <RequestFilter action={call.inSpace(rig.space.name, '/requests')} query={query} />
        <RequestList call={call} rig={rig} query={query} />
      </>
    ),
  }
}
