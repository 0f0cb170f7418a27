import { type Check, reading } from '../check.ts'
import { isObject, linkOf, member, shown } from '../hal.ts'
import { differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { Kind, Sighting } from '../sightings.ts'
import type { World } from '../world.ts'

export const nothingSeen = (what: string): Outcome => untestable(`there is no ${what} here`)

/** What a value has to be, in words and as a test. */
export interface Form {
  readonly words: string
  readonly fits: (value: unknown, of: Sighting) => boolean
  /** Whether null is a value here; where one is missing instead, `S null` tells. */
  readonly isNullable?: boolean
}

export const aString: Form = { words: 'a string', fits: it => typeof it === 'string' }
export const aNumber: Form = { words: 'a number', fits: it => typeof it === 'number' }
export const aCount: Form = {
  words: 'a number that is not negative',
  fits: it => typeof it === 'number' && it >= 0,
}
export const aBoolean: Form = { words: 'true or false', fits: it => typeof it === 'boolean' }
/** Whether it names its zone, and how it is written, is for `2 date-time` and `S date-time out` to tell. */
export const aDateTime: Form = {
  words: 'a date-time',
  fits: it => typeof it === 'string' && /^\d{4}-\d\d-\d\dT/.test(it) && !Number.isNaN(Date.parse(it)),
}
export const orNull = ({ words, fits }: Form): Form => ({
  words: `${words} or null`,
  fits: (it, of) => it === null || fits(it, of),
  isNullable: true,
})
export const oneOf = (...values: readonly string[]): Form => ({
  words: values.join(', '),
  fits: it => typeof it === 'string' && values.includes(it),
})

/** Which resources of a kind have something. */
export interface Those {
  /** For the sentence when there are none, such as `is CREATED`. */
  readonly words: string
  readonly are: (sighting: Sighting) => boolean
}

const all: Those = { words: 'is there', are: () => true }

/** Those that have an object of a name. */
export const having = (name: string): Those => ({
  words: `has an object ${name}`,
  are: it => isObject(member(it.value, name)),
})

/** Looks at one field of every resource of a kind. @param those which of them have it */
export const field = (clause: string, kind: Kind, path: string, form: Form, those: Those = all): Check =>
  reading(clause, `${path} of every ${kind}`, world => {
    const some = world.sightings.of(kind).filter(those.are)
    for (const sighting of some) {
      const value = member(sighting.value, path)
      if (value === undefined && form.isNullable) continue
      if (!form.fits(value, sighting)) return differs(`${path}: ${form.words}`, shown(value), sighting.from)
    }
    return some.length === 0 ? noneOf(world, kind, those) : holds()
  })

/** Looks at one link of every resource of a kind. @param those which of them have it */
export const link = (clause: string, kind: Kind, relation: string, those: Those = all): Check =>
  reading(clause, `the link ${relation} of every ${kind}`, world => {
    const some = world.sightings.of(kind).filter(those.are)
    const without = some.find(it => linkOf(it.value, relation) === undefined)
    if (without) return differs(`a link ${relation}`, 'none', without.from)
    return some.length === 0 ? noneOf(world, kind, those) : holds()
  })

const noneOf = (world: World, kind: Kind, { words }: Those): Outcome =>
  world.sightings.of(kind).length === 0 ? nothingSeen(kind) : untestable(`no ${kind} here ${words}`)
