import { timeOfDay } from '../relative.ts'
import type { Lane } from './lanes.ts'
import { type Axis, axisOf } from './lanes-axis.ts'
import { type Episode, episodesOf } from './lanes-episodes.ts'
import { roomOf } from './lanes-labels.tsx'
import { LaneArticle, type Scene } from './lanes-lane.tsx'
import { lengthText, offsetText } from './lanes-lengths.ts'

/** Pixels from the left at which the last lane of an axis may begin: farther to the right nobody would see it. */
const farthestBegin = 560
/** Longer pauses between sendings are told, in milliseconds. */
const longPause = 5_000

/**
 * Lanes in time, the latest first. What was under way at the same time stands on one axis.
 * @param props.areAll whether none is left out in between
 */
export function Episodes(props: Scene & { lanes: readonly Lane[]; isTable: boolean; areAll: boolean }) {
  const { lanes, isTable, areAll, ...scene } = props
  return episodesOf(lanes).map(episode => (
    <>
      <Together scene={scene} lanes={episode.lanes} isTable={isTable} />
      {areAll && episode.before !== undefined && episode.before >= longPause && (
        <p class="lane-between">{lengthText(episode.before)} without a sending</p>
      )}
    </>
  ))
}

function Together({ scene, lanes, isTable }: { scene: Scene; lanes: Episode['lanes']; isTable: boolean }) {
  if (isTable) return <Box scene={scene} lanes={lanes} axis={undefined} />
  const axis = axisFor(lanes, scene)
  if (lanes.every(({ steps }) => axis.places.get(steps[0]!)!.x <= farthestBegin))
    return <Box scene={scene} lanes={lanes} axis={axis} />
  return (
    <div class="lanes-apart">
      <p class="soft">
        {lanes.length} sendings were under way at the same time: too much for one axis, so each has its own.
      </p>
      {lanes.toReversed().map(lane => (
        <Box scene={scene} lanes={[lane]} axis={axisFor([lane], scene)} />
      ))}
    </div>
  )
}

const axisFor = (lanes: Episode['lanes'], { now }: Scene) => axisOf(lanes, step => roomOf(step, now))

function Box({ scene, lanes, axis }: { scene: Scene; lanes: Episode['lanes']; axis: Axis | undefined }) {
  const isOne = lanes.length === 1 && lanes[0]!.steps.length === 1
  return (
    <div class={axis ? 'lane-episode' : 'lane-episode in-rows'} id={`of-${lanes[0]!.id}`}>
      {axis && !isOne && <AxisRow axis={axis} />}
      {lanes.map(lane => (
        <LaneArticle scene={scene} lane={lane} axis={axis} />
      ))}
    </div>
  )
}

/** How late it was; what stands below says so itself to whoever cannot see it. */
function AxisRow({ axis }: { axis: Axis }) {
  const start = axis.ticks[0]?.at.clock ?? 0
  return (
    <div class="lane-axis-row">
      <svg class="lane-axis" width={axis.width} height={20} aria-hidden="true">
        {axis.ticks.map(({ x, at }, index) => (
          <>
            <line class="lane-tick" x1={x} x2={x} y1={14} y2={20} />
            <text x={x} y={11}>
              {index === 0 ? timeOfDay(start, true) : offsetText(at.clock - start)}
            </text>
          </>
        ))}
      </svg>
    </div>
  )
}
