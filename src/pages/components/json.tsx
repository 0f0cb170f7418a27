import type { Child } from 'hono/jsx'
import type { Follow } from '../followed.ts'

/** So deep a document is laid out; whoever sends deeper ones gets them as text. */
const deepest = 60

/**
 * A body as a person reads it: JSON laid out, with links that can be followed; anything else as the text that it is.
 * @param props.follow where a text leads; others are shown only, since a client may have sent them
 */
export function Pretty({ text, follow }: { text: string; follow: Follow }) {
  const value = parsed(text)
  return (
    <pre class="json" tabindex={0}>
      <code>{value === undefined ? text : laidOut(value.json, follow, 0)}</code>
    </pre>
  )
}

function parsed(text: string): { json: unknown } | undefined {
  const start = text.trimStart()[0]
  if (start !== '{' && start !== '[') return undefined
  try {
    return { json: JSON.parse(text) }
  } catch {
    return undefined
  }
}

function laidOut(value: unknown, follow: Follow, depth: number): Child {
  if (typeof value === 'string') return <Text value={value} follow={follow} />
  if (typeof value !== 'object' || value === null) return <span class="j-word">{String(value)}</span>
  if (depth > deepest) return JSON.stringify(value)
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
          {laidOut(inner, follow, depth + 1)}
          {at < entries.length - 1 && ','}
        </>
      ))}
      {`\n${'  '.repeat(depth)}${isList ? ']' : '}'}`}
    </>
  )
}

function Text({ value, follow }: { value: string; follow: Follow }) {
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
