import { problems } from '../service/problem.ts'
import { stateOf } from '../service/sendings/lifecycle.ts'
import { statisticsOf } from '../service/sendings/statistics.ts'
import { Facts, Id } from './components/basics.tsx'
import { StateChip } from './components/chips.tsx'
import { Time } from './components/time.tsx'
import { page } from './page.ts'

const share = (rate: number) => `${(rate * 100).toFixed(1)} %`

/** `svc:report` */
export default page('/spaces/{space}/sendings/{id}/report', {
  async show(call) {
    const rig = await call.rig()
    const { space } = rig
    const { id } = call.params
    const sending = space.data.tables.sendings.get(id)
    if (!sending)
      throw problems.notFound(`sending ${id} in space ${space.name}; it may have been reset since`)
    const now = rig.clock.now()
    const { sendingStatistics: sent, responseStatistics: response } = statisticsOf(space, sending, now)
    const time = (at: string | null) => at && <Time at={at} now={now} />
    const unsubscribed = response.unsubscribeClicks + response.listUnsubscribeClicks
    return {
      title: 'Report',
      space: rig,
      content: (
        <>
          <h1>Report</h1>
          <Facts
            rows={[
              ['Sending', <Id id={id} />],
              ['State', <StateChip state={stateOf(sending, now)} />],
              ['Transaction ID', sending.transactionId && <Id id={sending.transactionId} />],
              ['Created', time(sending.creationDate)],
              ['Scheduled for', time(sending.scheduleDate)],
              ['Started', time(sent.startDate)],
              ['Finished', time(sent.endDate)],
            ]}
          />
          <h2>Delivery</h2>
          <Facts
            rows={[
              ['Recipients', sent.recipientsCount],
              ['Delivered', sent.deliveredMailsCount],
              ['Bounced', sent.bounceCount],
              ['Not sent', sent.notSentMailsCount],
              ['Errors', sent.sentErrorCount],
              ['Mails per hour', sent.mailsPerHour],
            ]}
          />
          <h2>Response</h2>
          <Facts
            rows={[
              ['Opened by', `${response.openingRecipients} (${share(response.openingRate)})`],
              ['Clicked by', `${response.clickingRecipients} (${share(response.uniqueClickRate)})`],
              ['Clicks', response.totalClicks],
              ['Click-to-open rate', share(response.ctor)],
              ['Unsubscribed', `${unsubscribed} (${share(response.unsubscribeRate)})`],
            ]}
          />
        </>
      ),
    }
  },
})
