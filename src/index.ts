import { create, type Mock, type MockOptions } from './create.ts'

export type { Mock, MockOptions } from './create.ts'
export { ManualClock } from './rig/clock.ts'
export { UnknownScenario } from './rig/scenarios/library.ts'
export { ScenarioError } from './rig/scenarios/scenario-error.ts'
export { DialError } from './service/dials.ts'
export { FixtureError } from './store/fixtures.ts'
export type { Fixture } from './store/rows.ts'
export type { Clock } from './store/spaces.ts'
export { StorageError } from './store/storage-error.ts'

/**
 * A mailing synchronization service for tests and development.
 * @throws FixtureError for content that cannot be used, StorageError for data that cannot
 */
export const createMock = (options: MockOptions = {}): Promise<Mock> => create(options, false)
