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
