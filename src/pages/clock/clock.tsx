import { stateOfClock } from '../../rig/control/clock-state.ts'
import { fastestRate, slowestRate } from '../../rig/settings-check.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { Empty, Facts, Live } from '../components/basics.tsx'
import { CallButton, CallForm, Told } from '../components/calls.tsx'
import { Chip } from '../components/chips.tsx'
import { Time } from '../components/time.tsx'
import { type PageCall, page } from '../page.ts'
import { type DueItem, dueOf } from './due.ts'

/** The space's time: how it stands, what falls due next, and how to turn it. */
export default page('/spaces/{space}/clock', {
  async show(call) {
    const rig = await call.rig()
    await rig.settle()
    return {
      title: 'Clock',
      space: rig,
      tab: 'clock',
      content: (
        <>
          <h1>Clock</h1>
          <Standing rig={rig} />
          <Turning call={call} rig={rig} />
          <Due call={call} rig={rig} />
        </>
      ),
    }
  },
})

function Standing({ rig }: { rig: SpaceRig }) {
  const { now, frozen, rate } = stateOfClock(rig)
  return (
    <Live id="standing" on="clock reset" class="card">
      <h2>How it stands</h2>
      <Facts
        rows={[
          ['Space', <time datetime={now}>{now}</time>],
          [
            'Goes',
            frozen ? <Chip tone="info">frozen</Chip> : rate === 1 ? 'as real time' : `${rate} times as fast`,
          ],
          frozen ? ['When resumed', rate === 1 ? 'as real time' : `${rate} times as fast`] : undefined,
        ]}
      />
      <p class="soft">
        Every date in a body, every schedule, duration and window follows this clock. Headers such as Date are
        real time.
      </p>
    </Live>
  )
}

const steps = [
  ['1m', '1 minute'],
  ['5m', '5 minutes'],
  ['1h', '1 hour'],
  ['1d', '1 day'],
] as const

function Turning({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const href = call.inSpace(rig.space.name, '/clock')
  const { frozen, rate } = stateOfClock(rig)
  return (
    <Told class="card">
      <h2>Turn it</h2>
      <div class="row">
        {steps.map(([advance, words]) => (
          <CallButton
            method="POST"
            href={href}
            body={{ advance }}
            label={`Move the clock ahead by ${words}`}
            done={`The clock is ${words} ahead.`}
          >
            +{words}
          </CallButton>
        ))}
        <span id="freezing" data-live="clock reset">
          {frozen ? (
            <CallButton method="POST" href={href} body={{ resume: true }} done="The clock goes on.">
              Resume
            </CallButton>
          ) : (
            <CallButton method="POST" href={href} body={{ freeze: true }} done="The clock stands still.">
              Freeze
            </CallButton>
          )}
        </span>
      </div>
      <div class="row clock-forms">
        <CallForm
          method="POST"
          href={href}
          class="row"
          label="Move the clock ahead"
          done="The clock has been moved ahead."
        >
          <label>
            Ahead by <input name="advance" required size={8} placeholder="1h30m" autocomplete="off" />
          </label>
          <button type="submit">Move</button>
        </CallForm>
        <CallForm method="POST" href={href} class="row" label="Set the clock" done="The clock has been set.">
          <label>
            To{' '}
            <input
              name="set"
              required
              size={24}
              class="mono"
              placeholder="2026-03-01T09:30:00Z"
              autocomplete="off"
            />
          </label>
          <button type="submit">Set</button>
        </CallForm>
        <CallForm
          method="POST"
          href={href}
          class="row"
          label="Pace the clock"
          done="The clock has another pace."
        >
          <label>
            Rate{' '}
            <input
              name="rate"
              type="number"
              data-type="number"
              required
              step="any"
              min={String(slowestRate)}
              max={String(fastestRate)}
              value={String(rate)}
            />
          </label>
          <button type="submit">Pace</button>
        </CallForm>
      </div>
    </Told>
  )
}

function Due({ call, rig }: { call: PageCall; rig: SpaceRig }) {
  const { items, more } = dueOf(rig)
  return (
    <Live id="due" on="clock request reset" class="card">
      <h2>What falls due</h2>
      {items.length === 0 ? (
        <Empty title="Nothing waits for a time">
          <p>Scheduled sendings, states that last for a while and delayed answers appear here.</p>
        </Empty>
      ) : (
        <ul class="due">
          {items.map(item => (
            <li id={`due-${item.key}`} class="row">
              <Time at={item.at} now={rig.clock.now()} />
              <What call={call} rig={rig} item={item} />
              <CallButton
                method="POST"
                href={call.inSpace(rig.space.name, '/clock')}
                body={{ set: new Date(item.at).toISOString() }}
                label={`Go there: ${item.words}`}
                done="The clock stands there."
              >
                Go there
              </CallButton>
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <p class="soft">and {more} more</p>}
    </Live>
  )
}

const What = ({ call, rig, item }: { call: PageCall; rig: SpaceRig; item: DueItem }) =>
  item.sendingId === undefined ? (
    <span>{item.words}</span>
  ) : (
    <a href={call.inSpace(rig.space.name, `/sendings/${item.sendingId}/report`)}>{item.words}</a>
  )
