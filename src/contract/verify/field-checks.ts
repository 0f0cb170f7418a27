import { z } from 'zod'
import { count, dateTime } from '../../service/resource.ts'
import { clauses } from '../clauses.ts'
import { type Check, type ClauseEntry, follows, reading } from './check.ts'
import { CannotCheck, holds, must, need, type Outcome, type Some, sameAs, untestable } from './outcome.ts'
import {
  isLinkOfItems,
  isNullInDocument,
  linksOfKind,
  membersOfKind,
  pathsOfSchema,
  type ResourceKind,
  resourceKinds,
  sectionOf,
} from './resource-kinds.ts'
import type { ObservedResource, TargetReader } from './target-reader.ts'
import { describeValue, isObject, linkOf, memberAt, withoutPrefix } from './unknown-json.ts'

/** The expected form of a value, in words and as a test. */
export interface ValueForm {
  readonly words: string
  /** Default: the words without their article, and an s. */
  readonly plural?: string
  readonly fits: (value: unknown, of: ObservedResource) => boolean
  /** Whether `S null` reports a missing member. */
  readonly mayBeMissing?: boolean
}

export const aString: ValueForm = { words: 'a string', fits: it => typeof it === 'string' }
export const aNumber: ValueForm = { words: 'a number', fits: it => typeof it === 'number' }
export const aCount: ValueForm = {
  words: 'a whole number that is not negative',
  fits: it => count.safeParse(it).success,
}
export const aBoolean: ValueForm = { words: 'true or false', fits: it => typeof it === 'boolean' }
/** `2 date-time` and `S date-time out` check the zone and the format. */
export const aDateTime: ValueForm = {
  words: 'a date-time',
  fits: it => typeof it === 'string' && /^\d{4}-\d\d-\d\dT/.test(it) && !Number.isNaN(Date.parse(it)),
}
/** A date-time that is not before another one. Some show fewer digits of one of them. */
export const notBefore = (path: string): ValueForm => ({
  words: `a date-time that is not before ${path}`,
  fits: (it, of) => {
    const [date, earlier] = [it, memberAt(of.value, path)].map(String)
    const isComparable = hasZone(date!) && hasZone(earlier!)
    return aDateTime.fits(it, of) && !(isComparable && Date.parse(date!) + 1_000 <= Date.parse(earlier!))
  },
})
const orAbsent = ({ words, fits }: ValueForm): ValueForm => ({
  words: `${words}, or none`,
  fits: (it, seen) => it === undefined || fits(it, seen),
})
export const orNull = ({ words, fits }: ValueForm): ValueForm => ({
  words: `${words} or null`,
  fits: (it, of) => it === null || fits(it, of),
})
const oneOf = (...values: readonly string[]): ValueForm => ({
  words: values.join(', '),
  fits: it => typeof it === 'string' && values.includes(it),
})

const anEmailAddress: ValueForm = {
  words: 'an e-mail address',
  plural: 'e-mail addresses',
  fits: it => typeof it === 'string' && /^[^@\s]+@[^@\s]+$/.test(it),
}
const arrayOf = ({ words, plural = `${words.replace(/^an? /, '')}s`, fits }: ValueForm): ValueForm => ({
  words: `an array of ${plural}`,
  fits: (it, of) => Array.isArray(it) && it.every(one => fits(one, of)),
})

export interface Condition {
  /** For the sentence if no resource meets it, such as `is CREATED`. */
  readonly words: string
  readonly are: (sighting: ObservedResource) => boolean
}

const entries: Condition = { words: 'is in a collection', are: ({ isItem }) => isItem }
const everyResource: Condition = { words: 'is there', are: () => true }

/** Resources that have an object of this name. */
export const having = (name: string): Condition => ({
  words: `has an object ${name}`,
  are: it => isObject(memberAt(it.value, name)),
})

/** Checks one field of every resource of a kind. @param those the condition for having it */
export const fieldCheck = (
  kind: ResourceKind,
  path: string,
  form: ValueForm,
  those: Condition = everyResource,
  clause = `${sectionOf(kind)} ${path}`,
): Check =>
  reading(clause, `${path} of every ${kind}`, reader => mustFit(someMeeting(those, kind, reader), path, form))

/** Checks one link of every resource of a kind. @param those the condition for having it */
export const linkCheck = (
  clause: string,
  kind: ResourceKind,
  relation: string,
  those: Condition = everyResource,
): Check =>
  reading(clause, `the link ${relation} of every ${kind}`, reader =>
    mustHaveLink(someMeeting(those, kind, reader), relation),
  )

/** @throws CannotCheck if no resource of the kind meets the condition */
const someMeeting = ({ words, are }: Condition, kind: ResourceKind, { observed }: TargetReader) =>
  need.some(observed.some(kind).filter(are), `no ${kind} here ${words}`)

/** @throws CannotCheck for the first resource whose member has another form, or if none has a member that may be missing */
export function mustFit(all: Some<ObservedResource>, path: string, form: ValueForm): Outcome {
  const values = all.map(it => memberAt(it.value, path))
  for (const [at, value] of values.entries()) {
    const isRight = (value === undefined && form.mayBeMissing) || form.fits(value, all[at]!)
    must.be(isRight, `${path}: ${form.words}`, describeValue(value), all[at]!.from)
  }
  if (values.some(it => it !== undefined)) return holds
  throw new CannotCheck(form.mayBeMissing ? sameAs('S null') : untestable(`nothing here has ${path}`))
}

/** @throws CannotCheck for the first resource without the link */
export function mustHaveLink(
  all: Some<ObservedResource>,
  relation: string,
  expected = `a link ${relation}`,
): Outcome {
  for (const { value, from } of all) must.be(linkOf(value, relation) !== undefined, expected, 'none', from)
  return holds
}

/** All date-times that were seen. Values that are none are reported by their own clauses. */
export const observedDateTimes = (reader: TargetReader) =>
  resourceKinds.flatMap(kind => {
    const names = pathsOfSchema(kind, dateTime)
    return reader.observed.of(kind).flatMap(sighting =>
      names.flatMap(name => {
        const value = memberAt(sighting.value, name)
        return aDateTime.fits(value, sighting) ? [{ name, value: String(value), from: sighting.from }] : []
      }),
    )
  })

export const hasZone = (text: string): boolean =>
  /T\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d(?::?\d\d)?)$/.test(text)

/** Members of all resources that were seen which no definition has. */
export const undocumentedMembers = (reader: TargetReader) =>
  resourceKinds.flatMap(kind => {
    const links = Object.keys(linksOfKind(kind)).flatMap(it => [`_links.${it}`, `_links.${it}.href`])
    const known = new Set([...membersOfKind(kind).keys(), ...(links.length > 0 ? ['_links'] : []), ...links])
    return reader.observed
      .of(kind)
      .flatMap(({ value, from }) =>
        [...memberPaths(value)].filter(path => !isKnown(path, known)).map(path => ({ kind, path, from })),
      )
  })

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

/**
 * The check of each clause of a kind's section, in the order of the register: from the schema of the member, or that the
 * link is there, unless the section has a check of its own.
 * @param own checks of the section in place of the derived ones
 */
export function resourceChecks(kind: ResourceKind, own: readonly ClauseEntry[] = []): ClauseEntry[] {
  const section = sectionOf(kind)
  const members = membersOfKind(kind)
  const ids = clauses.map(({ id }) => id).filter(id => id.startsWith(`${section} `))
  const names = ids.map(id => id.slice(section.length + 1))
  return names
    .filter(name => !name.includes(' '))
    .map(name => {
      const clause = `${section} ${name}`
      const member = members.get(name)
      const written = own.find(it => it.clause === clause)
      if (written) return written
      if (member) {
        const parent = name.includes('.') ? [having(name.slice(0, name.lastIndexOf('.')))] : []
        const form = { ...formOf(member.schema), mayBeMissing: isNullInDocument(member) }
        return fieldCheck(kind, name, form, ...parent)
      }
      if (name !== '_links')
        return linkCheck(clause, kind, name, isLinkOfItems(kind, name) ? entries : everyResource)
      if (!names.includes('self')) return linkCheck(clause, kind, 'self')
      return follows(clause, ...Object.keys(linksOfKind(kind)).map(it => `${section} ${it}`))
    })
}

/** @throws Error for a type that needs a check of its own: a mistake in our code */
function formOf(schema: z.ZodType): ValueForm {
  // Whether it may be missing is checked where its dial is.
  if (schema instanceof z.ZodOptional) return orAbsent(formOf(schema.unwrap() as z.ZodType))
  if (schema instanceof z.ZodNullable) return orNull(formOf(schema.unwrap() as z.ZodType))
  if (schema === dateTime) return aDateTime
  if (schema === count) return aCount
  if (schema instanceof z.ZodString) return aString
  if (schema instanceof z.ZodNumber) return aNumber
  if (schema instanceof z.ZodBoolean) return aBoolean
  if (schema instanceof z.ZodArray) return arrayOf(formOf(schema.element as z.ZodType))
  if (schema instanceof z.ZodEmail) return anEmailAddress
  if (schema instanceof z.ZodEnum) return oneOf(...schema.options.map(String))
  if (schema instanceof z.ZodObject) return { words: 'an object', fits: isObject }
  throw new Error(`no check of a member follows from ${schema.constructor.name}; formOf must know it`)
}
