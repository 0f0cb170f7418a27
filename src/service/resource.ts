import { z } from 'zod'
import { uuidPattern } from '../store/format.ts'
import type { Citations, Cited, Claim, Standing } from './claim.ts'
import { type DialValues, defaultDials } from './dials.ts'
import type { Link, Links } from './links.ts'

const formattedString = (format: string, pattern?: string) =>
  z.string().meta({ wire: { type: 'string', format, ...(pattern !== undefined && { pattern }) } })

export const uuid = formattedString('uuid', uuidPattern.source)
/** IDs of lists, profiles, groups and of the platform. */
export const numericId = z.int().positive()
export const count = z.int().nonnegative()
/** UTC, three fraction digits, `Z` (documented beyond the spec). */
export const dateTime = formattedString('date-time', '\\.\\d{3}Z$')

interface Said {
  /** The claim about its presence and type; its ID is the section and the name. Empty for none. */
  readonly says: string
  readonly standing?: Standing
  /** Claims that say more about it, such as when it is null or missing. */
  readonly further?: readonly Cited[]
}

export interface Member<Schema extends z.ZodType = z.ZodType> extends Said {
  /** The widest form: nullable if a dial makes it so. */
  readonly schema: Schema
  /** The form with these dials. */
  readonly schemaFor: (dials: DialValues) => z.ZodType
  /** Whether it is there with these dials; always if absent. */
  readonly isThere?: (dials: DialValues) => boolean
  /** Members of an object, with claims of their own. */
  readonly members?: Members
}
export type Members = Readonly<Record<string, Member>>

interface MemberOptions<Schema extends z.ZodType> extends Omit<Member, 'says' | 'schema' | 'schemaFor'> {
  /** How dials narrow the schema. */
  readonly byDials?: (schema: Schema, dials: DialValues) => z.ZodType
}

export function member<Schema extends z.ZodType>(
  schema: Schema,
  says: string,
  { byDials, ...others }: MemberOptions<Schema> = {},
): Member<Schema> {
  return { schema, schemaFor: dials => (byDials ? byDials(schema, dials) : schema), says, ...others }
}

type Shape<M extends Members> = { [Name in keyof M]: M[Name]['schema'] }

/** A member that is an object whose members have claims of their own. */
export function group<M extends Members>(members: M, says: string): Member<z.ZodObject<Shape<M>>> {
  const shape = Object.fromEntries(Object.entries(members).map(([name, it]) => [name, it.schema]))
  return {
    schema: z.object(shape as Shape<M>),
    schemaFor: dials => z.object(schemasFor(members, dials)),
    says,
    members,
  }
}

/** The schemas of the members that are there with these dials. */
export const schemasFor = (members: Members, dials: DialValues): Record<string, z.ZodType> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([name, it]) =>
      (it.isThere?.(dials) ?? true) ? [[name, it.schemaFor(dials)]] : [],
    ),
  )

/** The same members, which are there only with some dials. */
export const membersWhen = <M extends Members>(isThere: (dials: DialValues) => boolean, members: M): M =>
  Object.fromEntries(Object.entries(members).map(([name, it]) => [name, { ...it, isThere }])) as M

/** The values of a resource's members, as they are rendered. */
export type Values<M extends Members> = { readonly [Name in keyof M]: z.output<M[Name]['schema']> }

export interface LinkMember<Parts extends readonly unknown[] = never> extends Said {
  /** Where it leads: to the service, to a page for a person, or it is a template. */
  readonly kind: 'link' | 'page' | 'template'
  readonly to: (links: Links, ...parts: Parts) => Link
  /** Whether the resource has it with these dials; always if absent. */
  readonly isThere?: (dials: DialValues, ...parts: Parts) => boolean
  /** Whether it may be missing with these dials. */
  readonly isOptional?: (dials: DialValues) => boolean
  /** Whether the relation is the service's own, written with its prefix. */
  readonly isPrefixed: boolean
}

type LinkOptions<Parts extends readonly unknown[]> = Partial<
  Pick<LinkMember<Parts>, 'further' | 'isOptional' | 'isThere'>
>

/** A link to the resource itself. @param says empty where `2 self` says all */
export const selfLink = <Parts extends readonly unknown[]>(
  to: LinkMember<Parts>['to'],
  says = '',
  kind: LinkMember['kind'] = 'link',
): LinkMember<Parts> => ({ kind, says, isPrefixed: false, to })

/** A link to the service, under a relation of its own. */
export const link = <Parts extends readonly unknown[]>(
  says: string,
  to: LinkMember<Parts>['to'],
  options: LinkOptions<Parts> = {},
): LinkMember<Parts> => ({ kind: 'link', says, isPrefixed: true, to, ...options })

/** A link for a person, to a page in a browser. */
export const pageLink = <Parts extends readonly unknown[]>(
  says: string,
  to: LinkMember<Parts>['to'],
  options: LinkOptions<Parts> = {},
): LinkMember<Parts> => ({ ...link(says, to, options), kind: 'page' })

interface FormDefinition<Parts extends readonly unknown[], M extends Members> {
  /** Of its schema in the OpenAPI document. */
  readonly name: string
  /** Which resource it is a form of, in words; its name in words where not given. */
  readonly kind?: string
  /** The beginning of its claims' IDs: `2.3`, or `2.9 list`. */
  readonly section: string
  readonly members: M
  readonly values: (dials: DialValues, ...parts: Parts) => Values<M>
  /** A resource without links stands in a collection only. */
  readonly links?: Readonly<Record<string, LinkMember<Parts>>>
  /** The claim about `_links` as a whole. */
  readonly linksSay?: string
  /** Whether `_links` has curies: always, or only as in the public examples. */
  readonly hasCuries?: boolean | 'as-in-examples'
  /** Claims besides those of members and links; they come after them in the register. */
  readonly claims?: readonly Claim[]
}

/** What turns rows into JSON. */
export interface Rendered<Parts extends readonly unknown[]> {
  /** The resource as JSON text. @param parts the rows that it is made of, and what else it depends on */
  readonly render: (links: Links, dials: DialValues, ...parts: Parts) => string
}

/** One form of a resource: alone, as an answer to its creation, or as an item of a collection. */
export interface Form<Parts extends readonly unknown[], M extends Members>
  extends FormDefinition<Parts, M>,
    Rendered<Parts> {}

/** A form whose rows do not matter. */
export interface AnyForm extends Omit<Form<never, Members>, 'links' | 'values' | 'render'> {
  readonly links?: Readonly<Record<string, LinkMember>>
}

/** Defines a resource, or another form of it: `resource<[Row]>()({ … })`. What it is made of is given, its members follow. */
export const resource =
  <Parts extends readonly unknown[]>() =>
  <M extends Members>(definition: FormDefinition<Parts, M>): Form<Parts, M> => {
    const { members, values, links: ownLinks, hasCuries } = definition
    const write = membersWriterOf(Object.entries(members))
    const relations = Object.entries(ownLinks ?? {})
    return {
      ...definition,
      render(links, dials, ...parts) {
        const text = write(values(dials, ...parts), dials)
        if (!ownLinks) return `${text}}`
        let rendered = ''
        for (const [name, { to, isThere, isPrefixed }] of relations) {
          if (isThere && !isThere(dials, ...parts)) continue
          const target = to(links, ...parts)
          // Addresses are made of a checked base and of encoded parts, so they need no escapes.
          const object = typeof target === 'string' ? `{"href":"${target}"}` : JSON.stringify(target)
          rendered += `${rendered === '' ? '' : ','}"${isPrefixed ? links.rel(name) : name}":${object}`
        }
        return `${text},"_links":{${rendered}${hasCuries === true || hasCuries === dials.curies ? `,${links.curiesText}` : ''}}}`
      },
    }
  }

/** Texts that need no escapes in JSON. */
const plainText = /^[ !#-[\]-~]*$/

/** A text as JSON. Nearly all texts need no escapes, and the test for that is cheap. */
export const quoteJson = (text: string): string => (plainText.test(text) ? `"${text}"` : JSON.stringify(text))

/** Writes values of a schema as JSON. Texts of a format or an enumeration are not looked at. */
function writerOf(schema: z.ZodType): (value: unknown) => string {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    const write = writerOf(schema.unwrap() as z.ZodType)
    return value => (value === null ? 'null' : write(value))
  }
  if (schema instanceof z.ZodEnum || (schema instanceof z.ZodString && schema.meta()?.['wire'] !== undefined))
    return value => `"${value}"`
  if (schema instanceof z.ZodString) return value => quoteJson(value as string)
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries(schema.shape as Readonly<Record<string, z.ZodType>>)
    const write = membersWriterOf(shape.map(([name, it]) => [name, { schema: it }]))
    return value => `${write(value as Record<string, unknown>) || '{'}}`
  }
  return value => (typeof value === 'number' ? `${value}` : JSON.stringify(value))
}

/** Writes an object as JSON, without the brace at its end. Member by member: JSON.stringify takes 50 % longer. */
function membersWriterOf(members: readonly (readonly [string, Pick<Member, 'schema' | 'isThere'>])[]) {
  const written = members.map(([name, { schema, isThere }]) => ({
    name,
    isThere,
    first: `{"${name}":`,
    next: `,"${name}":`,
    write: writerOf(schema),
  }))
  return (value: Readonly<Record<string, unknown>>, dials = defaultDials): string => {
    let text = ''
    for (const { name, isThere, first, next, write } of written) {
      const member = value[name]
      if (member !== undefined && (isThere === undefined || isThere(dials)))
        text += (text === '' ? first : next) + write(member)
    }
    return text
  }
}

export interface Collection {
  /** Of its schema in the OpenAPI document. */
  readonly name: string
  readonly section: string
  /** The relation of its entries under `_embedded`, without the prefix. */
  readonly relation: string
  readonly item: AnyForm
  /** What is said of the entries. */
  readonly cites: Citations
  /** Optional links besides `self` and `next`, with what is said of them. */
  readonly links?: Readonly<Record<string, Citations>>
}

/**
 * Defines a collection; its name is the plural of its items'.
 * @param cites what is said of the entries: the section's main claim unless given
 */
export const collection = (
  section: string,
  relation: string,
  item: AnyForm,
  { cites = [section], ...more }: Partial<Pick<Collection, 'cites' | 'links'>> = {},
): Collection => ({ name: `${item.name.replace(/Item$/, '')}s`, section, relation, item, cites, ...more })

export const isCollection = (shown: AnyForm | Collection): shown is Collection => 'item' in shown
