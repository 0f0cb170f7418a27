import type { MockOptions } from './create.ts'
import type { ExamOptions } from './exam.ts'
import { createLibraryMock, type Mock } from './library.ts'
import type { ExamResult } from './rig/exam-shape.ts'

export type { ClockControl } from './client/clock-control.ts'
export { ControlError, type InvalidMember } from './client/control-error.ts'
export type { RequestEvent, SpaceEvent } from './client/events.ts'
export type { FaultsControl } from './client/faults-control.ts'
export type { MailingsControl } from './client/mailings-control.ts'
export type { MockControl, PrivateSpace, User } from './client/mock-control.ts'
export type * from './client/shapes.ts'
export type { Credentials, SpaceControl } from './client/space-control.ts'
export type { MockOptions } from './create.ts'
export type { ExamOptions } from './exam.ts'
export type { Belief, ClientCall, ClientFunction } from './judge/exam/client.ts'
export type { Mock } from './library.ts'
export { ManualClock } from './rig/clock.ts'
export type { CaseResult, ExamResult } from './rig/exam-shape.ts'
export { UnknownScenario } from './rig/scenarios/library.ts'
export { ScenarioError } from './rig/scenarios/scenario-error.ts'
export { DialError } from './service/dials.ts'
export { FixtureError } from './store/fixtures.ts'
export type { Fixture } from './store/rows.ts'
export type { Clock } from './store/space.ts'
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
export const createMock = (options: MockOptions = {}): Promise<Mock> => createLibraryMock(options)
