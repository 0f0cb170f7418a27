import type { CaseFinding } from '../../rig/exam-shape.ts'
import { beliefFindings } from './beliefs.ts'
import { crashed, flooded, notEnded, withoutRequests } from './ends.ts'
import type { Outcome } from './outcome.ts'
import { ofOtherTasks, tooOften } from './task.ts'

/**
 * What the exam finds itself: clients that do not work as clients of an exam, and beliefs that do not fit the truth.
 * Conduct is for the rules.
 */
export function outcomeFindings(outcome: Outcome): CaseFinding[] {
  const { stopped, requests, brokenConnections, creations, task } = outcome
  if (stopped === 'interrupted') return []
  // Whoever was killed by the exam did not crash.
  const crash = stopped === undefined ? crashed(outcome) : undefined
  if (requests === 0 && brokenConnections === 0) return [crash ?? withoutRequests(outcome)]
  const certain = [...ofOtherTasks(outcome), ...tooOften(outcome)]
  if (stopped === 'late') return [...certain, ...notEnded(outcome)]
  if (stopped === 'flood') return [...certain, flooded(outcome)]
  if (crash) return [crash, ...certain]
  const isElsewhereOnly =
    creations.length > 0 && creations.every(it => it.synchronizationId !== task.synchronizationId)
  return isElsewhereOnly ? certain : [...certain, ...beliefFindings(outcome)]
}
