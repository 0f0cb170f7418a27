import type { SpaceRig } from '../../rig/space-rig.ts'
import { problems } from '../../service/problem.ts'
import type { List, Mailing, TestProfile } from '../../store/rows.ts'

/** Who a preview is made for: a test profile of a list that the mailing goes to (spec 4.7 and 4.8). */
export interface Reader {
  readonly list: List
  readonly profile: TestProfile
}

/** So many synchronizations of a mailing are looked through for lists. */
const mostSynchronizations = 200

/** The lists that a mailing goes to, by its synchronizations, each once. */
export function listsOf({ space }: SpaceRig, { id }: Mailing): readonly List[] {
  const { synchronizations, synchronizationsOfMailing, lists } = space.data.tables
  const found = new Set<List>()
  const count = Math.min(synchronizationsOfMailing.count(id), mostSynchronizations)
  for (let n = 0; n < count; n++)
    found.add(lists.get(synchronizations.at(synchronizationsOfMailing.nth(id, n)!).listId)!)
  return [...found]
}

/** How an address names a reader: profiles have IDs within their list. */
const nameOf = ({ list, profile }: Reader) => `${list.id}-${profile.id}`

export const readerForm = /^\d{1,16}-\d{1,16}$/

const readersOf = (list: List): Reader[] => list.testProfiles.map(profile => ({ list, profile }))

/**
 * The reader that an address names; undefined where it names none.
 * @throws Problem 404
 */
export function readerOf(rig: SpaceRig, mailing: Mailing, name: string | undefined): Reader | undefined {
  if (name === undefined) return undefined
  const found = listsOf(rig, mailing)
    .flatMap(readersOf)
    .find(reader => nameOf(reader) === name)
  if (found) return found
  throw problems.notFound(`test profile ${name} of a list that mailing ${mailing.id} goes to`)
}

/** An address with the reader named in it, if there is one. */
export function forReader(
  href: string,
  reader: Reader | undefined,
  more: Record<string, string> = {},
): string {
  const query = new URLSearchParams({ ...(reader && { for: nameOf(reader) }), ...more })
  return query.size === 0 ? href : `${href}?${query}`
}

/** Chooses the test profile that previews are made for. They change at once; without scripts, by its button. */
export function ReaderChoice(props: {
  rig: SpaceRig
  mailing: Mailing
  reader: Reader | undefined
  href: string
}) {
  const { rig, mailing, reader, href } = props
  const lists = listsOf(rig, mailing).filter(({ testProfiles }) => testProfiles.length > 0)
  if (lists.length === 0)
    return (
      <p class="soft">
        No list that this mailing goes to has a test profile: placeholders show their own text.
      </p>
    )
  const chosen = reader && nameOf(reader)
  return (
    <form
      method="get"
      action={href}
      class="row"
      hx-get={href}
      hx-trigger="change"
      hx-target="#versions"
      hx-select="#versions"
      hx-swap="outerMorph"
      hx-push-url="true"
    >
      <label for="reader">Preview for</label>
      <select id="reader" name="for" autocomplete="off">
        <option value="">nobody known</option>
        {lists.map(list => (
          <optgroup label={list.name}>
            {readersOf(list).map(it => (
              <option value={nameOf(it)} selected={nameOf(it) === chosen}>
                {it.profile.description}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <noscript>
        <button type="submit">Show</button>
      </noscript>
    </form>
  )
}
