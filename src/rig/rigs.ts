import { type DialValues, withDials } from '../service/dials.ts'
import type { Clock, Space } from '../store/space.ts'
import type { SpaceData } from '../store/space-data.ts'
import { type KeptClock, SpaceClock } from './clock.ts'
import { AllEvents } from './events.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { keptSettings, setting } from './settings.ts'
import { SpaceRig, type SpaceRigOptions } from './space-rig.ts'

export interface RigsOptions extends SpaceRigOptions {
  /** The scenario that a space has in force when it is opened. */
  readonly scenarioOf: (space: Space) => Scenario | undefined | Promise<Scenario | undefined>
}

/** The rigs of all spaces. One lasts from a beginning of its space to the next. */
export class Rigs {
  /** What happens in any of them. */
  readonly events = new AllEvents()
  readonly #options: RigsOptions
  readonly #rigs = new WeakMap<Space, SpaceRig>()
  readonly #ended = new WeakSet<Space>()

  constructor(options: RigsOptions) {
    this.#options = options
  }

  /** How the dials stand in a space that has turned none. */
  get usualDials(): DialValues {
    return withDials(this.#options.dials)
  }

  /** The rig of an open space, ready. A promise only where its scenario must be read first. */
  of(space: Space): SpaceRig | Promise<SpaceRig> {
    const known = this.#rigs.get(space)
    if (known) return known
    const rig = new SpaceRig(space, this.#options, this.events)
    const scenario = this.#options.scenarioOf(space)
    if (!(scenario instanceof Promise)) return this.#ready(rig, scenario)
    return scenario.then(read => this.#rigs.get(space) ?? this.#ready(rig, read))
  }

  /** The rig of a space if somebody has been in it. */
  known(space: Space): SpaceRig | undefined {
    return this.#rigs.get(space)
  }

  /** The space is no more in this form. */
  end(space: Space): void {
    this.#ended.add(space)
    this.#rigs.get(space)?.end()
    this.#rigs.delete(space)
  }

  #ready(rig: SpaceRig, scenario: Scenario | undefined): SpaceRig {
    rig.arm(scenario)
    // A request can come to a space in the very moment in which that ends: it must not wait there for ever.
    if (this.#ended.has(rig.space)) rig.end()
    else {
      this.#rigs.set(rig.space, rig)
      this.events.tell(rig.space.name, { type: 'space', data: { what: 'opened' } })
    }
    return rig
  }
}

/**
 * The clock of a space as its settings have it. One that begins at a time of its own and runs from there is put on
 * record, so that a restart does not set it back.
 * @param usual how it begins in a space that has no setting of its own
 */
export const clockOf =
  (source: Clock, usual: Partial<KeptClock> = {}) =>
  (data: SpaceData): SpaceClock => {
    const kept = keptSettings(data.tables).clock ?? usual
    const clock = new SpaceClock(source, kept)
    const isNew = kept.space !== undefined && kept.source === undefined
    // Where that fails, the first change that somebody asks for fails as well, and is told to whoever asks.
    if (isNew && !clock.isFrozen) data.save({ settings: [setting('clock', clock.kept)] })?.catch(() => {})
    return clock
  }
