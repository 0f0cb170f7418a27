import { Calls, type Way } from './calls.ts'
import type { Beginning, ScenarioShown, SpaceState } from './shapes.ts'
import { type Credentials, SpaceControl } from './space-control.ts'

/** Somebody who may use a space of the mock. */
export interface User extends Credentials {
  /** Name of the space in its fixture. */
  readonly space: string
}

/** How a private copy of a space is made. */
export interface PrivateSpace extends Beginning {
  /** The space that it is a copy of; the first one that a user is known of unless given. */
  readonly of?: string
  /** What stands behind the plus, such as the name of the test. */
  readonly name?: string
}

export interface ControlSettings extends Way {
  /** Users by space: of each space one, who has all rights. */
  readonly users: readonly User[]
  /** Names for private spaces that were not given one: no two alike in this mock. */
  readonly freshName: () => string
}

/** The control API of a mock: the same in its own process and over HTTP. */
export class MockControl {
  readonly #calls: Calls
  readonly #settings: ControlSettings

  constructor(settings: ControlSettings) {
    this.#calls = new Calls(settings)
    this.#settings = settings
  }

  /** A space by its name, `demo` or `demo+anything`. Nothing is asked of the mock before one of its methods is called. */
  space(name = this.#usualSpace()): SpaceControl {
    const [home = name] = name.split('+', 1)
    const suffix = name.slice(home.length)
    const known = this.#settings.users.find(user => user.space === home)
    return new SpaceControl(
      this.#calls,
      name,
      known && { user: known.user + suffix, password: known.password },
    )
  }

  /**
   * A space for one test alone, with credentials of its own, from its beginning: what was in one of that name is gone.
   * Parallel tests cannot disturb each other so.
   */
  async privateSpace({ of, name, ...beginning }: PrivateSpace = {}): Promise<SpaceControl> {
    const space = this.space(`${of ?? this.#usualSpace()}+${name ?? this.#settings.freshName()}`)
    await space.begin(beginning)
    return space
  }

  /** The spaces that are open. */
  async spaces(): Promise<readonly SpaceState[]> {
    return (await this.#calls.ask('GET /spaces'))._embedded.spaces
  }

  /** Every space back to its beginning; private copies are gone. */
  async reset(): Promise<void> {
    await this.#calls.ask('POST /reset')
  }

  /** The catalogue. */
  async scenarios(): Promise<readonly ScenarioShown[]> {
    return (await this.#calls.ask('GET /scenarios'))._embedded.scenarios
  }

  /** One scenario, also of the loss matrix. */
  scenario(name: string): Promise<ScenarioShown> {
    return this.#calls.ask('GET /scenarios/{name}', { params: { name } })
  }

  #usualSpace(): string {
    return this.#settings.users[0]?.space ?? 'demo'
  }
}
