import type { Child } from 'hono/jsx'
import type { VerdictView } from '../../judge/verdict-shape.ts'
import type { JournalView } from '../../rig/journal-view.ts'
import type { RequestRecordView } from '../../rig/request-record.ts'
import {
  asToldWords,
  platformStatusWords,
  tellsTruth,
  toldAnswer,
  trueAnswer,
  truthWords,
} from '../../rig/words.ts'
import { type PlatformStatus, statusOfSending } from '../../store/platform-status.ts'
import type { PlatformSending } from '../../store/rows.ts'
import { shorten } from '../../store/validation-messages.ts'
import type { ClientOf } from '../clients.ts'
import type { PageCall } from '../page-call.ts'
import { shortTime } from '../time-text.ts'
import { Citations } from '../timeline/lanes.ts'
import { Chip, Chips, SendingChip, scenarioWords, toldBesideTruth, toldMarks } from './chips.tsx'
import { ClientName, Id, shortenUuids } from './elements.tsx'
import { Table } from './table.tsx'
import { Time } from './times.tsx'
import { JudgeSentence } from './verdict-words.tsx'

/** The operation; for an unknown one method and path. */
export const requestName = ({ operation, method, target }: RequestRecordView): string =>
  operation ?? `${method} ${shorten(shortenUuids(target), 100, '…')}`

/** A path in place of a name stays on one line, however long it is. Its title has all of it. */
export const wholePath = ({ method, target }: RequestRecordView) => ({
  class: 'path',
  title: `${method} ${target}`,
})

/** The characteristic part of a path: without what the operation implies, and with shortened UUIDs. */
const shortenTarget = (target: string) =>
  shortenUuids(target)
    .replace(/^\/integrations\/[^/?]+\//, '…/')
    .replace(/^…\/[a-z-]+\/(?=[\da-f]{4}…)/i, '')
    .replace(/\/sendings\b/, '')

/** What the client was told, and whether it arrived, beside what is true. Without a state if it did not receive one. */
export const ToldChips = ({ view }: { view: RequestRecordView }) => (
  <Chips marks={toldBesideTruth(toldAnswer(view), view.truth, view.delivered)} />
)

/** Whether the client was told exactly the truth. */
export const isResponseTrue = ({ told, truth, delivered }: RequestRecordView): boolean =>
  truth !== null && tellsTruth(told, truth, delivered) && truth.body?.text === told?.body?.text

/** The true response, if it differs, and the effects: immediate and later ones. */
export function TruthChips(props: {
  view: RequestRecordView
  journal: JournalView
  now: number
  /** The address of a request; without it, as in a row that is a link itself, there are no links. */
  href?: (requestId: string) => string
}) {
  const { view, journal, now, href } = props
  const truth = trueAnswer(view, view.decision !== null)
  const effects = effectChips(view, journal)
  const later = describeLaterEffects(view, journal, now).join('; ')
  const isAsTold = isToldTruth(view) && effects.length === 0
  const asTold = truth && view.operation === 'createSending' ? asToldWords(truth) : 'as told'
  if (!truth) return <span class="soft">{view.delivered === 'open' ? 'not yet' : truthWords(null)}</span>
  return (
    <>
      {!isToldTruth(view) && [<Chips marks={toldMarks(truth, 'handed')} />, ' ']}
      {isAsTold ? (
        // What is as told is left out where there is little room.
        <span class={asTold === 'as told' ? 'soft as-told' : 'soft'}>{asTold}</span>
      ) : (
        effects
      )}
      {later !== '' && (
        <span class="soft truth-later">
          {isAsTold ? '; ' : ' '}
          {href ? <JudgeSentence text={later} href={href} /> : later}
        </span>
      )}
    </>
  )
}

/** Sendings that the platform started during the request. */
function effectChips({ id, ended }: RequestRecordView, { effects }: JournalView) {
  return effects.during(id).flatMap(row => {
    const status = row.kind === 'test' ? 'sent' : statusAtEnd(row, ended)
    return [<SendingChip kind={row.kind} status={status} />, ' ']
  })
}

/** What had become of it when the request ended. */
const statusAtEnd = (row: PlatformSending, ended: RequestRecordView['ended']): PlatformStatus =>
  statusOfSending(row, Date.parse(ended ? ended.clock : row.requestedAt))

/** Effects after the request ended, with their causes. */
function describeLaterEffects({ id, ended }: RequestRecordView, { effects }: JournalView, now: number) {
  const scheduled = effects
    .during(id)
    .filter(row => row.kind === 'list' && statusAtEnd(row, ended) === 'scheduled')
    .flatMap(row => {
      const { later } = platformStatusWords[statusOfSending(row, now)]
      return later ? [later(shortTime(Date.parse(row.startsAt), now))] : []
    })
  const afterwards = effects.later(id).map(({ row, at }) => {
    const what = `${statusOfSending(row, now)} later`
    if (at) return `${what}, at ${at.id}`
    const when = `${what}, at ${shortTime(Date.parse(row.requestedAt), now)}`
    return row.broughtBy === undefined ? `${when} by the clock` : when
  })
  return [...scheduled, ...afterwards]
}

/** Duration in real time; a dash while the request is open. */
export function elapsedText({ arrived, ended }: RequestRecordView): string {
  if (!ended) return '–'
  const took = Date.parse(ended.real) - Date.parse(arrived.real)
  return took < 1_000 ? `${took} ms` : `${(took / 1000).toFixed(1)} s`
}

function transactionCell({ transactionId: id, operation, body, read }: RequestRecordView) {
  if (id !== null) return <Id id={id} label={id} isShort />
  if (operation !== 'createSending') return null
  return (
    <span class="soft" data-before="transactionId" title="No transactionId was read">
      {body || read ? 'none' : 'not read'}
    </span>
  )
}

/** The content of a cell, as wide as it is up to what its column may have; there it goes on in a second line. */
const Fit = ({ children }: { children?: Child }) => <span class="fit">{children}</span>

/** What the hint says that came with a response: why the request was refused, or what of it was ignored. */
function Reason({ view: { told } }: { view: RequestRecordView }) {
  // The row has the path already.
  const hint = String(told?.headers['X-Mock-Hint'] ?? '').replace(/^There is no resource at \S+\. /, '')
  if (hint === '') return null
  if (told!.status < 400)
    return (
      <Chip tone="warn" title={hint}>
        {hint.includes('did you mean') ? 'misspelt?' : 'hint'}
      </Chip>
    )
  return (
    <span class="soft small reason" title={hint}>
      {shorten(hint, 160, '…')}
    </span>
  )
}

/** A list of requests. The link of a request covers its row. */
export function RequestTable(props: {
  views: readonly RequestRecordView[]
  journal: JournalView
  /** Marks the requests that it cites. */
  verdict: VerdictView | undefined
  call: PageCall
  now: number
  /** Where several clients made the requests. */
  clientOf: ClientOf | undefined
  /** ID of the request that the page shows. */
  current?: string
}) {
  const { views, journal, verdict, call, now, clientOf, current } = props
  const citations = new Citations(verdict)
  /** Requests whose sendings went out at this one. */
  const broughtBy = (id: string) =>
    journal.effects.during(id).flatMap(({ cause }) => (cause === id ? [] : [cause]))
  const isDouble = (id: string) => [id, ...broughtBy(id)].some(it => citations.isDouble(it))
  const barOf = (view: RequestRecordView) =>
    citations.accusation(view.id) ??
    (isDouble(view.id) ? 'bad' : undefined) ??
    (isToldTruth(view) || view.delivered === 'open' ? undefined : 'odd')
  const bars = new Set(views.map(barOf))
  const ownBase = `/integrations/${call.tools.names.platformSegment}/`
  return (
    <>
      <Table
        class="requests dense framed"
        rows={views}
        id={({ id }) => `row-${id}`}
        rowClass={view => barOf(view) && `marked ${barOf(view)}${isDouble(view.id) ? ' doubled' : ''}`}
        columns={[
          { title: 'ID', class: 'soft count', cell: ({ id }) => id },
          {
            title: 'Arrived',
            class: 'at',
            cell: ({ arrived: { clock, real } }) => (
              <Time at={clock} now={now} title={`${clock} on the space's clock, ${real} real time`} short />
            ),
          },
          {
            title: 'Request',
            class: 'what leads',
            cell: view => (
              <>
                <a
                  {...(view.operation ? {} : wholePath(view))}
                  href={call.requestAddress(view.id)}
                  aria-current={view.id === current ? 'page' : undefined}
                >
                  {requestName(view).replace(ownBase, '…/')}
                </a>{' '}
                {view.operation && (
                  <span class="target mono soft" title={view.target}>
                    {shorten(shortenTarget(view.target), 200, '…')}
                  </span>
                )}
              </>
            ),
          },
          ...(clientOf
            ? [
                {
                  title: 'Client',
                  class: 'soft client',
                  before: 'of',
                  cell: ({ id }: RequestRecordView) => <ClientName name={clientOf(id) ?? ''} />,
                },
              ]
            : []),
          {
            title: 'Findings',
            class: 'judged',
            cell: ({ id }) => {
              const marks = [
                ...citations.marksOf(id),
                ...broughtBy(id).flatMap(it => citations.harmMarksOf(it)),
              ]
              return marks.length > 0 && <Fit>{Chips({ marks })}</Fit>
            },
          },
          { title: 'Transaction', class: 'transaction', cell: transactionCell },
          {
            title: 'Told',
            class: 'told-cell',
            before: 'told',
            cell: view => (
              <Fit>
                <ToldChips view={view} /> <Reason view={view} />
              </Fit>
            ),
          },
          {
            title: 'True',
            class: 'truth-cell',
            before: 'true',
            cell: view => (
              <Fit>
                <TruthChips view={view} journal={journal} now={now} />
              </Fit>
            ),
          },
          {
            title: 'Scenario',
            class: 'by',
            cell: ({ decision }) =>
              decision && (
                <Fit>
                  <Chip tone="warn" title={decision.scenario}>
                    {scenarioWords(decision.scenario)}
                  </Chip>
                </Fit>
              ),
          },
          { title: 'Took', class: 'number soft took', cell: elapsedText },
        ]}
      />
      {/* Below the table, so that no row moves when the first bar comes. */}
      {(current === undefined || [...bars].some(Boolean)) && (
        <p class="soft small">
          {current === undefined && 'ID: how many changes were saved before the request, and its number. '}
          {bars.has('bad') && 'Red bar: broke a rule or is suspected of it, or has a part in harm. '}
          {bars.has('warn') && 'Amber bar: has a warning. '}
          {bars.has('odd') && 'Violet bar: Told and True differ.'}
        </p>
      )}
    </>
  )
}

/** Whether the client was told the truth by the service, or by what refused its request before. */
const isToldTruth = (view: RequestRecordView) =>
  isResponseTrue(view) || (view.truth === null && trueAnswer(view, view.decision !== null) !== null)
