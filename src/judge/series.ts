import type { CaseFile } from './case-file.ts'
import type { Attempt } from './evidence.ts'
import { grouped } from './order.ts'

/** Requests that followed one another. */
export interface Series {
  readonly attempts: readonly Attempt[]
  /** Whether one worker made them all: several that are given the same work do not know of each other's pauses. */
  readonly isOneWorkers: boolean
}

/**
 * What each worker made of these requests, as far as that is known, and all of them together. Whoever uses a connection
 * again is the same.
 */
export function seriesAmong(attempts: readonly Attempt[], file: CaseFile): Series[] {
  if (file.hasOneWorker) return [{ attempts, isOneWorkers: true }]
  const byConnection = grouped(attempts, ({ connection }) => connection)
  if (byConnection.size === 1 && !byConnection.has(0)) return [{ attempts, isOneWorkers: true }]
  byConnection.delete(0)
  return [
    ...[...byConnection.values()].map(own => ({ attempts: own, isOneWorkers: true })),
    { attempts, isOneWorkers: false },
  ]
}
