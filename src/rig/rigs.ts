import { type DialValues, withDials } from '../service/dials.ts'
import { PreparedDials } from '../service/prepared-dials.ts'
import { problems } from '../service/problem.ts'
import { Content, type ContentOrigin, toBeginningRow } from '../store/content.ts'
import { getOrMake } from '../store/maps.ts'
import type { MemoryBudget } from '../store/memory-budget.ts'
import type { Fixture, Setting } from '../store/rows.ts'
import type { Space } from '../store/space-data.ts'
import type { CopyUse, Spaces } from '../store/spaces.ts'
import { controlCharacter, findHiddenPassword, homeOf, UserTakenError } from '../store/tenant-directory.ts'
import { shorten } from '../store/validation-messages.ts'
import { type KeepOptions, type KeptState, keptFiles, removeKept } from './kept-journal.ts'
import { RejectedLogins } from './rejected-logins.ts'
import type { Scenario } from './scenarios/scenario.ts'
import { GlobalEvents } from './space-events.ts'
import { SpaceRig, type SpaceRigOptions } from './space-rig.ts'
import { settingRow } from './space-settings.ts'

/** Where journals are kept, and whether they are in this run. */
interface Journals extends Pick<KeepOptions, 'files' | 'warn'> {
  readonly areKept: boolean
}

interface RigsOptions extends Omit<SpaceRigOptions, 'usualDials'> {
  /** The scenario that a space has in force when it is opened; `unread` while only `readScenario` can tell. */
  readonly scenarioOf: (space: Space) => Scenario | 'unread' | undefined
  /** Undefined for a scenario that cannot be read, too. */
  readonly readScenario: (space: Space) => Promise<Scenario | undefined>
  /** Nowhere unless given. */
  readonly journals?: Journals
}

/** The rigs of all spaces. A rig lives from one beginning of its space to the next. */
export class Rigs {
  readonly events = new GlobalEvents()
  /** Requests that belong to no space. */
  readonly rejectedLogins = new RejectedLogins()
  readonly #options: RigsOptions & SpaceRigOptions
  /** The memory of the whole mock. */
  readonly budget: MemoryBudget
  readonly #rigs = new WeakMap<Space, SpaceRig>()
  readonly #opening = new WeakMap<Space, Promise<SpaceRig>>()
  readonly #ended = new WeakSet<Space>()

  constructor(options: RigsOptions) {
    this.budget = options.memory
    this.#options = { ...options, usualDials: new PreparedDials(withDials(options.dials)) }
  }

  /** The dials of a space that has changed none. */
  get defaultDials(): DialValues {
    return this.#options.usualDials.values
  }

  /** The rig of an open space; undefined while its scenario or its journal has to be read first, which `of` does. */
  ready(space: Space): SpaceRig | undefined {
    const existing = this.#rigs.get(space)
    if (existing) return existing
    const scenario = this.#options.scenarioOf(space)
    return scenario === 'unread' || this.hasKept(space) ? undefined : this.#activate(space, scenario)
  }

  /** The rig of an open space. */
  async of(space: Space): Promise<SpaceRig> {
    return (
      this.ready(space) ??
      getOrMake(this.#opening, space, () => this.#open(space).finally(() => this.#opening.delete(space)))
    )
  }

  /** Whether requests are kept on disk. */
  get keepsJournals(): boolean {
    return this.#options.journals?.areKept === true
  }

  /** Whether an earlier run has left a journal of this space for this one. */
  hasKept({ name }: Space): boolean {
    const { journals } = this.#options
    return journals?.areKept === true && keptFiles(journals.files, name).length > 0
  }

  async #open(space: Space): Promise<SpaceRig> {
    const scenario = await this.#options.readScenario(space)
    const { journals } = this.#options
    const kept = journals && this.hasKept(space) ? await this.#readKept(space, journals) : undefined
    return this.#rigs.get(space) ?? this.#activate(space, scenario, kept)
  }

  async #readKept({ data }: Space, { files, warn }: Journals): Promise<KeptState | undefined> {
    const { readKept } = await import('./read-kept-journal.ts')
    return readKept(files, data, warn)
  }

  /** The rig of a space, if the space has been used. */
  known(space: Space): SpaceRig | undefined {
    return this.#rigs.get(space)
  }

  /** How a private space is used. A space without a rig is just being opened. */
  useOfCopy(space: Space): CopyUse {
    const rig = this.known(space)
    return rig ? { idle: rig.use.idleMilliseconds, rank: rig.evictionRank } : { idle: 0, rank: 2 }
  }

  /** The space was reset, removed or evicted. @param isReset whether it begins anew, without its journal */
  end(space: Space, isReset = false): void {
    this.#ended.add(space)
    this.rejectedLogins.detach(space.name)
    this.#rigs.get(space)?.end()
    this.#rigs.delete(space)
    if (isReset) this.#removeKept(space)
  }

  #removeKept({ name }: Space): void {
    const { journals } = this.#options
    try {
      if (journals) removeKept(journals.files, name)
    } catch (error) {
      journals?.warn((error as Error).message)
    }
  }

  #activate(space: Space, scenario: Scenario | undefined, kept?: KeptState): SpaceRig {
    const rig = new SpaceRig(space, this.#options, this.events, kept)
    const hasFired = kept?.records.some(({ decision }) => decision !== undefined)
    rig.scenarios.arm(scenario, rig.continues || hasFired)
    // A request can arrive just when its space ends: it must not wait there forever.
    if (this.#ended.has(rig.space)) rig.end()
    else {
      const { journals, limits } = this.#options
      if (journals?.areKept) rig.keepJournal({ ...journals, limits }, kept)
      // Requests of this run would be missing in it.
      else this.#removeKept(space)
      this.#rigs.set(rig.space, rig)
      this.events.emit(rig.space.name, { type: 'space', data: { what: 'opened' } })
    }
    return rig
  }
}

/** Saves the clock, so that a restart continues from there; it is durable when this resolves. */
export async function saveClock({ space, clock }: SpaceRig): Promise<void> {
  space.data.save({ settings: [settingRow('clock', clock.stored)] })
  await space.data.durable
}

/** Maximum length of a space name, which is that of a user name. */
const maxSpaceName = 200
/** Maximum length of a space name without a private part, as in a fixture. */
const maxHomeName = 100

const quoteName = (name: string) => JSON.stringify(shorten(name, 60))

/**
 * Why there is no space of this name: what was seen, what is possible. Undefined if there can be one: that of a
 * fixture, or `<space>+anything`, a private space of it.
 */
export function refuseSpaceName(name: string, spaces: Pick<Spaces, 'directory'>): string | undefined {
  const wrong = refuseNameForm(name, maxSpaceName)
  if (wrong !== undefined) return wrong
  if (!spaces.directory.contentOf(name) || name === `${homeOf(name)}+`)
    return `${quoteName(name)}; there are ${spaces.directory.names().join(', ')}, and private spaces such as ${spaces.directory.names()[0]}+anything`
  return undefined
}

/** Why no space of this name, which is not in a fixture, can be made. */
function refuseNewSpace(name: string): string | undefined {
  const wrong = refuseNameForm(name, maxHomeName)
  if (wrong !== undefined) return wrong
  return name.includes('+')
    ? `${quoteName(name)}: there is no space ${quoteName(homeOf(name))} that it could be a private space of`
    : undefined
}

function refuseNameForm(name: string, longest: number): string | undefined {
  if (name.length > longest)
    return `${quoteName(name)}: its name has ${name.length} characters; at most ${longest} are possible`
  // No user name can contain them, so the space could not be used. A private space is called like its users behind the plus.
  if (controlCharacter.test(name)) return `${quoteName(name)}: a name has no control characters`
  if (name.includes(':', homeOf(name).length))
    return `${quoteName(name)}: a private space has no colon in its name, which would end the user name`
  return undefined
}

/** The spaces of a mock, with their rigs. */
export interface SpaceHost {
  readonly spaces: Spaces
  readonly rigs: Rigs
}

export interface SpaceBeginning {
  readonly fixture: Fixture
  readonly seed: number
  /** See `SpaceData.age`; 0 for an unused space. */
  readonly age: number
  /** See `ContentOrigin`; absent for an unused space. */
  readonly nextIds?: ContentOrigin['nextIds']
  /** Settings that take precedence over those of the fixture. */
  readonly settings: readonly Setting[]
}

/**
 * Gives a space its own beginning, to which a reset returns, also after a restart. The name may be that of a space, of
 * a private space, or a new one.
 * @throws Problem 400 when such a space is not possible, or its users belong to other spaces
 */
export async function beginSpace(
  tools: SpaceHost,
  name: string,
  beginning: SpaceBeginning,
): Promise<SpaceRig> {
  const { spaces, rigs } = tools
  const home = spaces.directory.contentOf(homeOf(name))
  const isMade = !home || spaces.directory.createdContent(name) !== undefined
  const wrong = isMade ? refuseNewSpace(name) : undefined
  if (wrong !== undefined) throw problems.field('space', wrong)
  const { fixture, seed, age, nextIds } = beginning
  const missing = home ? undefined : findHiddenPassword(fixture)
  if (missing !== undefined) throw problems.field('fixture.users', missing)
  const own = new Set([...beginning.settings.map(it => it.name), 'beginning'])
  const rows = {
    ...fixture,
    space: isMade ? name : homeOf(name),
    // An existing space keeps its users.
    users: (home?.fixture ?? fixture).users,
    settings: [
      ...(fixture.settings ?? []).filter(row => !own.has(row.name)),
      ...beginning.settings,
      toBeginningRow({ seed, age, isGiven: true, nextIds }),
    ],
  }
  // Most beginnings differ from their fixture only by a setting: a thousand of them should not hold a thousand copies.
  const content = new Content(rows, home)
  const space = await (isMade ? makeSpace(tools, content, seed) : spaces.restart(name, content, seed))
  const rig = await rigs.of(space)
  await saveStartedClock(rig)
  rig.use.touch()
  return rig
}

/** @throws Problem 400 when one of its users belongs to another space */
async function makeSpace({ spaces }: SpaceHost, content: Content, seed: number) {
  try {
    return await spaces.create(content, seed)
  } catch (error) {
    if (!(error instanceof UserTakenError)) throw error
    throw problems.field('fixture.users', `${error.message}; give the fixture users of its own`)
  }
}

/** Saves a clock that starts with its space and has no time of its own, so that it continues after a restart. */
export async function saveStartedClock(rig: SpaceRig): Promise<void> {
  const { clock } = rig.settings
  if (clock && clock.source === undefined && clock.space === undefined) await saveClock(rig)
}

/** Returns every space to its beginning and removes private spaces. */
export async function resetAll({ spaces, rigs }: SpaceHost): Promise<void> {
  await spaces.reset()
  for (const name of spaces.directory.names())
    await saveStartedClock(await rigs.of(await spaces.getOrOpen(name)))
}
