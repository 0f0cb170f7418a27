import { z } from 'zod'
import { withDials } from '../../service/dials.ts'
import { resourceSchemas } from '../openapi/resource-schemas.ts'
import { type Check, reading } from './check.ts'
import { describeValue, type Exchange, isObject, linkOf, memberAt, withoutPrefix } from './exchange.ts'
import { differs, type Outcome, passed, untestable } from './outcome.ts'
import type { ObservedResource, ResourceKind, TargetReader } from './target-reader.ts'

export const nothingSeen = (what: string): Outcome => untestable(`there is no ${what} here`)

/** The expected form of a value, in words and as a test. */
export interface ValueForm {
  readonly words: string
  readonly fits: (value: unknown, of: ObservedResource) => boolean
  /** Whether null is allowed. `S null` reports a missing member. */
  readonly isNullable?: boolean
}

export const aString: ValueForm = { words: 'a string', fits: it => typeof it === 'string' }
export const aNumber: ValueForm = { words: 'a number', fits: it => typeof it === 'number' }
export const aCount: ValueForm = {
  words: 'a number that is not negative',
  fits: it => typeof it === 'number' && it >= 0,
}
export const aBoolean: ValueForm = { words: 'true or false', fits: it => typeof it === 'boolean' }
/** `2 date-time` and `S date-time out` check the zone and the format. */
export const aDateTime: ValueForm = {
  words: 'a date-time',
  fits: it => typeof it === 'string' && /^\d{4}-\d\d-\d\dT/.test(it) && !Number.isNaN(Date.parse(it)),
}
export const orNull = ({ words, fits }: ValueForm): ValueForm => ({
  words: `${words} or null`,
  fits: (it, of) => it === null || fits(it, of),
  isNullable: true,
})
export const oneOf = (...values: readonly string[]): ValueForm => ({
  words: values.join(', '),
  fits: it => typeof it === 'string' && values.includes(it),
})

/** A condition for the resources to look at. */
export interface Condition {
  /** For the sentence if no resource meets it, such as `is CREATED`. */
  readonly words: string
  readonly are: (sighting: ObservedResource) => boolean
}

const everyResource: Condition = { words: 'is there', are: () => true }

/** Resources that have an object of this name. */
export const having = (name: string): Condition => ({
  words: `has an object ${name}`,
  are: it => isObject(memberAt(it.value, name)),
})

/** Checks one field of every resource of a kind. @param those the condition for having it */
export const fieldCheck = (
  clause: string,
  kind: ResourceKind,
  path: string,
  form: ValueForm,
  those: Condition = everyResource,
): Check =>
  reading(clause, `${path} of every ${kind}`, reader => {
    const some = reader.observed.of(kind).filter(those.are)
    for (const sighting of some) {
      const value = memberAt(sighting.value, path)
      if (value === undefined && form.isNullable) continue
      if (!form.fits(value, sighting))
        return differs(`${path}: ${form.words}`, describeValue(value), sighting.from)
    }
    return some.length === 0 ? noneOf(reader, kind, those) : passed()
  })

/** Checks one link of every resource of a kind. @param those the condition for having it */
export const linkCheck = (
  clause: string,
  kind: ResourceKind,
  relation: string,
  those: Condition = everyResource,
): Check =>
  reading(clause, `the link ${relation} of every ${kind}`, reader => {
    const some = reader.observed.of(kind).filter(those.are)
    const without = some.find(it => linkOf(it.value, relation) === undefined)
    if (without) return differs(`a link ${relation}`, 'none', without.from)
    return some.length === 0 ? noneOf(reader, kind, those) : passed()
  })

const noneOf = (reader: TargetReader, kind: ResourceKind, { words }: Condition): Outcome =>
  reader.observed.of(kind).length === 0 ? nothingSeen(kind) : untestable(`no ${kind} here ${words}`)

const dateTimeFields: readonly (readonly [ResourceKind, readonly string[]])[] = [
  ['mailing item', ['creationDate', 'modificationDate']],
  [
    'synchronization',
    ['creationDate', 'modificationDate', 'mailingUploadsModificationDate', 'sendingsModificationDate'],
  ],
  ['sending', ['creationDate', 'scheduleDate']],
  ['mailing-upload', ['creationDate', 'modificationDate']],
  ['statistics', ['sendingStatistics.startDate', 'sendingStatistics.endDate']],
  ['configuration', ['creationDate', 'modificationDate']],
]

/** All date-times that were seen. Values that are none are reported by their own clauses. */
export const observedDateTimes = (reader: TargetReader): { name: string; value: string; from: Exchange }[] =>
  dateTimeFields.flatMap(([kind, names]) =>
    reader.observed.of(kind).flatMap(sighting =>
      names.flatMap(name => {
        const value = memberAt(sighting.value, name)
        return aDateTime.fits(value, sighting) ? [{ name, value: String(value), from: sighting.from }] : []
      }),
    ),
  )

export const hasZone = (text: string): boolean =>
  /T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(text)

/** A member without documentation. */
export interface UndocumentedMember {
  readonly kind: ResourceKind
  readonly path: string
  readonly from: Exchange
}

/** The documented forms of each kind: alone and listed, and with members that dials add. */
const schemasOf: Record<ResourceKind, readonly string[]> = {
  'mailing item': ['MailingItem'],
  mailing: ['MailingItem', 'Mailing'],
  synchronization: ['MailingSynchronization'],
  sending: ['CreatedSending', 'SendingItem'],
  'mailing-upload': ['MailingUpload'],
  statistics: ['SendingStatistics'],
  preview: ['Preview'],
  'test profile': ['TestProfile'],
  'test-mail group': ['TestMailGroup'],
  customer: ['AccessibleCustomer'],
  list: ['List'],
  configuration: ['AccessibleListsConfiguration'],
}

/** Members of all resources that were seen which the OpenAPI document does not describe. */
export function undocumentedMembers(reader: TargetReader): UndocumentedMember[] {
  const names = { relationPrefix: 'svc', platformSegment: 'mailing-platform' }
  const { shown } = resourceSchemas({ names, dials: withDials({ 'links-to-nothing': 'present' }) })
  const described = new Map([...shown].map(([{ name }, schema]) => [name, schema]))
  return (Object.keys(schemasOf) as ResourceKind[]).flatMap(kind => {
    const known = new Set(schemasOf[kind].flatMap(name => [...schemaPaths(described.get(name))]))
    return reader.observed
      .of(kind)
      .flatMap(({ value, from }) =>
        [...memberPaths(value)].filter(path => !isKnown(path, known)).map(path => ({ kind, path, from })),
      )
  })
}

/** Curies have clauses of their own. */
const isKnown = (path: string, known: ReadonlySet<string>): boolean =>
  known.has(path) || path.startsWith('_links.curies') || /^_links\.[^.]+\.templated$/.test(path)

/** Paths of all members of an object; relations without their prefix, arrays without their contents. */
function* memberPaths(value: unknown, before = ''): Iterable<string> {
  if (!isObject(value)) return
  for (const [name, inside] of Object.entries(value)) {
    const path = `${before}${before === '_links.' ? withoutPrefix(name) : name}`
    yield path
    yield* memberPaths(inside, `${path}.`)
  }
}

function* schemaPaths(schema: unknown, before = ''): Iterable<string> {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable)
    yield* schemaPaths(schema.unwrap(), before)
  if (!(schema instanceof z.ZodObject)) return
  for (const [name, inside] of Object.entries(schema.shape)) {
    const path = `${before}${before === '_links.' ? withoutPrefix(name) : name}`
    yield path
    yield* schemaPaths(inside, `${path}.`)
  }
}
