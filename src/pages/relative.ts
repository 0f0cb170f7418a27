/** Units from the longest down, in milliseconds, with how they are written. */
const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** How far a time lies from another, in its largest unit: `3 min ago`, `in 2 h`, `now`. Both in milliseconds since 1970. */
export function relativeText(at: number, now: number): string {
  const distance = Math.abs(at - now)
  for (const [unit, length] of units)
    if (distance >= length) {
      const text = `${Math.floor(distance / length)} ${unit}`
      return at > now ? `in ${text}` : `${text} ago`
    }
  return 'now'
}

/** Time of day in UTC, `10:00:00`; with milliseconds where they are asked for. @param at milliseconds since 1970 */
export const timeOfDay = (at: number, withMilliseconds = false): string =>
  new Date(at).toISOString().slice(11, withMilliseconds ? 23 : 19)

/** Day and time in UTC, `2026-11-01 10:00:00`. @param at milliseconds since 1970 */
export const dayAndTime = (at: number): string => new Date(at).toISOString().slice(0, 19).replace('T', ' ')
