import { type DialValues, seededDials, withDials } from '../service/dials.ts'
import type { ServiceNames } from '../service/links.ts'
import { PreparedDials } from '../service/prepared-dials.ts'
import type { RenderCache } from '../service/render-cache.ts'
import { advanceDueSendings } from '../service/sendings/lifecycle.ts'
import { getOrMake } from '../store/maps.ts'
import type { MemoryBudget, MemoryShare, Reclaimable } from '../store/memory-budget.ts'
import type { Space } from '../store/space-data.ts'
import type { EvictionRank } from '../store/spaces.ts'
import type { Arrival } from './arrival.ts'
import type { SkippingClock, SpaceClock } from './clock.ts'
import { HeldRequests } from './held-requests.ts'
import { type Replay, SpaceHistory } from './history.ts'
import { Journal, type JournalLimits } from './journal.ts'
import { type KeepOptions, KeptJournal, type KeptState } from './kept-journal.ts'
import { RecordReader } from './record-reader.ts'
import type { Moment } from './request-record.ts'
import { OneShotFaults } from './scenarios/one-shot-faults.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { maxChosenScenarios, SpaceScenarios } from './scenarios/space-scenarios.ts'
import { type GlobalEvents, SpaceEvents } from './space-events.ts'
import { SpaceRenderings } from './space-renderings.ts'
import { readSettings, type SpaceSettings } from './space-settings.ts'
import { SpaceUse } from './space-use.ts'
import type { RigView } from './space-view.ts'
import { TransactionMemory } from './transaction-memory.ts'

/** States that a Pact verifier has set up in a space for its next interaction. */
interface ProvidedStates {
  /** Requests in the space by then: any further request means that the interaction is over. */
  readonly requests: number
  /** Values that the verifier may use in a request instead of those in its pact, mainly IDs. */
  readonly values: Readonly<Record<string, string | number>>
}

export interface SpaceRigOptions {
  readonly names: ServiceNames
  /** Base of the links to editor, previews and report; that of the other links if undefined. */
  readonly pagesUrl: string | undefined
  readonly limits: JournalLimits
  /** Maximum number of held or delayed requests in a space. */
  readonly holdLimit: number
  /** See `ServiceCall`. */
  readonly hidesTestSynchronizations: boolean
  readonly dials: Partial<DialValues>
  /** Those of a space that turns none itself; the same for all spaces. */
  readonly usualDials: PreparedDials
  readonly memory: MemoryBudget
}

/** Everything that a tester sets and reads in one space, from one beginning of the space to the next. */
export class SpaceRig implements RigView, Reclaimable {
  readonly space: Space
  readonly clock: SpaceClock
  readonly journal: Journal
  readonly reader: RecordReader
  readonly events: SpaceEvents
  readonly use = new SpaceUse()
  readonly scenarios: SpaceScenarios
  readonly faults: OneShotFaults
  readonly holds: HeldRequests
  readonly holdLimit: number
  readonly hidesTestSynchronizations: boolean
  readonly memory: TransactionMemory
  /** What a Pact verifier has set up since the space began. */
  provided: ProvidedStates | undefined
  /** While the space is played again. */
  replay: Replay | undefined
  /** The memory of the whole mock. */
  readonly budget: MemoryBudget
  /** Of requests in progress. */
  readonly requestMemory: MemoryShare
  /** Whether the space was used before this record of requests began, of which a restart and an eviction leave only rows if it is in memory. */
  readonly continues: boolean
  /** Whether the space made room for others, and its record of requests went with it: no journal on disk has kept it. */
  readonly hasLostRecord: boolean
  /** Number of requests on record from before the space was opened, or the mock started. */
  readonly earlierRequests: number
  readonly #defaults: Partial<DialValues>
  readonly #usualDials: PreparedDials
  readonly #dials = new Map<Scenario | undefined, PreparedDials>()
  readonly #renderings: SpaceRenderings
  /** Keeps the journal on disk, if it is kept there. */
  keptJournal: KeptJournal | undefined
  readonly #sequenceAtStart: number
  readonly #ageAtStart: number
  /** Of the records of earlier runs: the highest number of a connection, and the epochs of their clocks. */
  readonly #earlierConnections: number
  readonly #earlierEpochs: number
  /** Number of held or delayed requests, including those whose client has left. */
  #waiting = 0
  readonly #caches: MemoryShare
  /** What was derived from records. */
  readonly #derived: MemoryShare
  readonly #closeMemory: () => void

  /** @param all receives the events of this space as well @param kept what an earlier run has left of its journal */
  constructor(space: Space, options: SpaceRigOptions, all: GlobalEvents, kept?: KeptState) {
    const { names, limits, holdLimit, dials, usualDials, memory: budget } = options
    this.space = space
    this.clock = space.clock as SpaceClock
    this.budget = budget
    this.holdLimit = holdLimit
    this.hidesTestSynchronizations = options.hidesTestSynchronizations
    this.#defaults = dials
    this.#usualDials = usualDials
    this.#sequenceAtStart = space.data.seq
    this.#ageAtStart = kept?.age ?? space.data.age
    // A running clock with a time of its own is saved as soon as it is made.
    const isClockSaved = this.settings.clock?.source !== undefined
    this.continues =
      kept?.continues ?? this.#ageAtStart - Number(isClockSaved) > (space.data.content.beginning?.age ?? 0)
    const { records = [] } = kept ?? {}
    this.hasLostRecord = space.hasMadeRoom && kept === undefined
    this.earlierRequests = kept?.count ?? 0
    this.#earlierConnections = records.reduce((most, { connection }) => Math.max(most, connection), 0)
    this.#earlierEpochs = records.reduce((most, { clockEpoch }) => Math.max(most, clockEpoch + 1), 0)

    const [faults, memory] = [budget.share('scenarios'), budget.share('scenarios')]
    this.#caches = budget.share('caches')
    const derived = budget.share('caches')
    this.#derived = derived
    this.requestMemory = budget.share('requests')
    const withdraw = budget.addSource(this)
    this.#closeMemory = () => {
      withdraw()
      for (const share of [this.#caches, derived, faults, memory]) share.close()
    }

    const emitScenarioChange = () => this.#emitScenarioChange()
    this.events = new SpaceEvents(space.name, all)
    this.holds = new HeldRequests(emitScenarioChange)
    this.faults = new OneShotFaults(faults, () => this.clock.now(), emitScenarioChange)
    this.scenarios = new SpaceScenarios(this.faults, budget, emitScenarioChange)
    this.memory = new TransactionMemory(memory)
    this.reader = new RecordReader(names.platformSegment, undefined, derived)
    this.#renderings = new SpaceRenderings(names, space.name, options.pagesUrl, this.#caches)
    const gap = this.continues || kept !== undefined
    const history = new SpaceHistory(
      this.clock.now(),
      gap ? 'the space was in use before this record of requests began' : undefined,
    )
    this.journal = new Journal(limits, budget.share('journals'), undefined, history)
    if (kept) this.journal.restore(kept)
    this.journal.onChange = (record, what) => {
      this.keptJournal?.note(record, what === 'answered')
      if (!this.events.hasListeners || what === 'read') return
      this.events.emit({ type: 'request', data: { what, record } })
    }
  }

  /** Keeps the journal on disk from now on. @param kept what an earlier run has left of it */
  keepJournal(options: KeepOptions, kept: KeptState | undefined): void {
    const { name, data } = this.space
    const beginning = {
      $space: name,
      origin: data.origin,
      age: this.#ageAtStart,
      continues: this.continues,
    }
    const keptJournal = new KeptJournal(options, beginning, this.journal, kept?.clearedUpTo ?? 0)
    this.keptJournal = keptJournal
    this.journal.onClear = () => keptJournal.clear()
  }

  /** The number of a connection in the journal, where none of an earlier run has it. */
  connectionNumber({ connection }: Pick<Arrival, 'connection'>): number {
    return connection === 0 ? 0 : connection + this.#earlierConnections
  }

  /** The epoch of the clock in the journal. A restart begins another one: no client waits while there is no service. */
  get clockEpoch(): number {
    return this.clock.epoch + this.#earlierEpochs
  }

  get settings(): SpaceSettings {
    return readSettings(this.space.data.tables)
  }

  /** How much is lost if the space, a private space, is evicted. */
  get evictionRank(): EvictionRank {
    if (!this.use.hasOwner) return 0
    const { data } = this.space
    const isChanged =
      data.seq > this.#sequenceAtStart || data.content.beginning?.isGiven || this.faults.live.size > 0
    return isChanged ? 2 : 1
  }

  /** Whether a request came before this record of requests began: neither a restart nor an eviction keeps a record that is in memory only. */
  isBeforeRecord(requestId: string): boolean {
    return Number(/^r(\d+)-/.exec(requestId)?.[1]) < this.#ageAtStart
  }

  now(): Moment {
    return { real: this.clock.real, clock: this.clock.now() }
  }

  /**
   * Reserves room for one more held or delayed request, which stays in memory until it is released, even if its client
   * leaves.
   * @returns frees the room; undefined if there is none
   */
  reserveWait(): (() => void) | undefined {
    if (this.#waiting >= this.holdLimit || !this.budget.hasRoom(0)) return undefined
    this.#waiting++
    return () => {
      this.#waiting--
    }
  }

  /** The dials of this space for requests that name no scenario themselves. */
  get defaultDials(): DialValues {
    return this.dials(this.scenarios.active?.scenario)
  }

  /** The dials of this space under a scenario. */
  dials(scenario?: Scenario): DialValues {
    return this.preparedDials(scenario).values
  }

  /** The dials of this space under a scenario, with what follows from them. The same object until a dial changes. */
  preparedDials(scenario: Scenario | undefined): PreparedDials {
    return getOrMake(this.#dials, scenario, () => {
      if (this.#dials.size > maxChosenScenarios) this.#dials.clear()
      const own = this.settings.dials
      const turned = scenario?.dials ?? {}
      if (turned === 'seeded') {
        const seeded = seededDials((...purpose) => this.space.chance.fraction('dial', ...purpose))
        return new PreparedDials({ ...seeded, ...this.#defaults, ...own })
      }
      const isUsual = Object.keys({ ...own, ...turned }).length === 0
      return isUsual
        ? this.#usualDials
        : new PreparedDials(withDials({ ...this.#defaults, ...own, ...turned }))
    })
  }

  /** Called after the space's own dials have changed. */
  refreshDials(): void {
    this.#dials.clear()
    this.#renderings.clear()
    this.#emitScenarioChange()
  }

  /** What was rendered for a base URL with these dials. */
  rendered(base: string, dials: PreparedDials): RenderCache {
    return this.#renderings.for(base, dials)
  }

  /**
   * Moves the clock; everything that becomes due on the way is done, in order, when this resolves.
   * @param target milliseconds since 1970, or a function of the time at which this call starts
   */
  moveClock(target: number | ((now: number) => number)): Promise<void> {
    return this.clock.moveTo(target, now => this.advancePlatform(now))
  }

  /** Lets time pass at once, as if a client had waited; see `SpaceClock.skip`. */
  skipTime(milliseconds: number, source: SkippingClock): Promise<void> {
    return this.clock.skip(milliseconds, source, now => this.advancePlatform(now))
  }

  /** Records what the platform has done by a time, by default now; it is durable when this resolves. */
  async advancePlatform(now = this.clock.now()): Promise<void> {
    const { data } = this.space
    const before = data.seq
    advanceDueSendings(this.space, now)
    if (data.seq === before) return
    this.journal.history.note('platform', 0, now)
    await data.durable
  }

  /** Ends all waits: the space was removed or reset. */
  end(): void {
    this.#closeMemory()
    this.scenarios.end()
    this.clock.end()
    this.holds.end()
    this.journal.end()
    this.keptJournal?.close()
    this.events.end()
  }

  get reclaimableBytes(): number {
    return this.#caches.bytes + this.#derived.bytes + this.journal.bytes
  }

  /** Gives back memory: caches, and the older half of the journal. */
  reclaim(): void {
    this.#renderings.clear()
    this.reader.clear()
    this.journal.reclaim()
  }

  /** A scenario, a one-shot fault or a dial has changed, or a request is held. */
  #emitScenarioChange(): void {
    this.events.emit({ type: 'scenario', data: { name: this.scenarios.active?.scenario.name ?? null } })
  }
}
