import type { DialValues } from '../service/dials.ts'
import type { ReadableSpace } from '../store/space-data.ts'
import type { SpaceClock } from './clock.ts'
import type { HeldRequests } from './held-requests.ts'
import type { ReadableJournal } from './journal.ts'
import type { RecordReader } from './record-reader.ts'
import type { OneShotFaults } from './scenarios/one-shot-faults.ts'
import type { Scenario } from './scenarios/scenario.ts'
import type { SpaceScenarios } from './scenarios/space-scenarios.ts'
import type { SpaceEvents } from './space-events.ts'
import type { SpaceSettings } from './space-settings.ts'
import type { SpaceUse } from './space-use.ts'
import type { TransactionMemory } from './transaction-memory.ts'

/** What is in a space and what was asked of it, to be read. */
export interface SpaceView {
  readonly space: ReadableSpace
  readonly clock: Pick<
    SpaceClock,
    'now' | 'real' | 'rate' | 'isFrozen' | 'isShifted' | 'epoch' | 'due' | 'stored'
  >
  readonly journal: ReadableJournal
  readonly reader: RecordReader
}

/** A space with what a tester has set in it, to be read by the judge, by explanations and by pages. */
export interface RigView extends SpaceView {
  readonly events: Pick<SpaceEvents, 'listen'>
  readonly use: Pick<SpaceUse, 'idleAt' | 'idleMilliseconds' | 'madeAt'>
  readonly scenarios: Pick<SpaceScenarios, 'active' | 'chosen' | 'all'>
  readonly faults: Pick<OneShotFaults, 'live' | 'all' | 'get'>
  readonly holds: Pick<HeldRequests, 'counts'>
  readonly memory: Pick<TransactionMemory, 'refusal'>
  readonly settings: SpaceSettings
  readonly defaultDials: DialValues
  /** Whether the space was used before this record of requests began, of which a restart and an eviction leave only rows if it is in memory. */
  readonly continues: boolean
  /** Whether the space made room for others, and its record of requests went with it. */
  readonly hasLostRecord: boolean
  dials(scenario?: Scenario): DialValues
  /** Whether a request came before this record of requests began: neither a restart nor an eviction keeps a record that is in memory only. */
  isBeforeRecord(requestId: string): boolean
  /** Records what the platform has done by now. What is read afterwards is as of this moment. */
  advancePlatform(): Promise<void>
}

/**
 * A space as it is at this moment, for a judge who reads it later: its time stands still, and nothing more is done in it. For a space
 * that goes.
 */
export function viewAtEnd(rig: RigView): RigView {
  const { space, clock, journal, reader, events, use, scenarios, faults, holds, memory } = rig
  const { continues, hasLostRecord } = rig
  const now = clock.now()
  const { real, rate, isFrozen, isShifted, epoch, stored } = clock
  return {
    ...{ space, journal, reader, events, use, scenarios, faults, holds, memory },
    ...{ continues, hasLostRecord },
    clock: { now: () => now, real, rate, isFrozen, isShifted, epoch, due: [], stored },
    get settings() {
      return rig.settings
    },
    get defaultDials() {
      return rig.defaultDials
    },
    dials: scenario => rig.dials(scenario),
    isBeforeRecord: id => rig.isBeforeRecord(id),
    advancePlatform: async () => {},
  }
}
