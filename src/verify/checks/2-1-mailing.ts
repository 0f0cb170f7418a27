import { type Entry, reading } from '../check.ts'
import { hrefOf, isObject, member, shown } from '../hal.ts'
import { differs, holds } from '../outcome.ts'
import { aBoolean, aDateTime, aString, field, nothingSeen } from './fields.ts'

/** Section 2.1: mailings. */
export const mailing: readonly Entry[] = [
  reading('2.1 id', 'id of every mailing, listed and alone', world => {
    const all = [...world.sightings.of('mailing item'), ...world.sightings.of('mailing')]
    const wrong = all.find(({ value }) => typeof member(value, 'id') !== 'string')
    if (wrong) return differs('id: a string', shown(member(wrong.value, 'id')), wrong.from)
    return all.length === 0 ? nothingSeen('mailing') : holds()
  }),
  field('2.1 name', 'mailing item', 'name', aString),
  field('2.1 creationDate', 'mailing item', 'creationDate', aDateTime),
  field('2.1 modificationDate', 'mailing item', 'modificationDate', aDateTime),
  field('2.1 isApproved', 'mailing item', 'isApproved', aBoolean),
  field('2.1 hasDraft', 'mailing item', 'hasDraft', aBoolean),
  reading('2.1 _links', 'the self link of every listed mailing', world => {
    const all = world.sightings.of('mailing item')
    const without = all.find(({ value }) => hrefOf(value, 'self') === undefined)
    if (without) return differs('a self link', 'none', without.from)
    return all.length === 0 ? nothingSeen('mailing') : holds()
  }),
  reading('2.1 mailing-editor', 'the editor link of every mailing', world => {
    const all = [...world.sightings.of('mailing item'), ...world.sightings.of('mailing')]
    const without = all.find(({ value }) => hrefOf(value, 'mailing-editor') === undefined)
    if (without) return differs('a link mailing-editor', 'none', without.from)
    return all.length === 0 ? nothingSeen('mailing') : holds()
  }),
  reading('2.1 single', 'members of single mailings', world => {
    const all = world.sightings.of('mailing').filter(({ value }) => isObject(value))
    if (all.length === 0) return nothingSeen('single mailing')
    const fields = ['name', 'creationDate', 'modificationDate', 'isApproved', 'hasDraft']
    const isListed = all.every(({ value }) => fields.every(name => member(value, name) !== undefined))
    const some = all.find(({ value }) => fields.some(name => member(value, name) !== undefined))
    const { from, value } = some ?? all[0]!
    if (some && !isListed) return differs('id and links only', `${shown(Object.keys(value as object))}`, from)
    return {
      is: 'observed',
      dial: 'single-mailing',
      value: isListed ? 'as-listed' : 'id-only',
      expected: 'id and links only',
      seen: isListed ? 'all fields that it has in the collection' : 'id and links only',
      evidence: [from],
    }
  }),
]
