/** The fraction that is removed at a time is one divided by this. */
const parts = 16

/**
 * Removes the oldest entries of a map or set that has reached its limit. Removes many at once: a map leaves gaps where its
 * first entries were, and skipping them for each single removal becomes slow.
 */
export function evictOldest(entries: Map<string, unknown> | Set<string>, limit: number): void {
  if (entries.size < limit) return
  let left = Math.ceil(limit / parts)
  for (const oldest of entries.keys()) {
    entries.delete(oldest)
    if (--left === 0) return
  }
}
