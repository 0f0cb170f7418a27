import { type Entry, reading } from '../check.ts'
import { isSuccess } from '../exchange.ts'
import { hrefOf, isObject, member, shown, text } from '../hal.ts'
import { differs, holds, type Outcome } from '../outcome.ts'
import type { Kind, Sighting } from '../sightings.ts'
import type { World } from '../world.ts'
import { nothingSeen } from './fields.ts'
import { misled } from './self-links.ts'

/** Section 2, self links. */
export const self: readonly Entry[] = [
  reading('2 self', 'self links of all answers and of entries', selfLinks),
]

/**
 * Compares the self link of each answer with the address that was asked, and follows those of some entries of collections.
 * Where a kind has to have one is told by the clause of that kind; a single mailing has none such.
 */
async function selfLinks(world: World): Promise<Outcome> {
  const [lost] = await misled(world)
  if (lost)
    return differs(
      `a self link that leads back to ${lost.back}`,
      `${lost.href}${lost.there ? `: ${lost.there.status}` : ''}`,
      lost.from,
      lost.there,
    )
  const isWithout = ({ value }: Sighting) => isObject(value) && hrefOf(value, 'self') === undefined
  const without = world.sightings.of('mailing').find(isWithout)
  // Where the listed ones have none either, 2.1 _links tells.
  if (without && !world.sightings.of('mailing item').some(isWithout))
    return differs('a self link', 'none', without.from)
  let followed = 0
  const chosen: readonly string[] = await world.chosen().catch(() => [])
  const isChosen = (kind: Kind, value: unknown) =>
    kind !== 'synchronization' || chosen.includes(text(value, 'id') ?? '')
  for (const kind of [
    'mailing item',
    'mailing',
    'synchronization',
    'sending',
    'mailing-upload',
    'customer',
  ] as const) {
    const name = kind === 'customer' ? 'name' : 'id'
    const some = world.sightings
      .of(kind)
      .filter(
        it =>
          isChosen(kind, it.value) &&
          hrefOf(it.value, 'self') !== undefined &&
          text(it.value, name) !== undefined,
      )
    for (const { value, from } of some.slice(0, 3)) {
      const href = hrefOf(value, 'self')!
      const answer = await world.get(href)
      followed++
      if (!isSuccess(answer))
        return differs('a self link that resolves', `${href}: ${answer.status}`, from, answer)
      const there = member(answer.json, name)
      const here = member(value, name)
      // An ID in another form is told by its own clause.
      if ((typeof there === 'string' || there === undefined) && there !== here)
        return differs(`a self link that leads to ${here}`, `${href} leads to ${shown(there)}`, from, answer)
    }
  }
  const isSeen = world.sightings.documents.some(it => hrefOf(it.json, 'self') !== undefined)
  return isSeen || followed > 0 ? holds() : nothingSeen('self link')
}
