import type { Child } from 'hono/jsx'
import { Chip, type Mark, type Tone } from './components/chips.tsx'
import type { AttemptStep, Finding, Lane, ReadStep, Step } from './lanes.ts'
import type { Axis, Place } from './lanes-axis.ts'
import { chipsWidth, textWidth } from './lanes-widths.ts'
import {
  type Label,
  pauseText,
  readWords,
  sentence,
  toldLabel,
  toldMarks,
  truthLabel,
} from './lanes-words.ts'
import { findingMark } from './verdict-words.ts'

/** Heights in pixels: of a note, of a row of chips, of the line with its bars, of each further line of bars. */
const sizes = { note: 17, row: 23, line: 22, track: 8, bar: 8 }
/** Notes are cut off beyond so many pixels. */
const widestNote = 200

const heightOf = ({ note, rows }: Label) => (note === '' ? 0 : sizes.note) + rows.length * sizes.row
const widthOf = ({ note, rows }: Label) =>
  Math.ceil(
    Math.max(
      Math.min(widestNote, textWidth(note, 'small')),
      ...rows.map(row => chipsWidth(row.map(it => it.words))),
    ),
  )

/** Findings as they are pinned to an attempt, each in a row of its own. */
const pinsOf = (step: Step): Mark[] => (step.what === 'attempt' ? step.findings.map(findingMark) : [])

/** Room that the words of a step take, in pixels. */
export const roomOf = (step: Step, now: number): { above: number; below: number } => ({
  above: widthOf(toldLabel(step)),
  below: Math.ceil(
    Math.max(widthOf(truthLabel(step, now)), ...pinsOf(step).map(it => chipsWidth([it.words]))),
  ),
})

/** One lane: what was told above the line, what was true below it. */
export function LaneChart(props: {
  lane: Lane
  axis: Axis
  now: number
  href: (requestId: string) => string
}) {
  const { lane, axis, now, href } = props
  const { steps } = lane
  const above = Math.max(...steps.map(step => heightOf(toldLabel(step))))
  const tracks = 1 + Math.max(...steps.map(step => axis.places.get(step)!.track))
  const line = { top: above, middle: above + sizes.line / 2 }
  const bottom = above + sizes.line + (tracks - 1) * sizes.track
  const below = Math.max(
    ...steps.map(step => heightOf(truthLabel(step, now)) + pinsOf(step).length * sizes.row),
  )
  const height = bottom + below + 2
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
      <line class="lane-line" x1={first} x2={last} y1={line.middle} y2={line.middle} />
      {onLine.slice(1).map((step, at) => (
        <Pause before={onLine[at]!} after={step} axis={axis} y={line.middle} />
      ))}
      {steps.map(step => {
        const place = axis.places.get(step)!
        const marks = <Marks step={step} place={place} now={now} heights={{ above, bottom, height }} />
        if (step.what === 'attempt')
          return (
            <>
              <Linked
                step={step}
                place={place}
                href={href(step.attempt.requestId)}
                label={sentence(step, now)}
                heights={{ height, width: roomOf(step, now) }}
              >
                <Bar step={step} place={place} y={line.middle + place.track * sizes.track} />
                {marks}
              </Linked>
              <Pins
                findings={step.findings}
                place={place}
                y={bottom + heightOf(truthLabel(step, now))}
                lane={lane.id}
              />
            </>
          )
        if (step.what === 'read')
          return (
            <Linked
              step={step}
              place={place}
              href={href(step.requestId)}
              label={readSentence(step)}
              heights={{ height: line.middle + 8, width: roomOf(step, now) }}
            >
              <circle class="lane-look" cx={place.x + 4} cy={line.middle} r={4} />
              {marks}
            </Linked>
          )
        if (step.what === 'hidden')
          return (
            <g id={step.id}>
              <text class="lane-hidden" x={place.x} y={line.middle + 4}>
                ⋯
              </text>
              {marks}
            </g>
          )
        return (
          <g id={step.id}>
            <path
              class="lane-went"
              d={`M${place.x} ${line.middle + 3}v${bottom - line.middle - 2}m-4 -5l4 5l4 -5`}
            />
            {marks}
          </g>
        )
      })}
    </svg>
  )
}

const readSentence = (step: ReadStep): string =>
  `${readWords(step)}, told ${toldLabel(step)
    .rows.flat()
    .map(({ words }) => words)
    .join(' ')}`

function Linked(props: {
  step: Step
  place: Place
  href: string
  label: string
  heights: { height: number; width: { above: number; below: number } }
  children?: Child
}) {
  const { step, place, href, label, heights, children } = props
  const { above, below } = heights.width
  return (
    <a id={step.id} class="lane-step" href={href} aria-label={label}>
      <title>{label}</title>
      <rect
        class="lane-area"
        x={place.x - 4}
        y={0}
        width={Math.max(above, below, place.until - place.x) + 8}
        height={heights.height}
        rx={4}
      />
      {children}
    </a>
  )
}

function Bar({ step, place, y }: { step: AttemptStep; place: Place; y: number }) {
  const { tone } = toldMarks(step)[0]!
  return (
    <rect
      class={`lane-bar ${tone} ${step.attempt.delivered}`}
      x={place.x}
      y={y - sizes.bar / 2}
      width={place.until - place.x}
      height={sizes.bar}
      rx={2}
    />
  )
}

/** What was told above the line, what was true below it. */
function Marks(props: {
  step: Step
  place: Place
  now: number
  heights: { above: number; bottom: number; height: number }
}) {
  const { step, place, now, heights } = props
  const told = toldLabel(step)
  const truth = truthLabel(step, now)
  return (
    <>
      {heightOf(told) > 0 && (
        <foreignObject
          x={place.x}
          y={heights.above - heightOf(told)}
          width={widthOf(told) + 2}
          height={heightOf(told)}
        >
          <Words label={told} />
        </foreignObject>
      )}
      {heightOf(truth) > 0 && (
        <foreignObject x={place.x} y={heights.bottom} width={widthOf(truth) + 2} height={heightOf(truth)}>
          <Words label={truth} />
        </foreignObject>
      )}
    </>
  )
}

const Words = ({ label: { note, rows } }: { label: Label }) => (
  <div class="lane-marks">
    {note !== '' && <div class="lane-note">{note}</div>}
    {rows.map(row => (
      <div class="lane-chips">
        {row.map(({ tone, words, title }) => (
          <Chip tone={tone} {...(title !== undefined && { title })}>
            {words}
          </Chip>
        ))}
      </div>
    ))}
  </div>
)

/** Findings stand below the attempt that they cite, and lead to what they say. */
function Pins(props: { findings: readonly Finding[]; place: Place; y: number; lane: string }) {
  const { findings, place, y, lane } = props
  return findings.map((finding, at) => {
    const { tone, words, title } = findingMark(finding)
    return (
      <foreignObject x={place.x} y={y + at * sizes.row} width={chipsWidth([words]) + 2} height={sizes.row}>
        <div class="lane-marks">
          <div class="lane-chips">
            <a class={`chip lane-pin ${tone satisfies Tone}`} href={`#${lane}-${finding.rule}`} title={title}>
              {words}
            </a>
          </div>
        </div>
      </foreignObject>
    )
  })
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
