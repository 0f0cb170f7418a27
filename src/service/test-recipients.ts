import type { List } from '../store/rows.ts'
import type { Answer } from './answer.ts'
import type { ServiceContext } from './call.ts'
import { collection, hal } from './hal.ts'
import type { Input } from './operations.ts'
import { chronological, page, pageLinks, position } from './paging.ts'
import { synchronizationOf, tied } from './synchronizations.ts'

/** Spec 4.8: the profiles of the target list. */
export function listTestProfiles(c: ServiceContext, input: Input<'listTestProfiles'>): Answer {
  return listOwned(c, 'test-profiles', input.query, list =>
    list.testProfiles.map(({ id, description }) => ({ id, description })),
  )
}

/** Spec 4.9: the groups of the target list. */
export function listTestMailGroups(c: ServiceContext, input: Input<'listTestMailGroups'>): Answer {
  return listOwned(c, 'test-mail-groups', input.query, list => list.testMailGroups)
}

function listOwned(
  c: ServiceContext,
  name: string,
  query: Input<'listTestProfiles'>['query'],
  ownedBy: (list: List) => readonly object[],
): Answer {
  const { space, links } = c.env
  const [synchronization, , list] = tied(space.data.tables, synchronizationOf(c))
  const owner = `${name} of ${synchronization.id}`
  const owned = ownedBy(list)
  const { rows, next } = page(
    c,
    owner,
    position(c, owner, query),
    chronological(c, owned.length, n => owned[n]!),
  )
  return hal(
    collection(
      links,
      name,
      rows.map(row => Buffer.from(JSON.stringify(row))),
      pageLinks(c, next),
    ),
  )
}
