/** Units from the longest down, in milliseconds, each with the part of it that may follow. */
const units = [
  ['d', 86_400_000, 'h', 3_600_000],
  ['h', 3_600_000, 'min', 60_000],
  ['min', 60_000, 's', 1_000],
] as const

/** How long something took, for people: `12 ms`, `1.2 s`, `4 min 50 s`, `2 h`. @param milliseconds at least 0 */
export function lengthText(milliseconds: number): string {
  const whole = Math.round(milliseconds)
  if (whole < 1_000) return `${whole} ms`
  if (whole < 59_950) return `${Number((whole / 1_000).toFixed(1))} s`
  for (const [unit, length, part, partLength] of units) {
    // To the nearest part, so that there are never sixty of them.
    const rounded = Math.round(whole / partLength) * partLength
    if (rounded < length) continue
    const rest = Math.floor((rounded % length) / partLength)
    return rest === 0
      ? `${Math.floor(rounded / length)} ${unit}`
      : `${Math.floor(rounded / length)} ${unit} ${rest} ${part}`
  }
  return `${whole} ms`
}

/** How long after something else, or before it where the clock was set back. @param length milliseconds */
export const offsetText = (length: number): string =>
  `${length < 0 ? '−' : '+'}${lengthText(Math.abs(length))}`
