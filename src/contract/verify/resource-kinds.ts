import { z } from 'zod'
import { defaultDials } from '../../service/dials.ts'
import { type OperationId, resources, shownBy } from '../../service/operations.ts'
import {
  type AnyForm,
  isCollection,
  type LinkMember,
  type Member,
  type Members,
} from '../../service/resource.ts'

/** What a resource is called in reports. A form of it that has other members has a kind of its own. */
export type ResourceKind = string

const kindOf = ({ kind, name }: AnyForm): ResourceKind =>
  kind ?? name.replaceAll(/(?<=.)[A-Z]/g, ' $&').toLowerCase()
const items = new Set(resources.filter(isCollection).map(({ item }) => item))
const forms = new Map<ResourceKind, AnyForm[]>()
for (const form of resources)
  if (!isCollection(form)) forms.set(kindOf(form), [...(forms.get(kindOf(form)) ?? []), form])

export const resourceKinds: readonly ResourceKind[] = [...forms.keys()]

/** @throws Error for a kind that no definition of a resource has */
function formsOf(kind: ResourceKind): readonly AnyForm[] {
  const found = forms.get(kind)
  if (!found) throw new Error(`no resource is called "${kind}"`)
  return found
}

/** The section of a kind, which its clauses' IDs begin with. */
export const sectionOf = (kind: ResourceKind): string => formsOf(kind)[0]!.section

/** The kind of resource that an operation shows, alone or in a collection. */
export function kindShownBy(id: OperationId): ResourceKind {
  const shown = shownBy(id)!
  return kindOf(isCollection(shown) ? shown.item : shown)
}

/** The relation of the entries of the collection that an operation shows; empty if it shows none. */
export function relationShownBy(id: OperationId): string {
  const shown = shownBy(id)
  return shown && isCollection(shown) ? shown.relation : ''
}

/** Whether only the entries of collections have this link. */
export function isLinkOfItems(kind: ResourceKind, relation: string): boolean {
  const [having, lacking] = [true, false].map(has =>
    formsOf(kind).filter(({ links = {} }) => relation in links === has),
  )
  return lacking!.length > 0 && having!.every(it => items.has(it))
}

export const linksOfKind = (kind: ResourceKind): Readonly<Record<string, LinkMember>> =>
  Object.assign({}, ...formsOf(kind).map(({ links }) => links))

/** The members of a kind in any of its forms, by path, with those inside objects. */
export const membersOfKind = (kind: ResourceKind): ReadonlyMap<string, Member> =>
  new Map(formsOf(kind).flatMap(({ members }) => [...pathsIn(members, '')]))

function* pathsIn(members: Members, before: string): Iterable<[string, Member]> {
  for (const [name, member] of Object.entries(members)) {
    yield [before + name, member]
    yield* pathsIn(member.members ?? {}, `${before}${name}.`)
  }
}

/** Whether the document says that a member may be null. Where we assume it, a further claim of the member says so. */
export const isNullInDocument = ({ schemaFor, further }: Member): boolean =>
  further === undefined && schemaFor(defaultDials) instanceof z.ZodNullable

/** The paths of a kind's members with this schema, null allowed or not. */
export const pathsOfSchema = (kind: ResourceKind, schema: z.ZodType): string[] =>
  [...membersOfKind(kind)].flatMap(([path, member]) =>
    (member.schema instanceof z.ZodNullable ? member.schema.unwrap() : member.schema) === schema
      ? [path]
      : [],
  )

/** Relations of links of a kind of link, in any resource or collection. */
export const relationsTo = (kind: LinkMember['kind']): string[] => [
  ...new Set(
    resourceKinds.flatMap(it =>
      Object.entries(linksOfKind(it)).flatMap(([relation, link]) => (link.kind === kind ? [relation] : [])),
    ),
  ),
]
