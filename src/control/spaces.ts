import { z } from 'zod'
import { realTime } from '../rig/clock.ts'
import { duration } from '../rig/duration.ts'
import { beginSpace, refuseSpaceName, resetAll, type SpaceBeginning, saveStartedClock } from '../rig/rigs.ts'
import { takeSnapshot } from '../rig/snapshot.ts'
import { findWrongSetting, settingRow } from '../rig/space-settings.ts'
import type { RigView } from '../rig/space-view.ts'
import { problems } from '../service/problem.ts'
import { formatDateTime } from '../service/response.ts'
import { readBeginning } from '../store/content.ts'
import { checkFixture, FixtureError } from '../store/fixtures.ts'
import { countStatuses, statusOfSending } from '../store/platform-status.ts'
import type { Fixture, Setting } from '../store/rows.ts'
import type { Space } from '../store/space-data.ts'
import { hidePasswords, homeOf } from '../store/tenant-directory.ts'
import { clockState, rate, readClockState, time } from './clock.ts'
import { changedDials, someDials } from './dials.ts'
import { createdAnswer, type IncomingCall, route, type SpaceCall } from './route.ts'
import { resolveScenario, scenarioOrName } from './scenarios.ts'
import {
  component,
  dateTime,
  document,
  largeBodyLimit,
  memberPath,
  members,
  validationProblem,
} from './schemas.ts'
import type { ControlTools } from './tools.ts'

export const spaceDocument = document({
  name: z.string(),
  kind: z
    .enum(['fixture', 'made', 'copy'])
    .describe('From a fixture of the start, made by a control call, or the private space of another one'),
  beginning: z
    .enum(['fixture', 'given'])
    .describe('Where a reset leads: to the fixture, or to what a control call gave this space'),
  seed: z.int(),
  users: z.array(z.string()).describe('Names of its users'),
  clock: z.strictObject(clockState),
  scenario: z.string().nullable().describe('In force for the whole space'),
  dials: someDials.describe('Those that are turned in this space'),
  requests: z.int().describe('Since it began or the mock started'),
  sent: z.int().describe('Sendings to lists that were sent since the space began'),
  scheduled: z.int().describe('Sendings to lists since it began that wait for their time'),
  stopped: z.int().describe('Sendings to lists since it began that the platform stopped'),
  faults: z.int().describe('One-shot faults that are armed'),
  held: z.int().describe('Requests that wait for a hold to be released'),
  lastUsed: dateTime.describe('In real time; now while a request is in it'),
})

const relations = [
  'reset',
  'snapshot',
  'clock',
  'scenario',
  'faults',
  'holds',
  'dials',
  'requests',
  'platform',
  'mailings',
  'events',
  'side-port',
  'verdict',
  'capsule',
]

export function toSpaceDocument(call: IncomingCall, rig: RigView): z.input<typeof spaceDocument> {
  const { space } = rig
  const { spaces } = call.tools
  const { name, data } = space
  const begun = data.content.bases.platformSendings
  const now = rig.clock.now()
  const sinceBeginning = [...data.tables.platformSendings.rows()]
    .filter(({ id }) => !begun.positions.has(id))
    .map(row => ({ kind: row.kind, status: statusOfSending(row, now) }))
  const { sent, scheduled, stopped } = countStatuses(
    sinceBeginning.filter(({ kind }) => kind === 'list').map(({ status }) => status),
  )
  const ofCopy = name.slice(homeOf(name).length)
  return {
    name,
    kind: spaces.directory.createdContent(name) ? 'made' : ofCopy === '' ? 'fixture' : 'copy',
    beginning: data.content.beginning?.isGiven ? 'given' : 'fixture',
    seed: data.seed,
    // The answer to the call that made the space may come after another call has removed it.
    users: (spaces.directory.contentOf(name) ?? data.content).users.map(user => user.name + ofCopy),
    clock: readClockState(rig),
    scenario: rig.scenarios.active?.scenario.name ?? null,
    dials: rig.settings.dials,
    requests: rig.journal.count,
    sent,
    scheduled,
    stopped,
    faults: rig.faults.live.size,
    held: [...rig.holds.counts().values()].reduce((sum, count) => sum + count, 0),
    lastUsed: formatDateTime(Math.floor(realTime() - rig.use.idleMilliseconds)),
    _links: {
      self: call.spaceLink(name),
      ...Object.fromEntries(relations.map(rel => [rel, call.spaceLink(name, `/${rel}`)])),
    },
  }
}

const fixture = component('Fixture', 'A fixture, as a file has it')

const beginning = members({
  fixture: z
    .union([z.string(), fixture], { error: 'expected the name of a space, or a fixture' })
    .optional()
    .describe("Name of a space whose fixture to begin with, or a fixture; without it the space's own"),
  seed: z.int().min(0).optional().describe('Where IDs and figures come from'),
  clock: members({
    now: time.optional().describe('The time at its beginning'),
    frozen: z.boolean().optional().describe('Whether it stands still'),
    rate: rate.optional().describe('Seconds of the space for each real second'),
  }).optional(),
  scenario: scenarioOrName
    .optional()
    .describe('Name or definition of the scenario in force from the beginning'),
  dials: changedDials.optional(),
})

type BeginningInput = z.output<typeof beginning>

export const spaceRoutes = [
  route('POST /reset', 'resetAll', {
    rel: 'reset',
    summary: 'Every space back to its beginning',
    description:
      'Private spaces are gone, requests that wait are let go with a 500 problem, counts are at zero.',
    async handle({ tools }) {
      await resetAll(tools)
    },
  }),
  route('POST /spaces/{space}/reset', 'resetSpace', {
    rel: 'reset-space',
    summary: 'One space back to its beginning',
    description:
      'That of its fixture, or the one that a control call gave it. Requests that wait in it are let go with a 500 problem, the journal is empty, counts are at zero.',
    async handle(call) {
      await resetSpace(call)
    },
  }),
  route('GET /spaces', 'listSpaces', {
    rel: 'spaces',
    summary: 'The spaces that are open, and what became of private spaces',
    answer: document({
      evicted: z.int().describe('Private spaces that were removed to make room since the start'),
      limits: z
        .strictObject({
          copies: z.int().describe('Private spaces at most'),
          idleSeconds: z.number().describe('How long a private space may be unused'),
        })
        .nullable()
        .describe('Null where there are none'),
      _embedded: z.strictObject({ spaces: z.array(spaceDocument) }),
    }),
    async handle(call) {
      const { spaces, rigs } = call.tools
      const open = spaces.names().flatMap(name => spaces.getOpen(name) ?? [])
      const ready = await Promise.all(open.map(space => rigs.of(space)))
      // Some may have been removed in the meantime; nothing is awaited from here on.
      const shown = ready.filter(({ space }) => spaces.getOpen(space.name) === space)
      const limits = spaces.options.copies
      return {
        evicted: spaces.evicted,
        limits: limits ? { copies: limits.count, idleSeconds: limits.idle / 1000 } : null,
        _embedded: { spaces: shown.map(rig => toSpaceDocument(call, rig)) },
        _links: {
          self: call.link('/spaces'),
          space: { ...call.link('/spaces/{space}'), templated: true as const },
        },
      }
    },
  }),
  route('DELETE /spaces', 'removePrivateSpaces', {
    summary: 'Removes private spaces with everything in them',
    description:
      'All of them, also those that are kept on disk and not open, or with `unused` only those that were not used for so long: for one that is not open, since its files were changed. With the next request of its user a private space starts again. Requests that wait in one are let go.',
    query: members({
      unused: duration.optional().describe('Only those that were not used for so long: 1h, 7d'),
    }),
    answer: z.strictObject({ removed: z.int().nonnegative().describe('How many') }),
    async handle({ tools: { spaces, rigs }, query: { unused = 0 } }) {
      const isUnused = (space: Space) => unused === 0 || rigs.useOfCopy(space).idle >= unused
      return { removed: await spaces.removePrivate(isUnused, Date.now() - unused) }
    },
  }),
  route('GET /spaces/{space}', 'getSpace', {
    rel: 'space',
    summary: 'One space',
    answer: spaceDocument,
    handle: async call => toSpaceDocument(call, await call.rig()),
  }),
  route('PUT /spaces/{space}', 'putSpace', {
    summary: 'Creates or restarts a space with these settings',
    description:
      'What was in it is gone, requests that wait in it are let go. This is its beginning from now on: a reset leads back to it, also after a restart. With {} it begins as its fixture has it. A name that no space has becomes a space of its own, with the users of the given fixture; a space that is there keeps its users.',
    body: beginning,
    longestBody: largeBodyLimit,
    example: { clock: { now: '2026-03-01T09:30:00Z', frozen: true }, scenario: 'happy-path' },
    answer: spaceDocument,
    also: { 201: 'It was not there before' },
    makesSpace: true,
    handle: call => beginAnswer(call, () => readBeginningSpaces(call, call.body)),
  }),
  route('DELETE /spaces/{space}', 'deleteSpace', {
    summary: 'Removes a private space, or a space that a control call made, with everything in it',
    description:
      'With the next request of its user a private space starts again. Requests that wait in it are let go.',
    also: { 409: 'It is of a fixture that the mock was started with' },
    async handle(call) {
      const { space } = await call.rig()
      const { spaces } = call.tools
      if (spaces.directory.names().includes(space.name) && !spaces.directory.createdContent(space.name))
        throw problems.notPossibleHere(
          `Space "${space.name}" is of a fixture that the mock was started with and stays; POST to its reset brings it back to its beginning`,
        )
      if (!(await spaces.remove(space.name))) throw problems.notFound(`space "${space.name}" any more`)
    },
  }),
  route('GET /spaces/{space}/snapshot', 'getSnapshot', {
    rel: 'snapshot',
    summary: 'Everything in a space as a fixture file',
    description:
      'With its clock, scenario, dials and seed. Saved as a file it can be started from with --fixtures: the space goes on where it was, in the same bytes. What the clock has brought about by now is in it; passwords of your own are not.',
    answer: fixture,
    answerType: 'application/json',
    handle: async call => withoutPasswords(takeSnapshot(await call.upToDateRig())),
  }),
  route('PUT /spaces/{space}/snapshot', 'putSnapshot', {
    summary: 'Restores a space from a snapshot',
    description:
      'What was in it is gone, requests that wait in it are let go; a reset leads back to the snapshot. Space name and users in it count only where the space is not there yet.',
    body: fixture,
    longestBody: largeBodyLimit,
    answer: spaceDocument,
    also: { 201: 'It was not there before' },
    makesSpace: true,
    handle: call =>
      beginAnswer(call, async () => {
        const fixture = await readFixture(call.tools, call.body, '')
        const beginning = readBeginning(fixture.settings ?? [])
        return { fixture, seed: call.tools.spaces.options.seed, age: 0, ...beginning, settings: [] }
      }),
  }),
]

const withoutPasswords = (fixture: Fixture): Fixture => ({ ...fixture, users: hidePasswords(fixture.users) })

/** 201 for a space that was not there before. */
async function beginAnswer(call: SpaceCall, read: () => Promise<SpaceBeginning>) {
  const { tools, params } = call
  const before = await tools.spaces.getExisting(params.space)
  const shown = toSpaceDocument(call, await beginSpace(tools, params.space, await read()))
  return before ? shown : createdAnswer(shown)
}

async function readBeginningSpaces(call: SpaceCall, given: BeginningInput): Promise<SpaceBeginning> {
  const { tools, params } = call
  const fixture = await fixtureFor(tools, params.space, given.fixture)
  const settings: Setting[] = []
  if (given.clock) {
    const { now, frozen, rate } = given.clock
    const hasRate = (frozen ?? rate) !== undefined
    const pace = rate ?? 1
    const clock = {
      ...(now !== undefined && { space: now }),
      ...(hasRate && { rate: frozen ? 0 : pace, pace }),
    }
    settings.push(settingRow('clock', clock))
  }
  if (given.scenario !== undefined) {
    await resolveScenario(tools, given.scenario, 'scenario')
    settings.push(settingRow('scenario', given.scenario))
  }
  if (given.dials) settings.push(settingRow('dials', given.dials))
  return { fixture, settings, seed: given.seed ?? tools.spaces.options.seed, age: 0 }
}

async function fixtureFor(
  tools: Pick<ControlTools, 'spaces' | 'scenarios'>,
  name: string,
  given: BeginningInput['fixture'],
) {
  const { spaces } = tools
  if (typeof given === 'object') return readFixture(tools, given, 'fixture')
  const source = given ?? name
  const wrong = refuseSpaceName(source, spaces)
  if (wrong !== undefined)
    throw problems.field(
      'fixture',
      given === undefined
        ? `there is no space ${wrong}. A space of another name is made from a fixture with users of its own`
        : `there is no fixture of space ${wrong}`,
    )
  return spaces.directory.contentOf(homeOf(source))!.fixture
}

/** @returns the rig of the space after its reset */
export async function resetSpace(call: SpaceCall) {
  const { spaces, rigs } = call.tools
  const { space } = await call.rig()
  const rig = await rigs.of(await spaces.resetSpace(space.name))
  await saveStartedClock(rig)
  return rig
}

/** A fixture from a call, checked. @param field for messages; empty for the whole body @throws Problem 400 */
async function readFixture(
  { scenarios }: Pick<ControlTools, 'scenarios'>,
  value: unknown,
  field: string,
): Promise<Fixture> {
  const fixture = await checkFixture(value, 'it').catch(error => {
    throw error instanceof FixtureError ? fixtureProblem(error, field) : error
  })
  const wrong = await findWrongSetting(fixture, scenarios)
  if (wrong) throw problems.field(memberPath(field, wrong.path), wrong.problem)
  return fixture
}

function fixtureProblem({ found, message }: FixtureError, field: string) {
  const told = found.map(({ path, problem }) => ({ field: memberPath(field, path), problem }))
  if (told.length === 0) told.push({ field, problem: message })
  const isOfParts = told.some(it => it.field !== '')
  // A message about the whole, such as the number of further mistakes, must not come before those about its parts.
  return validationProblem(isOfParts ? told.map(it => ({ ...it, field: it.field || 'fixture' })) : told)
}
