/** The one of the names that was most likely meant, if any comes close. */
export function nearest<Name extends string>(given: string, names: readonly Name[]): Name | undefined {
  // A longer text is no slip of a name, and measuring it would take time in proportion to its length.
  if (given.length > 100) return undefined
  let best: { name: Name; distance: number } | undefined
  for (const name of names) {
    const distance = edits(given.toLowerCase(), name.toLowerCase())
    if (distance <= Math.max(2, name.length / 3) && distance < (best?.distance ?? Number.POSITIVE_INFINITY))
      best = { name, distance }
  }
  return best?.name
}

/** How many characters must be added, removed or replaced to get from one text to the other. */
function edits(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}
