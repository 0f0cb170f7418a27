import { z } from 'zod'
import type { Json } from './deployment.ts'

type Mutable = Record<string, unknown>

/**
 * A zod schema as JSON Schema, in the words of a client: `wire` in a schema's metadata stands for the whole of it, `rule`
 * adds what zod's own writing leaves out. What is in `components` is referred to.
 * @param io `input` for what is sent; `output` where text is read into values, as in a query
 */
export function jsonSchema(
  schema: z.ZodType,
  components: ReadonlyMap<z.ZodType, string> = new Map(),
  io: 'input' | 'output' = 'input',
): Json {
  const names: ReadonlyMap<object, string> = components
  const { $schema: _, ...json } = z.toJSONSchema(schema, {
    io,
    reused: 'inline',
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      const written = jsonSchema as Mutable
      const name = isSame(zodSchema, schema) ? undefined : names.get(zodSchema)
      const { wire, rule } = written
      if (name !== undefined) replace(written, { $ref: `#/components/schemas/${name}` })
      else if (wire !== undefined) replace(written, wire as Json)
      else if (rule !== undefined) {
        delete written.rule
        Object.assign(written, rule)
      }
    },
  })
  return tidied(json) as Json
}

// zod has two types for one thing.
const isSame = (a: object, b: object): boolean => a === b

function replace(written: Mutable, by: Json): void {
  for (const key of Object.keys(written)) if (key !== 'default') delete written[key]
  Object.assign(written, by)
}

/** Without what says nothing to a reader: the range of safe integers, the pattern beside a format. */
function tidied(json: unknown): unknown {
  if (Array.isArray(json)) return json.map(tidied)
  if (typeof json !== 'object' || json === null) return json
  const { anyOf, ...rest } = json as Mutable
  const or = nullable(anyOf)
  const all: Mutable = or ? { ...or, ...rest } : anyOf === undefined ? rest : { anyOf, ...rest }
  if (all.minimum === Number.MIN_SAFE_INTEGER) delete all.minimum
  if (all.maximum === Number.MAX_SAFE_INTEGER) delete all.maximum
  return Object.fromEntries(Object.entries(all).map(([key, value]) => [key, tidied(value)]))
}

/** Something simple or null, in one. */
function nullable(anyOf: unknown): Mutable | undefined {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return undefined
  const [value, other] = anyOf as [Mutable, Mutable]
  const isSimple = typeof value.type === 'string' && !('enum' in value) && !('const' in value)
  return other.type === 'null' && isSimple ? { ...value, type: [value.type, 'null'] } : undefined
}
