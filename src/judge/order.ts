import type { Attempt } from './evidence.ts'

/** Index of the first of these requests that came after the one with this number. They are in the order of arrival. */
export function indexAfter(attempts: readonly Attempt[], number: number): number {
  let low = 0
  let high = attempts.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (attempts[middle]!.number <= number) low = middle + 1
    else high = middle
  }
  return low
}

/** What has the same key, together, in the order in which it is given. */
export function grouped<Key, Value>(
  values: Iterable<Value>,
  keyOf: (value: Value) => Key,
): Map<Key, [Value, ...Value[]]> {
  const groups = new Map<Key, [Value, ...Value[]]>()
  for (const value of values) {
    const key = keyOf(value)
    const known = groups.get(key)
    if (known) known.push(value)
    else groups.set(key, [value])
  }
  return groups
}
