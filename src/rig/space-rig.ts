import { type DialValues, seededDials, withDials } from '../service/dials.ts'
import { Links, type Names } from '../service/links.ts'
import type { OperationId } from '../service/operations.ts'
import { settleDue } from '../service/sendings/lifecycle.ts'
import type { Space } from '../store/space.ts'
import type { Attempt } from './attempt.ts'
import type { SpaceClock } from './clock.ts'
import { EntryReader } from './entry-reader.ts'
import { type AllEvents, Events } from './events.ts'
import { ArmedFaults } from './faults-armed.ts'
import { Holds } from './holds.ts'
import { type Asked, type Delivered, type Entry, Journal, type JournalLimits, realTime } from './journal.ts'
import type { Provided } from './pact/provided.ts'
import { type Decision, Play, type Selection, strikesEarly } from './play.ts'
import type { Scenario, Step } from './scenarios/scenario.ts'
import { keptSettings, type RigSettings } from './settings.ts'
import { TransactionMemory } from './transaction-memory.ts'

export interface SpaceRigOptions {
  readonly names: Names
  readonly limits: JournalLimits
  /** Requests that are held or delayed in a space at the same time. */
  readonly holdLimit: number
  /** Dials of every space. */
  readonly dials: Partial<DialValues>
}

/** The scenario that applies to a request, and why it is this one. */
export interface Selected {
  readonly scenario: Scenario
  readonly by: Selection
}

/** So many base URLs are remembered with the links made for them. */
const basesPerSpace = 16
/** So many plays are kept of scenarios that requests name themselves. */
const playsPerSpace = 1_000

/** Milliseconds within which whoever had a space opened comes into it. */
const entering = 1_000

/** Everything that a tester turns and reads in one space, from one beginning of it to the next. */
export class SpaceRig {
  readonly space: Space
  readonly clock: SpaceClock
  readonly journal: Journal
  /** Reads entries of the journal. */
  readonly reader: EntryReader
  readonly holds = new Holds()
  readonly faults = new ArmedFaults()
  readonly memory = new TransactionMemory()
  readonly events: Events
  /** What a Pact verifier has set up since the space's beginning. */
  provided: Provided | undefined
  readonly #options: SpaceRigOptions
  readonly #plays = new Map<string, Play>()
  readonly #dials = new Map<Scenario | undefined, DialValues>()
  readonly #links = new Map<DialValues, Map<string, Links>>()
  #armed: Play | undefined
  #usualDials: DialValues | undefined
  #requests = 0
  /** Requests that are held or delayed, those whose client has left included. */
  #kept = 0
  /** Requests whose client is still there. */
  #inside = 0
  /** Undefined until somebody has come in. */
  #lastUsed: number | undefined
  readonly #madeAt = realTime()

  /** @param all hears of what happens in this space, too */
  constructor(space: Space, options: SpaceRigOptions, all: AllEvents) {
    this.space = space
    this.events = new Events(space.name, all)
    this.clock = space.clock as SpaceClock
    this.#options = options
    this.reader = new EntryReader(options.names.platformSegment)
    this.journal = new Journal(this.clock, options.limits)
    this.holds.onHeld = () => this.tellTurned()
    this.journal.onChange = (entry, what) => this.events.request(entry, what)
  }

  /** What is kept of it with the space's data. */
  get settings(): RigSettings {
    return keptSettings(this.space.data.tables)
  }

  /** How many requests have come since the space's beginning, or since the mock was started. */
  get requests(): number {
    return this.#requests
  }

  /** ID for the next request. The number of changes in front keeps it apart from those before a restart. */
  nextId(): string {
    return `r${this.space.data.age}-${++this.#requests}`
  }

  open(asked: Asked): Entry {
    this.#inside++
    return this.journal.open(asked, this.clock.epoch)
  }

  /** The client of a request has left; the request may wait on, but keeps the space from nothing. */
  abandon(entry: Entry): void {
    if (entry.has('ended') || entry.has('left')) return
    this.journal.left(entry)
    this.#leave()
  }

  /** The request has left the space. */
  close(entry: Entry, delivered: Delivered, bytesSent: number): void {
    // Once: who gives a request up and its answer may meet.
    if (entry.has('ended')) return
    this.journal.close(entry, delivered, bytesSent)
    if (!entry.has('left')) this.#leave()
  }

  #leave(): void {
    this.#inside--
    this.#lastUsed = realTime()
  }

  /** Milliseconds since somebody used the space; 0 while somebody waits for an answer in it, or is about to come in. */
  get unused(): number {
    if (this.#inside > 0) return 0
    if (this.#lastUsed !== undefined) return realTime() - this.#lastUsed
    return Math.max(0, realTime() - this.#madeAt - entering)
  }

  /**
   * Makes room for one more request that is held or delayed: each is in memory until it is let go, also when its client
   * has left.
   * @returns gives the room back; undefined when there is none
   */
  keep(): (() => void) | undefined {
    if (this.#kept >= this.holdLimit) return undefined
    this.#kept++
    return () => {
      this.#kept--
    }
  }

  get holdLimit(): number {
    return this.#options.holdLimit
  }

  touch(): void {
    this.#lastUsed = realTime()
  }

  /** Puts a scenario in force for the whole space, its counts at zero; undefined takes it away. Not kept: see `settings`. */
  arm(scenario: Scenario | undefined): void {
    this.#armed = scenario && new Play(scenario)
    this.#usualDials = undefined
    this.tellTurned()
  }

  /** Tells whoever listens that a scenario, a one-shot fault or a dial has been turned, or a request is held. */
  tellTurned(): void {
    this.events.tell({ type: 'scenario', data: { name: this.#armed?.scenario.name ?? null } })
  }

  get armed(): Play | undefined {
    return this.#armed
  }

  /** Scenarios that requests or test synchronizations chose, with their counts. */
  get chosen(): readonly { readonly by: Selection; readonly play: Play }[] {
    return [...this.#plays].map(([key, play]) => ({ by: key.slice(0, key.indexOf('\n')) as Selection, play }))
  }

  /** The step for this attempt, claimed at once: nothing is awaited between looking and counting. */
  decide(attempt: Attempt, selected: Selected | undefined): Decision | undefined {
    const fault = this.faults.isEmpty ? undefined : this.faults.claim(attempt)
    if (fault) return fault
    return this.#playOf(selected, attempt.synchronizationId)?.claim(attempt, selected?.by ?? 'space')
  }

  /** Whether a step that strikes before the body is read may apply to this operation. */
  strikesEarly(
    operation: OperationId,
    selected: Selected | undefined,
    isEarly: (step: Step) => boolean,
  ): boolean {
    if (this.faults.strikesEarly(operation, isEarly)) return true
    const scenario = selected?.scenario ?? this.#armed?.scenario
    return scenario !== undefined && strikesEarly(scenario, operation, isEarly)
  }

  /** Whether a request that names nothing itself can be disturbed. */
  get isDisturbed(): boolean {
    return this.#armed !== undefined || !this.faults.isEmpty
  }

  /** What this space does where the document is silent, while no request names a scenario itself. */
  get usualDials(): DialValues {
    this.#usualDials ??= this.dials(this.#armed?.scenario)
    return this.#usualDials
  }

  /** What this space does under a scenario where the document is silent. The same object as long as nothing is turned. */
  dials(scenario?: Scenario): DialValues {
    let dials = this.#dials.get(scenario)
    if (!dials) {
      const own = { ...this.#options.dials, ...this.settings.dials }
      const turned = scenario?.dials ?? {}
      dials =
        turned === 'seeded'
          ? { ...seededDials((...purpose) => this.space.chance.fraction('dial', ...purpose)), ...own }
          : withDials({ ...own, ...turned })
      if (this.#dials.size > playsPerSpace) this.#dials.clear()
      this.#dials.set(scenario, dials)
    }
    return dials
  }

  /** The space's own dials have been turned. */
  dialsTurned(): void {
    this.#dials.clear()
    this.#usualDials = undefined
    this.#links.clear()
    this.tellTurned()
  }

  /** Links keep the bytes of what was answered with them, so they live as long as the space and its dials. */
  links(base: string, dials: DialValues): Links {
    let ofDials = this.#links.get(dials)
    if (!ofDials) {
      if (this.#links.size >= basesPerSpace) this.#links.clear()
      ofDials = new Map()
      this.#links.set(dials, ofDials)
    }
    let links = ofDials.get(base)
    if (!links) {
      if (ofDials.size >= basesPerSpace) ofDials.clear()
      links = new Links(base, this.#options.names, this.space.name, dials)
      ofDials.set(base, links)
    }
    return links
  }

  /**
   * Moves the clock; everything that falls due on the way is done, in order, when this resolves.
   * @param target milliseconds since 1970, or a function of the time at which the call's turn comes
   */
  moveClock(target: number | ((now: number) => number)): Promise<void> {
    return this.clock.moveTo(target, now => this.#settleAt(now))
  }

  /** Puts on record what the platform has done by now, though nobody looked. */
  settle(): Promise<void> {
    return this.#settleAt(this.clock.now())
  }

  /** Nobody waits in this space any longer: it is no more, or begins anew. */
  end(): void {
    this.clock.end()
    this.holds.end()
    this.journal.end()
    this.events.end()
  }

  #settleAt(now: number): Promise<void> {
    return settleDue(this.space, now)
  }

  #playOf(selected: Selected | undefined, synchronizationId: string | undefined): Play | undefined {
    if (!selected) return this.#armed
    const { scenario, by } = selected
    const key = `${by}\n${by === 'test synchronization' ? synchronizationId : ''}\n${scenario.name}`
    const known = this.#plays.get(key)
    if (known?.scenario === scenario) return known
    if (this.#plays.size >= playsPerSpace) this.#plays.clear()
    const play = new Play(scenario)
    this.#plays.set(key, play)
    return play
  }
}
