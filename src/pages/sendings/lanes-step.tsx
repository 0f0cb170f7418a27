import type { AttemptStep, ReadStep, Step } from './lanes.ts'
import type { Place } from './lanes-axis.ts'
import { Labels, Pins, roomOf } from './lanes-labels.tsx'
import { sentence, toldMarks } from './lanes-words.ts'

/** Where things stand in a lane, in pixels from its top. */
export interface Levels {
  /** Where what was told ends. */
  readonly above: number
  /** Of the first line of bars. */
  readonly middle: number
  /** Where what is true begins. */
  readonly below: number
  readonly height: number
}

/** From one line of bars to the next, in pixels. */
export const trackHeight = 8
const barHeight = 8

export interface StepProps<Of extends Step = Step> {
  readonly step: Of
  readonly place: Place
  readonly now: number
  readonly levels: Levels
  /** ID of the lane. */
  readonly lane: string
  readonly href: (requestId: string) => string
}

/**
 * A step that comes to another lane is another element there. Else htmx would put the known one into the new lane's chart,
 * and would make that chart as an element of HTML, which draws nothing.
 */
const idIn = (lane: string, { id }: Step) => `${id}-in-${lane}`

/** One step with its words. Requests lead to their pages. */
export function DrawnStep(props: StepProps) {
  const { step, place, levels, lane } = props
  if (step.what === 'attempt') return <Attempt {...props} step={step} />
  if (step.what === 'read') return <Look {...props} step={step} />
  const { middle, below } = levels
  return (
    <g id={idIn(lane, step)}>
      {step.what === 'hidden' ? (
        <text class="lane-hidden" x={place.x} y={middle + 4}>
          ⋯
        </text>
      ) : (
        <path class="lane-went" d={`M${place.x} ${middle + 3}V${below + 1}m-4 -5l4 5l4 -5`} />
      )}
      <Labels {...props} {...levels} />
    </g>
  )
}

function Attempt(props: StepProps<AttemptStep>) {
  const { step, place, now, levels, lane, href } = props
  const { attempt } = step
  const { tone } = toldMarks(step)[0]!
  return (
    <>
      <a id={idIn(lane, step)} class="lane-step" href={href(attempt.requestId)}>
        <Area {...props} height={levels.height} />
        <rect
          class={`lane-bar ${tone} ${attempt.delivered}`}
          x={place.x}
          y={levels.middle + place.track * trackHeight - barHeight / 2}
          width={place.until - place.x}
          height={barHeight}
          rx={2}
        />
        <Labels step={step} place={place} now={now} {...levels} title={sentence(step, now)} />
      </a>
      <Pins step={step} place={place} now={now} below={levels.below} lane={lane} />
    </>
  )
}

function Look(props: StepProps<ReadStep>) {
  const { step, place, now, levels, lane, href } = props
  return (
    <a id={idIn(lane, step)} class="lane-step" href={href(step.requestId)}>
      <Area {...props} height={levels.middle + 8} />
      <circle class="lane-look" cx={place.x + 4} cy={levels.middle} r={4} />
      <Labels step={step} place={place} now={now} {...levels} />
    </a>
  )
}

/** What can be clicked, and is seen to be when a pointer or the focus is there. */
function Area({ step, place, now, height }: StepProps & { height: number }) {
  const { above, below } = roomOf(step, now)
  const width = Math.max(above, below, place.until - place.x) + 8
  return <rect class="lane-area" x={place.x - 4} y={0} width={width} height={height} rx={4} />
}
