import { z } from 'zod'
import { matchesText } from '../control/requests.ts'
import { members } from '../control/schemas.ts'
import { endQuery } from '../control/verdict.ts'
import { groupBy } from '../judge/grouping.ts'
import { JournalView } from '../rig/journal-view.ts'
import { type Ledger, type LedgerMailing, type LedgerSending, ledgerOf } from '../rig/ledger.ts'
import { goesToList, hasGoneToList } from '../store/platform-status.ts'
import { Chip, Chips, SendingChip } from './components/chips.tsx'
import { CodeLink, Empty, Live, LongId, NoneAlike, Snippet } from './components/elements.tsx'
import { KindLinks, keysOf, Pager, pageNumber, pageOf, TransactionSearch } from './components/listing.tsx'
import { RecordSince, shownVerdict, unrecordedCauses } from './components/space-summary.tsx'
import { Table } from './components/table.tsx'
import { NextSent, Time } from './components/times.tsx'
import { harmMarks } from './components/verdict-words.tsx'
import { spacePage } from './page.ts'
import type { PageCall, SpaceProps } from './page-call.ts'
import { firstRequestLine } from './service-links.ts'
import type { Harm } from './timeline/lanes.ts'

/** A mailing on the platform with its sendings. */
type PlatformRow = ReturnType<typeof listPlatformRows>[number]

/** Kinds of mailings to filter by: words, and whether a mailing is of that kind. */
const platformKinds = {
  sent: ['sent to lists', ({ sendings }) => sendings.some(hasGoneToList)],
  scheduled: ['scheduled', ({ sendings }) => sendings.some(({ status }) => status === 'scheduled')],
  double: ['sent too often', ({ double }) => double !== undefined],
  stopped: ['stopped', ({ sendings }) => sendings.some(({ status }) => status === 'stopped')],
  orphan: ['orphaned', ({ mailing }) => mailing.isOrphan],
  test: ['for tests', ({ sendings }) => sendings.some(({ kind }) => kind === 'test')],
  unsent: ['never sent', ({ sendings }) => sendings.length === 0],
} as const satisfies Record<string, readonly [string, (row: PlatformRow) => boolean]>

/** The ledger by mailing, newest first. */
function listPlatformRows({ mailings, sendings }: Ledger, harm: readonly Harm[]) {
  const byMailing = groupBy(sendings, ({ platformMailingId }) => platformMailingId)
  const doubles = harm.filter(({ kind }) => kind === 'DOUBLE')
  const doubleOf = new Map(doubles.flatMap(it => it.evidence.map(cause => [cause, it] as const)))
  const toLists = (of: LedgerMailing) => byMailing.get(of.platformMailingId)?.filter(goesToList) ?? []
  return mailings.toReversed().map(mailing => ({
    mailing,
    sendings: byMailing.get(mailing.platformMailingId) ?? [],
    /** What the judge says if it was sent too often: `open` when that depends on what was intended. */
    double: toLists(mailing).flatMap(({ cause }) => doubleOf.get(cause) ?? [])[0],
  }))
}

const id = z.string().min(1).max(200, 'expected at most 200 characters')

/** Filters. Those that the control call at this address also has are named as there. */
const platformQuery = members({
  only: z.enum(keysOf(platformKinds)).optional(),
  synchronizationId: id.optional(),
  transactionId: id.optional(),
  seeded: z.enum(['true', 'false']).default('false'),
  page: pageNumber,
  ...endQuery,
})

type PlatformQuery = z.output<typeof platformQuery>

const defaultQuery: Readonly<Record<string, unknown>> = { seeded: 'false', page: 1 }

const origins = {
  sending: 'for a sending',
  'mailing-upload': 'uploaded',
  'test-sending': 'for a test',
} as const

/** Maximum number of mailings that are named because they were sent too often. */
const maxRepeated = 3

/** Which mailings went out too often, certainly or perhaps: said once, with the most copies first. */
function Repeated({ call, rows }: Pick<Props, 'call'> & { rows: readonly PlatformRow[] }) {
  const sent = rows.filter(({ double, sendings }) => double && sendings.some(hasGoneToList))
  const repeated = [...groupBy(sent, ({ double }) => double).values()]
    .filter(({ length }) => length > 1)
    .sort((one, other) => other.length - one.length)
  if (repeated.length === 0) return null
  const more = repeated.length - maxRepeated
  return (
    <ul class="plain soft">
      {repeated.slice(0, maxRepeated).map(copies => {
        const { name, listId, customer, cause } = copies.at(-1)!.mailing
        return (
          <li>
            <a href={call.judged('/sendings', { request: cause })}>
              <q>{name}</q>
            </a>{' '}
            went to list {listId} of {customer} {copies.length} times.
          </li>
        )
      })}
      {more > 0 && <li>So did {more} more.</li>}
    </ul>
  )
}

/** Mailings of the platform, each with its true sendings and their causes. */
function PlatformTable({ call, rig, rows }: SpaceProps & { rows: readonly PlatformRow[] }) {
  const now = rig.clock.now()
  const { effects } = new JournalView(rig)
  /** The request at which it went out, if a later one than that which asked for it; otherwise none, as an empty list. */
  const sentAt = ({ cause, platformSendingId }: LedgerSending) =>
    effects.later(cause).find(({ row }) => row.id === platformSendingId)?.at?.id ?? []
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
          title: 'Result',
          class: 'platform-came',
          cell: row => <WhatCame {...{ call, rig, row }} />,
        },
        {
          title: 'Transaction ID and list',
          class: 'platform-for',
          cell: ({ mailing: { transactionId, origin, listId, customer } }) => (
            <>
              {transactionId === null ? (
                <span class="soft">{origin === 'sending' ? 'no transactionId' : origins[origin]}</span>
              ) : (
                <LongId id={transactionId} />
              )}{' '}
              <div class="soft small">
                list {listId} of {customer}
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
          title: 'Request',
          class: 'platform-cause',
          before: 'by',
          cell: ({ mailing, sendings }) => (
            <>
              {[...new Set([mailing.cause, ...sendings.map(({ cause }) => cause)])].map(cause => (
                <CauseLink call={call} rig={rig} cause={cause} />
              ))}
              {sendings.flatMap(sentAt).map(id => (
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

function WhatCame({ call, rig, row: { mailing, sendings, double } }: SpaceProps & { row: PlatformRow }) {
  const now = rig.clock.now()
  return (
    <>
      {sendings.map(sending => (
        <div>
          {double && goesToList(sending) ? (
            <Chips marks={harmMarks({ findings: [double], expected: call.end.expected ?? null })} />
          ) : (
            <SendingChip
              kind={sending.kind}
              status={sending.status}
              isUnrecorded={isRequest(sending.cause) && !rig.journal.find(sending.cause)}
            />
          )}{' '}
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

const isRequest = (cause: string) => /^r\d/.test(cause)

export const ReportLink = ({ call, id }: { call: PageCall; id: string }) => (
  <a href={`${call.here('/sendings', id)}/report`}>report</a>
)

/** A link to the causing request, if there was one and it is still on record. */
export function CauseLink({ call, rig, cause }: SpaceProps & { cause: string }) {
  if (rig.journal.find(cause)) return <CodeLink href={call.requestAddress(cause)}>{cause}</CodeLink>
  const [title, words] = isRequest(cause)
    ? ['No longer on record', `${cause}, no longer on record`]
    : ['There from the beginning', 'the beginning']
  return (
    <span class="soft" title={title}>
      {words}
    </span>
  )
}

const perPage = 50

type Props = SpaceProps<PlatformQuery>

/** What truly happened on the platform, whatever the clients were told. */
export default spacePage('platform', {
  query: platformQuery,
  async show(call, rig) {
    const verdict = await shownVerdict(call, rig)
    const { seeded, synchronizationId, transactionId } = call.query
    const ledger = ledgerOf(rig, { synchronizationId, seeded: seeded === 'true' })
    const isWanted = ({ mailing: { transactionId: id } }: PlatformRow) =>
      transactionId === undefined || (id !== null && matchesText(id, transactionId, true))
    const rows = listPlatformRows(ledger, verdict?.harm.findings ?? []).filter(isWanted)
    return {
      content: (
        <>
          <p class="soft">What was really sent, whatever the client was told.</p>
          <TransactionSearch
            action={call.here('/platform')}
            target="platform"
            query={call.query}
            defaults={defaultQuery}
          />
          <Live id="platform" on="request clock mailing reset">
            <RecordSince call={call} rig={rig} isPlatform />
            <Found call={call} rig={rig} rows={rows} />
          </Live>
        </>
      ),
    }
  },
})

/** The kinds of mailings with their counts, and the mailings of the chosen one. */
function Found({ call, rig, rows }: Props & { rows: readonly PlatformRow[] }) {
  const { only, transactionId, synchronizationId, seeded, page } = call.query
  const knowsAll = unrecordedCauses(rig).length === 0
  const narrowedTo = transactionId ?? synchronizationId
  const isSeeded = seeded === 'true'
  const found = only === undefined ? rows : rows.filter(platformKinds[only][1])
  const list = pageOf(found, page, perPage)
  const address = (changed: { readonly [Name in keyof PlatformQuery]?: PlatformQuery[Name] | undefined }) =>
    call.judged('/platform', { ...call.query, page: 1, ...changed }, defaultQuery)
  const wide = { transactionId: undefined, synchronizationId: undefined }
  return (
    <>
      <div class="flow between">
        <KindLinks
          label="Which mailings"
          kinds={[
            [undefined, rows.length, 'All'],
            ...keysOf(platformKinds).map(kind => {
              const [words, isOfKind] = platformKinds[kind]
              const ofKind = rows.filter(isOfKind)
              const isDouble = kind === 'double'
              const isOpen = isDouble && ofKind.length > 0 && ofKind.every(it => it.double?.status === 'open')
              const known = isDouble && !knowsAll ? `known to be ${words}` : words
              // Sendings counts intended ones, of which these are the copies.
              const counted = isDouble ? ', each copy counted' : ''
              return [kind, ofKind.length, (isOpen ? `${words}?` : known) + counted] as const
            }),
          ]}
          chosen={only}
          address={only => address({ only })}
        >
          {narrowedTo !== undefined && (
            <span>
              of <code>{narrowedTo}</code> <a href={address(wide)}>all</a>
            </span>
          )}
        </KindLinks>
        <p class="soft">
          Mailings and sendings of the fixture are {isSeeded ? 'shown' : 'hidden'}.{' '}
          <a href={address({ seeded: isSeeded ? 'false' : 'true' })}>
            {isSeeded ? 'Hide them' : 'Show them too'}
          </a>
        </p>
      </div>
      <Repeated call={call} rows={found} />
      {found.length > 0 && <PlatformTable call={call} rig={rig} rows={list.shown} />}
      {found.length === 0 &&
        ((only ?? narrowedTo) === undefined ? (
          <Nothing call={call} rig={rig} />
        ) : (
          <NoneAlike what="Nothing on the platform" all={address({ only: undefined, ...wide })} />
        ))}
      <Pager list={list} address={page => address({ page })} />
    </>
  )
}

function Nothing({ call, rig }: Props) {
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
