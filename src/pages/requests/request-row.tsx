import type { EntryView } from '../../rig/entry-shape.ts'
import type { JournalView } from '../../rig/entry-view.ts'
import type { PlatformSending } from '../../store/rows.ts'
import { Chip, isHeard, StateChip, StatusChip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import { dayAndTime } from '../relative.ts'

/** What is asked for, in a word: the operation, or method and path of what the service does not have. */
export const nameOf = ({ operation, method, target }: EntryView): string =>
  operation ?? `${method} ${shortened(target, 60)}`

/** A client may send texts of any length; a list shows so many characters of them. */
const shortened = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** As long as one may be; what is longer was refused. */
const longestTransactionId = 100

const uuid = /\b([\da-f]{4})[\da-f]{4}(?:-[\da-f]{4}){3}-[\da-f]{8}([\da-f]{4})\b/gi

/** Of a path what tells it from others: what leads to a UUID is known by the operation, and its ends are enough of it. */
const shortTarget = (target: string) =>
  target
    .replace(/^\/integrations\/[^/?]+\//, '…/')
    .replace(/^…\/[a-z-]+\/(?=[\da-f]{8}-)/i, '…/')
    .replaceAll(uuid, '$1…$2')

/** What the client was told, with what became of the answer. A state that it never heard of is none it was told. */
export function Told({ view }: { view: EntryView }) {
  const { told, delivered } = view
  return (
    <>
      <StatusChip status={told?.status} delivered={delivered} />{' '}
      {told?.state && isHeard(delivered) && <StateChip state={told.state} />}
    </>
  )
}

/** Whether the client was told just what is true. */
export const isToldTrue = ({ told, truth, delivered }: EntryView): boolean =>
  delivered === 'handed' &&
  truth !== null &&
  told !== null &&
  truth.status === told.status &&
  truth.state === told.state &&
  truth.body?.text === told.body?.text

/**
 * What the service answered in truth, where that is not what was told, and what it brought about: at that moment, and
 * what came of it later.
 */
export function Truth(props: { view: EntryView; journal: JournalView; now: number }) {
  const { view, journal, now } = props
  const { truth, delivered, decision } = view
  const effects = effectChips(view, journal)
  const later = laterWords(view, journal, now)
  if (isToldTrue(view))
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

/** What the platform was told to send while the request was worked on. */
function effectChips({ id, ended }: EntryView, { brought }: JournalView) {
  return brought.during(id).flatMap(row => {
    if (row.kind === 'test') return [<Chip tone="calm">test mail</Chip>, ' ']
    return [
      isAwaited(row, ended) ? <Chip tone="info">scheduled</Chip> : <Chip tone="good">went out</Chip>,
      ' ',
    ]
  })
}

/** Whether it was still to go out when the request was over. */
const isAwaited = ({ startsAt, requestedAt }: PlatformSending, ended: EntryView['ended']) =>
  Date.parse(startsAt) > (ended ? Date.parse(ended.clock) : Date.parse(requestedAt))

/** What came of it when it was over, with what brought that about. */
function laterWords({ id, ended }: EntryView, { brought }: JournalView, now: number): string[] {
  const went = (startsAt: string) => Date.parse(startsAt) <= now
  const scheduled = brought
    .during(id)
    .filter(row => row.kind === 'list' && isAwaited(row, ended) && went(row.startsAt))
    .map(({ startsAt }) => `went out later, at ${momentText(startsAt, now)}`)
  const afterwards = brought.later(id).map(({ row: { startsAt, requestedAt }, at }) => {
    const what = went(startsAt) ? 'went out later' : 'scheduled later'
    return at
      ? `${what}, at request ${at.number}`
      : `${what}, at ${momentText(requestedAt, now)} by the clock`
  })
  return [...scheduled, ...afterwards]
}

/** The time of day where that is today, else the day as well. */
function momentText(at: string, now: number): string {
  const text = dayAndTime(Date.parse(at))
  return text.slice(0, 10) === dayAndTime(now).slice(0, 10) ? text.slice(11) : text
}

/** Milliseconds from its arrival to its end, in real time; a dash while it is open. */
export function tookText({ arrived, ended }: EntryView): string {
  if (!ended) return '–'
  const took = Date.parse(ended.real) - Date.parse(arrived.real)
  return took < 10_000 ? `${took} ms` : `${(took / 1000).toFixed(1)} s`
}

/** What the cells of the rows are. */
export const RequestColumns = () => (
  <thead>
    <tr>
      <th scope="col" class="number">
        #
      </th>
      <th scope="col">Arrived</th>
      <th scope="col">Request</th>
      <th scope="col">Transaction ID</th>
      <th scope="col">Told</th>
      <th scope="col">True</th>
      <th scope="col">Scenario</th>
      <th scope="col" class="number">
        Took
      </th>
    </tr>
  </thead>
)

/** One request in a list. Its link fills the row. */
export function RequestRow(props: {
  view: EntryView
  journal: JournalView
  href: string
  now: number
  isCurrent?: boolean
}) {
  const { view, journal, href, now, isCurrent } = props
  const { id, number, arrived, method, target, operation, transactionId, decision } = view
  const at = Date.parse(arrived.clock)
  return (
    <tr id={`row-${id}`} class={isToldTrue(view) || view.delivered === 'open' ? undefined : 'differs'}>
      <td class="number soft">{number}</td>
      <td class="at">
        <Time
          at={at}
          now={now}
          title={`${arrived.clock} on the space's clock, ${arrived.real} real time`}
          short
        />
      </td>
      <td class="what">
        <a href={href} aria-current={isCurrent ? 'page' : undefined}>
          {nameOf(view)}
        </a>
        {operation && (
          <span class="target mono soft" title={target}>
            {method} {shortened(shortTarget(target), 200)}
          </span>
        )}
      </td>
      <td class="transaction">
        {transactionId !== null && <code>{shortened(transactionId, longestTransactionId)}</code>}
      </td>
      <td class="told-cell">
        <Told view={view} />
      </td>
      <td class="truth-cell">
        <Truth view={view} journal={journal} now={now} />
      </td>
      <td class="by">
        {decision && (
          <Chip tone="warn" title={decision.scenario}>
            {decision.scenario}
          </Chip>
        )}
      </td>
      <td class="number took soft">{tookText(view)}</td>
    </tr>
  )
}
