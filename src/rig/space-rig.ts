import { type DialValues, seededDials, withDials } from '../service/dials.ts'
import { Links, type ServiceNames } from '../service/links.ts'
import type { OperationId } from '../service/operations.ts'
import { advanceDueSendings } from '../service/sendings/lifecycle.ts'
import { getOrMake } from '../store/maps.ts'
import { type Account, MemoryBudget, type Reclaimable } from '../store/memory-budget.ts'
import type { Space } from '../store/space-data.ts'
import type { CopyUse, EvictionRank } from '../store/spaces.ts'
import type { SpaceClock } from './clock.ts'
import { Journal, type JournalLimits, realTime, TurnedAway } from './journal.ts'
import type { ScenarioAttempt } from './request-facts.ts'
import { type Moment, RecordReader, type SelectedBy } from './request-record.ts'
import { OneShotFaults } from './scenarios/one-shot-faults.ts'
import { ActiveScenario, canApplyBeforeBody, type Decision } from './scenarios/play.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { GlobalEvents, SpaceEvents } from './space-events.ts'
import { readSettings, type SpaceSettings } from './space-settings.ts'
import { TransactionMemory } from './transaction-memory.ts'

interface HeldRequest {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Requests that are held under a name until a control call releases them. */
export class Holds {
  readonly #held = new Map<string, HeldRequest[]>()
  #hasEnded = false
  /** Called when another request is held. */
  onHeld = () => {}

  /** Does the work once the name is released. Resolves with undefined if the space ends first. */
  runWhenReleased<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      const held = this.#held.get(name) ?? []
      held.push({ work, resolve, reject })
      this.#held.set(name, held)
      this.onHeld()
    })
  }

  /**
   * Releases requests one after another, in the order of their arrival; their work is done when this resolves.
   * @param count maximum number; all held requests by default
   * @returns how many were released
   */
  async release(name: string, count = Number.POSITIVE_INFINITY): Promise<number> {
    const held = this.#held.get(name)
    if (!held) return 0
    const released = held.splice(0, count)
    if (held.length === 0) this.#held.delete(name)
    for (const { work, resolve, reject } of released)
      await work().then(resolve as (value: unknown) => void, reject)
    return released.length
  }

  /** How many requests are held, by name. */
  counts(): ReadonlyMap<string, number> {
    return new Map([...this.#held].map(([name, { length }]) => [name, length]))
  }

  /** Releases all requests without doing their work. */
  end(): void {
    this.#hasEnded = true
    for (const held of this.#held.values()) for (const { resolve } of held) resolve(undefined as never)
    this.#held.clear()
  }
}

/** States that a Pact verifier has set up in a space for its next interaction. */
export interface ProvidedStates {
  /** Requests in the space by then: any further request means that the interaction is over. */
  readonly requests: number
  /** Values that the verifier may use in a request instead of those in its pact, mainly IDs. */
  readonly values: Readonly<Record<string, string | number>>
}

export interface SpaceRigOptions {
  readonly names: ServiceNames
  readonly limits: JournalLimits
  /** Maximum number of held or delayed requests in a space. */
  readonly holdLimit: number
  /** Dials of every space. */
  readonly dials: Partial<DialValues>
  /** Unlimited by default. */
  readonly memory?: MemoryBudget
}

/** The scenario that applies to a request, and why it is this one. */
export interface SelectedScenario {
  readonly scenario: Scenario
  readonly by: SelectedBy
}

/** Maximum number of cached base URLs. */
const maxBases = 16
/** Bytes of the links for a base URL, without what they cache; roughly. */
const linksBytes = 2_000
/** Maximum number of cached scenarios that requests name themselves. */
const maxChosenScenarios = 1_000

/** Milliseconds in which the first request is expected after a space has been opened. */
const openingGrace = 1_000

/** Whether a space is in use, by whom, and since when it is not. */
export class SpaceUse {
  /** Number of requests whose client is still there. */
  private inside = 0
  /** Undefined until the first request is over. */
  private lastUsed: number | undefined = undefined
  readonly madeAt = realTime()

  /** Whether anybody but users without the right to write has used it. */
  hasOwner = false

  /** A request has arrived. @param mayWrite whether its user has the right to write */
  enter(mayWrite: boolean): void {
    this.inside++
    if (mayWrite) this.hasOwner = true
  }

  /** The client of a request has its answer, or has left. @param at as `realTime` */
  leave(at: number): void {
    this.inside--
    this.lastUsed = at
  }

  /** The space was used by something else than a request. */
  touch(): void {
    this.lastUsed = realTime()
    this.hasOwner = true
  }

  /** Milliseconds since the space was last used; 0 while a client waits for an answer, or is expected. */
  get idleMilliseconds(): number {
    if (this.inside > 0) return 0
    if (this.lastUsed !== undefined) return realTime() - this.lastUsed
    return Math.max(0, realTime() - this.madeAt - openingGrace)
  }
}

/** Everything that a tester sets and reads in one space, from one beginning of the space to the next. */
export class SpaceRig implements Reclaimable {
  readonly space: Space
  readonly clock: SpaceClock
  readonly journal: Journal
  /** Reads entries of the journal. */
  readonly reader: RecordReader
  readonly holds = new Holds()
  readonly faults: OneShotFaults
  readonly memory: TransactionMemory
  readonly use = new SpaceUse()
  readonly holdLimit: number
  readonly events: SpaceEvents
  /** What a Pact verifier has set up since the space began. */
  provided: ProvidedStates | undefined
  readonly #options: SpaceRigOptions
  readonly #sequenceAtStart: number
  readonly #ageAtStart: number
  readonly #chosenScenarios = new Map<string, ActiveScenario>()
  readonly #dials = new Map<Scenario | undefined, DialValues>()
  readonly #links = new Map<DialValues, Map<string, Links>>()
  #activeScenario: ActiveScenario | undefined
  /** Number of held or delayed requests, including those whose client has left. */
  #waiting = 0
  /** The memory of the whole mock. */
  readonly budget: MemoryBudget
  /** Of requests in progress. */
  readonly requestMemory: Account
  readonly #caches: Account
  readonly #accounts: readonly Account[]
  readonly #leaveBudget: () => void

  /** @param all receives the events of this space as well */
  constructor(space: Space, options: SpaceRigOptions, all: GlobalEvents) {
    this.space = space
    this.events = new SpaceEvents(space.name, all)
    this.clock = space.clock as SpaceClock
    this.#options = options
    this.holdLimit = options.holdLimit
    this.#sequenceAtStart = space.data.seq
    this.#ageAtStart = space.data.age
    this.reader = new RecordReader(options.names.platformSegment)
    this.budget = options.memory ?? new MemoryBudget()
    const [faults, memory] = [this.budget.account('scenarios'), this.budget.account('scenarios')]
    this.#caches = this.budget.account('caches')
    this.requestMemory = this.budget.account('requests')
    this.#accounts = [this.#caches, faults, memory]
    this.faults = new OneShotFaults(faults, () => this.clock.now())
    this.memory = new TransactionMemory(memory)
    this.journal = new Journal(options.limits, realTime, this.budget.account('journals'))
    this.#leaveBudget = this.budget.addSource(this)
    this.holds.onHeld = () => this.emitScenarioChange()
    this.journal.onChange = (record, what) => {
      if (this.events.hasListeners && what !== 'read') this.events.emitRequest(record, what)
    }
  }

  /** The settings that are stored with the space's data. */
  get settings(): SpaceSettings {
    return readSettings(this.space.data.tables)
  }

  /** How much is lost if the space, a private copy, is evicted. */
  get evictionRank(): EvictionRank {
    if (!this.use.hasOwner) return 0
    const { data } = this.space
    const isChanged =
      data.seq > this.#sequenceAtStart || data.content.beginning?.isGiven || this.faults.live.size > 0
    return isChanged ? 2 : 1
  }

  /** Whether the space was used before this record of requests began, of which a restart and an eviction leave only rows. */
  get continues(): boolean {
    return this.#ageAtStart > (this.space.data.content.beginning?.age ?? 0)
  }

  /** Whether a request came before this record of requests began: neither a restart nor an eviction keeps the record. */
  isBeforeRecord(requestId: string): boolean {
    return Number(/^r(\d+)-/.exec(requestId)?.[1]) < this.#ageAtStart
  }

  now(): Moment {
    return { real: realTime(), clock: this.clock.now() }
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

  /**
   * Puts a scenario in force for the whole space with counts of zero; undefined removes it. Not stored: see `settings`.
   * @param isContinued whether it was in force before, so that its counts are not all
   */
  arm(scenario: Scenario | undefined, isContinued = false): void {
    this.#activeScenario?.end()
    this.#activeScenario =
      scenario && new ActiveScenario(scenario, this.budget.account('scenarios'), isContinued)
    this.emitScenarioChange()
  }

  /** Emits an event: a scenario, a one-shot fault or a dial has changed, or a request is held. */
  emitScenarioChange(): void {
    this.events.emit({ type: 'scenario', data: { name: this.#activeScenario?.scenario.name ?? null } })
  }

  get activeScenario(): ActiveScenario | undefined {
    return this.#activeScenario
  }

  /** Scenarios chosen by requests or test synchronizations, with their counts. */
  get chosenScenarios(): readonly { readonly by: SelectedBy; readonly play: ActiveScenario }[] {
    return [...this.#chosenScenarios].map(([key, play]) => ({
      by: key.slice(0, key.indexOf('\n')) as SelectedBy,
      play,
    }))
  }

  /** Claims the step for this attempt; nothing is awaited between the choice and the count. */
  decide(attempt: ScenarioAttempt, selected: SelectedScenario | undefined): Decision | undefined {
    const fault = this.faults.live.size === 0 ? undefined : this.faults.claim(attempt)
    if (fault) return fault
    return this.#activeScenarioFor(selected, attempt.synchronizationId)?.claim(
      attempt,
      selected?.by ?? 'space',
    )
  }

  /** Whether a step may apply to this operation before the request's body is read. */
  canApplyBeforeBody(operation: OperationId, selected: SelectedScenario | undefined): boolean {
    if (this.faults.canApplyBeforeBody(operation)) return true
    const { rules = [] } = selected?.scenario ?? this.#activeScenario?.scenario ?? {}
    return rules.some(rule => canApplyBeforeBody(rule, operation))
  }

  /** Whether a request that names no scenario itself can be disturbed. */
  get isDisturbed(): boolean {
    return this.#activeScenario !== undefined || this.faults.live.size > 0
  }

  /** The dials of this space for requests that name no scenario themselves. */
  get defaultDials(): DialValues {
    return this.dials(this.#activeScenario?.scenario)
  }

  /** The dials of this space under a scenario. The same object until a dial changes. */
  dials(scenario?: Scenario): DialValues {
    return getOrMake(this.#dials, scenario, () => {
      if (this.#dials.size > maxChosenScenarios) this.#dials.clear()
      const own = { ...this.#options.dials, ...this.settings.dials }
      const turned = scenario?.dials ?? {}
      return turned === 'seeded'
        ? { ...seededDials((...purpose) => this.space.chance.fraction('dial', ...purpose)), ...own }
        : withDials({ ...own, ...turned })
    })
  }

  /** Called after the space's own dials have changed. */
  refreshDials(): void {
    this.#dials.clear()
    this.#clearLinks()
    this.emitScenarioChange()
  }

  /** Links cache the bytes of answers, so they live as long as the space and its dials. */
  links(base: string, dials: DialValues): Links {
    const ofDials = getOrMake(this.#links, dials, () => {
      if (this.#links.size >= maxBases) this.#clearLinks()
      return new Map<string, Links>()
    })
    return getOrMake(ofDials, base, () => {
      if (ofDials.size >= maxBases) ofDials.clear()
      this.#caches.add(linksBytes)
      return new Links(base, this.#options.names, this.space.name, dials, bytes => this.#caches.add(bytes))
    })
  }

  /**
   * Moves the clock; everything that becomes due on the way is done, in order, when this resolves.
   * @param target milliseconds since 1970, or a function of the time at which this call starts
   */
  moveClock(target: number | ((now: number) => number)): Promise<void> {
    return this.clock.moveTo(target, now => this.#advancePlatformTo(now))
  }

  /** Records what the platform has done by now. */
  advancePlatform(): Promise<void> {
    return this.#advancePlatformTo(this.clock.now())
  }

  /** Ends all waits: the space was removed or reset. */
  end(): void {
    this.#leaveBudget()
    for (const account of this.#accounts) account.close()
    for (const play of [this.#activeScenario, ...this.#chosenScenarios.values()]) play?.end()
    this.clock.end()
    this.holds.end()
    this.journal.end()
    this.events.end()
  }

  get reclaimableBytes(): number {
    return this.#caches.bytes + this.journal.bytes
  }

  /** Gives back memory: caches, and the older half of the journal. */
  reclaim(): void {
    this.#clearLinks()
    this.journal.reclaim()
  }

  #clearLinks(): void {
    this.#links.clear()
    this.#caches.set(0)
  }

  #advancePlatformTo(now: number): Promise<void> {
    return advanceDueSendings(this.space, now)
  }

  #activeScenarioFor(
    selected: SelectedScenario | undefined,
    synchronizationId: string | undefined,
  ): ActiveScenario | undefined {
    if (!selected) return this.#activeScenario
    const { scenario, by } = selected
    const key = `${by}\n${by === 'test synchronization' ? synchronizationId : ''}\n${scenario.name}`
    const known = this.#chosenScenarios.get(key)
    if (known?.scenario === scenario) return known
    known?.end()
    if (this.#chosenScenarios.size >= maxChosenScenarios) {
      for (const it of this.#chosenScenarios.values()) it.end()
      this.#chosenScenarios.clear()
    }
    const play = new ActiveScenario(scenario, this.budget.account('scenarios'))
    this.#chosenScenarios.set(key, play)
    return play
  }
}

export interface RigsOptions extends SpaceRigOptions {
  /** The scenario that a space has in force when it is opened. */
  readonly scenarioOf: (space: Space) => Scenario | undefined | Promise<Scenario | undefined>
}

/** The rigs of all spaces. A rig lives from one beginning of its space to the next. */
export class Rigs {
  readonly events = new GlobalEvents()
  /** Requests that belong to no space. */
  readonly turnedAway = new TurnedAway()
  readonly #options: RigsOptions
  /** The memory of the whole mock. */
  readonly budget: MemoryBudget
  readonly #rigs = new WeakMap<Space, SpaceRig>()
  readonly #ended = new WeakSet<Space>()

  constructor(options: RigsOptions) {
    this.budget = options.memory ?? new MemoryBudget()
    this.#options = { ...options, memory: this.budget }
  }

  /** The dials of a space that has changed none. */
  get defaultDials(): DialValues {
    return withDials(this.#options.dials)
  }

  /** The rig of an open space. A promise only if its scenario must be read first. */
  of(space: Space): SpaceRig | Promise<SpaceRig> {
    const known = this.#rigs.get(space)
    if (known) return known
    const rig = new SpaceRig(space, this.#options, this.events)
    const scenario = this.#options.scenarioOf(space)
    if (!(scenario instanceof Promise)) return this.#activate(rig, scenario)
    return scenario.then(read => this.#rigs.get(space) ?? this.#activate(rig, read))
  }

  /** The rig of a space, if the space has been used. */
  known(space: Space): SpaceRig | undefined {
    return this.#rigs.get(space)
  }

  /** How a private copy is used. A space without a rig is just being opened. */
  useOfCopy(space: Space): CopyUse {
    const rig = this.known(space)
    return rig ? { idle: rig.use.idleMilliseconds, rank: rig.evictionRank } : { idle: 0, rank: 2 }
  }

  /** The space was reset, removed or evicted. */
  end(space: Space): void {
    this.#ended.add(space)
    this.turnedAway.leaveBehind(space.name)
    this.#rigs.get(space)?.end()
    this.#rigs.delete(space)
  }

  #activate(rig: SpaceRig, scenario: Scenario | undefined): SpaceRig {
    rig.arm(scenario, rig.continues)
    // A request can arrive just when its space ends: it must not wait there forever.
    if (this.#ended.has(rig.space)) rig.end()
    else {
      this.#rigs.set(rig.space, rig)
      this.events.emit(rig.space.name, { type: 'space', data: { what: 'opened' } })
    }
    return rig
  }
}
