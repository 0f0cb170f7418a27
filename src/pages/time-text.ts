/** Units, longest first, in milliseconds. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** The distance between two times in its largest unit: `3 min ago`, `in 2 h`, `now`. Both in milliseconds since 1970. */
export function relativeText(at: number, now: number): string {
  const distance = Math.abs(at - now)
  for (const [unit, length] of units)
    if (distance >= length) {
      const text = `${Math.floor(distance / length)} ${unit}`
      return at > now ? `in ${text}` : `${text} ago`
    }
  return 'now'
}

/** Time of day in UTC, `10:00:00`, optionally with milliseconds. @param at milliseconds since 1970 */
export const timeOfDay = (at: number, withMilliseconds = false): string =>
  new Date(at).toISOString().slice(11, withMilliseconds ? 23 : 19)

/** Day and time in UTC, `2026-11-01 10:00:00`. @param at milliseconds since 1970 */
export const dayAndTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')

/** The time of day; with the day if it is not today. Milliseconds since 1970. */
export const shortTime = (at: number, now: number, withMilliseconds = false): string =>
  dayAndTime(at).slice(0, 10) === dayAndTime(now).slice(0, 10)
    ? timeOfDay(at, withMilliseconds)
    : dayAndTime(at)

/** A duration for people: `12 ms`, `1.2 s`, `4 min 50 s`, `2 h`. @param milliseconds at least 0 */
export function durationText(milliseconds: number): string {
  const whole = Math.round(milliseconds)
  if (whole < 1_000) return `${whole} ms`
  if (whole < 59_950) return `${Number((whole / 1_000).toFixed(1))} s`
  for (const [at, [part, partLength]] of units.slice(1).entries()) {
    const [unit, length] = units[at]!
    // Round to the smaller unit first, so that the result is never "60 s".
    const rounded = Math.round(whole / partLength) * partLength
    if (rounded < length) continue
    const rest = Math.floor((rounded % length) / partLength)
    return `${Math.floor(rounded / length)} ${unit}${rest === 0 ? '' : ` ${rest} ${part}`}`
  }
  return `${whole} ms`
}

/** A duration with its sign: negative when the clock was set back. @param length milliseconds */
export const offsetText = (length: number): string =>
  `${length < 0 ? '−' : '+'}${durationText(Math.abs(length))}`
