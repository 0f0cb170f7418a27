import type { Json } from './deployment.ts'
import { isClause, told } from './points.ts'

/** Which clauses tell of the member at a path such as `target.listId`: the first is the one that it rests on. */
export type ClausesOf = (path: string) => readonly string[]

/** A JSON Schema in which every member says what it is and how sure we are of it. */
export function withMembersTold(json: Json, clausesOf: ClausesOf, path = ''): Json {
  const inside = (value: unknown) => withMembersTold(value as Json, clausesOf, path)
  return {
    ...json,
    ...(json.properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(json.properties as Json).map(([name, member]) => {
          const at = path === '' ? name : `${path}.${name}`
          const [first, ...further] = clausesOf(at)
          if (first === undefined) throw new Error(`no clause of the register tells of ${at}`)
          return [name, { ...withMembersTold(member as Json, clausesOf, at), ...told(first, further) }]
        }),
      ),
    }),
    ...(json.items !== undefined && { items: inside(json.items) }),
    ...(Array.isArray(json.anyOf) && { anyOf: json.anyOf.map(inside) }),
  }
}

/** What is the same in all resources, by the name of the member, a relation without its prefix. */
const everywhere: Readonly<Record<string, readonly string[]>> = {
  _links: ['2 hal'],
  _embedded: ['2 hal', 'S empty collection'],
  self: ['2 self', 'S links'],
  href: ['2 addresses'],
  templated: ['2.6 _links'],
  name: ['2 relation prefix'],
  curies: ['2 curies', 'S curies', 'S no curies'],
  next: ['S pagination next', 'S cursor'],
  'upcoming-modifications': ['S incremental sync', 'S incremental sync pages', 'S incremental sync token'],
  statistics: ['S sendings collection'],
  sendings: ['4.3 shape', 'S sendings collection'],
  'mailing-synchronizations': ['S list synchronizations'],
  'test-profiles': ['4.8'],
  'test-mail-groups': ['4.9'],
  mailings: ['4.12'],
  'accessible-customers': ['4.14'],
  lists: ['4.15'],
}

const rates = ['S statistics rates']
const whileThere = ['S preview links']

/** What other clauses say about a member whose own clause does not say it all. */
const further: Readonly<Record<string, readonly string[]>> = {
  '2.1 id': ['2.1 single'],
  '2.2 mailing-preview-draft': whileThere,
  '2.2 mailing-preview-approved': whileThere,
  '2.3 state': ['3 PENDING', '3 CREATED', '3 FAILED', '3 INDETERMINATE_FAILURE', '3 transitions'],
  '2.3 target': ['S target of unsent'],
  '2.3 target.mailingId': ['S target of unsent'],
  '2.3 target.sendingId': ['S target of unsent'],
  '2.5 responseStatistics.ctor': rates,
  '2.5 responseStatistics.openingRate': rates,
  '2.5 responseStatistics.uniqueClickRate': rates,
  '2.5 responseStatistics.unsubscribeRate': rates,
  '2.5 sendingStatistics.startDate': ['S statistics before start'],
  '2.5 sendingStatistics.endDate': ['S statistics before start'],
  '2.10 permittedLists': ['2.10 order', 'S ignored permittedLists'],
  '2.10 creationDate': ['S configuration before PUT'],
  '2.10 modificationDate': ['S configuration before PUT'],
}

/** Clauses of a resource's members. @param section what its own clauses begin with */
export const ofResource =
  (section: string): ClausesOf =>
  path => {
    const bare = path.slice(path.lastIndexOf('.') + 1).replace(/^.*:/, '')
    const isLink = path.startsWith('_links.')
    const own = [`${section} ${path}`, ...(isLink ? [`${section} ${bare}`] : [])].find(isClause)
    if (own !== undefined) return [own, ...(further[own] ?? [])]
    return everywhere[bare] ?? []
  }
