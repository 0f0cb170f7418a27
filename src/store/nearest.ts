/** The one of the names that was most likely meant, if any comes close. */
export function nearest<Name extends string>(given: string, names: readonly Name[]): Name | undefined {
  // A longer text is no slip of a name, and measuring it would take time in proportion to its length.
  if (given.length > 100) return undefined
  let best: { name: Name; distance: number } | undefined
  for (const name of names) {
    const distance = edits(given.toLowerCase(), name.toLowerCase())
    // Of a short name little would be left: "foo" is no slip of "on".
    const isLike = 2 * distance <= Math.max(given.length, name.length)
    if (
      isLike &&
      distance <= Math.max(2, name.length / 3) &&
      distance < (best?.distance ?? Number.POSITIVE_INFINITY)
    )
      best = { name, distance }
  }
  return best?.name
}

/** How many characters must be added, removed, replaced or changed with their neighbour to get from one to the other. */
function edits(from: string, to: string): number {
  let before: readonly number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]
      const swapped = isSwapped ? before[j - 2]! + 1 : replaced
      next.push(Math.min(replaced, swapped, row[j]! + 1, next[j - 1]! + 1))
    }
    before = row
    row = next
  }
  return row[to.length]!
}
