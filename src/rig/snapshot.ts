import { toBeginningRow } from '../store/content.ts'
import type { Fixture, Setting } from '../store/rows.ts'
import { homeOf } from '../store/tenant-directory.ts'
import { settingRow } from './space-settings.ts'
import type { RigView } from './space-view.ts'

/** The space as a fixture, with its users' passwords: a start from it continues as the space would have. */
export function takeSnapshot({ space, clock, settings }: RigView): Fixture {
  const { data } = space
  // A running clock with its own time is saved at the beginning, which counts as a save.
  const age = data.age - (clock.isShifted && !clock.isFrozen ? 1 : 0)
  const { seed, tables } = data
  const nextIds = {
    platformMailings: tables.nextPlatformId('platformMailings'),
    platformSendings: tables.nextPlatformId('platformSendings'),
  }
  const own: Setting[] = [toBeginningRow({ seed, age, isGiven: false, nextIds })]
  // The clock continues from its time, independent of when it is started; an undisturbed clock shows real time.
  if (clock.isShifted)
    own.push(settingRow('clock', { space: clock.now(), rate: clock.rate, pace: clock.stored.pace }))
  if (settings.scenario !== undefined) own.push(settingRow('scenario', settings.scenario))
  if (Object.keys(settings.dials).length > 0) own.push(settingRow('dials', settings.dials))
  return { ...data.toFixture(), space: homeOf(space.name), settings: own }
}
