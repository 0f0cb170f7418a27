import type { Child } from 'hono/jsx'
import { Chip, type Mark } from '../components/chips.tsx'
import { findingMark } from '../verdict/words.ts'
import type { Finding, Step } from './lanes.ts'
import type { Place } from './lanes-axis.ts'
import { chipsWidth, textWidth } from './lanes-widths.ts'
import { type Label, toldLabel, truthLabel } from './lanes-words.ts'

/** Heights in pixels: of a note, and of a row of chips. */
const sizes = { note: 17, row: 23 }
/** Notes are cut off beyond so many pixels. */
const widestNote = 240

const heightOf = ({ note, rows }: Label) => (note === '' ? 0 : sizes.note) + rows.length * sizes.row
const widthOf = ({ note, rows }: Label) =>
  Math.max(
    Math.min(widestNote, textWidth(note, 'small')),
    ...rows.map(row => chipsWidth(row.map(it => it.words))),
  )

const findingsOf = (step: Step): readonly Finding[] => (step.what === 'attempt' ? step.findings : [])

/** How wide the words of a step are, in pixels. */
export const roomOf = (step: Step, now: number): { above: number; below: number } => ({
  above: Math.ceil(widthOf(toldLabel(step))),
  below: Math.ceil(
    Math.max(
      widthOf(truthLabel(step, now)),
      ...findingsOf(step).map(it => chipsWidth([findingMark(it).words])),
    ),
  ),
})

/** How high they are, in pixels. */
export const depthOf = (step: Step, now: number): { above: number; below: number } => ({
  above: heightOf(toldLabel(step)),
  below: heightOf(truthLabel(step, now)) + findingsOf(step).length * sizes.row,
})

/** What was told above the line, what was true below it; with what is plain to the eye said for the ear. */
export function Labels(props: {
  step: Step
  place: Place
  now: number
  above: number
  below: number
  /** Shown to whoever points at it. */
  title?: string
}) {
  const { step, place, now, above, below, title } = props
  const told = toldLabel(step)
  const truth = truthLabel(step, now)
  const isAttempt = step.what === 'attempt'
  return (
    <>
      <Words label={told} x={place.x} y={above - heightOf(told)} title={title}>
        {isAttempt && <span class="unseen">Attempt {step.number} </span>}
        <Note label={told} />
        {(isAttempt || step.what === 'read') && <span class="unseen"> told </span>}
      </Words>
      <Words label={truth} x={place.x} y={below} title={title}>
        {isAttempt && <span class="unseen"> true: </span>}
        <Note label={truth} />
      </Words>
    </>
  )
}

const Note = ({ label: { note } }: { label: Label }) =>
  note === '' ? null : <div class="lane-note">{note}</div>

function Words(props: { label: Label; x: number; y: number; title: string | undefined; children?: Child }) {
  const { label, x, y, title, children } = props
  if (heightOf(label) === 0) return null
  return (
    <foreignObject x={x} y={y} width={Math.ceil(widthOf(label)) + 2} height={heightOf(label)}>
      <div class="lane-marks" title={title}>
        {children}
        {label.rows.map(row => (
          <Chips marks={row} />
        ))}
      </div>
    </foreignObject>
  )
}

const Chips = ({ marks }: { marks: readonly Mark[] }) => (
  <div class="lane-chips">
    {marks.map(({ tone, words, title }) => (
      <>
        <Chip tone={tone} {...(title !== undefined && { title })}>
          {words}
        </Chip>{' '}
      </>
    ))}
  </div>
)

/**
 * Findings below what is true, each in a row of its own, leading to what they say.
 * @param props.lane ID of the lane
 */
export function Pins(props: { step: Step; place: Place; now: number; below: number; lane: string }) {
  const { step, place, now, below, lane } = props
  const top = below + heightOf(truthLabel(step, now))
  return findingsOf(step).map((finding, at) => {
    const { tone, words, title } = findingMark(finding)
    return (
      <foreignObject
        x={place.x}
        y={top + at * sizes.row}
        width={Math.ceil(chipsWidth([words])) + 2}
        height={sizes.row}
      >
        <div class="lane-marks">
          <div class="lane-chips">
            <a class={`chip lane-pin ${tone}`} href={`#${lane}-${finding.rule}`} title={title}>
              {words}
            </a>
          </div>
        </div>
      </foreignObject>
    )
  })
}
