import { foundRequests, type ListQuery } from '../../rig/control/requests-found.ts'
import { JournalView } from '../../rig/entry-view.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Snippet } from '../components/basics.tsx'
import { firstRequest } from '../first-request.ts'
import type { PageCall } from '../page.ts'
import { RecordSince, unexplained } from '../record-since.tsx'
import { RequestColumns, RequestRow } from './request-row.tsx'

/** As many as a person looks over. */
export const usualLimit = 50

/** The requests that the query asks for, a page of them, asked for anew as more come. */
export function RequestList(props: { call: PageCall; rig: SpaceRig; query: ListQuery }) {
  const { call, rig, query } = props
  const { name } = rig.space
  const { count, page, next } = foundRequests(rig, query)
  const view = new JournalView(rig)
  const now = rig.clock.now()
  const { dropped } = rig.journal
  const address = (of: object) => call.inSpace(name, `/requests${search(of)}`)
  const newest = { ...query, before: undefined, since: undefined }
  const words = [
    ...(count === 0 ? [] : [`${page.length} of ${count}${query.before === undefined ? '' : ' older ones'}`]),
    ...(dropped > 0 ? [`${dropped} had to make room for later ones`] : []),
  ]
  return (
    <section id="requests" data-live="request clock reset" aria-label="Requests">
      <RecordSince call={call} rig={rig} />
      {page.length === 0 ? (
        <NoRequests call={call} rig={rig} isFirst={rig.journal.count === 0} />
      ) : (
        <table class="requests">
          <RequestColumns />
          <tbody>
            {page.map(entry => (
              <RequestRow
                view={view.entry(entry)}
                journal={view}
                href={call.inSpace(name, `/requests/${encodeURIComponent(entry.id)}`)}
                now={now}
              />
            ))}
          </tbody>
        </table>
      )}
      {(words.length > 0 || query.before !== undefined) && (
        <nav class="pager row" aria-label="Pages of requests">
          <span class="soft">{words.join('; ')}</span>
          {query.before !== undefined && <a href={address(newest)}>Newest</a>}
          {next && (
            <a href={address(next)} rel="next">
              Older
            </a>
          )}
        </nav>
      )}
    </section>
  )
}

/** What is as it is anyway does not stand in an address. */
const usual: Readonly<Record<string, unknown>> = { limit: usualLimit, order: 'newest' }

/** @param of members that are undefined are left out */
function search(of: object): string {
  const given = Object.entries(of).flatMap(([name, value]) =>
    value === undefined || value === usual[name] ? [] : [[name, String(value)] as [string, string]],
  )
  return given.length === 0 ? '' : `?${new URLSearchParams(given)}`
}

function NoRequests({ call, rig, isFirst }: { call: PageCall; rig: SpaceRig; isFirst: boolean }) {
  if (!isFirst)
    return (
      <Empty title="No such requests">
        <p>
          Nothing on record here is as the filter says.{' '}
          <a href={call.inSpace(rig.space.name, '/requests')}>Show all</a>
        </p>
      </Empty>
    )
  return (
    <Empty title={unexplained(rig) > 0 ? 'No requests since then' : 'No requests yet'}>
      <p>What a client of this space asks appears here by itself. This line makes a first request:</p>
      <Snippet text={firstRequest(call, rig.space)} label="Copy the line" />
    </Empty>
  )
}
