import type { Exchange } from '../exchange.ts'
import { member } from '../hal.ts'
import type { Kind } from '../sightings.ts'
import type { World } from '../world.ts'
import { aDateTime } from './fields.ts'

const fields: readonly (readonly [Kind, readonly string[]])[] = [
  ['mailing item', ['creationDate', 'modificationDate']],
  [
    'synchronization',
    ['creationDate', 'modificationDate', 'mailingUploadsModificationDate', 'sendingsModificationDate'],
  ],
  ['sending', ['creationDate', 'scheduleDate']],
  ['mailing-upload', ['creationDate', 'modificationDate']],
  ['statistics', ['sendingStatistics.startDate', 'sendingStatistics.endDate']],
  ['configuration', ['creationDate', 'modificationDate']],
]

/** Every date-time that was seen; what is none is for its own clause to tell. */
export const dateTimes = (world: World): { name: string; value: string; from: Exchange }[] =>
  fields.flatMap(([kind, names]) =>
    world.sightings.of(kind).flatMap(sighting =>
      names.flatMap(name => {
        const value = member(sighting.value, name)
        return aDateTime.fits(value, sighting) ? [{ name, value: String(value), from: sighting.from }] : []
      }),
    ),
  )

export const hasZone = (text: string): boolean =>
  /T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(text)
