import { z } from 'zod'
import { defaultDials } from '../../service/dials.ts'
import { resources } from '../../service/operations.ts'
import {
  type AnyForm,
  isCollection,
  type LinkMember,
  type Member,
  type Members,
} from '../../service/resource.ts'

/**
 * The resources of section 2 with the names of their forms. An item of a collection is a kind of its own if it has other
 * members than the resource alone.
 */
const formNames = {
  'mailing item': ['MailingItem'],
  mailing: ['Mailing'],
  synchronization: ['MailingSynchronization', 'MailingSynchronizationItem'],
  sending: ['CreatedSending', 'Sending', 'SendingItem'],
  'mailing-upload': ['MailingUpload'],
  statistics: ['SendingStatistics'],
  preview: ['Preview'],
  'test profile': ['TestProfile'],
  'test-mail group': ['TestMailGroup'],
  customer: ['AccessibleCustomer'],
  list: ['List'],
  configuration: ['AccessibleListsConfiguration'],
} satisfies Record<string, readonly string[]>

export type ResourceKind = keyof typeof formNames
export const resourceKinds = Object.keys(formNames) as ResourceKind[]

const forms = new Map(
  resourceKinds.map(kind => {
    const names: readonly string[] = formNames[kind]
    return [kind, resources.filter((it): it is AnyForm => !isCollection(it) && names.includes(it.name))]
  }),
)
const formsOf = (kind: ResourceKind): readonly AnyForm[] => forms.get(kind)!

/** The section of a kind, which its clauses' IDs begin with. */
export const sectionOf = (kind: ResourceKind): string => formsOf(kind)[0]!.section

/** The relation of a kind's entries in their collection; empty if there is none. */
export function relationOf(kind: ResourceKind): string {
  const forms = formsOf(kind)
  return resources.filter(isCollection).find(({ item }) => forms.includes(item))?.relation ?? ''
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
