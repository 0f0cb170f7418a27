import type { Capsule } from '../../control/capsule/capsule-file.ts'
import { readVersion } from '../../store/version.ts'

/** What came out differently when a space was played again. */
export interface Difference {
  /** `r12`, or `change 3`. */
  readonly at: string
  readonly what: string
  readonly recorded: unknown
  readonly now: unknown
}

/** The first place in which two values differ as JSON, with both sides. */
export function firstDifference(
  recorded: unknown,
  now: unknown,
  what: string,
): Omit<Difference, 'at'> | undefined {
  if (Object.is(recorded, now)) return undefined
  if (typeof recorded === 'object' && typeof now === 'object' && recorded && now) {
    const names = new Set([...Object.keys(recorded), ...Object.keys(now)])
    for (const name of names) {
      const difference = firstDifference(
        (recorded as Record<string, unknown>)[name],
        (now as Record<string, unknown>)[name],
        `${what}.${name}`,
      )
      if (difference) return difference
    }
    return undefined
  }
  return { what, recorded, now }
}

/** Of long texts, characters that are shown, some of them before the difference. */
const shownLength = 200
const shownBefore = 60

/** Both sides as JSON, long ones from shortly before their difference. */
function showBoth(one: unknown, other: unknown): [string, string] {
  const texts = [one, other].map(it => (typeof it === 'string' ? it : (JSON.stringify(it) ?? 'nothing'))) as [
    string,
    string,
  ]
  let at = 0
  while (at < texts[0].length && texts[0][at] === texts[1][at]) at++
  const start = Math.max(0, at - shownBefore)
  const show = (text: string) => {
    const part = text.slice(start, start + shownLength)
    const isString = typeof one === 'string' || typeof other === 'string'
    return `${start > 0 ? '...' : ''}${isString ? JSON.stringify(part) : part}${start + shownLength < text.length ? '...' : ''}`
  }
  return [show(texts[0]), show(texts[1])]
}

/** The difference as a sentence, with the versions on both sides. */
export function describeDifference({ at, what, recorded, now }: Difference, { madeBy }: Capsule): string {
  const [before, after] = showBoth(recorded, now)
  return `Played again, it came out differently at ${at}: ${what} was ${before}, made by version ${madeBy}, and is ${after} with version ${readVersion()}.`
}
