import type { Child } from 'hono/jsx'
import type { Point } from './document.ts'

/** So many points of a list stand open; more of them are there when asked for. */
const fewPoints = 4

/** What a document says in the Markdown of ours: paragraphs, lists, `code` and *emphasis*. */
export function Words({ text }: { text: string | undefined }) {
  if (text === undefined) return null
  return (
    <>
      {text.split(/\n{2,}/).map(block => {
        const lines = block.split('\n')
        if (!lines.every(line => line.startsWith('- '))) return <p>{inline(block)}</p>
        return <Points points={lines.map(line => line.slice(2))} />
      })}
    </>
  )
}

function Points({ points }: { points: readonly string[] }) {
  const list = (
    <ul>
      {points.map(point => (
        <li>{inline(point)}</li>
      ))}
    </ul>
  )
  if (points.length <= fewPoints) return list
  return (
    <details class="points">
      <summary>{points.length} points</summary>
      {list}
    </details>
  )
}

const inline = (text: string): Child[] =>
  text.split(/(`[^`]+`|\*[\w ]+\*)/).map(part => {
    if (part.startsWith('`')) return <code>{part.slice(1, -1)}</code>
    return /^\*.+\*$/.test(part) ? <em>{part.slice(1, -1)}</em> : part
  })

/** How sure we are of a point, unless it is as sure as can be, and which dials turn it. */
export function Standing({ of }: { of: Point }) {
  const { 'x-fidelity': fidelity, 'x-dial': dials = [] } = of
  const words = [
    ...(fidelity === undefined || fidelity === 'specified' ? [] : [fidelity]),
    ...dials.map(name => `dial ${name}`),
  ]
  return words.length === 0 ? null : <span class="standing">{words.join(' · ')}</span>
}
