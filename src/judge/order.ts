/** Index of the first of these that came after the request with this number. They are in the order of arrival. */
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

/** The greatest of any number of values; 0 for none. `Math.max` takes some hundred thousand at most. */
export const greatest = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), values[0] ?? 0)

/** The least of any number of values; 0 for none. */
export const least = (values: readonly number[]): number =>
  values.reduce((fewest, value) => Math.min(fewest, value), values[0] ?? 0)
