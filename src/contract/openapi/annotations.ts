import { type Cited, idOf } from '../../service/claim.ts'
import {
  type AnyForm,
  type Collection,
  isCollection,
  type Member,
  type Members,
} from '../../service/resource.ts'
import { type Clause, clauses } from '../clauses.ts'
import type { Json } from './json-schema.ts'

const clausesById = new Map(clauses.map(clause => [clause.id, clause]))

/** @throws Error for an unknown ID: a mistake in our code */
export function findClause(id: string): Clause {
  const found = clausesById.get(id)
  if (!found) throw new Error(`"${id}" is no clause of the fidelity register`)
  return found
}

/** The clause of a point, its standing, and the dials that change it. @param others clauses of special cases */
export function point(main: Cited, others: readonly Cited[] = []): Json {
  const id = idOf(main)
  const further = others.map(idOf)
  const dials = [id, ...further].map(it => findClause(it).dial).filter(dial => dial !== undefined)
  return {
    'x-clause': id,
    'x-fidelity': findClause(id).standing,
    ...(further.length > 0 && {
      'x-further': Object.fromEntries(further.map(it => [it, findClause(it).standing])),
    }),
    ...(dials.length > 0 && { 'x-dial': [...new Set(dials)] }),
  }
}

export const describePoint = (main: Cited, further: readonly Cited[] = []): Json => ({
  description: [main, ...further].map(it => findClause(idOf(it)).says).join(' '),
  ...point(main, further),
})

/** The clauses of the member at a path such as `target.listId`. The first one is the main clause. */
export type ClausesOf = (path: string) => readonly Cited[]

/** Adds the text and standing of its clauses to every member of a JSON Schema. */
export function describeMembers(json: Json, clausesOf: ClausesOf, path = ''): Json {
  const inside = (value: unknown) => describeMembers(value as Json, clausesOf, path)
  return {
    ...json,
    ...(json.properties !== undefined && {
      properties: Object.fromEntries(
        Object.entries(json.properties as Json).map(([name, member]) => {
          const at = path === '' ? name : `${path}.${name}`
          const [first, ...further] = clausesOf(at)
          if (first === undefined) throw new Error(`no clause of the register for ${at}`)
          return [
            name,
            { ...describeMembers(member as Json, clausesOf, at), ...describePoint(first, further) },
          ]
        }),
      ),
    }),
    ...(json.items !== undefined && { items: inside(json.items) }),
    ...(Array.isArray(json.anyOf) && { anyOf: json.anyOf.map(inside) }),
  }
}

export const clausesOfLink: ClausesOf = path =>
  ({ href: ['2 addresses'], templated: ['2.6 _links'], name: ['2 relation prefix'] })[path] ?? []

/** Clauses of links that are the same in all resources. */
const clausesOfLinks: Readonly<Record<string, readonly string[]>> = {
  self: ['2 self', 'S links'],
  curies: ['2 curies', 'S curies', 'S no curies'],
  next: ['S pagination next', 'S cursor'],
}

/** Clauses of the members and links of a resource or a collection. */
export const clausesOfMembers =
  (shown: AnyForm | Collection): ClausesOf =>
  path => {
    if (path === '_embedded') return ['2 hal', 'S empty collection']
    // Relations have a prefix, `self`, `next` and `curies` have none.
    const [, parent, relation] = /^(_links|_embedded)\.(?:.*:)?([^:]+)$/.exec(path) ?? []
    if (isCollection(shown)) {
      if (relation === undefined) return ['2 hal']
      return (
        (parent === '_embedded' ? shown.cites : shown.links?.[relation]) ?? clausesOfLinks[relation] ?? []
      )
    }
    const { section, members, links, linksSay } = shown
    if (path === '_links') return linksSay === undefined ? ['2 hal'] : [`${section} _links`]
    const said = relation === undefined ? memberAt(members, path) : links?.[relation]
    const further = said?.further ?? []
    if (said?.says) return [`${section} ${relation ?? path}`, ...further]
    return [...((relation && clausesOfLinks[relation]) || []), ...further]
  }

/** The member at a path such as `target.listId`. */
function memberAt(members: Members, path: string): Member | undefined {
  const [name = '', ...inside] = path.split('.')
  const found = members[name]
  return inside.length === 0 ? found : memberAt(found?.members ?? {}, inside.join('.'))
}
