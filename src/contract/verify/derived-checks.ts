import { z } from 'zod'
import { defaultDials } from '../../service/dials.ts'
import { type AnyForm, count, dateTime, isCollection, type Members } from '../../service/resource.ts'
import { resources } from '../../service/resources.ts'
import { clauses } from '../clauses.ts'
import type { ClauseEntry } from './check.ts'
import { isObject } from './exchange.ts'
import {
  aBoolean,
  aCount,
  aDateTime,
  aNumber,
  aString,
  fieldCheck,
  having,
  linkCheck,
  oneOf,
  orNull,
  type ValueForm,
} from './field-checks.ts'
import type { ResourceKind } from './target-reader.ts'

/**
 * The check of each clause of a section, in the order of the register: from the type of the member, or that the link is
 * there, unless the section has a check of its own.
 * @param kind the resources that are checked
 * @param own checks of the section in place of the derived ones
 */
export function resourceChecks(
  section: string,
  kind: ResourceKind,
  own: readonly ClauseEntry[] = [],
): ClauseEntry[] {
  const forms = resources.filter(it => !isCollection(it) && it.section === section) as readonly AnyForm[]
  const members: Members = Object.assign({}, ...forms.map(form => form.members))
  const names = clauses.flatMap(({ id }) =>
    id.startsWith(`${section} `) ? [id.slice(section.length + 1)] : [],
  )
  return names
    .filter(name => !name.includes(' '))
    .map(name => {
      const clause = `${section} ${name}`
      const [parent = '', inside] = name.split('.')
      const schema = (inside === undefined ? members : members[parent]?.members)?.[inside ?? parent]?.schema
      const written = own.find(it => it.clause === clause)
      if (written) return written
      if (!schema) return linkCheck(clause, kind, name === '_links' ? 'self' : name)
      const form = formOf(schema)
      return inside === undefined
        ? fieldCheck(clause, kind, name, form)
        : fieldCheck(clause, kind, name, form, having(parent))
    })
}

/** Members of a section's resources that may be null. */
export const nullableMembers = (section: string): string[] =>
  resources.flatMap(it =>
    isCollection(it) || it.section !== section
      ? []
      : Object.entries(it.members).flatMap(([name, { schemaFor }]) =>
          schemaFor(defaultDials) instanceof z.ZodNullable ? [name] : [],
        ),
  )

/** @throws Error for a type that needs a check of its own: a mistake in our code */
function formOf(schema: z.ZodType): ValueForm {
  if (schema instanceof z.ZodNullable) return orNull(formOf(schema.unwrap() as z.ZodType))
  if (schema === dateTime) return aDateTime
  if (schema === count) return aCount
  if (schema instanceof z.ZodString) return aString
  if (schema instanceof z.ZodNumber) return aNumber
  if (schema instanceof z.ZodBoolean) return aBoolean
  if (schema instanceof z.ZodEnum) return oneOf(...schema.options.map(String))
  if (schema instanceof z.ZodObject) return { words: 'an object', fits: isObject }
  throw new Error(`no check follows from ${schema.constructor.name}`)
}
