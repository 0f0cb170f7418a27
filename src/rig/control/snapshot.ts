import { halResponse } from '../../service/hal.ts'
import { beginningIn, beginningRow } from '../../store/content.ts'
import { withoutPasswords } from '../../store/passwords.ts'
import type { Fixture, Setting } from '../../store/rows.ts'
import { homeOf } from '../../store/space-names.ts'
import { setting } from '../settings.ts'
import type { SpaceRig } from '../space-rig.ts'
import { begin, checkSettings, givenFixture } from './beginnings.ts'
import { largeBody } from './incoming-json.ts'
import { route } from './route.ts'
import { component } from './shapes.ts'
import { shownSpace, spaceDocument } from './space-document.ts'

const fixture = component('Fixture', 'A fixture, as a file has it')

export const snapshotRoutes = [
  route({
    id: 'getSnapshot',
    method: 'GET',
    path: '/spaces/{space}/snapshot',
    rel: 'snapshot',
    summary: 'Everything in a space as a fixture file',
    description:
      'With its clock, scenario, dials and seed. Saved as a file it can be started from with --fixtures: the space goes on where it was, in the same bytes. What the clock has brought about by now is in it; passwords of your own are not.',
    answer: fixture,
    answerType: 'application/json',
    also: { 404: 'There is no such space' },
    async handle(call) {
      const rig = await call.rig()
      await rig.settle()
      return Response.json(snapshot(rig))
    },
  }),
  route({
    id: 'putSnapshot',
    method: 'PUT',
    path: '/spaces/{space}/snapshot',
    summary: 'Lets a space go on from a snapshot',
    description:
      'What was in it is gone, requests that wait in it are let go; a reset leads back to the snapshot. Space name and users in it count only where the space is not there yet.',
    body: fixture,
    longestBody: largeBody,
    answer: spaceDocument,
    also: { 201: 'It was not there before' },
    async handle(call) {
      const { tools, params } = call
      const wasThere = tools.spaces.opened(params.space) !== undefined
      const given = await givenFixture(call.body, '')
      await checkSettings(tools, given, '')
      const { seed = tools.spaces.seed, age = 0 } = beginningIn(given.settings ?? []) ?? {}
      const rig = await begin(tools, params.space, { fixture: given, seed, age, settings: [] })
      const shown = shownSpace(call, rig)
      return wasThere ? shown : halResponse(shown, 201, call.spaceLink(params.space).href)
    },
  }),
]

/** The space as a fixture: whoever starts from it goes on as the space would have. */
function snapshot({ space, clock, settings }: SpaceRig): Fixture {
  const { data } = space
  // A clock that runs from a time of its own is put on record at the beginning, which is a save as well.
  const age = data.age - (clock.isShifted && !clock.isFrozen ? 1 : 0)
  const own: Setting[] = [beginningRow({ seed: data.seed, age, isGiven: false })]
  // The clock goes on from its time, whenever that is started from; an undisturbed one shows the real time.
  if (clock.isShifted)
    own.push(setting('clock', { space: clock.now(), rate: clock.rate, pace: clock.kept.pace }))
  if (settings.scenario !== undefined) own.push(setting('scenario', settings.scenario))
  if (Object.keys(settings.dials).length > 0) own.push(setting('dials', settings.dials))
  const fixture = data.toFixture()
  return {
    ...fixture,
    space: homeOf(space.name),
    users: withoutPasswords(fixture.users),
    settings: own,
  }
}
