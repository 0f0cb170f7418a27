import type { ExamResult } from './judge/exam/exam-result.ts'
import { requireObject } from './lib/control-calls.ts'
import type { CasePattern } from './lib/exported-types.ts'
import { type Reported, withReport } from './lib/reported-result.ts'
import type { ExamOptions as AnyExamOptions } from './lib/run-exam.ts'
import { checkCall, examSettings } from './lib/settings.ts'

export type { ClientCall, ClientFunction } from './judge/exam/client.ts'
export type { CaseResult, ExamResult } from './judge/exam/exam-result.ts'
export { ControlError } from './lib/control-calls.ts'
export { createMock, type Mock, type MockOptions } from './lib/create-mock.ts'
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

/**
 * Runs a client through an exam, on a temporary mock: cases, and with a `depth` every combination of troubles up to it.
 * @throws an error naming an unknown case, tag, plan or command
 */
export async function runExam(options: ExamOptions): Promise<Reported<ExamResult>> {
  const { runExam } = await import('./lib/run-exam.ts')
  const { examText } = await import('./judge/exam/text-reports.ts')
  const others = ['client', 'only', 'tags', 'plans', 'first', 'portraitOf', 'signal', 'onProgress']
  requireObject('runExam', options, { client: ['node', 'my-client.mjs'] })
  checkCall('runExam', options, examSettings, ...others)
  const result = await runExam(options)
  return withReport(result, () => examText(result, { colours: false, isVerbose: false }))
}
