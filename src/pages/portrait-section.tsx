import type { Portrait, PortraitRow } from '../judge/portrait/portrait-shape.ts'
import {
  actionWords,
  adviceLines,
  changeLines,
  changesTitle,
  honestyLines,
  type LearnedFrom,
  noiseLines,
  reactionWords,
  tableRows,
} from '../judge/portrait/portrait-text.ts'
import { Chip } from './components/chips.tsx'

function Lines({ lines }: { lines: readonly string[] }) {
  if (lines.length === 0) return null
  return (
    <ul>
      {lines.map(line => (
        <li>{line}</li>
      ))}
    </ul>
  )
}

/**
 * What a client does after each kind of answer: a diagram, and a table beside what the document wants.
 * @param props.hrefOf leads to what the page shows of a run; undefined if it shows nothing of it
 */
export function PortraitSection({
  portrait,
  exam,
  hrefOf,
}: {
  portrait: Portrait
  exam?: LearnedFrom
  hrefOf: HrefOf
}) {
  const changes = changeLines(portrait)
  return (
    <section class="portrait">
      <h2>What the client does</h2>
      {noiseLines(portrait, exam).map(line => (
        <p>
          <strong>{line}</strong>
        </p>
      ))}
      <Lines lines={adviceLines(portrait)} />
      {changes.length > 0 && <p>{changesTitle}</p>}
      <Lines lines={changes} />
      <Diagram {...portrait} />
      <table class="stacked">
        <thead>
          <tr>
            <th>Situation</th>
            <th>It does</th>
            <th>The document wants</th>
            <th>Seen</th>
            <th>Shown by</th>
          </tr>
        </thead>
        <tbody>
          {tableRows(portrait).map(({ place, reaction, document, row, mark }) => (
            <tr>
              <td>{place}</td>
              <td>
                {mark === '≠' && <Chip tone="bad">differs</Chip>}
                {mark === '?' && <Chip tone="calm">?</Chip>} {reaction}
                {mark === '≠' && <small>{row.objection}</small>}
              </td>
              <td data-before="wanted">{document}</td>
              <td data-before="seen">{row.decisions}</td>
              <td data-before="shown by">
                <ShownBy row={row} hrefOf={hrefOf} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      {honestyLines(portrait, exam).map(line => (
        <p class="soft small">{line}</p>
      ))}
      <p class="soft small">{portrait.rule}</p>
    </section>
  )
}

type HrefOf = (run: PortraitRow['shownBy']) => string | undefined

function ShownBy({ row, hrefOf }: { row: PortraitRow; hrefOf: HrefOf }) {
  const { shownBy, reproduce } = row
  const href = hrefOf(shownBy)
  if (href !== undefined) return <a href={href}>{shownBy.name}</a>
  if (reproduce === null) return <>{shownBy.name}</>
  return (
    <details>
      <summary>{shownBy.name}</summary>
      <pre>{reproduce}</pre>
    </details>
  )
}

const box = { width: 170, height: 22, gap: 12 }
const columns = [0, 300, 600] as const
const ends = ['end: sent', 'end: not-sent', 'end: unknown', 'waits for ever'] as const

/** What an edge leads to: the end, or a request of this kind. */
const targetOf = (action: string) =>
  ends.find(it => it === action) ??
  (action.startsWith('reads') ? 'reads' : action.replace(', other body', ''))

/** What happens to one mailing: from a situation, in the middle, back to a request on the left, or to an end on the right. */
function Diagram({ situations }: Portrait) {
  const edges = situations.flatMap(({ name, rows }) =>
    rows.flatMap(row => (row.action === null ? [] : [{ name, row, target: targetOf(row.action) }])),
  )
  const targets = [...new Set(edges.map(({ target }) => target))]
  const right = targets.filter(target => ends.some(it => it === target))
  const left = targets.filter(it => !right.includes(it))
  const height = situations.length * (box.height + box.gap)
  const placed = (names: readonly string[], column: 0 | 1 | 2) =>
    names.map((name, at) => {
      const middle = ((at + 0.5) * height) / names.length
      return { name, x: columns[column], y: middle - box.height / 2, middle }
    })
  const names = situations.map(({ name }) => name)
  const froms = placed(names, 1)
  const tos = [...placed(left, 0), ...placed(right, 2)]
  return (
    <section class="scroll" tabindex={0} aria-label="Diagram">
      <svg
        viewBox={`-4 -4 ${columns[2] + box.width + 8} ${height + 8}`}
        width="100%"
        role="img"
        aria-label="What happens to one mailing: from each situation to a request, on the left, or to an end, on the right"
        class="states"
      >
        {edges.map(({ name, row, target }) => {
          const from = froms.find(it => it.name === name)!
          const to = tos.find(it => it.name === target)!
          const isBack = to.x < from.x
          const [x, toX] = isBack ? [from.x, to.x + box.width] : [from.x + box.width, to.x]
          const half = (x + toX) / 2
          return (
            <path
              d={`M${x} ${from.middle}C${half} ${from.middle} ${half} ${to.middle} ${toX} ${to.middle}`}
              class={row.objection === null ? 'edge' : 'edge differs'}
            >
              <title>{`${name}: ${reactionWords(row)}${row.objection === null ? '' : `; ${row.objection}`}`}</title>
            </path>
          )
        })}
        {[...froms, ...tos].map(({ name, x, y }) => (
          <>
            <rect x={x} y={y} width={box.width} height={box.height} rx="4" />
            <text x={x + box.width / 2} y={y + box.height * 0.68} text-anchor="middle">
              {name === 'reads' ? 'reads' : actionWords(name)}
            </text>
          </>
        ))}
      </svg>
    </section>
  )
}
