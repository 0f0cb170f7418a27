import { type DialValues, seededDials, withDials } from '../service/dials.ts'
import { Links, type ServiceNames } from '../service/links.ts'
import type { OperationId } from '../service/operations.ts'
import { PreparedDials } from '../service/prepared-dials.ts'
import { Problem } from '../service/problem.ts'
import { RenderCache } from '../service/render-cache.ts'
import type { Answer } from '../service/response.ts'
import { advanceDueSendings } from '../service/sendings/lifecycle.ts'
import { sendingOfTransaction } from '../service/sendings/routes.ts'
import { getOrMake, makeRoomFor } from '../store/maps.ts'
import type { Account, MemoryBudget, Reclaimable } from '../store/memory-budget.ts'
import type { Space } from '../store/space-data.ts'
import type { EvictionRank } from '../store/spaces.ts'
import type { SpaceClock } from './clock.ts'
import { Journal, type JournalLimits, realTime } from './journal.ts'
import type { RequestFacts, ScenarioAttempt } from './request-facts.ts'
import { type Moment, RecordReader, type SelectedBy } from './request-record.ts'
import { ActiveScenario, canApplyBeforeBody, type Decision, OneShotFaults } from './scenarios/play.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { readSettings, type SpaceSettings } from './space-settings.ts'

interface HeldRequest {
  readonly work: () => Promise<unknown>
  readonly resolve: (value: never) => void
  readonly reject: (error: unknown) => void
}

/** Requests that are held under a name until a control call releases them. */
export class Holds {
  readonly #held = new Map<string, HeldRequest[]>()
  #hasEnded = false
  onHeld = () => {}

  /** Does the work once the name is released. Resolves with undefined if the space ends first. */
  runWhenReleased<T>(name: string, work: () => Promise<T>): Promise<T | undefined> {
    if (this.#hasEnded) return Promise.resolve(undefined)
    return new Promise((resolve, reject) => {
      getOrMake(this.#held, name, () => []).push({ work, resolve, reject })
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

/** An event that the control API reports. */
export interface RigEvent {
  readonly type: 'request' | 'clock' | 'scenario' | 'mailing' | 'reset' | 'space'
  readonly data: unknown
}

/** A change to a mailing in the editor, and the mailing's new state. */
export interface MailingChange {
  readonly what: 'approved' | 'drafted' | 'edited'
  readonly id: string
  readonly name: string
  readonly isApproved: boolean
  readonly hasDraft: boolean
}

class Listeners<Args extends unknown[]> {
  readonly listeners = new Set<(...args: Args) => void>()

  /** @returns removes the listener */
  listen(listener: (...args: Args) => void): () => void {
    this.listeners.add(listener)
    return () => this.listeners.delete(listener)
  }

  emit(...args: Args): void {
    for (const listener of this.listeners) listener(...args)
  }
}

/** Events of all spaces, with the name of the space. */
export class GlobalEvents extends Listeners<[space: string, event: RigEvent]> {}

/** Events of one space, which are events of all spaces as well. */
export class SpaceEvents extends Listeners<[event: RigEvent]> {
  readonly #space: string
  readonly #all: GlobalEvents

  constructor(space: string, all: GlobalEvents) {
    super()
    this.#space = space
    this.#all = all
  }

  get hasListeners(): boolean {
    return this.listeners.size > 0 || this.#all.listeners.size > 0
  }

  override emit(event: RigEvent): void {
    super.emit(event)
    this.#all.emit(this.#space, event)
  }

  emitMailing(change: MailingChange): void {
    this.emit({ type: 'mailing', data: change })
  }

  end(): void {
    this.emit({ type: 'reset', data: {} })
    this.listeners.clear()
  }
}

/** Maximum number of remembered transactions of each kind; the oldest are forgotten first. */
const maxRemembered = 100_000

/** Refusals that are not bound to a transaction, since they come too early or have another reason. */
const notAboutTheTransaction = new Set([401, 403, 405, 406, 415, 429])

/** Bytes of a remembered refusal, roughly: what it says in one line and in parts. */
const refusalBytes = ({ detail }: Problem) => 1_000 + 2 * detail.length

/** Transactions that created no sending, for the dials that need them. */
export class TransactionMemory {
  readonly #rejected = new Map<string, Problem>()
  readonly #unprocessed = new Set<string>()
  readonly #account: Account

  constructor(account: Account) {
    this.#account = account
  }

  /** Records that a request was lost before anything was done. */
  recordLost(facts: RequestFacts): void {
    const key = transactionKey(facts)
    if (key === undefined || this.#unprocessed.has(key)) return
    makeRoomFor(key, this.#unprocessed, maxRemembered, this.#account)
    this.#unprocessed.add(key)
  }

  /** The refusal that a transaction is bound to; dial `rejected-transaction`. None if the ID stands for a sending. */
  refusal(facts: RequestFacts, space: Space, dials: DialValues): Problem | undefined {
    const { synchronizationId = '', transactionId = '' } = facts
    const refused = this.#rejected.get(transactionKey(facts) ?? '')
    if (!refused || dials['rejected-transaction'] !== 'bound') return undefined
    return sendingOfTransaction(space, dials, synchronizationId, transactionId) ? undefined : refused
  }

  /** Adjusts the answer for a transaction that was seen before; dial `repeat-after-500-status`. */
  adjustAnswer(answer: Answer, facts: RequestFacts, dials: DialValues): Answer {
    const key = transactionKey(facts)
    if (key === undefined) return answer
    const isRefused =
      answer.status >= 400 && answer.status < 500 && !notAboutTheTransaction.has(answer.status)
    if (isRefused && answer.problem) {
      const { name, detail, ...parts } = answer.problem
      const refused = new Problem(name, detail, parts)
      const before = this.#rejected.get(key)
      if (!before) makeRoomFor(key, this.#rejected, maxRemembered, this.#account, refusalBytes)
      this.#account.add(refusalBytes(refused) - (before ? refusalBytes(before) : 0))
      this.#rejected.set(key, refused)
      return answer
    }
    const isFirst = answer.status < 300 && this.#unprocessed.delete(key)
    if (!isFirst || answer.status !== 201 || dials['repeat-after-500-status'] !== '200') return answer
    const { Location, ...headers } = answer.headers
    const keepsLocation = dials['location-on-200'] === 'present' && Location !== undefined
    return { ...answer, status: 200, headers: keepsLocation ? answer.headers : headers }
  }
}

/** Undefined for a request without a transaction. */
const transactionKey = ({ synchronizationId, transactionId }: RequestFacts): string | undefined =>
  transactionId === undefined ? undefined : `${synchronizationId} ${transactionId}`

/** States that a Pact verifier has set up in a space for its next interaction. */
interface ProvidedStates {
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
  readonly dials: Partial<DialValues>
  /** Those of a space that turns none itself; the same for all spaces. */
  readonly usualDials: PreparedDials
  readonly memory: MemoryBudget
}

/** The scenario that applies to a request, and why it is this one. */
export interface SelectedScenario {
  readonly scenario: Scenario
  readonly by: SelectedBy
}

const maxBases = 16
/** Bytes of the links for a base URL, without what they cache; roughly. */
const linksBytes = 2_000
/** Maximum number of cached scenarios that requests name themselves. */
const maxChosenScenarios = 1_000

/** Milliseconds in which the first request is expected after a space has been opened. */
const openingGrace = 1_000

/** Whether a space is in use, by whom, and since when it is not. */
class SpaceUse {
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
    return this.idleAt(realTime())
  }

  /** @param now as `realTime`: spaces that are compared need the same */
  idleAt(now: number): number {
    if (this.inside > 0) return 0
    if (this.lastUsed !== undefined) return now - this.lastUsed
    return Math.max(0, now - this.madeAt - openingGrace)
  }
}

/** Everything that a tester sets and reads in one space, from one beginning of the space to the next. */
export class SpaceRig implements Reclaimable {
  readonly space: Space
  readonly clock: SpaceClock
  readonly journal: Journal
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
  /** Whether the space was used before this record of requests began, of which a restart and an eviction leave only rows. */
  readonly continues: boolean
  readonly #chosenScenarios = new Map<string, ActiveScenario>()
  readonly #dials = new Map<Scenario | undefined, PreparedDials>()
  readonly #rendered = new Map<PreparedDials, Map<string, RenderCache>>()
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
    // A running clock with a time of its own is saved as soon as it is made.
    const isClockSaved = this.settings.clock?.source !== undefined
    this.continues = this.#ageAtStart - Number(isClockSaved) > (space.data.content.beginning?.age ?? 0)
    this.reader = new RecordReader(options.names.platformSegment)
    this.budget = options.memory
    const [faults, memory] = [this.budget.account('scenarios'), this.budget.account('scenarios')]
    this.#caches = this.budget.account('caches')
    this.requestMemory = this.budget.account('requests')
    this.#accounts = [this.#caches, faults, memory]
    this.faults = new OneShotFaults(faults, () => this.clock.now())
    this.memory = new TransactionMemory(memory)
    this.journal = new Journal(options.limits, this.budget.account('journals'))
    this.#leaveBudget = this.budget.addSource(this)
    this.holds.onHeld = () => this.emitScenarioChange()
    this.journal.onChange = (record, what) => {
      if (!this.events.hasListeners || what === 'read') return
      this.events.emit({ type: 'request', data: { what, record } })
    }
  }

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
    return [...this.#chosenScenarios].map(([key, play]) => ({ by: key.split('\n')[0] as SelectedBy, play }))
  }

  /** Claims the step for this attempt; nothing is awaited between the choice and the count. */
  decide(attempt: ScenarioAttempt, selected: SelectedScenario | undefined): Decision | undefined {
    const fault = this.faults.live.size === 0 ? undefined : this.faults.claim(attempt)
    if (fault) return fault
    const play = selected
      ? this.#chosenScenario(selected, attempt.facts.synchronizationId)
      : this.#activeScenario
    return play?.claim(attempt, selected?.by ?? 'space')
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

  /** The dials of this space under a scenario. */
  dials(scenario?: Scenario): DialValues {
    return this.preparedDials(scenario).values
  }

  /** The dials of this space under a scenario, with what follows from them. The same object until a dial changes. */
  preparedDials(scenario: Scenario | undefined): PreparedDials {
    return getOrMake(this.#dials, scenario, () => {
      if (this.#dials.size > maxChosenScenarios) this.#dials.clear()
      const { dials, usualDials } = this.#options
      const own = this.settings.dials
      const turned = scenario?.dials ?? {}
      if (turned === 'seeded') {
        const seeded = seededDials((...purpose) => this.space.chance.fraction('dial', ...purpose))
        return new PreparedDials({ ...seeded, ...dials, ...own })
      }
      const isUsual = Object.keys({ ...own, ...turned }).length === 0
      return isUsual ? usualDials : new PreparedDials(withDials({ ...dials, ...own, ...turned }))
    })
  }

  /** Called after the space's own dials have changed. */
  refreshDials(): void {
    this.#dials.clear()
    this.#clearRendered()
    this.emitScenarioChange()
  }

  /** What was rendered for a base URL. It depends on the rows and the dials of the space, so it lives as long as they do. */
  rendered(base: string, dials: PreparedDials): RenderCache {
    const ofDials = getOrMake(this.#rendered, dials, () => {
      if (this.#rendered.size >= maxBases) this.#clearRendered()
      return new Map<string, RenderCache>()
    })
    return getOrMake(ofDials, base, () => {
      if (ofDials.size >= maxBases) ofDials.clear()
      this.#caches.add(linksBytes)
      const links = new Links(base, this.#options.names, this.space.name)
      return new RenderCache(links, dials.values, bytes => this.#caches.add(bytes))
    })
  }

  /**
   * Moves the clock; everything that becomes due on the way is done, in order, when this resolves.
   * @param target milliseconds since 1970, or a function of the time at which this call starts
   */
  moveClock(target: number | ((now: number) => number)): Promise<void> {
    return this.clock.moveTo(target, now => this.advancePlatform(now))
  }

  /** Records what the platform has done by a time, by default now; it is durable when this resolves. */
  async advancePlatform(now = this.clock.now()): Promise<void> {
    const { data } = this.space
    const before = data.seq
    advanceDueSendings(this.space, now)
    if (data.seq > before) await data.durable
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
    this.#clearRendered()
    this.journal.reclaim()
  }

  #clearRendered(): void {
    this.#rendered.clear()
    this.#caches.set(0)
  }

  #chosenScenario({ scenario, by }: SelectedScenario, synchronizationId: string | undefined): ActiveScenario {
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
