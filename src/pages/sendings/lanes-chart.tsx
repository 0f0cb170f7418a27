import type { Lane, Step } from './lanes.ts'
import type { Axis } from './lanes-axis.ts'
import { depthOf } from './lanes-labels.tsx'
import { DrawnStep, type Levels, trackHeight } from './lanes-step.tsx'
import { pauseText } from './lanes-words.ts'

/** Height of the line with its bars, in pixels. */
const lineHeight = 22

/** One lane: what was told above the line, what was true below it. */
export function LaneChart(props: {
  lane: Lane
  axis: Axis
  now: number
  href: (requestId: string) => string
}) {
  const { lane, axis, now, href } = props
  const { steps } = lane
  const levels = levelsOf(lane, axis, now)
  const { middle, height } = levels
  const onLine = steps.filter(({ what }) => what !== 'sent')
  const first = axis.places.get(steps[0]!)!.x
  const last = Math.max(...steps.map(step => axis.places.get(step)!.until))
  return (
    // biome-ignore lint/a11y/useSemanticElements: its links belong together, and it is no fieldset
    <svg
      class="lane-chart"
      width={axis.width}
      height={height}
      role="group"
      aria-labelledby={`${lane.id}-name`}
    >
      {axis.ticks.map(({ x }) => (
        <line class="lane-tick" x1={x} x2={x} y1={0} y2={height} />
      ))}
      <line class="lane-line" x1={first} x2={last} y1={middle} y2={middle} />
      {onLine.slice(1).map((step, at) => (
        <Pause before={onLine[at]!} after={step} axis={axis} y={middle} />
      ))}
      {steps.map(step => (
        <DrawnStep
          step={step}
          place={axis.places.get(step)!}
          now={now}
          levels={levels}
          lane={lane.id}
          href={href}
        />
      ))}
    </svg>
  )
}

function levelsOf({ steps }: Lane, axis: Axis, now: number): Levels {
  const depths = steps.map(step => depthOf(step, now))
  const above = Math.max(...depths.map(it => it.above))
  const tracks = Math.max(...steps.map(step => axis.places.get(step)!.track))
  const below = above + lineHeight + tracks * trackHeight
  return {
    above,
    middle: above + lineHeight / 2,
    below,
    height: below + Math.max(...depths.map(it => it.below)) + 2,
  }
}

/** How long nothing happened. */
function Pause({ before, after, axis, y }: { before: Step; after: Step; axis: Axis; y: number }) {
  const text = pauseText(before, after)
  if (text === undefined) return null
  const from = axis.places.get(before)!.until
  const to = axis.places.get(after)!.x
  return (
    <>
      <line class="lane-gap" x1={from} x2={to} y1={y} y2={y} />
      <text class="lane-gap-text" x={(from + to) / 2} y={y + 4} text-anchor="middle">
        {text}
      </text>
    </>
  )
}
