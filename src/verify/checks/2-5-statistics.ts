import { type Check, type Entry, reading } from '../check.ts'
import { isObject, member, shown } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import { aCount, aDateTime, aNumber, field, having, link, nothingSeen, orNull } from './fields.ts'

const kind = 'statistics'
const withResponses = having('responseStatistics')
const withFigures = having('sendingStatistics')
const response = (name: string) =>
  field(`2.5 responseStatistics.${name}`, kind, `responseStatistics.${name}`, aCount, withResponses)
const figure = (name: string) =>
  field(`2.5 sendingStatistics.${name}`, kind, `sendingStatistics.${name}`, aCount, withFigures)
const date = (name: string) =>
  field(`2.5 sendingStatistics.${name}`, kind, `sendingStatistics.${name}`, orNull(aDateTime), withFigures)

/** Section 2.5: statistics. */
export const statistics: readonly Entry[] = [
  field('2.5 synchronizationId', kind, 'synchronizationId', {
    words: 'the ID of its synchronization',
    fits: (value, { synchronization }) =>
      typeof value === 'string' && (synchronization === undefined || value === synchronization),
  }),
  field('2.5 responseStatistics', kind, 'responseStatistics', { words: 'an object', fits: isObject }),
  response('clickingRecipients'),
  rate('ctor', 'responseStatistics.clickingRecipients', 'responseStatistics.openingRecipients'),
  rate('openingRate', 'responseStatistics.openingRecipients', 'sendingStatistics.recipientsCount'),
  response('openingRecipients'),
  response('totalClicks'),
  rate('uniqueClickRate', 'responseStatistics.clickingRecipients', 'sendingStatistics.recipientsCount'),
  response('unsubscribeClicks'),
  response('listUnsubscribeClicks'),
  // What is counted as unsubscribed beside the two figures is not told.
  field(
    '2.5 responseStatistics.unsubscribeRate',
    kind,
    'responseStatistics.unsubscribeRate',
    { words: 'a number from 0 to 100', fits: it => typeof it === 'number' && it >= 0 && it <= 100 },
    withResponses,
  ),
  field('2.5 sendingStatistics', kind, 'sendingStatistics', { words: 'an object', fits: isObject }),
  figure('averageMailSize'),
  figure('bounceCount'),
  figure('deliveredMailsCount'),
  figure('mailsPerHour'),
  figure('notSentMailsCount'),
  figure('recipientsCount'),
  figure('sentErrorCount'),
  date('startDate'),
  date('endDate'),
  link('2.5 _links', kind, 'self'),
]

/** A rate is its quotient, or that as a percentage: which of them, `S statistics rates` tells. */
function rate(name: string, part: string, whole: string): Check {
  return reading(`2.5 responseStatistics.${name}`, `${name} beside ${part} and ${whole}`, world => {
    const all = world.sightings.of(kind).filter(withResponses.are)
    for (const sighting of all) {
      const { value, from } = sighting
      const told = member(value, `responseStatistics.${name}`)
      if (!aNumber.fits(told, sighting)) return differs(`${name}: a number`, shown(told), from)
      const quotient = quotientOf(value, part, whole)
      if (quotient === undefined) continue
      if (!isNear(Number(told), quotient) && !isNear(Number(told), quotient * 100))
        return differs(`${name} of about ${quotient.toPrecision(3)}`, shown(told), from)
    }
    return all.length === 0 ? nothingSeen(kind) : holds()
  })
}

/** A quotient of two figures; undefined where they make none. */
export function quotientOf(value: unknown, part: string, whole: string): number | undefined {
  const [above, below] = [member(value, part), member(value, whole)]
  return typeof above === 'number' && typeof below === 'number' && below > 0 ? above / below : undefined
}

/** Rounded to two digits, it is still the same. */
export const isNear = (one: number, other: number): boolean =>
  Math.abs(one - other) <= Math.max(0.006, Math.abs(other) * 0.02)
