import fc from 'fast-check'
import { ids } from '../../../src/contract/examples/fixture-ids.ts'
import type { Json } from '../../mock.ts'
import { hostileText, hostileValue } from './hostile-values.ts'

/** Texts that stand for something in this mock. */
const knownTexts = [
  'demo',
  'demo-viewer',
  'harbour-group',
  'lindenau',
  '5m',
  '1h30m',
  'PT5M',
  '0ms',
  '1ms',
  '3650d',
  '2026-11-01T10:00:00Z',
  '2035-05-17T11:30:00+02:00',
  '9999-12-31T23:59:59Z',
  '1969-12-31T23:59:59Z',
  'reset-after',
  'hang-before',
  'pending-then-created',
  'mock:reset-after:x',
  'createSending',
  '*',
  'h',
  'r0-1',
  'f1',
  ids.ready,
  ids.mailing.ready,
  'a@example.org',
  'CREATED',
  'true',
  '1',
  '100',
]

export const knownText: fc.Arbitrary<string> = fc.constantFrom(...knownTexts)

/** How deep references are followed. */
const deepest = 6

/**
 * Values as a JSON Schema of an OpenAPI document has them, with something in them now and then that it does not have.
 * @param root the document, where references lead
 */
export function arbitraryOf(schema: Json, root: Json): fc.Arbitrary<unknown> {
  const made = new Map<string, fc.Arbitrary<unknown>>()

  function mostly(sound: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
    return fc.oneof({ weight: 60, arbitrary: sound }, { weight: 1, arbitrary: hostileValue })
  }

  function of(it: Json, depth: number): fc.Arbitrary<unknown> {
    if (depth > deepest || it === true || it === undefined) return hostileValue
    if (it.$ref) {
      const key = `${it.$ref} ${depth}`
      if (!made.has(key)) made.set(key, of(resolved(it.$ref, root), depth + 1))
      return made.get(key)!
    }
    if ('const' in it) return mostly(fc.constant(it.const))
    if (it.enum) return mostly(fc.constantFrom(...it.enum))
    const choices = it.anyOf ?? it.oneOf
    if (choices) return fc.oneof(...choices.map((one: Json) => of(one, depth)))
    switch (Array.isArray(it.type) ? it.type[0] : it.type) {
      case 'object':
        return mostly(objectOf(it, depth))
      case 'array':
        return mostly(fc.array(of(it.items ?? true, depth + 1), { maxLength: 3 }))
      case 'integer':
      case 'number':
        return mostly(numberOf(it))
      case 'boolean':
        return mostly(fc.boolean())
      case 'null':
        return fc.constant(null)
      case 'string':
        return fc.oneof({ weight: 20, arbitrary: textOf(it) }, { weight: 1, arbitrary: hostileText })
      default:
        return hostileValue
    }
  }

  function objectOf(it: Json, depth: number): fc.Arbitrary<unknown> {
    const members = Object.entries<Json>(it.properties ?? {})
    const parts = members.map(([name, one]) => {
      const isWanted = it.required?.includes(name)
      const given = of(one, depth + 1).map(value => [[name, value]] as [string, unknown][])
      const left = fc.constant<[string, unknown][]>([])
      return fc.oneof(
        { weight: isWanted ? 20 : 1, arbitrary: given },
        { weight: isWanted ? 1 : 2, arbitrary: left },
      )
    })
    const more = fc.oneof(
      { weight: 30, arbitrary: fc.constant<[string, unknown][]>([]) },
      {
        weight: typeof it.additionalProperties === 'object' ? 30 : 1,
        arbitrary: fc
          .tuple(fc.oneof(knownText, hostileText), of(objectSchema(it.additionalProperties), depth + 1))
          .map(pair => [pair]),
      },
    )
    return fc.tuple(...parts, more).map(groups => Object.fromEntries(groups.flat()))
  }

  return of(schema, 0)
}

const objectSchema = (schema: Json): Json => (typeof schema === 'object' ? schema : true)

function numberOf({ type, minimum = -10, maximum = 1_000 }: Json): fc.Arbitrary<number> {
  const low = Math.max(minimum, -1e6)
  const high = Math.max(low, Math.min(maximum, 1e6))
  return type === 'integer'
    ? fc.integer({ min: Math.ceil(low), max: Math.floor(high) })
    : fc.double({ min: low, max: high, noNaN: true })
}

function textOf({ pattern, maxLength = 40 }: Json): fc.Arbitrary<string> {
  const free = fc.oneof(knownText, fc.string({ maxLength: Math.min(maxLength, 40) }))
  if (pattern === undefined) return free
  try {
    return fc.oneof(fc.stringMatching(new RegExp(pattern, 'u')), free)
  } catch {
    // Patterns that look ahead cannot be turned round.
    return free
  }
}

export function resolved(reference: string, root: Json): Json {
  return reference
    .slice(2)
    .split('/')
    .reduce((at, name) => at[name.replaceAll('~1', '/').replaceAll('~0', '~')], root)
}
