import { isDeepStrictEqual } from 'node:util'
import { statisticsOf } from '../service/sendings/statistics.ts'
import type { Sending } from '../store/rows.ts'
import type { ReadableSpace } from '../store/space-data.ts'

/** The figures of a sending at one time, as in the statistics resource. */
export interface Point {
  /** Milliseconds since 1970, on the space's clock. */
  readonly at: number
  readonly opened: number
  readonly clicked: number
  readonly clicks: number
}

/** Figures of a sending over time, from its start. */
export interface Series {
  readonly starts: number
  /** End of the time axis. It stays the same while the time is within it. */
  readonly ends: number
  /** Up to now, oldest first. */
  readonly points: readonly Point[]
}

const hour = 3_600_000
const day = 24 * hour
const axisLengths = [...[1, 3, 6, 12].map(it => it * hour), ...[1, 2, 3, 7, 14, 30, 90].map(it => it * day)]
const stepsInLength = 24

/** Undefined for a sending that has not started. @param now milliseconds since 1970 */
export function buildSeries(space: ReadableSpace, sending: Sending, now: number): Series | undefined {
  const { startDate } = statisticsOf(space, sending, now).sendingStatistics
  if (startDate === null) return undefined
  const starts = Date.parse(startDate)
  const at = (time: number): Point => {
    const { responseStatistics: figures } = statisticsOf(space, sending, time)
    return {
      at: time,
      opened: figures.openingRecipients,
      clicked: figures.clickingRecipients,
      clicks: figures.totalClicks,
    }
  }
  const last = at(now)
  const isAllOver = (time: number) => isDeepStrictEqual({ ...at(time), at: now }, last)
  // The axis ends where the figures no longer change.
  const length =
    axisLengths.find(it => starts + it >= now || isAllOver(starts + it)) ??
    Math.ceil((now - starts) / day) * day
  const ends = starts + length
  const steps = Array.from({ length: stepsInLength + 1 }, (_, n) => starts + (length / stepsInLength) * n)
  const points = steps.filter(time => time < now).map(at)
  if (now <= ends) points.push(last)
  return { starts, ends, points }
}
