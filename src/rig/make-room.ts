/** One part in so many goes at a time. */
const parts = 16

/**
 * Takes out what came in first where a map or set has become as large as it may be. A part of it at once: a map leaves
 * gaps where its first ones were, and looking past them for a single one would take longer with each that went.
 */
export function makeRoom(kept: Map<string, unknown> | Set<string>, limit: number): void {
  if (kept.size < limit) return
  let left = Math.ceil(limit / parts)
  for (const oldest of kept.keys()) {
    kept.delete(oldest)
    if (--left === 0) return
  }
}
