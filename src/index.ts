import { create, type Mock, type MockOptions } from './create.ts'
import type { ExamOptions } from './exam.ts'
import type { ExamResult } from './rig/exam-shape.ts'

export type { Mock, MockOptions } from './create.ts'
export type { ExamOptions } from './exam.ts'
export type { Belief, ClientCall, ClientFunction } from './judge/exam/client.ts'
export { ManualClock } from './rig/clock.ts'
export type { CaseResult, ExamResult } from './rig/exam-shape.ts'
export { UnknownScenario } from './rig/scenarios/library.ts'
export { ScenarioError } from './rig/scenarios/scenario-error.ts'
export { DialError } from './service/dials.ts'
export { FixtureError } from './store/fixtures.ts'
export type { Fixture } from './store/rows.ts'
export type { Clock } from './store/spaces.ts'
export { StorageError } from './store/storage-error.ts'

/**
 * Runs a client through an exam, on a mock of its own that is gone afterwards.
 * @throws an error with a sentence: a case or tag that is not there, a command that is not there
 */
export const runExam = async (options: ExamOptions): Promise<ExamResult> =>
  (await import('./exam.ts')).runExam(options)

/**
 * A mailing synchronization service for tests and development.
 * @throws FixtureError for content that cannot be used, StorageError for data that cannot
 */
export const createMock = (options: MockOptions = {}): Promise<Mock> => create(options, false)
