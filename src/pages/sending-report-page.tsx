import { stateOf, toKnownSending } from '../service/sendings/lifecycle.ts'
import { type Statistics, statisticsOf } from '../service/sendings/statistics.ts'
import type { Sending } from '../store/rows.ts'
import { AdvanceClock, CallButton, CallFeedback } from './components/call-forms.tsx'
import { StateChip } from './components/chips.tsx'
import { Empty, Facts, Id, Live } from './components/elements.tsx'
import { toQueryString } from './components/listing.tsx'
import { Time } from './components/times.tsx'
import { mailingName } from './mailing-versions.tsx'
import { findRow, spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import { CauseLink } from './platform-page.tsx'
import { buildSeries, type Point, type Series } from './response-series.ts'
import { dayAndTime } from './time-text.ts'

/** A count with thousands separators: `12,480`. */
const { format: formatCount } = new Intl.NumberFormat('en')

/** `1 mail`, `12,480 mails`. */
const formatQuantity = (value: number, noun: string) =>
  `${formatCount(value)} ${noun}${value === 1 ? '' : 's'}`

/** What is not zero does not read as zero. @param rate 0 to 1 */
const formatPercent = (rate: number) =>
  rate > 0 && rate < 0.0005 ? '< 0.1 %' : `${(rate * 100).toFixed(1)} %`

/** A quotient as a percentage: `42.0 %`; a dash when the whole is zero. */
const formatShare = (part: number, of: number) => (of === 0 ? '–' : formatPercent(part / of))

interface FiguresProps {
  readonly statistics: Statistics
}

/** Lines of the chart: the member of a point and its label. */
const chartLines = [
  ['opened', 'Recipients who opened'],
  ['clicked', 'Recipients who clicked'],
  ['clicks', 'All clicks'],
] as const

/** Openings and clicks over time, as a chart and as a table. */
const OverTime = ({ series }: { series: Series }) => (
  <>
    <ul class="plain flow legend">
      {chartLines.map(([name, words]) => (
        <li>
          <svg class={`line line-${name}`} width="28" height="10" aria-hidden="true" focusable="false">
            <line x1="0" y1="5" x2="28" y2="5" />
          </svg>
          {words}
        </li>
      ))}
    </ul>
    <div id="series">
      <Chart series={series} />
      <SeriesTable points={series.points} />
    </div>
  </>
)

/** The lines of the chart. Percentages let it be as wide as its place, with text of the usual size. */
function Chart({ series: { starts, ends, points } }: { series: Series }) {
  const most = Math.max(...points.map(({ opened, clicks }) => Math.max(opened, clicks)))
  const unit = 10 ** Math.floor(Math.log10(Math.max(most, 10)))
  const top = [unit, 2 * unit, 5 * unit, 10 * unit].find(it => it >= most)!
  const place = (at: number, value: number) =>
    `${((1_000 * (at - starts)) / (ends - starts)).toFixed(1)},${(180 - (180 * value) / top).toFixed(1)}`
  const day = 86_400_000
  return (
    <svg
      class="chart"
      width="100%"
      height="220"
      role="img"
      aria-label="Openings and clicks over time, as the table below has them"
    >
      {[0, 0.5, 1].map((part, at) => (
        <>
          <line x1="12%" x2="100%" y1={190 - 180 * part} y2={190 - 180 * part} />
          <text x="11%" y={194 - 180 * part} text-anchor="end">
            {formatCount(top * part)}
          </text>
          <text x={`${12 + 88 * part}%`} y="212" text-anchor={['start', 'middle', 'end'][at]!}>
            {dayAndTime(starts + (ends - starts) * part).slice(ends - starts > day ? 5 : 11, 16)}
          </text>
        </>
      ))}
      {/* biome-ignore lint/a11y/noSvgWithoutTitle: a part of the chart, which has a name */}
      <svg x="12%" y="10" width="88%" height="180" viewBox="0 0 1000 180" preserveAspectRatio="none">
        {chartLines.map(([name]) => (
          <polyline class={`line-${name}`} points={points.map(it => place(it.at, it[name])).join(' ')} />
        ))}
      </svg>
    </svg>
  )
}

function SeriesTable({ points }: { points: readonly Point[] }) {
  const last = points.at(-1)!
  return (
    <>
      <p class="soft">
        By {dayAndTime(last.at)} on the space's clock: opened by {formatCount(last.opened)}, clicked by{' '}
        {formatCount(last.clicked)}, {formatQuantity(last.clicks, 'click')}.
      </p>
      <details id="series-table">
        <summary>As a table</summary>
        <section class="scroll series" tabindex={0} aria-label="Openings and clicks over time">
          <table>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {chartLines.map(([, words]) => (
                  <th scope="col" class="number">
                    {words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {points.map(point => (
                <tr>
                  <th scope="row">
                    <time datetime={new Date(point.at).toISOString()}>{dayAndTime(point.at)}</time>
                  </th>
                  {chartLines.map(([name]) => (
                    <td class="number">{formatCount(point[name])}</td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  )
}

function Rates({ statistics: { sendingStatistics: sent, responseStatistics: response } }: FiguresProps) {
  const recipients = (count: number) => formatQuantity(count, 'recipient')
  const unsubscribed = response.unsubscribeClicks + response.listUnsubscribeClicks
  const rates = [
    ['Opening rate', response.openingRate, `${recipients(response.openingRecipients)} opened`],
    ['Click rate', response.uniqueClickRate, `${recipients(response.clickingRecipients)} clicked`],
    ['Click-to-open rate', response.ctor, `${formatQuantity(response.totalClicks, 'click')} in all`],
    ['Unsubscribed', response.unsubscribeRate, recipients(unsubscribed)],
    ['Bounced', sent.bounceCount / (sent.recipientsCount || 1), formatQuantity(sent.bounceCount, 'mail')],
  ] as const
  return (
    <dl class="rates">
      {rates.map(([name, rate, detail]) => (
        <div class="card">
          <dt>{name}</dt>
          <dd class="rate">{formatPercent(rate)}</dd>
          <dd class="soft">{detail}</dd>
        </div>
      ))}
    </dl>
  )
}

/** All members of the statistics resource. Spec 2.5. */
function Figures({ statistics, now }: FiguresProps & { now: number }) {
  const { sendingStatistics: sent, responseStatistics: response } = statistics
  const time = (at: string | null) => at && <Time at={at} now={now} />
  return (
    <>
      <Facts
        rows={[
          ['Recipients', formatCount(sent.recipientsCount)],
          ['Delivered', formatCount(sent.deliveredMailsCount)],
          ['Bounced', formatCount(sent.bounceCount)],
          ['Not sent', formatCount(sent.notSentMailsCount)],
          ['Errors', formatCount(sent.sentErrorCount)],
          ['Mails per hour', formatCount(sent.mailsPerHour)],
          ['Average mail size', `${formatCount(sent.averageMailSize)} bytes`],
          ['Started', time(sent.startDate)],
          ['Finished', time(sent.endDate)],
        ]}
      />
      <Facts
        rows={[
          ['Opened by', formatCount(response.openingRecipients)],
          ['Opening rate', formatPercent(response.openingRate)],
          ['Clicked by', formatCount(response.clickingRecipients)],
          ['Click rate', formatPercent(response.uniqueClickRate)],
          ['Click-to-open rate', formatPercent(response.ctor)],
          ['All clicks', formatCount(response.totalClicks)],
          ['Unsubscribed by a click', formatCount(response.unsubscribeClicks)],
          ['Unsubscribed by list header', formatCount(response.listUnsubscribeClicks)],
          ['Unsubscribe rate', formatPercent(response.unsubscribeRate)],
        ]}
      />
    </>
  )
}

/** From all recipients to those who clicked: how many of each stage reached the next one. */
function Funnel({ statistics: { sendingStatistics, responseStatistics } }: FiguresProps) {
  const { recipientsCount: recipients, deliveredMailsCount: delivered } = sendingStatistics
  const { openingRecipients: opened, clickingRecipients: clicked } = responseStatistics
  const stages = [
    ['Recipients', recipients, ''],
    ['Delivered', delivered, `${formatShare(delivered, recipients)} of the recipients`],
    ['Opened', opened, `${formatShare(opened, delivered)} of the delivered`],
    ['Clicked', clicked, `${formatShare(clicked, opened)} of those who opened`],
  ] as const
  return (
    <ol class="plain funnel">
      {stages.map(([name, reached, share]) => (
        <li>
          <span class="funnel-name">{name}</span>
          <progress
            value={reached}
            max={recipients || 1}
            title={[`${name}: ${formatCount(reached)}`, share].filter(Boolean).join(', ')}
            aria-hidden="true"
          />
          <span class="funnel-figure">
            <strong>{formatCount(reached)}</strong> <span class="soft">{share}</span>
          </span>
        </li>
      ))}
    </ol>
  )
}

interface SendingProps extends SpaceProps {
  readonly sending: Sending
  readonly now: number
}

/** What was sent and to whom; values of the platform once it has the sending. */
function ReportHead({ call, rig, sending, now }: SendingProps) {
  const { tables } = rig.space.data
  const synchronization = tables.synchronizations.get(sending.synchronizationId)!
  const mailing = tables.mailings.get(synchronization.mailingId)!
  const { platformMailingId, cause, transactionId } = sending
  const made = platformMailingId === null ? undefined : tables.platformMailings.get(platformMailingId)
  const { approved } = mailing
  const name = made?.name ?? sending.name ?? approved?.name ?? 'Sending'
  const time = (at: string | null) => at && <Time at={at} now={now} />
  return (
    <Live id="report-head" on="clock request reset">
      <h1>{name}</h1>
      <Facts
        rows={[
          ['State', <StateChip state={stateOf(sending, now)} />],
          ['Subject', made?.subject ?? sending.subject ?? approved?.subject],
          ['List', tables.lists.get(synchronization.listId)!.name],
          [
            'Mailing',
            <>
              <a href={call.here('/mailings', mailing.id)}>{mailingName(mailing)}</a>
              {made && ` (version ${made.version})`}
            </>,
          ],
          ['Sending', <Id id={sending.id} label="the ID of the sending" />],
          ['Transaction ID', transactionId && <Id id={transactionId} label="the transaction ID" />],
          // The timeline also tells what must not stand on a page that the service links to.
          call.hasCalls && [
            'Asked for by',
            <>
              <CauseLink call={call} rig={rig} cause={cause} />{' '}
              {rig.journal.find(cause) && (
                <a href={call.here(`/sendings${toQueryString({ request: cause })}`)}>timeline</a>
              )}
            </>,
          ],
          ['Created', time(sending.creationDate)],
          ['Scheduled for', time(sending.scheduleDate)],
        ]}
      />
    </Live>
  )
}

/** `svc:report`: the result of a sending, live on the space's clock. */
export default spacePage('sendings', {
  show(call, rig) {
    const now = rig.clock.now()
    const { id } = call.params
    const row = rig.space.data.tables.sendings.get(id)
    const found = findRow(rig, 'sending', row?.hidden ? undefined : row, id)
    // The service links to this page, so it tells no more than the service.
    const sending = toKnownSending(found, stateOf(found, now), rig.defaultDials)
    const statistics = statisticsOf(rig.space, sending, now)
    const series = buildSeries(rig.space, sending, now)
    const props = { call, rig, sending, now }
    return {
      title: 'Report',
      content: (
        <>
          <ReportHead {...props} />
          {call.hasCalls && (
            <CallFeedback>
              <div class="row">
                <span class="soft">Move the space's clock ahead by</span>
                <AdvanceClock href={call.here('/clock')} steps={advanceSteps} />
              </div>
            </CallFeedback>
          )}
          <Live id="report" on="clock request reset" grows>
            {series ? (
              <>
                <Rates statistics={statistics} />
                <div class="card">
                  <h2>Delivery and response</h2>
                  <Funnel statistics={statistics} />
                </div>
                <div class="card">
                  <h2>Openings and clicks over time</h2>
                  <OverTime series={series} />
                </div>
                <div class="card">
                  <h2>All figures</h2>
                  <div id="figures" class="columns slim">
                    <Figures statistics={statistics} now={now} />
                  </div>
                </div>
              </>
            ) : (
              <NotStarted {...props} />
            )}
          </Live>
        </>
      ),
    }
  },
})

/** How far buttons move the space's clock ahead, so that the figures grow. */
const advanceSteps = [
  ['5m', '5 minutes'],
  ['1h', '1 hour'],
  ['6h', '6 hours'],
  ['1d', '1 day'],
] as const

function NotStarted({ call, rig, sending, now }: SendingProps) {
  const { platformSendingId: id } = sending
  const sent = id === null ? undefined : rig.space.data.tables.platformSendings.get(id)
  // A sending that was stopped shows as the service shows it: it does not start.
  if (sent && Date.parse(sent.startsAt) <= now)
    return (
      <Empty title="It has not started">
        <p>
          It was to start: <Time at={sent.startsAt} now={now} />
        </p>
      </Empty>
    )
  if (sent)
    return (
      <Empty title="It has not started yet">
        <p>
          Figures grow from its start on: <Time at={sent.startsAt} now={now} />
        </p>
        {call.hasCalls && (
          <CallButton href={call.here('/clock')} body={{ set: sent.startsAt }} done="It starts now.">
            Move the clock to its start
          </CallButton>
        )}
      </Empty>
    )
  const state = stateOf(sending, now)
  const untold: { [state: string]: string } = {
    PENDING: 'The service does not tell what was sent until the sending is CREATED.',
    INDETERMINATE_FAILURE: 'This state is final, and the service does not tell what was sent.',
  }
  return untold[state] ? (
    <Empty title="No figures are told">
      <p>{untold[state]} The page of sendings has the truth.</p>
    </Empty>
  ) : (
    <Empty title="Nothing was sent">
      <p>The state {state} is final: the platform has no sending of it, so there are no figures.</p>
    </Empty>
  )
}
