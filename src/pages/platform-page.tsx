import { z } from 'zod'
import { matchesText } from '../control/requests.ts'
import { members } from '../control/schemas.ts'
import { endQuery } from '../control/verdict.ts'
import type { VerdictView } from '../judge/verdict-shape.ts'
import { JournalView } from '../rig/journal-view.ts'
import { type Ledger, type LedgerMailing, type LedgerSending, ledgerOf } from '../rig/ledger.ts'
import type { SpaceRig } from '../rig/space-rig.ts'
import { Chip, Chips, SendingChip } from './components/chips.tsx'
import { CodeLink, Empty, Live, LongId, Snippet } from './components/elements.tsx'
import { KindLinks, Pager, pageNumber, pageOf, TransactionSearch } from './components/listing.tsx'
import { countUnrecordedSendings, RecordSince, shownVerdict } from './components/space-summary.tsx'
import { Table } from './components/table.tsx'
import { NextSent, Time } from './components/times.tsx'
import { harmMarks } from './components/verdict-words.tsx'
import { type PageCall, spacePage } from './page.ts'
import { firstRequestLine } from './service-links.ts'
import { groupBy } from './timeline/lanes.ts'

/** A mailing on the platform with its sendings. */
interface PlatformRow {
  readonly mailing: LedgerMailing
  readonly sendings: readonly LedgerSending[]
  /** What the judge says if it was sent too often: `open` when that depends on what was intended. */
  readonly double: VerdictView['harm']['findings'][number] | undefined
  /** How often the same mailing went to the same list, whatever the judge says. */
  readonly times: number
}

/** Kinds of mailings to filter by. */
const platformKinds = {
  sent: 'sent to lists',
  scheduled: 'scheduled',
  double: 'sent too often',
  orphan: 'orphaned',
  test: 'for tests',
  unsent: 'never sent',
} as const
type PlatformKind = keyof typeof platformKinds

const matchesKind: Record<PlatformKind, (row: PlatformRow) => boolean> = {
  sent: ({ sendings }) => sendings.some(({ kind, status }) => kind === 'list' && status === 'sent'),
  scheduled: ({ sendings }) => sendings.some(({ status }) => status === 'scheduled'),
  double: ({ double }) => double !== undefined,
  orphan: ({ mailing }) => mailing.isOrphan,
  test: ({ sendings }) => sendings.some(({ kind }) => kind === 'test'),
  unsent: ({ sendings }) => sendings.length === 0,
}

export const isOfKind = (kind: PlatformKind, row: PlatformRow): boolean => matchesKind[kind](row)

const listKey = ({ mailingId, customer, listId }: LedgerMailing) =>
  JSON.stringify([mailingId, customer, listId])

/** The ledger by mailing, newest first. */
function listPlatformRows(
  { mailings, sendings }: Ledger,
  harm: VerdictView['harm']['findings'],
): PlatformRow[] {
  const byMailing = groupBy(sendings, ({ platformMailingId }) => [String(platformMailingId)])
  const doubles = new Map<string, PlatformRow['double']>()
  for (const finding of harm)
    if (finding.kind === 'DOUBLE') for (const cause of finding.evidence) doubles.set(cause, finding)
  const toList = groupBy(
    mailings.filter(it => byMailing.get(String(it.platformMailingId))?.some(({ kind }) => kind === 'list')),
    it => [listKey(it)],
  )
  return mailings
    .map(mailing => {
      const own = byMailing.get(String(mailing.platformMailingId)) ?? []
      const times = toList.get(listKey(mailing))?.length ?? 0
      const causes = own.filter(({ kind }) => kind === 'list').map(({ cause }) => doubles.get(cause))
      return { mailing, sendings: own, double: causes.find(it => it !== undefined), times }
    })
    .reverse()
}

const id = z.string().min(1).max(200, 'expected at most 200 characters')

/** Filters. Those that the control call at this address also has are named as there. */
const platformQuery = members({
  only: z.enum(Object.keys(platformKinds) as [PlatformKind, ...PlatformKind[]]).optional(),
  synchronizationId: id.optional(),
  transactionId: id.optional(),
  seeded: z.enum(['true', 'false']).default('false'),
  page: pageNumber,
  ...endQuery,
})

type PlatformQuery = z.output<typeof platformQuery>

const defaultQuery: Readonly<Record<string, unknown>> = { seeded: 'false', page: 1, workers: 1 }

const origins = {
  sending: 'for a sending',
  'mailing-upload': 'uploaded',
  'test-sending': 'for a test',
} as const

/** Mailings of the platform, each with its true sendings and their causes. */
function PlatformTable(props: { call: PageCall; rig: SpaceRig; rows: readonly PlatformRow[] }) {
  const { call, rig, rows } = props
  const now = rig.clock.now()
  const { effects } = new JournalView(rig)
  /** The request at which it went out, if a later one than that which asked for it. */
  const sentAt = ({ cause, platformSendingId }: LedgerSending) =>
    effects.later(cause).find(({ row }) => row.id === platformSendingId)?.at?.id
  return (
    <Table
      class="platform framed"
      rows={rows}
      id={({ mailing }) => `mailing-${mailing.platformMailingId}`}
      rowClass={({ mailing, double }) =>
        double ? 'marked bad' : mailing.isOrphan ? 'marked odd' : undefined
      }
      columns={[
        {
          title: 'Platform mailing',
          class: 'platform-mailing leads',
          cell: ({ mailing: { platformMailingId, mailingId, name, subject } }) => (
            <>
              <code>{platformMailingId}</code>{' '}
              <a class="clamp" href={call.here('/mailings', mailingId)}>
                {name}
              </a>
              <div class="soft small">
                <span class="clamp">{subject}</span>
              </div>
            </>
          ),
        },
        {
          title: 'What came of it',
          class: 'platform-came',
          cell: row => <WhatCame call={call} row={row} rig={rig} />,
        },
        {
          title: 'For',
          class: 'platform-for',
          cell: ({ mailing: { transactionId, origin, listId, customer }, times }) => (
            <>
              {transactionId === null ? (
                <span class="soft">{origin === 'sending' ? 'no transactionId' : origins[origin]}</span>
              ) : (
                <LongId id={transactionId} />
              )}{' '}
              <div class="soft small">
                list {listId} of {customer}
                {times > 1 && `; this mailing ${times} times`}
              </div>
            </>
          ),
        },
        {
          title: 'Made',
          class: 'platform-made',
          before: 'made',
          cell: ({ mailing }) => <Time at={mailing.createdAt} now={now} short />,
        },
        {
          title: 'Caused by',
          class: 'platform-cause',
          before: 'caused by',
          cell: ({ mailing, sendings }) => (
            <>
              {[...new Set([mailing.cause, ...sendings.map(({ cause }) => cause)])].map(cause => (
                <CauseLink call={call} rig={rig} cause={cause} />
              ))}
              {sendings
                .flatMap(it => sentAt(it) ?? [])
                .map(id => (
                  <div class="soft small">
                    sent at <CauseLink call={call} rig={rig} cause={id} />
                  </div>
                ))}
            </>
          ),
        },
      ]}
    />
  )
}

function WhatCame({ call, row, rig }: { call: PageCall; row: PlatformRow; rig: SpaceRig }) {
  const { mailing, sendings, double } = row
  const now = rig.clock.now()
  return (
    <>
      {sendings.map(sending => (
        <div>
          <SendingChips
            sending={sending}
            double={double}
            expected={call.end.expected ?? null}
            isUnrecorded={isRequest(sending.cause) && !rig.journal.find(sending.cause)}
          />{' '}
          <span class="soft">
            {sending.addresses ? `to ${sending.addresses.join(', ')}` : recipientsText(sending.recipients)}
          </span>{' '}
          <Time at={sending.startsAt} now={now} short />{' '}
          {sending.sendingId !== null && <ReportLink call={call} id={sending.sendingId} />}
        </div>
      ))}
      {mailing.isOrphan && (
        <Chip tone="odd" title="Made for a sending and never sent">
          orphan
        </Chip>
      )}
      {sendings.length === 0 && !mailing.isOrphan && (
        <span class="soft">
          {mailing.origin === 'sending' ? 'not yet sent' : 'not sent, and not meant to be'}
        </span>
      )}
    </>
  )
}

export const recipientsText = (count: number) =>
  `to ${count.toLocaleString('en')} ${count === 1 ? 'recipient' : 'recipients'}`

function SendingChips(props: {
  sending: LedgerSending
  double: PlatformRow['double']
  expected: number | null
  isUnrecorded: boolean
}) {
  const { double, expected, isUnrecorded } = props
  const { kind, status } = props.sending
  if (double && kind === 'list') return <Chips marks={harmMarks({ findings: [double], expected })} />
  return <SendingChip kind={kind} isSent={status === 'sent'} isUnrecorded={isUnrecorded} />
}

/** Whether a cause is the ID of a request. */
const isRequest = (cause: string) => /^r\d/.test(cause)

/** A link to what became of a sending. */
export const ReportLink = ({ call, id }: { call: Pick<PageCall, 'here'>; id: string }) => (
  <a href={`${call.here('/sendings', id)}/report`}>report</a>
)

/** A link to the causing request, if there was one and it is still on record. */
export function CauseLink({ call, rig, cause }: { call: PageCall; rig: SpaceRig; cause: string }) {
  if (rig.journal.find(cause)) return <CodeLink href={call.judged(`/requests/${cause}`)}>{cause}</CodeLink>
  return (
    <span class="soft" title={isRequest(cause) ? 'No longer on record' : 'There from the beginning'}>
      {isRequest(cause) ? `${cause}, no longer on record` : 'the beginning'}
    </span>
  )
}

/** Mailings on one page. */
const perPage = 50

type Call = PageCall<PlatformQuery>

/** What truly happened on the platform, whatever the clients were told. */
export default spacePage('platform', {
  query: platformQuery,
  async show(call, rig) {
    await rig.advancePlatform()
    const verdict = await shownVerdict(call, rig)
    const { seeded, synchronizationId, transactionId } = call.query
    const ledger = ledgerOf(rig, { synchronizationId, seeded: seeded === 'true' })
    const rows = listPlatformRows(ledger, verdict?.harm.findings ?? []).filter(
      ({ mailing: { transactionId: id } }) =>
        transactionId === undefined || (id !== null && matchesText(id, transactionId, true)),
    )
    return {
      content: (
        <>
          {ledger.mailings.length > 1 && (
            <TransactionSearch
              action={call.here('/platform')}
              target="platform"
              query={call.query}
              defaults={defaultQuery}
            />
          )}
          <Live id="platform" on="request clock mailing reset">
            <RecordSince call={call} rig={rig} isPlatform />
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
  const list = pageOf(found, asked.page, perPage)
  const address: Address = changed =>
    call.judged('/platform', { ...asked, page: 1, ...changed }, defaultQuery)
  return (
    <>
      <Kinds call={call} rig={rig} rows={rows} address={address} />
      {found.length === 0 ? (
        <Nothing call={call} rig={rig} address={address} />
      ) : (
        <PlatformTable call={call} rig={rig} rows={list.shown} />
      )}
      <Pager list={list} address={page => address({ page })} />
    </>
  )
}

/** The address of this page with some changes to its query. */
type Address = (
  changed: { readonly [Name in keyof PlatformQuery]?: PlatformQuery[Name] | undefined },
) => string

/** The kinds of mailings with their counts, and which are shown. */
function Kinds(props: { call: Call; rig: SpaceRig; rows: readonly PlatformRow[]; address: Address }) {
  const { call, rig, rows, address } = props
  const { query: asked } = call
  const knowsAll = countUnrecordedSendings(rig) === 0
  const { transactionId, synchronizationId } = asked
  const isNarrowed = transactionId !== undefined || synchronizationId !== undefined
  const withBeginning = asked.seeded === 'true'
  return (
    <div class="flow between">
      <KindLinks
        label="Which mailings"
        kinds={[
          [undefined, rows.length, 'All'],
          ...(Object.entries(platformKinds) as [PlatformKind, string][]).map(([kind, words]) => {
            const found = rows.filter(row => isOfKind(kind, row))
            const isOpen =
              kind === 'double' && found.length > 0 && found.every(it => it.double?.status === 'open')
            const known = kind === 'double' && !knowsAll ? `known to be ${words}` : words
            return [kind, found.length, isOpen ? `${words}?` : known] as const
          }),
        ]}
        chosen={asked.only}
        address={only => address({ only })}
      >
        {isNarrowed && (
          <span>
            of <code>{transactionId ?? synchronizationId}</code>{' '}
            <a href={address({ transactionId: undefined, synchronizationId: undefined })}>all</a>
          </span>
        )}
      </KindLinks>
      <p class="soft">
        Mailings and sendings of the fixture are {withBeginning ? 'shown' : 'hidden'}.{' '}
        <a href={address({ seeded: withBeginning ? 'false' : 'true' })}>
          {withBeginning ? 'Hide them' : 'Show them too'}
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
      <NextSent rig={rig} href={call.here('/clock')} />
      <p>
        What clients bring about there is put on record here, whatever they are told: mailings that are made,
        and what is sent. This line makes a first sending:
      </p>
      <Snippet text={firstRequestLine(call, rig.space)} label="Copy the line" />
    </Empty>
  )
}
