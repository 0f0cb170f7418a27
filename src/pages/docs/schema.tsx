import type { Child } from 'hono/jsx'
import { Chip } from '../components/chips.tsx'
import type { Api, Point, Schema } from './document.ts'
import { limitsOf, typeWords } from './types.ts'
import { Standing, Words } from './words.tsx'

/** So deep members of members are shown; the document itself has the rest. */
const deepest = 6

interface Place {
  readonly api: Api
  /** References to the schemas that this stands in: one that holds itself is not shown again. */
  readonly within?: readonly string[]
  readonly depth?: number
}

type Shown = ReturnType<typeof Described> | null

/** The members of an object, or of what a list holds; nothing for plain values. */
export function Members({ api, schema, within = [], depth = 0 }: Place & { schema: Schema }): Shown {
  const { $ref } = schema
  if (depth > deepest || ($ref !== undefined && within.includes($ref))) return null
  const inner = { api, within: $ref === undefined ? within : [...within, $ref], depth }
  const { properties, required = [], additionalProperties, items, ...rest } = api.resolved(schema)
  // Called, not rendered: whether there are any has to be known.
  if (items) return Members({ ...inner, schema: items })
  const choices = rest.anyOf ?? rest.oneOf
  if (choices) {
    // Of several forms those that have members, each under a line of its own.
    const shown = choices.map(choice => Members({ ...inner, schema: choice })).filter(it => it !== null)
    return shown.length === 0 ? null : <>{shown}</>
  }
  const others = typeof additionalProperties === 'object' ? additionalProperties : undefined
  const members = Object.entries(properties ?? {})
  if (members.length === 0 && !others) return null
  return (
    <ul class="members">
      {members.map(([key, member]) => (
        <Member name={key} schema={member} isRequired={required.includes(key)} place={inner} />
      ))}
      {others && <Member name="any name" schema={others} isRequired={false} place={inner} />}
    </ul>
  )
}

function Member(props: { name: string; schema: Schema; isRequired: boolean; place: Place }) {
  const { name, schema, isRequired, place } = props
  const { api, within, depth = 0 } = place
  const resolved = api.resolved(schema)
  const words = typeWords(api, schema)
  const limits = limitsOf(resolved)
  const members = Members({ api, schema, ...(within && { within }), depth: depth + 1 })
  return (
    <Described name={name} type={[words, ...limits].join(', ')} isRequired={isRequired} of={resolved}>
      <Words text={resolved.description} />
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

/** A name with what its value is, how sure that is, and words about it. */
export function Described(props: {
  name: string
  type: string
  isRequired: boolean
  of: Point
  children?: Child
}) {
  const { name, type, isRequired, of, children } = props
  return (
    <li>
      <div class="member">
        <code>{name}</code> <span class="soft">{type}</span> {isRequired && <Chip tone="calm">required</Chip>}{' '}
        <Standing of={of} />
      </div>
      {children}
    </li>
  )
}
