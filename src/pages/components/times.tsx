import { readClockState } from '../../control/clock.ts'
import { realClock } from '../../rig/clock.ts'
import type { RigView } from '../../rig/space-view.ts'
import { durationWords } from '../../rig/words.ts'
import { upcomingChanges } from '../../service/sendings/lifecycle.ts'
import { dayAndTime, relativeText, shortTime } from '../time-text.ts'

/**
 * A time and how long ago it is. The page's scripts keep the latter up to date.
 * @param props.now current time on the clock that `at` is of, in milliseconds since 1970
 * @param props.of which clock that is: the space's, or real time
 * @param props.title tooltip in place of the full time and the name of the clock
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
  const text = short ? shortTime(at, now, true) : dayAndTime(at)
  const iso = new Date(at).toISOString()
  const { title = `${iso} (${of === 'space' ? "the space's clock" : 'real time'})` } = props
  return (
    <span class="when">
      <time datetime={iso} title={title}>
        {text}
      </time>{' '}
      <Ago at={at} now={now} of={of} />
    </span>
  )
}

/** How long ago a time is. @param props.at and `now` in milliseconds since 1970 */
export const Ago = ({ at, now, of }: { at: number; now: number; of: 'space' | 'real' }) => (
  <span class="ago" data-ago={String(at)} data-ago-of={of}>
    {relativeText(at, now)}
  </span>
)

/** How a clock differs from real time: `frozen`, `×60` or `+5 min`; undefined where it does not. */
export function clockPace({ clock }: RigView): string | undefined {
  if (clock.isFrozen) return 'frozen'
  if (clock.rate !== 1) return `×${clock.rate}`
  return clock.isShifted ? offsetText(clock.now() - realClock.now()) : undefined
}

type Change = ReturnType<typeof upcomingChanges> extends Iterable<infer It> ? It : never

/** When time alone changes what pages show, in milliseconds on the space's clock. */
export const nextDue = ({ clock, space }: RigView, isMeant = (_: Change) => true): number | undefined =>
  [...upcomingChanges(space, clock.now())]
    .filter(isMeant)
    .map(({ at }) => at)
    .sort((a, b) => a - b)[0]

/** What the service tells, too: not that a mailing starts whose outcome is open. */
const isTold = ({ state, sending }: Change) => state !== undefined || sending.plan.at(-1)!.state === 'CREATED'

/** Says that a mailing is sent by the clock alone; nothing where there is none. */
export function NextSent({ rig, href }: { rig: RigView; href: string }) {
  const due = nextDue(rig, it => it.sends)
  if (due === undefined) return null
  return (
    <p>
      <a href={href}>A mailing is due</a> at {dayAndTime(due)}, if no request changes that before.
    </p>
  )
}

/**
 * The space's clock, from which scripts compute all relative times.
 * @param props.href of its page, if any
 * @param props.isAsTold whether only what the service tells may be due
 * @param props.isStill whether it stands at a moment of the past, as in a capsule
 */
export function SpaceTime({
  rig,
  href,
  isAsTold,
  isStill,
}: {
  rig: RigView
  href: string | undefined
  isAsTold: boolean
  isStill: boolean
}) {
  const { now, frozen, rate } = readClockState(rig)
  const [day, time] = dayAndTime(Date.parse(now)).split(' ')
  const pace = clockPace(rig)
  const due = nextDue(rig, isAsTold ? isTold : undefined)
  return (
    <p
      id="space-clock"
      class="space-clock"
      data-live="request clock reset"
      data-now={String(Date.parse(now))}
      data-rate={String(frozen || isStill ? 0 : rate)}
      data-due={due && String(due)}
    >
      <a href={href} title="The space's clock">
        <time id="space-now" datetime={now}>
          <span class="soft">{day}</span> <span>{time}</span>
        </time>{' '}
        <span class="soft">UTC</span>{' '}
        {!isStill && <span class={`chip ${pace ? 'info' : 'calm'}`}>{pace ?? 'running'}</span>}
      </a>
    </p>
  )
}

/** A duration with its sign: negative when the clock was set back. @param length milliseconds */
export const offsetText = (length: number): string =>
  `${length < 0 ? '−' : '+'}${durationWords(Math.abs(length))}`
