import { defaultDials } from '../service/dials.ts'
import { answersOf } from '../service/operation.ts'
import { type OperationId, operationIds, operations } from '../service/operations.ts'
import { problems } from '../service/problem.ts'
import { isCollection } from '../service/resource.ts'
import { getOrMake } from '../store/maps.ts'
import { page } from './page.ts'

/** What no definition says in a sentence of its own. */
const meanings: Readonly<Record<string, string>> = {
  statistics: 'The statistics of the sending.',
  'upcoming-modifications':
    'Leads to everything that is modified from now on. On the last page of an incremental synchronization.',
}

/** The link relations of the service that have a prefix: their meaning, and the operations whose answers have them. */
export const relations = collectRelations()

function collectRelations() {
  const all = new Map<string, { readonly says: Set<string>; readonly shownBy: Set<OperationId> }>()
  const add = (relation: string, meaning: string | undefined, id: OperationId): void => {
    const { says, shownBy } = getOrMake(all, relation, () => ({ says: new Set(), shownBy: new Set() }))
    if (meaning) says.add(meaning)
    shownBy.add(id)
  }
  for (const id of operationIds)
    for (const { shows } of answersOf(operations[id], defaultDials)) {
      if (!shows) continue
      const { links = {} } = isCollection(shows) ? shows.item : shows
      for (const [relation, { isPrefixed, says }] of Object.entries(links))
        if (isPrefixed) add(relation, says || meanings[relation], id)
      if (!isCollection(shows)) continue
      add(shows.relation, 'The entries of the collection, under _embedded.', id)
      for (const relation of Object.keys(shows.links ?? {})) add(relation, meanings[relation], id)
    }
  return all as ReadonlyMap<
    string,
    { readonly says: ReadonlySet<string>; readonly shownBy: ReadonlySet<OperationId> }
  >
}

/** The target of `curies`: the meaning of a link relation. */
export default page({
  show(call) {
    const { rel } = call.params
    const found = relations.get(rel)
    if (!found) throw problems.notFound(`link relation ${rel}; there are ${[...relations.keys()].join(', ')}`)
    return {
      title: `Relation ${rel}`,
      content: (
        <div class="narrow">
          <h1>
            <code>
              {call.tools.names.relationPrefix}:{rel}
            </code>
          </h1>
          {[...found.says].map(sentence => (
            <p>{sentence}</p>
          ))}
          <h2>In the responses to</h2>
          <ul>
            {[...found.shownBy].map(id => (
              <li>
                {call.hasCalls ? (
                  <a href={call.at(`/docs/${id}`)}>{operations[id].summary}</a>
                ) : (
                  operations[id].summary
                )}
              </li>
            ))}
          </ul>
        </div>
      ),
    }
  },
})
