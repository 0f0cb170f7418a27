import { problems } from '../../service/problem.ts'
import { beginningRow, Content } from '../../store/content.ts'
import { checkFixture, FixtureError } from '../../store/fixtures.ts'
import { UserTakenError } from '../../store/made-spaces.ts'
import { missingPassword, withPasswords } from '../../store/passwords.ts'
import type { Fixture, Setting } from '../../store/rows.ts'
import { homeOf } from '../../store/space-names.ts'
import { wrongSetting } from '../settings-check.ts'
import type { SpaceRig } from '../space-rig.ts'
import { keepClock } from './clock-state.ts'
import type { Tools } from './route.ts'
import { refuseNewSpace } from './space-name.ts'

/** Where spaces are. */
type Places = Pick<Tools, 'spaces' | 'rigs'>

/** How a space is to begin. */
export interface Beginning {
  readonly fixture: Fixture
  readonly seed: number
  /** See `SpaceData.age`; 0 for what nobody has used. */
  readonly age: number
  /** Rows that go before those of the fixture. */
  readonly settings: readonly Setting[]
}

/**
 * Puts a space at a beginning of its own: a reset leads back to it, also after a restart. The name may be that of a
 * space, a private copy, or one that is not there yet.
 * @throws Problem 400 when there can be no such space, or its users lead elsewhere
 */
export async function begin(tools: Places, name: string, beginning: Beginning): Promise<SpaceRig> {
  const { spaces, rigs } = tools
  const home = spaces.beginning(homeOf(name))
  const isMade = !home || spaces.made(name) !== undefined
  const wrong = isMade ? refuseNewSpace(name) : undefined
  if (wrong !== undefined) throw problems.field('space', wrong)
  const { fixture, seed, age } = beginning
  const own = new Set([...beginning.settings.map(it => it.name), 'beginning'])
  const rows = {
    ...fixture,
    space: isMade ? name : homeOf(name),
    // Who may use a space is settled by the fixtures that the mock was started with.
    users: isMade ? usersOf(fixture, home) : home!.fixture.users,
    settings: [
      ...(fixture.settings ?? []).filter(row => !own.has(row.name)),
      ...beginning.settings,
      beginningRow({ seed, age, isGiven: true }),
    ],
  }
  // Most begin as their fixture does but for a setting: a thousand of them should not hold it a thousand times.
  const content = new Content(rows, home)
  const space = await (isMade ? made(tools, content, seed) : spaces.restart(name, content, seed))
  const rig = await rigs.of(space)
  await keepBegunClock(rig)
  rig.touch()
  return rig
}

/** @throws Problem 400 where a snapshot has left a password out, and the space is not there to have it */
function usersOf(fixture: Fixture, home: Content | undefined): Fixture['users'] {
  const users = withPasswords(fixture.users, home?.fixture.users ?? [])
  const missing = missingPassword({ users })
  if (missing !== undefined) throw problems.field('fixture.users', missing)
  return users
}

/** @throws Problem 400 when a user of it leads to another space */
async function made({ spaces }: Places, content: Content, seed: number) {
  try {
    return await spaces.make(content, seed)
  } catch (error) {
    if (!(error instanceof UserTakenError)) throw error
    throw problems.field('fixture.users', `${error.message}; give the fixture users of its own`)
  }
}

/** A clock that begins with its space, at no time of its own, goes on from there after a restart. */
export async function keepBegunClock(rig: SpaceRig): Promise<void> {
  const { clock } = rig.settings
  if (clock && clock.source === undefined && clock.space === undefined) await keepClock(rig)
}

/**
 * A fixture that came in a control call.
 * @throws Problem 400 naming what is wrong with it
 */
export async function givenFixture(value: unknown, field: string): Promise<Fixture> {
  try {
    return await checkFixture(value, 'it')
  } catch (error) {
    if (!(error instanceof FixtureError)) throw error
    throw wrongFixture(error, field)
  }
}

function wrongFixture({ found, message }: FixtureError, field: string) {
  const told = found.map(({ path, problem }) => ({
    field: [field, path].filter(Boolean).join('.'),
    problem,
  }))
  if (told.length === 0) told.push({ field, problem: message })
  const isOfParts = told.some(it => it.field !== '')
  // What is said of the whole beside its parts, how many more mistakes there are, must not come before them.
  if (isOfParts) return problems.validation(told.map(it => ({ ...it, field: it.field || 'fixture' })))
  return problems.validation(
    [],
    told.map(it => it.problem),
  )
}

/** @throws Problem 400 when it names a scenario, a dial or a time that cannot be */
export async function checkSettings({ scenarios }: Tools, fixture: Fixture, field: string): Promise<void> {
  const known = new Set(scenarios.names())
  const wrong = await wrongSetting(fixture, { has: name => known.has(name), get: scenarios.get })
  if (wrong) throw problems.field(field + wrong.path, wrong.problem)
}
