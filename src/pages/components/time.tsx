import { stateOfClock } from '../../rig/control/clock-state.ts'
import type { SpaceRig } from '../../rig/space-rig.ts'
import { dayAndTime, relativeText, timeOfDay } from '../relative.ts'

/**
 * A time with how long ago it is. The scripts of the page keep the latter true.
 * @param props.now milliseconds since 1970 on the clock that `at` is of
 * @param props.of whose clock that is: the space's, or real time
 * @param props.title in place of the whole time and whose it is
 */
export function Time(props: {
  at: string | number
  now: number
  of?: 'space' | 'real'
  short?: boolean
  title?: string
}) {
  const { now, of = 'space', short = false } = props
  const at = typeof props.at === 'number' ? props.at : Date.parse(props.at)
  const isToday = dayAndTime(at).slice(0, 10) === dayAndTime(now).slice(0, 10)
  const text = short && isToday ? timeOfDay(at, true) : dayAndTime(at)
  const iso = new Date(at).toISOString()
  const { title = `${iso} (${of === 'space' ? "the space's clock" : 'real time'})` } = props
  return (
    <span class="when">
      <time datetime={iso} title={title}>
        {text}
      </time>{' '}
      <span class="ago" data-ago={String(at)} data-ago-of={of}>
        {relativeText(at, now)}
      </span>
    </span>
  )
}

/**
 * The space's clock as it runs. The scripts of the page go on from it, and reckon all relative times by it.
 * @param props.href of the page that turns it, where there is one
 */
export function SpaceTime({ rig, href }: { rig: SpaceRig; href: string | undefined }) {
  const { now, frozen, rate } = stateOfClock(rig)
  const pace = frozen ? 'frozen' : rate === 1 ? 'running' : `×${rate}`
  return (
    <p
      id="space-clock"
      class="space-clock"
      data-live="clock reset"
      data-now={String(Date.parse(now))}
      data-rate={String(frozen ? 0 : rate)}
    >
      <a href={href} title="The space's clock">
        <time id="space-now" datetime={now}>
          {dayAndTime(Date.parse(now))}
        </time>{' '}
        <span class={`chip ${frozen ? 'info' : 'calm'}`}>{pace}</span>
      </a>
    </p>
  )
}
