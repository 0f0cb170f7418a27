import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { Marked } from 'marked'
import type { Api, Part, Schema } from './api-document.ts'
import { Chip } from './components/chips.tsx'

/** The type of a value in a few words: `text, date-time`, `list of Rule`, `"asc" or "desc"`. */
export function describeType(api: Api, schema: Schema, within: readonly string[] = []): string {
  const { $ref } = schema
  const name = schemaName(schema)
  if (name !== undefined) return name
  // A recursive schema without a name is any JSON value.
  if ($ref !== undefined && within.includes($ref)) return 'any'
  const inner = (it: Schema) => describeType(api, it, $ref === undefined ? within : [...within, $ref])
  const { type, format, items, anyOf, oneOf, additionalProperties, enum: values } = api.resolved(schema)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values) return values.map(value => JSON.stringify(value)).join(' or ')
  const choices = anyOf ?? oneOf
  if (choices) return [...new Set(choices.map(inner))].join(' or ')
  if (items) return `list of ${inner(items)}`
  const words = [type ?? (additionalProperties ? 'object' : 'any')].flat().map(it => typeNames[it] ?? it)
  return words.join(' or ') + (format === undefined ? '' : `, ${format}`)
}

const typeNames: Record<string, string> = { string: 'text', array: 'list', boolean: 'true or false' }

/** The name of a schema that the document defines separately. */
const schemaName = ({ $ref }: Schema): string | undefined =>
  $ref === undefined ? undefined : /^#\/components\/schemas\/(\w+)$/.exec($ref)?.[1]

/** The type of a value and its restrictions, each in a few words. */
export function describeValue(api: Api, schema: Schema): string {
  const { exclusiveMinimum, pattern, format, default: usual, ...limits } = api.resolved(schema)
  return [
    describeType(api, schema),
    between(limits.minimum, limits.maximum, ''),
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    between(limits.minLength, limits.maxLength, ' characters'),
    between(limits.minItems, limits.maxItems, ' of them'),
    // Longer patterns do not help a reader; neither do patterns of a named format.
    pattern !== undefined && format === undefined && pattern.length <= 48 && `matches ${pattern}`,
    usual !== undefined && `${JSON.stringify(usual)} unless given`,
  ]
    .filter(words => words !== false)
    .join(', ')
}

/** Limits of JSON numbers are not worth showing. */
const isBound = (bound: number | undefined) =>
  bound !== undefined && Math.abs(bound) !== Number.MAX_SAFE_INTEGER

function between(least: number | undefined, most: number | undefined, unit: string): string | false {
  if (isBound(least) && isBound(most)) return `${least} to ${most}${unit}`
  if (isBound(least)) return `at least ${least}${unit}`
  return isBound(most) && `at most ${most}${unit}`
}

/** HTML in our documents is meant as text. */
const marked = new Marked({ renderer: { html: ({ text }) => escapeHtml(text) } })
const escapeHtml = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

/** Renders the Markdown of our documents. A long list is folded. */
export const Markdown = ({ text = '' }: { text: string | undefined }) =>
  raw(
    marked
      .parse(text, { async: false })
      .replaceAll(/<ul>(?:(?!<\/ul>).){600,}<\/ul>/gs, '<details><summary>Clauses</summary>$&</details>'),
  )

/** How certain a statement is, unless it is specified, and which dials change it. */
export function StandingNote({ of }: { of: Part }) {
  const { 'x-fidelity': fidelity, 'x-dial': dials = [] } = of
  const words = [fidelity !== 'specified' && fidelity, ...dials.map(name => `dial ${name}`)].filter(Boolean)
  return words.length === 0 ? null : <span class="soft small">{words.join(' · ')}</span>
}

/** Maximum depth of nested members; the document has the rest. */
const maxDepth = 6

interface Place {
  readonly api: Api
  /** References of the enclosing schemas, to stop at recursive ones. */
  readonly within?: readonly string[]
  readonly depth?: number
}

type Shown = ReturnType<typeof Described> | null

/** The members of an object or of a list's items; null for plain values. */
export function Members({ api, schema, within = [], depth = 0 }: Place & { schema: Schema }): Shown {
  const { $ref } = schema
  if (depth > maxDepth || ($ref !== undefined && within.includes($ref))) return null
  const inner = { api, within: $ref === undefined ? within : [...within, $ref], depth }
  const { properties, required = [], additionalProperties, items, ...rest } = api.resolved(schema)
  // Called directly, because the caller needs to know whether there are members.
  if (items) return Members({ ...inner, schema: items })
  const choices: readonly Schema[] | undefined = rest.anyOf ?? rest.oneOf
  if (choices) {
    // Of several alternatives show those with members.
    const shown = choices.map(choice => Members({ ...inner, schema: choice })).filter(it => it !== null)
    return shown.length === 0 ? null : <>{shown}</>
  }
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const members = Object.entries(properties ?? {})
  if (members.length === 0 && !others) return null
  return (
    <ul class="plain members">
      {members.map(([key, member]) => (
        <Member {...inner} name={key} schema={member} isRequired={required.includes(key)} />
      ))}
      {others && <Member {...inner} name="any name" schema={others} isRequired={false} />}
    </ul>
  )
}

function Member(props: Required<Place> & { name: string; schema: Schema; isRequired: boolean }) {
  const { api, name, schema, isRequired } = props
  const members = Members({ ...props, depth: props.depth + 1 })
  return (
    <Described
      name={name}
      type={describeValue(api, schema)}
      isRequired={isRequired}
      of={api.resolved(schema)}
    >
      {members && (
        <details>
          <summary>
            Members of <code>{name}</code>
          </summary>
          {members}
        </details>
      )}
    </Described>
  )
}

/** A name with its type, its certainty and a description. */
export function Described(props: {
  name: string
  type: string
  isRequired?: boolean
  of: Part
  children?: Child
}) {
  const { name, type, isRequired = false, of, children } = props
  return (
    <li>
      <div class="member">
        <code>{name}</code> <span class="soft">{type}</span> {isRequired && <Chip tone="calm">required</Chip>}{' '}
        <StandingNote of={of} />
      </div>
      <Markdown text={of.description} />
      {children}
    </li>
  )
}
