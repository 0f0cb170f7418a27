import type { Statistics } from '../../service/sendings/statistics.ts'
import { Facts } from '../components/basics.tsx'
import { Time } from '../components/time.tsx'
import { count, counted, percent } from './words.ts'

/** What one wants to know first. */
export function Rates({ statistics }: { statistics: Statistics }) {
  const { sendingStatistics: sent, responseStatistics: response } = statistics
  const unsubscribed = response.unsubscribeClicks + response.listUnsubscribeClicks
  const rates = [
    [
      'Opening rate',
      percent(response.openingRate),
      `${counted(response.openingRecipients, 'recipient')} opened`,
    ],
    [
      'Click rate',
      percent(response.uniqueClickRate),
      `${counted(response.clickingRecipients, 'recipient')} clicked`,
    ],
    ['Click-to-open rate', percent(response.ctor), `${counted(response.totalClicks, 'click')} in all`],
    ['Unsubscribed', percent(response.unsubscribeRate), counted(unsubscribed, 'recipient')],
    [
      'Bounced',
      percent(sent.recipientsCount === 0 ? 0 : sent.bounceCount / sent.recipientsCount),
      counted(sent.bounceCount, 'mail'),
    ],
  ] as const
  return (
    <dl class="rates">
      {rates.map(([name, rate, detail]) => (
        <div class="card">
          <dt>{name}</dt>
          <dd class="rate">{rate}</dd>
          <dd class="soft">{detail}</dd>
        </div>
      ))}
    </dl>
  )
}

/** Every member of the statistics resource. Spec 2.5. */
export function Figures({ statistics, now }: { statistics: Statistics; now: number }) {
  const { sendingStatistics: sent, responseStatistics: response } = statistics
  const time = (at: string | null) => at && <Time at={at} now={now} />
  return (
    <>
      <Facts
        rows={[
          ['Recipients', count(sent.recipientsCount)],
          ['Delivered', count(sent.deliveredMailsCount)],
          ['Bounced', count(sent.bounceCount)],
          ['Not sent', count(sent.notSentMailsCount)],
          ['Errors', count(sent.sentErrorCount)],
          ['Mails per hour', count(sent.mailsPerHour)],
          ['Average mail size', `${count(sent.averageMailSize)} bytes`],
          ['Started', time(sent.startDate)],
          ['Finished', time(sent.endDate)],
        ]}
      />
      <Facts
        rows={[
          ['Opened by', count(response.openingRecipients)],
          ['Opening rate', percent(response.openingRate)],
          ['Clicked by', count(response.clickingRecipients)],
          ['Click rate', percent(response.uniqueClickRate)],
          ['Click-to-open rate', percent(response.ctor)],
          ['All clicks', count(response.totalClicks)],
          ['Unsubscribed by a click', count(response.unsubscribeClicks)],
          ['Unsubscribed by list header', count(response.listUnsubscribeClicks)],
          ['Unsubscribe rate', percent(response.unsubscribeRate)],
        ]}
      />
    </>
  )
}
