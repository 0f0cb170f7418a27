import type { Child } from 'hono/jsx'
import type { ResolveLink } from '../service-links.ts'

/** Deeper values are shown as plain JSON text. */
const maxDepth = 60

/**
 * A body for reading: formatted JSON with links; anything else as plain text.
 * @param props.follow resolves a text to a link; other texts get none, because a client may have sent them
 */
export function PrettyBody({ text, follow }: { text: string; follow: ResolveLink }) {
  const value = parseJson(text)
  return (
    <pre class="json" tabindex={0}>
      <code>{value === undefined ? text : renderJson(value.json, follow, 0)}</code>
    </pre>
  )
}

function parseJson(text: string): { json: unknown } | undefined {
  const start = text.trimStart()[0]
  if (start !== '{' && start !== '[') return undefined
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function renderJson(value: unknown, follow: ResolveLink, depth: number): Child {
  if (typeof value === 'string') return <JsonString value={value} follow={follow} />
  if (typeof value !== 'object' || value === null) return <span class="j-word">{String(value)}</span>
  if (depth > maxDepth) return JSON.stringify(value)
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  if (entries.length === 0) return isList ? '[]' : '{}'
  const indent = '  '.repeat(depth + 1)
  return (
    <>
      {isList ? '[' : '{'}
      {entries.map(([key, inner], at) => (
        <>
          {`\n${indent}`}
          {!isList && (
            <>
              <span class="j-key">{JSON.stringify(key)}</span>:{' '}
            </>
          )}
          {renderJson(inner, follow, depth + 1)}
          {at < entries.length - 1 && ','}
        </>
      ))}
      {`\n${'  '.repeat(depth)}${isList ? ']' : '}'}`}
    </>
  )
}

function JsonString({ value, follow }: { value: string; follow: ResolveLink }) {
  const quoted = JSON.stringify(value)
  const href = follow(value)
  if (href === undefined) return <span class="j-text">{quoted}</span>
  return (
    <span class="j-text">
      "
      <a href={href} target="_blank" rel="noopener noreferrer">
        {quoted.slice(1, -1)}
      </a>
      "
    </span>
  )
}
