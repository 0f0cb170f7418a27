import type { JournalView } from '../../rig/journal-view.ts'
import type { RequestRecordView } from '../../rig/request-record.ts'
import type { PlatformSending } from '../../store/rows.ts'
import { dayAndTime } from '../time-text.ts'
import { Chip, reachedClient, SendingChip, StateChip, StatusChip } from './chips.tsx'
import { Time } from './times.tsx'

/** The operation; for an unknown one method and path. */
export const requestName = ({ operation, method, target }: RequestRecordView): string =>
  operation ?? `${method} ${truncate(target, 60)}`

/** Texts of clients have any length, so a list truncates them. */
const truncate = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** Longer ones are refused by the service. */
const maxTransactionIdLength = 100

const uuid = /\b([\da-f]{4})[\da-f]{4}(?:-[\da-f]{4}){3}-[\da-f]{8}([\da-f]{4})\b/gi

/** The characteristic part of a path: without what the operation implies, and with shortened UUIDs. */
const shortenTarget = (target: string) =>
  target
    .replace(/^\/integrations\/[^/?]+\//, '…/')
    .replace(/^…\/[a-z-]+\/(?=[\da-f]{8}-)/i, '…/')
    .replaceAll(uuid, '$1…$2')

/** What the client was told, and whether it arrived. Without a state if the client did not receive one. */
export function ResponseChips({ view }: { view: RequestRecordView }) {
  const { told, delivered } = view
  return (
    <>
      <StatusChip status={told?.status} delivered={delivered} />{' '}
      {told?.state && reachedClient(delivered) && <StateChip state={told.state} />}
    </>
  )
}

/** Whether the client was told exactly the truth. */
export const isResponseTrue = ({ told, truth, delivered }: RequestRecordView): boolean =>
  delivered === 'handed' &&
  truth !== null &&
  told !== null &&
  truth.status === told.status &&
  truth.state === told.state &&
  truth.body?.text === told.body?.text

/** The true response, if it differs, and the effects: immediate and later ones. */
export function TruthChips(props: { view: RequestRecordView; journal: JournalView; now: number }) {
  const { view, journal, now } = props
  const { truth, delivered, decision } = view
  const effects = effectChips(view, journal)
  const later = describeLaterEffects(view, journal, now)
  if (isResponseTrue(view))
    return (
      <>
        {effects.length > 0 ? effects : <span class="soft as-told">as told</span>}
        {later.length > 0 && <span class="soft truth-later">{later.join('; ')}</span>}
      </>
    )
  if (!truth) {
    if (delivered === 'open') return <span class="soft">not yet</span>
    return <span class="soft">{decision ? 'nothing done' : 'never asked'}</span>
  }
  return (
    <>
      <StatusChip status={truth.status} delivered="handed" />{' '}
      {truth.state && <StateChip state={truth.state} />} {effects}
      {later.length > 0 && <span class="soft truth-later">{later.join('; ')}</span>}
    </>
  )
}

/** Sendings that the platform started during the request. */
function effectChips({ id, ended }: RequestRecordView, { effects }: JournalView) {
  return effects.during(id).flatMap(row => {
    const isSent = row.kind === 'test' || !isScheduledFor(row, ended)
    return [<SendingChip kind={row.kind} isSent={isSent} />, ' ']
  })
}

/** Whether it was still scheduled when the request ended. */
const isScheduledFor = ({ startsAt, requestedAt }: PlatformSending, ended: RequestRecordView['ended']) =>
  Date.parse(startsAt) > (ended ? Date.parse(ended.clock) : Date.parse(requestedAt))

/** Effects after the request ended, with their causes. */
function describeLaterEffects(
  { id, ended }: RequestRecordView,
  { effects }: JournalView,
  now: number,
): string[] {
  const went = (startsAt: string) => Date.parse(startsAt) <= now
  const scheduled = effects
    .during(id)
    .filter(row => row.kind === 'list' && isScheduledFor(row, ended) && went(row.startsAt))
    .map(({ startsAt }) => `went out later, at ${momentText(startsAt, now)}`)
  const afterwards = effects.later(id).map(({ row: { startsAt, requestedAt, broughtBy }, at }) => {
    const what = went(startsAt) ? 'went out later' : 'scheduled later'
    if (at) return `${what}, at request ${at.number}`
    const when = `${what}, at ${momentText(requestedAt, now)}`
    return broughtBy === undefined ? `${when} by the clock` : when
  })
  return [...scheduled, ...afterwards]
}

/** Time of day; with the day if it is not today. */
function momentText(at: string, now: number): string {
  const text = dayAndTime(Date.parse(at))
  return text.slice(0, 10) === dayAndTime(now).slice(0, 10) ? text.slice(11) : text
}

/** Duration in real time; a dash while the request is open. */
export function elapsedText({ arrived, ended }: RequestRecordView): string {
  if (!ended) return '–'
  const took = Date.parse(ended.real) - Date.parse(arrived.real)
  return took < 10_000 ? `${took} ms` : `${(took / 1000).toFixed(1)} s`
}

/** Columns of a list of requests, each with its class. */
const requestColumns = [
  ['#', 'number count'],
  ['Arrived', 'at'],
  ['Request', ''],
  ['Transaction ID', 'transaction'],
  ['Told', 'told-cell'],
  ['True', 'truth-cell'],
  ['Scenario', 'by'],
  ['Took', 'number took'],
] as const

/** Column headings of a list of requests. */
export const RequestColumns = () => (
  <thead>
    <tr>
      {requestColumns.map(([words, name]) => (
        <th scope="col" class={name}>
          {words}
        </th>
      ))}
    </tr>
  </thead>
)

/** One request in a list. Its link covers the row. */
export function RequestRow(props: {
  view: RequestRecordView
  journal: JournalView
  href: string
  now: number
  isCurrent?: boolean
}) {
  const { view, journal, href, now, isCurrent } = props
  const { id, number, arrived, method, target, operation, transactionId, decision } = view
  const at = Date.parse(arrived.clock)
  return (
    <tr id={`row-${id}`} class={isResponseTrue(view) || view.delivered === 'open' ? undefined : 'differs'}>
      <td class="number soft">{number}</td>
      <td class="at">
        <Time
          at={at}
          now={now}
          title={`${arrived.clock} on the space's clock, ${arrived.real} real time`}
          short
        />
      </td>
      <td class="what leads">
        <a href={href} aria-current={isCurrent ? 'page' : undefined}>
          {requestName(view)}
        </a>
        {operation && (
          <span class="target mono soft" title={target}>
            {method} {truncate(shortenTarget(target), 200)}
          </span>
        )}
      </td>
      <td class="transaction">
        {transactionId !== null && <code>{truncate(transactionId, maxTransactionIdLength)}</code>}
      </td>
      <td class="told-cell">
        <ResponseChips view={view} />
      </td>
      <td class="truth-cell" data-before="true:">
        <TruthChips view={view} journal={journal} now={now} />
      </td>
      <td class="by">
        {decision && (
          <Chip tone="warn" title={decision.scenario}>
            {decision.scenario}
          </Chip>
        )}
      </td>
      <td class="number took soft">{elapsedText(view)}</td>
    </tr>
  )
}
