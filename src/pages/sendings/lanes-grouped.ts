/** What there is under each key, in the order that it had. @param keysOf those under which one stands */
export function grouped<It>(all: readonly It[], keysOf: (it: It) => readonly string[]): Map<string, It[]> {
  const groups = new Map<string, It[]>()
  for (const it of all)
    for (const key of keysOf(it)) {
      const known = groups.get(key)
      if (known) known.push(it)
      else groups.set(key, [it])
    }
  return groups
}
