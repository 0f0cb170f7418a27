import type { Child } from 'hono/jsx'
import type { Moment } from '../rig/request-record.ts'

/** Orders by real time, then by the space's clock. */
export const byTime = (one: Moment, other: Moment): number => one.real - other.real || one.clock - other.clock

interface TrackMark {
  readonly at: Moment
  readonly kind: 'sent' | 'orphan' | 'read'
  /** Class of its colour; that of its kind by default. */
  readonly tone?: string
  readonly title?: string
}

interface TimelineSpan {
  readonly begins: Moment
  /** Undefined while it is open: then its bar reaches the end. */
  readonly ends: Moment | undefined
}

/** One step of a timeline: when, what, what the client was told, and what was true. */
interface TimelineStep extends TimelineSpan {
  readonly id?: string
  readonly class?: string
  readonly at: Child
  readonly what: Child
  /** Class of the bar; undefined for a step without a duration. */
  readonly bar: string | undefined
  readonly marks: readonly TrackMark[]
  /** In place of the track, where a single bar would say nothing. */
  readonly took?: string | undefined
  readonly told: Child
  readonly truth: Child
  readonly findings?: Child
}

interface TimelineGap extends TimelineSpan {
  readonly gap: string
}

export type TimelineRow = TimelineStep | TimelineGap

/**
 * Length of a time span on the track. Milliseconds and minutes stand side by side, so it is logarithmic.
 * @param milliseconds on the clock that advanced more
 */
export function distance(milliseconds: number): number {
  if (milliseconds <= 0) return 0
  return milliseconds < 1_000 ? 7 * Math.log2(1 + milliseconds) : 70 + 20 * Math.log2(milliseconds / 1_000)
}

/** Position of a moment in percent of the track. The moment is one of those that the scale was made for. */
export type TimeScale = (moment: Moment) => number

const keyOf = ({ real, clock }: Moment) => `${real} ${clock}`

/** A scale for tables that are read side by side, with room for each pause. */
export function createScale(rows: readonly TimelineRow[]): TimeScale {
  const moments = rows.flatMap(row => [
    row.begins,
    ...(row.ends ? [row.ends] : []),
    ...('gap' in row ? [] : row.marks.map(({ at }) => at)),
  ])
  const positions = new Map<string, number>()
  let length = 0
  let before: Moment | undefined
  for (const moment of moments.sort(byTime)) {
    if (before) length += distance(Math.max(moment.real - before.real, moment.clock - before.clock))
    positions.set(keyOf(moment), length)
    before = moment
  }
  return moment => (length === 0 ? 0 : (positions.get(keyOf(moment))! / length) * 100)
}

/** Minimum length of a bar, in percent. */
const minBarLength = 0.8

/** Start and length of a bar, in percent. */
export function barSpan({ begins, ends }: TimelineSpan, scale: TimeScale): { from: number; length: number } {
  const from = Math.min(scale(begins), 100 - minBarLength)
  return { from, length: Math.max(minBarLength, (ends ? scale(ends) : 100) - from) }
}

const percent = (value: number) => `${value.toFixed(2)}%`

/** The bar and the marks of a step. Attributes in percent need no inline style. */
function Track({ step, scale }: { step: TimelineStep; scale: TimeScale }) {
  const { from, length } = barSpan(step, scale)
  const words = step.marks.flatMap(({ title }) => title ?? []).join('; ')
  return (
    <>
      <svg class="track" width="100%" height="14" aria-hidden="true" focusable="false">
        <line class="track-line" x1="0" x2="100%" y1="7" y2="7" />
        {step.bar !== undefined && (
          <rect
            class={`track-bar ${step.bar}`}
            x={percent(from)}
            y="3"
            width={percent(length)}
            height="8"
            rx="2"
          />
        )}
        {step.marks.map(({ at, kind, tone, title }) => (
          <rect
            class={`track-mark ${kind}${tone ? ` ${tone}` : ''}`}
            x={percent(scale(at))}
            y="3"
            width="8"
            height="8"
          >
            {title && <title>{title}</title>}
          </rect>
        ))}
      </svg>
      {words !== '' && <span class="unseen">{words}</span>}
    </>
  )
}

/** The heading of a track, since bars and pauses look as if they were to scale. @param length how long it lasts */
export const trackHeading = (length: string): Child => (
  <span title="Short times are drawn longer than they are, so that milliseconds can be seen beside minutes. The column At has the times.">
    0 to {length}, not to scale
  </span>
)

/** A timeline: a row per step, in the order of time. */
export function TimelineTable(props: {
  rows: readonly TimelineRow[]
  scale: TimeScale
  /** Headings of the columns: time, step, track, told, true and, if there are findings, findings. */
  headings: readonly Child[]
  /** The ID of its heading, or its name. */
  labelledBy?: string
  label?: string
}) {
  const { rows, scale, headings, labelledBy, label } = props
  return (
    <table class="timeline stacked" aria-labelledby={labelledBy} aria-label={label}>
      <thead>
        <tr>
          {headings.map(words => (
            <th scope="col">{words}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(row =>
          'gap' in row ? (
            <tr class="gap">
              <td colspan={headings.length}>{row.gap}</td>
            </tr>
          ) : (
            <tr id={row.id} class={row.class}>
              <td class="step-at">{row.at}</td>
              <td class="step-what">{row.what}</td>
              <td class="step-track">{row.took ?? <Track step={row} scale={scale} />}</td>
              <td class="step-told" data-before="told">
                {row.told}
              </td>
              <td class="step-true" data-before="true">
                {row.truth}
              </td>
              {headings.length > 5 && <td class="step-findings">{row.findings}</td>}
            </tr>
          ),
        )}
      </tbody>
    </table>
  )
}
