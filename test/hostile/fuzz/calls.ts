import fc from 'fast-check'
import { mailingId, synchronizationId } from '../../../src/contract/examples/fixture-ids.ts'
import { ids, type Json } from '../../mock.ts'
import { arbitraryOf, knownText, resolved } from './arbitrary-of-schema.ts'
import { hostileText, hostileValue } from './hostile-values.ts'

/** A parameter of a path: a text, or one that an earlier answer told. */
type Part = { readonly text: string } | { readonly found: number }

/** One request to be made, as generated. */
export interface Call {
  readonly method: string
  /** As the document has it, parameters in braces. */
  readonly template: string
  readonly parts: readonly Part[]
  readonly query: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  /** Statuses that the document has for it. */
  readonly documented: readonly number[]
}

/** The space in which a series of calls is made, from its beginning. */
export const ownSpace = 'demo+fuzz'

const known: Readonly<Record<string, readonly string[]>> = {
  space: [...Array(8).fill(ownSpace), 'demo', 'demo+other', 'nobody'],
  name: ['h', 'reset-after', 'until-told', 'lindenau'],
  language: ['python', 'java'],
  case: ['reset-after', 'pending-then-created'],
  syncId: [1, 2, 3, 6, 7, 9, 10, 11, 12, 13].map(synchronizationId),
  customer: ['lindenau', 'harbour-group'],
  listId: ['2001', '1001'],
}

/** Of an ID, what it may be depends on what stands before it. */
const idsOf: readonly (readonly [before: RegExp, ids: readonly string[]])[] = [
  [/mailings\/\{id\}/, [1, 2, 3, 4].map(mailingId)],
  [/synchronizations\/\{id\}/, [1, 2, 3, 6].map(synchronizationId)],
  [/lists\/\{id\}/, ['2001', '1001']],
  [/requests\/\{id\}/, ['r0-1', 'r0-2', 'r1-1']],
  [/faults\/\{id\}/, ['f1', 'f2']],
  [/mailing-uploads/, ['latest']],
  [/./, [ids.sending.created]],
]

const usual = (name: string, template: string): readonly string[] =>
  known[name] ?? idsOf.find(([before]) => before.test(template))![1]

/** How often a parameter is one that an earlier answer told; one of a space would lead to other spaces. */
const weightOfFound = (name: string) => (name === 'space' ? 0 : name === 'exam' ? 60 : known[name] ? 1 : 6)

function partOf(name: string, template: string): fc.Arbitrary<Part> {
  return fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...usual(name, template)).map(text => ({ text })) },
    { weight: weightOfFound(name), arbitrary: fc.nat(50).map(found => ({ found })) },
    { weight: 1, arbitrary: hostileText.map(text => ({ text })) },
  )
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
const encoded = (text: string) => encodeURIComponent(text.toWellFormed())

function queryOf(parameters: readonly Json[], root: Json): fc.Arbitrary<string> {
  const pairs = parameters.map(({ name, schema }) =>
    fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      {
        weight: 1,
        arbitrary: arbitraryOf(schema ?? true, root).map(value => `${name}=${encoded(asText(value))}`),
      },
    ),
  )
  const odd = fc.oneof(
    { weight: 20, arbitrary: fc.constant('') },
    { weight: 1, arbitrary: fc.tuple(hostileText, hostileText).map(pair => pair.map(encoded).join('=')) },
    { weight: 1, arbitrary: fc.constantFrom('&&', '=', '%', 'pageSize=%', '?', 'a[]=1', '__proto__=1') },
  )
  return fc.tuple(...pairs, odd).map(all => all.filter(Boolean).join('&'))
}

const brokenBody = fc.oneof(
  fc.constantFrom(
    '',
    '{',
    '[]',
    'null',
    '"',
    '{"a":1}}',
    '{"a":1,"a":2}',
    '\ufeff{}',
    '{"__proto__":{"x":1}}',
  ),
  fc.constantFrom(100, 5_000, 100_000).map(levels => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`),
  fc.string({ maxLength: 60 }),
)

/** A sound body with a few of its values replaced, whichever they are: too large to be made up. */
function changed(sound: Json): fc.Arbitrary<string> {
  const change = fc.tuple(fc.array(fc.nat(), { minLength: 1, maxLength: 5 }), hostileValue)
  return fc.array(change, { maxLength: 3 }).map(changes => {
    const body = structuredClone(sound)
    for (const [steps, value] of changes) {
      let at: Json = body
      for (const [depth, step] of steps.entries()) {
        const names = Object.keys(at)
        const name = names[step % Math.max(1, names.length)]
        if (name === undefined) break
        const isLeaf = typeof at[name] !== 'object' || at[name] === null
        if (isLeaf || depth === steps.length - 1) {
          at[name] = value
          break
        }
        at = at[name]
      }
    }
    return JSON.stringify(body)
  })
}

function bodyOf(content: Json | undefined, root: Json, sound?: Json): fc.Arbitrary<string | undefined> {
  if (content && sound)
    return fc.oneof({ weight: 9, arbitrary: changed(sound) }, { weight: 1, arbitrary: brokenBody })
  if (!content)
    return fc.oneof({ weight: 15, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: brokenBody })
  const [{ schema, example, examples }] = Object.values<Json>(content) as [Json]
  const shown = [example, ...Object.values<Json>(examples ?? {}).map(it => it.value)].filter(
    it => it !== undefined,
  )
  return fc.oneof(
    {
      weight: shown.length > 0 ? 6 : 0,
      arbitrary: fc.constantFrom(...shown, {}).map(it => JSON.stringify(it)),
    },
    { weight: 12, arbitrary: arbitraryOf(schema, root).map(value => JSON.stringify(value) ?? '') },
    { weight: 1, arbitrary: brokenBody },
  )
}

/** Headers beside those that every request has. */
const oddHeaders: fc.Arbitrary<Record<string, string>> = fc.oneof(
  { weight: 12, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(
        fc.constantFrom(
          'accept',
          'content-type',
          'authorization',
          'x-mock-scenario',
          'x-mock-token',
          'if-none-match',
          'range',
          'expect',
          'origin',
          'sec-fetch-site',
          'cookie',
          'x-forwarded-host',
          'last-event-id',
          'accept-encoding',
          'te',
          'upgrade',
        ),
        fc.oneof(
          knownText,
          fc.constantFrom(
            'text/html',
            '*/*',
            'application/json',
            '100-continue',
            'bytes=0-',
            'null',
            'cross-site',
          ),
          fc.string({ maxLength: 30 }),
        ),
      )
      .map(([name, value]) => ({ [name]: value.replaceAll(/[^\x20-\x7e]/g, '').trim() })),
  },
  { weight: 2, arbitrary: fc.constant({ accept: 'text/html' }) },
)

/**
 * Every operation of an OpenAPI document, to be made in every way.
 * @param sound bodies to start from, by operationId
 */
export function callsOf(document: Json, sound: Readonly<Record<string, Json>> = {}): fc.Arbitrary<Call>[] {
  const calls: fc.Arbitrary<Call>[] = []
  for (const [template, operations] of Object.entries<Json>(document.paths))
    for (const [method, operation] of Object.entries<Json>(operations)) {
      if (!['get', 'put', 'post', 'delete'].includes(method)) continue
      const given = [...(operations.parameters ?? []), ...(operation.parameters ?? [])].map((it: Json) =>
        it.$ref ? resolved(it.$ref, document) : it,
      )
      const requestBody = operation.requestBody?.$ref
        ? resolved(operation.requestBody.$ref, document)
        : operation.requestBody
      const names = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
      const isControl = template.startsWith('/_mock')
      const type = isControl ? 'application/json' : 'application/hal+json'
      calls.push(
        fc
          .record({
            parts: fc.tuple(...names.map(name => partOf(name, template))),
            query: queryOf(
              given.filter((it: Json) => it.in === 'query'),
              document,
            ),
            body: bodyOf(requestBody?.content, document, sound[operation.operationId]),
            odd: oddHeaders,
            asHead: fc.integer({ min: 0, max: 19 }),
          })
          .map(({ parts, query, body, odd, asHead }) => ({
            method: method === 'get' && asHead === 0 ? 'HEAD' : method.toUpperCase(),
            template,
            parts,
            query,
            headers: { ...(method !== 'get' && { 'content-type': type }), ...odd },
            body: method === 'get' ? undefined : body,
            documented: Object.keys(operation.responses).map(Number),
          })),
      )
    }
  return calls
}

/** The target of a request, its parameters filled in. @param found what earlier answers told */
export function targetOf({ template, parts, query }: Call, found: readonly string[]): string {
  let at = 0
  const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const part = parts[at++]!
    const fitting = name === 'exam' ? found.filter(it => it.startsWith('exam-')) : found
    const text = 'text' in part ? part.text : (fitting[part.found % fitting.length] ?? ids.ready)
    return encoded(text)
  })
  return query === '' ? path : `${path}?${query}`
}
