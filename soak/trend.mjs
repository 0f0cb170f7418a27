/**
 * Whether a series of measurements grows. Looked at is the second half, when everything that fills up is full: a straight
 * line is laid through it, and what that line gains from the first of these measurements to the last is the growth. The
 * line's slope is the median of the slopes between all pairs of measurements (Theil and Sen), so that a single one taken
 * while the machine did something else moves it little.
 */

/**
 * @typedef {object} Bound what a series may gain
 * @property {number} absolute in the unit of the series; less is noise
 * @property {number} relative as a part of the level, which is the median of the second half
 */

/**
 * @typedef {object} Trend
 * @property {number} level
 * @property {number} growth
 * @property {number} allowed the larger one of both bounds
 * @property {boolean} grows whether it gains more than is allowed
 */

/** Fewer make no line. */
const fewest = 6

/** @param {readonly number[]} values at least one */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const [before = Number.NaN, at = before] = sorted.slice(Math.max(0, middle - 1), middle + 1)
  return sorted.length % 2 === 1 ? at : (before + at) / 2
}

/**
 * @param {readonly number[]} values measurements at equal distances
 * @param {Bound} bound
 * @returns {Trend}
 * @throws Error for too few measurements, or one that is no number
 */
export function trendOf(values, { absolute, relative }) {
  if (values.length < fewest)
    throw new Error(`${values.length} measurements show no trend; expected ${fewest} or more`)
  const wrong = values.find(value => !Number.isFinite(value))
  if (wrong !== undefined) throw new Error(`a measurement is ${wrong}; expected a number`)
  const half = values.slice(Math.floor(values.length / 2))
  const slopes = half.flatMap((value, at) =>
    half.slice(at + 1).map((later, distance) => (later - value) / (distance + 1)),
  )
  const growth = median(slopes) * (half.length - 1)
  const level = median(half)
  const allowed = Math.max(absolute, relative * level)
  return { level, growth, allowed, grows: growth > allowed }
}
