import { type Entry, writing } from '../check.ts'
import { member } from '../hal.ts'
import type { Sighting } from '../sightings.ts'
import { orderOfPermittedLists } from './configuration-acts.ts'
import { aBoolean, aDateTime, aNumber, aString, type Form, field, link } from './fields.ts'

/** A configuration that nobody has put has no dates: `S configuration before PUT` tells of it. */
const dated: Form = {
  ...aDateTime,
  fits: (value, sighting: Sighting) =>
    aDateTime.fits(value, sighting) || (value === null && member(sighting.value, 'permitAll') === true),
}

/** Sections 2.9 and 2.10: customers, lists and which of those the space may use. */
export const customers: readonly Entry[] = [
  field('2.9 name', 'customer', 'name', aString),
  link('2.9 _links', 'customer', 'self'),
  field('2.9 list id', 'list', 'id', aNumber),
  field('2.9 list name', 'list', 'name', aString),
  link('2.9 list _links', 'list', 'self', { words: 'stands in a collection', are: it => it.isItem }),
  field('2.10 creationDate', 'configuration', 'creationDate', dated),
  field('2.10 modificationDate', 'configuration', 'modificationDate', dated),
  field('2.10 permitAll', 'configuration', 'permitAll', aBoolean),
  field('2.10 permittedLists', 'configuration', 'permittedLists', {
    words: 'an array of numbers',
    fits: it => Array.isArray(it) && it.every(one => typeof one === 'number'),
  }),
  link('2.10 _links', 'configuration', 'self'),
  writing('2.10 order', 'permittedLists as they come back', orderOfPermittedLists),
]
