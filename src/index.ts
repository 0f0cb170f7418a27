import type { ExamResult } from './judge/exam/exam-result.ts'
import type { ExplorationResult } from './judge/explore/explore.ts'
import type { ExploreOptions } from './lib/explore.ts'
import type { CasePattern } from './lib/exported-types.ts'
import { type Reported, withReport } from './lib/reported-result.ts'
import type { ExamOptions as AnyExamOptions } from './lib/run-exam.ts'
import { checkCall, examSettings, exploreSettings } from './lib/settings.ts'

export type { ClientCall, ClientFunction } from './judge/exam/client.ts'
export type { CaseResult, ExamResult } from './judge/exam/exam-result.ts'
export type { ExplorationResult } from './judge/explore/explore.ts'
export { ControlError } from './lib/control-calls.ts'
export { createMock, type Mock, type MockOptions } from './lib/create-mock.ts'
export type { ExploreOptions } from './lib/explore.ts'
export type * from './lib/exported-types.ts'
export type { Reported } from './lib/reported-result.ts'
export { ManualClock } from './rig/clock.ts'
export { UnknownScenario } from './rig/scenarios/library.ts'
export { ScenarioError } from './rig/scenarios/scenario.ts'
export type { Belief } from './rig/scenarios/terms.ts'
export { DialError } from './service/dials.ts'
export { StorageError } from './store/disk.ts'
export { FixtureError } from './store/fixtures.ts'
export type { Fixture } from './store/rows.ts'
export type { Clock } from './store/space-data.ts'

/** Options of an exam. */
export interface ExamOptions extends Omit<AnyExamOptions, 'only'> {
  /** Names of cases; `*` matches any characters, `?` exactly one. */
  readonly only?: readonly CasePattern[] | undefined
}

/** Runs a client through an exam, on a temporary mock. @throws an error naming an unknown case, tag or command */
export async function runExam(options: ExamOptions): Promise<Reported<ExamResult>> {
  const { runExam } = await import('./lib/run-exam.ts')
  const { table } = await import('./judge/exam/text-reports.ts')
  checkCall('runExam', options, examSettings, 'client', 'only', 'tags', 'signal', 'onProgress')
  const result = await runExam(options)
  return withReport(result, () => table(result, { colours: false, isStrict: false, isVerbose: false }))
}

/**
 * Plays every combination of troubles up to a depth to a client of this process, in virtual time, and finds the smallest
 * ones that break it. While it runs, timers, clocks, random numbers and `fetch` of this thread are those of the exploration.
 */
export async function explore(options: ExploreOptions): Promise<Reported<ExplorationResult>> {
  const { exploreInProcess } = await import('./lib/explore.ts')
  const { explorationText } = await import('./judge/explore/reports.ts')
  const others = ['client', 'signal', 'onProgress', 'first', 'only', 'reproduce']
  checkCall('explore', options, exploreSettings, ...others)
  const result = await exploreInProcess(options)
  return withReport(result, () => explorationText(result, { colours: false }))
}
