import { greatest, least } from './order.ts'

/** The longest pause must be so many times the first. */
const growth = 1.5
/**
 * Pauses are equal when the longest is at most so many times the shortest, by how many there are at least. Of clients
 * that draw their pauses by any of the usual ways fewer than one in ten thousand look so by chance; one that polls within
 * 20 % either way takes ten pauses to tell from them.
 */
export const spreads = [
  { pauses: 10, most: 1.6 },
  { pauses: 8, most: 1.4 },
  { pauses: 6, most: 1.2 },
  { pauses: 5, most: 1.08 },
  { pauses: 4, most: 1.02 },
]
/** From so many on, pauses none of which is longer than the one before are no backoff either. */
const many = 6

/**
 * Whether pauses grow. `unknown` where too few are there, or they vary as drawn ones do: a full or decorrelated jitter
 * may draw its first pause long, and must not be accused for it.
 * @param lengths the pauses in their order, in any unit
 */
export function backoffIn(lengths: readonly number[]): 'grows' | 'constant' | 'unknown' {
  if (lengths.length < 2) return 'unknown'
  const longest = greatest(lengths)
  if (longest >= growth * lengths[0]!) return 'grows'
  const spread = spreads.find(({ pauses }) => lengths.length >= pauses)
  if (!spread) return 'unknown'
  const isEven = longest <= spread.most * least(lengths)
  const neverGrows = lengths.length >= many && lengths.every((it, at) => at === 0 || it <= lengths[at - 1]!)
  return isEven || neverGrows ? 'constant' : 'unknown'
}

/** So many requests within so many milliseconds are no backoff if pauses below this come again after longer ones so often. */
export const restless = { requests: 10, time: 3_000, short: 50, times: 4 }

/** From one request to the next. */
export interface Step {
  /** Milliseconds from the end of the exchange. */
  readonly pause: number
  /** Milliseconds from the beginning of the exchange. */
  readonly time: number
}

/**
 * Index of the first of so many steps in a row in which a client was restless; -1 where there are none. Pauses that grow,
 * however they are drawn, are short at first only.
 * @param steps each begins with the request that the one before led to
 */
export function restlessAt(steps: readonly Step[]): number {
  const isShort = (at: number) => steps[at]!.pause < restless.short
  const isReturn = (at: number) => at > 0 && isShort(at) && !isShort(at - 1)
  let time = 0
  let returns = 0
  for (let end = 0; end < steps.length; end++) {
    time += steps[end]!.time
    if (isReturn(end)) returns++
    const at = end - (restless.requests - 2)
    if (at < 0) continue
    if (at > 0) time -= steps[at - 1]!.time
    // What was before the first one does not matter.
    if (isReturn(at)) returns--
    if (time <= restless.time && returns >= restless.times) return at
  }
  return -1
}
