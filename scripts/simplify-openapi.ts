import type { Json } from '../src/contract/openapi/json-schema.ts'

/**
 * The same document in the shapes that generators of clients take, which read less than OpenAPI 3.0 allows. Where a shape is
 * given up, the document takes more than before, never less, and a description says what it no longer can.
 */
export function simplifyShapes(document: Json): Json {
  const { components } = document as { readonly components: { readonly schemas: Schemas } }
  const unions = new Map<string, Json>()
  const simplify = (part: unknown, isNamed = false): unknown => {
    if (Array.isArray(part)) return part.map(it => simplify(it))
    if (typeof part !== 'object' || part === null) return part
    const schema = simplifySchema(part as Json, components.schemas)
    const union = isNamed ? undefined : nameUnion(schema)
    if (union) {
      unions.set(union, schema)
      return { $ref: `${schemasPointer}${union}` }
    }
    return Object.fromEntries(
      Object.entries(schema).map(([name, value]) => [name, isNoSchema(name) ? value : simplify(value)]),
    )
  }
  const schemas = Object.entries(components.schemas).map(([name, schema]) => [name, simplify(schema, true)])
  const others = simplify({ ...document, components: { ...components, schemas: {} } }) as Json
  return {
    ...others,
    components: {
      ...(others.components as Json),
      schemas: { ...Object.fromEntries(schemas), ...Object.fromEntries(unions) },
    },
  }
}

type Schemas = Readonly<Record<string, Json>>

const schemasPointer = '#/components/schemas/'

/** Extensions too: generators do not read them. */
const isNoSchema = (name: string): boolean =>
  name === 'example' || name === 'examples' || name === 'enum' || name.startsWith('x-')

function simplifySchema(part: Json, schemas: Schemas): Json {
  const { pattern, ...withoutPattern } = part
  // Clients compare the pattern with the time that they made of the text.
  if (part.format === 'date-time' && pattern !== undefined) return withoutPattern
  if (Array.isArray(part.enum)) return simplifyEnum(part, part.enum)
  const [only, ...more] = Array.isArray(part.allOf) ? (part.allOf as Json[]) : []
  const name = String(only?.$ref ?? '').replace(schemasPointer, '')
  // A client makes a class of allOf, which is no list. Beside a reference alone nothing counts.
  if (more.length === 0 && schemas[name]?.type === 'array') return { $ref: only!.$ref }
  return withoutConditions(part)
}

/** Generators know the type of a choice only if it is written, and have no place for null and Booleans among the choices. */
function simplifyEnum(part: Json, choices: readonly unknown[]): Json {
  const { enum: _, ...rest } = part
  const [type] = choices.filter(it => it !== null).map(it => (typeof it === 'number' ? 'integer' : typeof it))
  if (type !== 'boolean' && !choices.includes(null)) return { type, ...part }
  const values = choices.filter(it => it !== null).join(', ')
  return describe({ type, ...rest }, choices.length === 1 ? `Always ${values}.` : `One of ${values}.`)
}

/** Without alternatives that only say which members must be there. */
function withoutConditions(part: Json): Json {
  const { anyOf, oneOf, ...rest } = part
  const alternatives = (anyOf ?? oneOf) as readonly Json[] | undefined
  if (part.type !== 'object' || !Array.isArray(alternatives)) return part
  const names = alternatives.flatMap(it => it.required as string[]).join(', ')
  return describe(rest, `${oneOf ? 'Exactly' : 'At least'} one of these is given: ${names}.`)
}

const describe = (part: Json, sentence: string): Json => ({
  ...part,
  description: [part.description, sentence].filter(Boolean).join(' '),
})

/** A name for a choice between components: without one, each generator refers to a class that it does not make. */
function nameUnion({ anyOf, oneOf }: Json): string | undefined {
  const alternatives = (anyOf ?? oneOf) as readonly Json[] | undefined
  if (!Array.isArray(alternatives)) return undefined
  const names = alternatives.map(({ $ref }) => {
    if (typeof $ref === 'string') return $ref.replace(schemasPointer, '')
    throw new Error('a choice between schemas without names has no form that generators take')
  })
  const stems = names.map(name => name.replace(/Problem$/, ''))
  return stems.every((stem, at) => stem !== names[at]) ? `${stems.join('Or')}Problem` : names.join('Or')
}
