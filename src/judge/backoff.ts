import { greatest, least } from './order.ts'

/** The longest pause must be so many times the first. */
const growth = 1.5
/** Pauses whose longest is at most so many times their shortest are equal, by how many there are. */
const spread = { few: 1.1, many: 1.6 }
const few = 4
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
  if (lengths.length < few) return 'unknown'
  const isEven = longest <= (lengths.length < many ? spread.few : spread.many) * least(lengths)
  const neverGrows = lengths.length >= many && lengths.every((it, at) => at === 0 || it <= lengths[at - 1]!)
  return isEven || neverGrows ? 'constant' : 'unknown'
}
