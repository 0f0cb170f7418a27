import { z } from 'zod'
import { instant } from '../../service/time.ts'
import { homeOf } from '../../store/space-names.ts'
import { realTime } from '../journal.ts'
import type { SpaceRig } from '../space-rig.ts'
import { clockState, stateOfClock } from './clock-state.ts'
import { someDials } from './dial-shapes.ts'
import type { Incoming } from './route.ts'
import { dateTime, document } from './shapes.ts'

/** A space as the control API shows it. */
export const spaceDocument = document({
  name: z.string(),
  kind: z
    .enum(['fixture', 'made', 'copy'])
    .describe('From a fixture of the start, made by a control call, or the private copy of another one'),
  beginning: z
    .enum(['fixture', 'given'])
    .describe('Where a reset leads: to the fixture, or to what a control call gave this space'),
  seed: z.int(),
  users: z.array(z.string()).describe('Names of its users'),
  clock: z.strictObject(clockState),
  scenario: z.string().nullable().describe('In force for the whole space'),
  dials: someDials.describe('Those that are turned in this space'),
  requests: z.int().describe('Since it began or the mock started'),
  sent: z
    .int()
    .describe(
      'Sendings to lists since it began that truly went out by now, as the platform has them on record',
    ),
  scheduled: z.int().describe('Sendings to lists since it began that wait for their time'),
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
]

export function shownSpace(call: Incoming, rig: SpaceRig): z.input<typeof spaceDocument> {
  const { space } = rig
  const { spaces } = call.tools
  const { name, data } = space
  const begun = data.content.bases.platformSendings
  const toLists = [...data.tables.platformSendings.rows()].filter(
    ({ kind, id }) => kind === 'list' && begun.position(id) === undefined,
  )
  const now = instant(rig.clock.now())
  const sent = toLists.filter(({ startsAt }) => startsAt <= now).length
  const ofCopy = name.slice(homeOf(name).length)
  return {
    name,
    kind: spaces.made(name) ? 'made' : ofCopy === '' ? 'fixture' : 'copy',
    beginning: data.content.beginning?.isGiven ? 'given' : 'fixture',
    seed: data.seed,
    // Whoever began it may be told of it when somebody else has removed it already.
    users: (spaces.beginning(name) ?? data.content).users.map(user => user.name + ofCopy),
    clock: stateOfClock(rig),
    scenario: rig.armed?.scenario.name ?? null,
    dials: rig.settings.dials,
    requests: rig.journal.count,
    sent,
    scheduled: toLists.length - sent,
    faults: rig.faults.all().filter(({ left }) => left > 0).length,
    held: [...rig.holds.counts().values()].reduce((sum, count) => sum + count, 0),
    lastUsed: instant(Math.floor(realTime() - rig.unused)),
    _links: {
      self: call.spaceLink(name),
      ...Object.fromEntries(relations.map(rel => [rel, call.spaceLink(name, `/${rel}`)])),
    },
  }
}
