import type { SpaceRig } from '../../rig/space-rig.ts'
import { problems } from '../../service/problem.ts'
import { statisticsOf } from '../../service/sendings/statistics.ts'
import type { Sending } from '../../store/rows.ts'
import { Empty, Live } from '../components/basics.tsx'
import { CallButton, Told } from '../components/calls.tsx'
import { Time } from '../components/time.tsx'
import { type PageCall, page } from '../page.ts'
import { OverTime } from './chart.tsx'
import { Figures, Rates } from './figures.tsx'
import { Funnel } from './funnel.tsx'
import { Head, type OfSending } from './head.tsx'
import { seriesOf } from './series.ts'

/** `svc:report`: what became of a sending, live on the space's clock. */
export default page('/spaces/{space}/sendings/{id}/report', {
  async show(call) {
    const rig = await call.rig()
    await rig.settle()
    const sending = sendingAt(rig, call.params.id)
    const now = rig.clock.now()
    const statistics = statisticsOf(rig.space, sending, now)
    const hasStarted = statistics.sendingStatistics.startDate !== null
    return {
      title: 'Report',
      space: rig,
      tab: 'sendings',
      scripts: ['chart.js', 'browser/report.js'],
      content: (
        <>
          <Head call={call} rig={rig} sending={sending} now={now} />
          {call.hasCalls && <Ahead call={call} rig={rig} />}
          <Live id="report" on="clock request reset">
            {hasStarted ? (
              <>
                <Rates statistics={statistics} />
                <div class="card">
                  <h2>Delivery and response</h2>
                  <Funnel statistics={statistics} />
                </div>
              </>
            ) : (
              <NotStarted call={call} rig={rig} sending={sending} now={now} />
            )}
          </Live>
          <div class="card">
            <h2>Openings and clicks over time</h2>
            <OverTime series={seriesOf(rig.space, sending, now)} />
          </div>
          <div class="card">
            <h2>All figures</h2>
            <Live id="figures" on="clock request reset" class="figures">
              <Figures statistics={statistics} now={now} />
            </Live>
          </div>
        </>
      ),
    }
  },
})

/** @throws Problem 404 */
function sendingAt({ space }: SpaceRig, id: string): Sending {
  const sending = space.data.tables.sendings.get(id)
  if (sending) return sending
  throw problems.notFound(
    `sending ${JSON.stringify(id.slice(0, 60))} in space "${space.name}"; a reset may have taken it back`,
  )
}

/** The figures grow as the space's time goes on, and it goes on as fast as one likes. */
function Ahead({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const href = call.inSpace(rig.space.name, '/clock')
  const steps = [
    ['5m', '5 minutes'],
    ['1h', '1 hour'],
    ['6h', '6 hours'],
    ['1d', '1 day'],
  ] as const
  return (
    <Told class="ahead">
      <div class="row">
        <span class="soft">Move the space's clock ahead by</span>
        {steps.map(([advance, words]) => (
          <CallButton
            method="POST"
            href={href}
            body={{ advance }}
            label={`Move the clock ahead by ${words}`}
            done={`The clock is ${words} ahead.`}
          >
            {words}
          </CallButton>
        ))}
      </div>
    </Told>
  )
}

function NotStarted({ call, rig, sending, now }: OfSending) {
  const sent =
    sending.platformSendingId === null
      ? undefined
      : rig.space.data.tables.platformSendings.get(sending.platformSendingId)
  if (sent)
    return (
      <Empty title="It has not started yet">
        <p>
          Figures grow from its start on: <Time at={sent.startsAt} now={now} />
        </p>
        {call.hasCalls && (
          <CallButton
            method="POST"
            href={call.inSpace(rig.space.name, '/clock')}
            body={{ set: sent.startsAt }}
            done="It starts now."
          >
            Move the clock to its start
          </CallButton>
        )}
      </Empty>
    )
  return (
    <Empty title="Nothing has gone out">
      <p>The platform has no sending of it, so there are no figures. Should one come, they appear here.</p>
    </Empty>
  )
}
