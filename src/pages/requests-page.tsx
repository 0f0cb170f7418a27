import { z } from 'zod'
import { findRequests, listQuery, searchText } from '../control/requests.ts'
import { endQuery } from '../control/verdict.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import { JournalView } from '../rig/journal-view.ts'
import { deliveryNames } from '../rig/words.ts'
import { operationIds } from '../service/operations.ts'
import { clientName, findClients } from './clients.ts'
import { Empty, Field, NoneAlike, Select, Snippet } from './components/elements.tsx'
import { FilterForm, TransactionField, toQueryString } from './components/listing.tsx'
import { RequestTable } from './components/request-row.tsx'
import { Glance, hasUnrecorded, RecordSince, shownVerdict } from './components/space-summary.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import { firstRequestLine } from './service-links.ts'
import { Citations, sendingKinds } from './timeline/lanes.ts'

const operationOptions = operationIds.map(id => [id, id] as const)
const findingOptions = [['found', sendingKinds.found.words]] as const

/** Filters the list. The address is replaced, so that "back" does not go back letter by letter. */
function RequestFilter({ call, rig }: Props) {
  const { operation, status, transactionId, delivered, scenario, client, only, limit, order } = call.query
  const isNarrowed = Boolean(operation ?? status ?? transactionId ?? delivered ?? scenario ?? client ?? only)
  return (
    <FilterForm
      action={call.here('/requests')}
      kept={toQueryString({ limit, order, ...call.end }, defaultQuery)}
      target="requests"
      label="Filter requests"
      clear={isNarrowed ? call.judged('/requests') : undefined}
      history="replace"
    >
      <Select label="Operation" name="operation" options={operationOptions} chosen={operation} none="any" />
      <Field
        label="Status"
        name="status"
        value={status}
        size={6}
        placeholder="5xx"
        title="A status such as 201, or a class such as 5xx"
      />
      <Select label="Response" name="delivered" options={deliveryNames} chosen={delivered} none="any" />
      <Select label="Findings" name="only" options={findingOptions} chosen={only} none="any" />
      <TransactionField value={transactionId} />
      <Field
        label="Scenario"
        name="scenario"
        value={scenario}
        maxlength={200}
        size={14}
        placeholder="start*"
        title="The whole name, or its beginning and *"
        list="fired"
        spellcheck={false}
      />
      {(client !== undefined || findClients(rig)) && (
        <Field
          label="Client"
          name="client"
          value={client}
          maxlength={200}
          size={14}
          title="A part of its User-Agent"
          spellcheck={false}
        />
      )}
    </FilterForm>
  )
}

/** A page of the requests that match the query, updated as more arrive. */
function RequestList({ call, rig, verdict }: Props & { verdict: VerdictView | undefined }) {
  const { query } = call
  const citations = new Citations(verdict)
  const { count, page, next } = findRequests(rig, {
    ...query,
    ignoresCase: true,
    isWanted: record =>
      (query.only === undefined || citations.marksOf(record.id).length > 0) &&
      (query.client === undefined || clientName(record).toLowerCase().includes(query.client.toLowerCase())),
  })
  const view = new JournalView(rig)
  const { dropped } = rig.journal
  const fired = new Set(rig.journal.entries().flatMap(({ decision }) => decision?.scenario ?? []))
  const address = (of: object) => call.judged('/requests', of, defaultQuery)
  const isNewestFirst = query.order === 'newest'
  const [first, further] = isNewestFirst ? ['Newest', 'Older'] : ['Oldest', 'Newer']
  const hasEarlier = (isNewestFirst ? query.before : query.since) !== undefined
  const words = [
    count > 0 && `${page.length} of ${count}${hasEarlier ? ` ${further.toLowerCase()} ones` : ''}`,
    dropped > 0 && `${dropped} dropped to make room`,
  ].filter(Boolean)
  return (
    <section id="requests" data-live="request clock reset" aria-label="Requests">
      <datalist id="fired">
        {[...fired].sort().map(name => (
          <option value={name} />
        ))}
      </datalist>
      <RecordSince call={call} rig={rig} />
      {page.length === 0 ? (
        <NoRequests call={call} rig={rig} />
      ) : (
        <RequestTable
          views={page.map(entry => view.view(entry))}
          journal={view}
          verdict={verdict}
          call={call}
          now={rig.clock.now()}
          clientOf={findClients(rig)}
        />
      )}
      {(words.length > 0 || hasEarlier) && (
        <nav class="row" aria-label="Pages of requests">
          <span class="soft">{words.join('; ')}</span>
          {hasEarlier && <a href={address({ ...query, before: undefined, since: undefined })}>{first}</a>}
          {next && (
            <a href={address(next)} rel="next">
              {further}
            </a>
          )}
        </nav>
      )}
    </section>
  )
}

/** Default values are left out of addresses. */
const defaultQuery = { limit: 50, order: 'newest' } as const

function NoRequests({ call, rig }: SpaceProps) {
  if (rig.journal.count > 0) return <NoneAlike what="No request" all={call.judged('/requests')} />
  return (
    <Empty title={hasUnrecorded(rig) ? 'No requests since then' : 'No requests yet'}>
      <p>What a client of this space asks appears here by itself. This line makes a first request:</p>
      <Snippet text={firstRequestLine(call, rig.space)} label="Copy the line" />
    </Empty>
  )
}

/** The query of the control call, but newest first and with a smaller page by default. */
const requestsQuery = listQuery.extend({
  limit: listQuery.shape.limit.prefault(String(defaultQuery.limit)),
  order: listQuery.shape.order.default(defaultQuery.order),
  only: z.enum(['found']).optional(),
  client: searchText.optional(),
  ...endQuery,
})

type Props = SpaceProps<z.output<typeof requestsQuery>>

/** A space at a glance and its requests, with a filter. It is also the first page of a space. */
export default spacePage('requests', {
  query: requestsQuery,
  async show(call, rig) {
    const verdict = await shownVerdict(call, rig)
    return {
      title: 'Requests',
      content: (
        <>
          <div class="flow">
            <h1>Requests</h1>
            <Glance call={call} rig={rig} verdict={verdict} />
          </div>
          <p class="soft">What the client asked and was told, {call.query.order} first.</p>
          <RequestFilter call={call} rig={rig} />
          <RequestList call={call} rig={rig} verdict={verdict} />
        </>
      ),
    }
  },
})
