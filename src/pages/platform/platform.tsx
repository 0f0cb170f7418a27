import { ledgerOf } from '../../rig/ledger.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Live, Snippet } from '../components/basics.tsx'
import { firstRequest } from '../first-request.ts'
import { type PageCall, page } from '../page.ts'
import { searchOf } from '../verdict/query.ts'
import { type PlatformQuery, pairsOf, query } from './query.ts'
import { isOfKind, type PlatformKind, type PlatformRow, platformKinds, rowsOf } from './rows.ts'
import { PlatformTable } from './table.tsx'

/** So many mailings stand on a page. */
const perPage = 50

type Call = PageCall<{ readonly space: string }, PlatformQuery>

/** What truly happened on the platform, whatever clients were told. */
export default page('/spaces/{space}/platform', {
  query,
  async show(call) {
    const rig = await call.rig()
    // Puts on record what is due, too.
    const { verdict } = await call.tools.verdict(rig, undefined)
    const { seeded, synchronizationId, transactionId } = call.query
    const ledger = ledgerOf(rig, { synchronizationId, transactionId, seeded: seeded === 'true' })
    const rows = rowsOf(ledger, verdict.harm)
    return {
      title: 'Platform',
      space: rig,
      tab: 'platform',
      content: (
        <>
          <h1>Platform</h1>
          <Live id="platform" on="request clock mailing reset">
            <Found call={call} rig={rig} rows={rows} />
          </Live>
        </>
      ),
    }
  },
})

function Found({ call, rig, rows }: { call: Call; rig: SpaceRig; rows: readonly PlatformRow[] }) {
  const { query: asked } = call
  const found = rows.filter(row => asked.only === undefined || isOfKind(asked.only, row))
  const pages = Math.max(1, Math.ceil(found.length / perPage))
  const at = Math.min(asked.page, pages)
  const address = (changed: Parameters<typeof pairsOf>[1]) =>
    call.inSpace(rig.space.name, `/platform${searchOf(pairsOf(asked, { page: 1, ...changed }))}`)
  return (
    <>
      <Kinds asked={asked} rows={rows} address={address} />
      {found.length === 0 ? (
        <Nothing call={call} rig={rig} address={address} />
      ) : (
        <PlatformTable call={call} rig={rig} rows={found.slice((at - 1) * perPage, at * perPage)} />
      )}
      {pages > 1 && (
        <nav class="row pager" aria-label="Pages">
          {at > 1 ? <a href={address({ page: at - 1 })}>Newer</a> : <span class="soft">Newer</span>}
          <span>
            Page {at} of {pages}
          </span>
          {at < pages ? <a href={address({ page: at + 1 })}>Older</a> : <span class="soft">Older</span>}
        </nav>
      )}
    </>
  )
}

type Address = (changed: Parameters<typeof pairsOf>[1]) => string

/** What there is, and which of it is shown. */
function Kinds(props: { asked: PlatformQuery; rows: readonly PlatformRow[]; address: Address }) {
  const { asked, rows, address } = props
  const { transactionId, synchronizationId } = asked
  const isNarrowed = transactionId !== undefined || synchronizationId !== undefined
  const withBeginning = asked.seeded === 'true'
  return (
    <div class="kinds-row">
      <nav class="kind-links" aria-label="Which mailings">
        <a href={address({ only: undefined })} aria-current={asked.only ? undefined : 'true'}>
          All {rows.length}
        </a>
        {(Object.entries(platformKinds) as [PlatformKind, string][]).map(([kind, words]) => (
          <a href={address({ only: kind })} aria-current={asked.only === kind ? 'true' : undefined}>
            {rows.filter(row => isOfKind(kind, row)).length} {words}
          </a>
        ))}
        {isNarrowed && (
          <span>
            of <code>{transactionId ?? synchronizationId}</code>{' '}
            <a href={address({ transactionId: undefined, synchronizationId: undefined })}>all</a>
          </span>
        )}
      </nav>
      <p class="soft">
        {withBeginning ? 'With' : 'Without'} what the space began with.{' '}
        <a href={address({ seeded: withBeginning ? 'false' : 'true' })}>
          {withBeginning ? 'Leave it out' : 'Show it as well'}
        </a>
      </p>
    </div>
  )
}

function Nothing({ call, rig, address }: { call: Call; rig: SpaceRig; address: Address }) {
  const { only, transactionId, synchronizationId } = call.query
  if (only ?? transactionId ?? synchronizationId)
    return (
      <Empty title="Nothing on the platform is like that">
        <p>
          <a href={address({ only: undefined, transactionId: undefined, synchronizationId: undefined })}>
            Show all
          </a>
        </p>
      </Empty>
    )
  return (
    <Empty title="Nothing has happened on the platform yet">
      <p>
        What clients bring about there is put on record here, whatever they are told: mailings that are made,
        and what truly goes out. This line makes a first sending:
      </p>
      <Snippet text={firstRequest(call, rig.space)} label="Copy the line" />
    </Empty>
  )
}
