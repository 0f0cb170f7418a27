import { readClockState } from '../control/clock.ts'
import { realClock } from '../rig/clock.ts'
import { fastestRate, slowestRate } from '../rig/space-settings.ts'
import type { RigView } from '../rig/space-view.ts'
import { durationWords } from '../rig/words.ts'
import { upcomingChanges } from '../service/sendings/lifecycle.ts'
import { AdvanceClock, CallButton, CallFeedback, CallForm } from './components/call-forms.tsx'
import { Chip } from './components/chips.tsx'
import { Empty, Facts, Field, Live, shortenUuids } from './components/elements.tsx'
import { Time } from './components/times.tsx'
import { spacePage } from './page.ts'
import type { SpaceProps } from './page-call.ts'
import { dayAndTime } from './time-text.ts'

const maxItems = 20

/** What is due next on the space's clock, soonest first. */
function listDueItems({ clock, space }: RigView) {
  const waits = clock.due.map((at, n) => ({ key: `wait-${n}`, at, words: 'a delayed response goes on' }))
  const changes = [...upcomingChanges(space, clock.now())].map(({ sending, at, state }) => ({
    key: `${state ? 'state' : 'start'}-${sending.id}`,
    at,
    words: `sending ${shortenUuids(sending.transactionId ?? sending.id)} ${state ? `becomes ${state}` : 'starts'}`,
    ...(!sending.hidden && { sendingId: sending.id }),
  }))
  const items: ((typeof waits)[number] & { sendingId?: string })[] = [...waits, ...changes]
  return items.sort((a, b) => a.at - b.at)
}

/** The space's clock: its state, what is due next, and controls to change it. */
export default spacePage('clock', {
  show(call, rig) {
    return {
      content: (
        <>
          <ClockState rig={rig} />
          <ClockControls call={call} rig={rig} />
          <Due call={call} rig={rig} />
        </>
      ),
    }
  },
})

function ClockState({ rig }: { rig: RigView }) {
  const { now, frozen, rate } = readClockState(rig)
  const pace = rate === 1 ? 'as real time' : `${rate} times as fast`
  const ahead = rig.clock.now() - realClock.now()
  const offset = `${durationWords(Math.abs(ahead))} ${ahead < 0 ? 'behind' : 'ahead of'} real time`
  const runs = frozen ? (
    <>
      <Chip tone="info">frozen</Chip> at <time datetime={now}>{now}</time>; when resumed, {pace}
    </>
  ) : (
    pace
  )
  return (
    <Live id="standing" on="clock reset" class="card">
      <h2>How it runs</h2>
      <Facts rows={[['Runs', !frozen && rate === 1 && rig.clock.isShifted ? offset : runs]]} />
      <p class="soft">
        Every date in a body, every schedule, duration and window follows this clock. Headers such as Date are
        real time.
      </p>
    </Live>
  )
}

const advanceSteps = [
  ['1m', '1 minute'],
  ['5m', '5 minutes'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
] as const

function ClockControls({ call, rig }: SpaceProps) {
  const href = call.here('/clock')
  const { frozen, rate } = readClockState(rig)
  return (
    <CallFeedback class="card changes">
      <h2>Change</h2>
      <div class="row">
        <AdvanceClock href={href} steps={advanceSteps} sign="+" />
        <span id="freezing" data-live="clock reset">
          <CallButton
            href={href}
            body={frozen ? { resume: true } : { freeze: true }}
            done={frozen ? 'The clock goes on.' : 'The clock stands still.'}
          >
            {frozen ? 'Resume' : 'Freeze'}
          </CallButton>
        </span>
      </div>
      <div class="row clock-forms">
        <CallForm href={href} class="row" label="Move the clock ahead" done="The clock has been moved ahead.">
          <Field label="Ahead by" name="advance" required size={8} placeholder="1h30m" />
          <button type="submit">Move</button>
        </CallForm>
        <CallForm href={href} class="row" label="Set the clock" done="The clock has been set.">
          <Field label="To" name="set" required size={24} placeholder="2026-03-01T09:30:00Z" />
          <button type="submit">Set</button>
        </CallForm>
        <CallForm href={href} class="row" label="Set the pace" done="The clock has a new rate.">
          <Field
            label="Rate"
            name="rate"
            type="number"
            required
            step="any"
            min={String(slowestRate)}
            max={String(fastestRate)}
            value={String(rate)}
          />
          <button type="submit">Change rate</button>
        </CallForm>
      </div>
    </CallFeedback>
  )
}

function Due({ call, rig }: SpaceProps) {
  const items = listDueItems(rig)
  return (
    <Live id="due" on="clock request reset" class="card">
      <h2>Upcoming</h2>
      {items.length === 0 ? (
        <Empty title="Nothing waits for a time">
          <p>Scheduled sendings, states that last for a while and delayed responses appear here.</p>
        </Empty>
      ) : (
        <ul class="plain stack">
          {items.slice(0, maxItems).map(item => (
            <li id={`due-${item.key}`} class="row">
              <Time at={item.at} now={rig.clock.now()} />
              <a href={item.sendingId && call.here(`/sendings/${item.sendingId}/report`)}>{item.words}</a>
              <CallButton
                href={call.here('/clock')}
                body={{ set: new Date(item.at).toISOString() }}
                label={`Go there: ${item.words}`}
                done={`The clock was moved to ${dayAndTime(item.at)}.`}
              >
                Go there
              </CallButton>
            </li>
          ))}
        </ul>
      )}
      {items.length > maxItems && <p class="soft">and {items.length - maxItems} more</p>}
    </Live>
  )
}
