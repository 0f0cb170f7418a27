import { z } from 'zod'

/** A JSON document, or a part of one. */
export type Json = { readonly [member: string]: unknown }

interface SchemaWriting {
  /** Schemas that become references to components, by the names of the components. */
  readonly components?: ReadonlyMap<z.ZodType, string>
  /** `input` for what is sent, the default; `output` where text is read into values, as in a query. */
  readonly io?: 'input' | 'output'
}

type Mutable = Record<string, unknown>

/**
 * A zod schema as JSON Schema, which OpenAPI 3.1 uses as it is. Members of a schema's metadata change what zod writes:
 * `component` becomes a reference to the component of this name, `wire` replaces the whole schema, `rule` is added.
 */
export function writeJsonSchema(
  schema: z.ZodType,
  { components = new Map(), io = 'input' }: SchemaWriting = {},
): Json {
  const names: ReadonlyMap<object, string> = components
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const written = jsonSchema as Mutable
      const isRoot = (zodSchema as object) === schema
      const { wire, rule, component = isRoot ? undefined : names.get(zodSchema) } = written
      if (component !== undefined) replaceSchema(written, componentReference(component as string))
      else if (wire !== undefined) replaceSchema(written, wire as Json)
      else if (rule !== undefined) {
        delete written.rule
        Object.assign(written, rule)
      }
    },
  })
  return json as Json
}

export const componentReference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

/** The default stays: it belongs to the member, and not to the schema of its value. */
function replaceSchema(written: Mutable, by: Json): void {
  for (const key of Object.keys(written)) if (key !== 'default') delete written[key]
  Object.assign(written, by)
}

/**
 * The same without what no reader needs: the range of safe integers, and an `anyOf` for a simple type or null. An array always
 * says what is in it, as linters and OpenAPI 3.0 want it.
 */
export const writeTidySchema = (schema: z.ZodType, writing?: SchemaWriting): Json =>
  tidySchema(writeJsonSchema(schema, writing)) as Json

function tidySchema(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(tidySchema)
  if (typeof json !== 'object' || json === null) return json
  const { anyOf, ...rest } = json as Mutable
  const or = mergeNull(anyOf)
  const all: Mutable = or ? { ...or, ...rest } : anyOf === undefined ? rest : { anyOf, ...rest }
  if (all.minimum === Number.MIN_SAFE_INTEGER) delete all.minimum
  if (all.maximum === Number.MAX_SAFE_INTEGER) delete all.maximum
  if (all.type === 'array') all.items ??= {}
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, tidySchema(value)]))
}

/** A simple type or null, as one schema. */
function mergeNull(anyOf: unknown): Mutable | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined
  const [value, other] = anyOf as [Mutable, Mutable]
  const isSimple = typeof value.type === 'string' && !('enum' in value) && !('const' in value)
  return other.type === 'null' && isSimple ? { ...value, type: [value.type, 'null'] } : undefined
}

/** The parameters in a path such as `/spaces/{space}`, as OpenAPI describes them. */
export const describePathParameters = (path: string, describe: (name: string) => Json): Json[] =>
  [...path.matchAll(/[{:](\w+)/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    ...describe(name!),
  }))
