import { type Check, reading } from '../check.ts'
import { linkOf, member, shown } from '../hal.ts'
import { differs, holds, type Outcome, untestable } from '../outcome.ts'
import type { Kind, Sighting } from '../sightings.ts'

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

/** Looks at one field of every resource of a kind. @param of which of them have it */
export const field = (
  clause: string,
  kind: Kind,
  path: string,
  form: Form,
  of: (sighting: Sighting) => boolean = () => true,
): Check =>
  reading(clause, `${path} of every ${kind}`, world => {
    const all = world.sightings.of(kind).filter(of)
    for (const sighting of all) {
      const value = member(sighting.value, path)
      if (value === undefined && form.isNullable) continue
      if (!form.fits(value, sighting)) return differs(`${path}: ${form.words}`, shown(value), sighting.from)
    }
    return all.length === 0 ? nothingSeen(kind) : holds()
  })

/** Looks at one link of every resource of a kind. @param of which of them have it */
export const link = (
  clause: string,
  kind: Kind,
  relation: string,
  of: (sighting: Sighting) => boolean = () => true,
): Check =>
  reading(clause, `the link ${relation} of every ${kind}`, world => {
    const all = world.sightings.of(kind).filter(of)
    const without = all.find(it => linkOf(it.value, relation) === undefined)
    if (without) return differs(`a link ${relation}`, 'none', without.from)
    return all.length === 0 ? nothingSeen(`${kind} that has it`) : holds()
  })
