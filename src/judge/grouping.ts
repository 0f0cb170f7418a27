import { getOrMake } from '../store/maps.ts'

/** Index of the first request after the one with this number. The requests are in order of arrival. */
export function indexAfter(requests: readonly { readonly number: number }[], number: number): number {
  let low = 0
  let high = requests.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (requests[middle]!.number <= number) low = middle + 1
    else high = middle
  }
  return low
}

export function groupBy<Key, Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key,
): Map<Key, [Value, ...Value[]]> {
  const groups = new Map<Key, [Value, ...Value[]]>()
  for (const value of values) {
    const key = keyOf(value)
    const group = groups.get(key)
    if (group) group.push(value)
    else groups.set(key, [value])
  }
  return groups
}

/** The same, the largest group first. */
export const groupsBySize = <Key, Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key,
): [Key, [Value, ...Value[]]][] =>
  [...groupBy(values, keyOf)].sort(([, one], [, other]) => other.length - one.length)

/** The maximum; 0 for none. `Math.max` with spread fails above some hundred thousand values. */
export const maximum = (values: readonly number[]): number =>
  values.reduce((highest, value) => Math.max(highest, value), values[0] ?? 0)

export const minimum = (values: readonly number[]): number =>
  values.reduce((lowest, value) => Math.min(lowest, value), values[0] ?? 0)

type Key = string | undefined

/** A map with several keys. A combined key would have to be built and hashed every time. */
export class NestedMap<Value> {
  value: Value | undefined = undefined
  /** Undefined for most. */
  #children: Map<Key, NestedMap<Value>> | undefined

  /** The entry for these keys, to be read or set. */
  entry(...keys: readonly Key[]): NestedMap<Value> {
    let place: NestedMap<Value> = this
    for (const key of keys) {
      place.#children ??= new Map()
      place = getOrMake(place.#children, key, () => new NestedMap())
    }
    return place
  }
}
