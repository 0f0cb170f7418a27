import type { SpaceData } from '../store/space-data.ts'
import type { Clock, Space } from '../store/spaces.ts'
import { SpaceClock } from './clock.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { keptSettings } from './settings.ts'
import { SpaceRig, type SpaceRigOptions } from './space-rig.ts'

export interface RigsOptions extends SpaceRigOptions {
  /** The scenario that a space has in force from its beginning. */
  readonly scenarioOf: (rig: SpaceRig) => Scenario | undefined | Promise<Scenario | undefined>
}

/** The rigs of all spaces. One lasts from a beginning of its space to the next. */
export class Rigs {
  readonly #options: RigsOptions
  readonly #rigs = new WeakMap<Space, SpaceRig>()

  constructor(options: RigsOptions) {
    this.#options = options
  }

  /** The rig of an open space, ready. A promise only where its scenario must be read first. */
  of(space: Space): SpaceRig | Promise<SpaceRig> {
    const known = this.#rigs.get(space)
    if (known) return known
    const rig = new SpaceRig(space, this.#options)
    const scenario = this.#options.scenarioOf(rig)
    if (!(scenario instanceof Promise)) return this.#ready(rig, scenario)
    return scenario.then(read => this.#rigs.get(space) ?? this.#ready(rig, read))
  }

  /** The rig of a space if somebody has been in it. */
  known(space: Space): SpaceRig | undefined {
    return this.#rigs.get(space)
  }

  /** The space is no more in this form. */
  end(space: Space): void {
    this.#rigs.get(space)?.end()
    this.#rigs.delete(space)
  }

  #ready(rig: SpaceRig, scenario: Scenario | undefined): SpaceRig {
    rig.arm(scenario)
    this.#rigs.set(rig.space, rig)
    return rig
  }
}

/** The clock of a space as its settings have it. */
export const clockOf =
  (source: Clock) =>
  (data: SpaceData): SpaceClock =>
    new SpaceClock(source, keptSettings(data.tables).clock)
