import { raw } from 'hono/html'
import type { Exploration } from '../judge/exam/exam-result.ts'
import { forTerminal } from '../judge/exam/report-text.ts'
import { modes, planWords, troubles } from '../judge/explore/plans.ts'
import { readStyles } from './assets.ts'

/* What the reports on an exam and on a run share. Each is a single HTML file. */

/** The same value with control characters escaped in all texts: they could change the direction of what follows. */
export const withoutControls = <Value,>(value: Value): Value =>
  JSON.parse(JSON.stringify(value), (_, it) => (typeof it === 'string' ? forTerminal(it) : it))

const reportStyle = `
main { margin: 0 auto; max-width: 84rem }
p, .findings { max-width: 54rem }
.counts { font-size: 1.15rem; font-weight: 600 }
.meter { display: flex; gap: 2px; height: .6rem; margin: .6rem 0 }
.meter span { background: var(--tone); border-radius: 2px }
.outcome .differs { color: var(--bad); font-weight: 600 }
.case { background: var(--surface); border: 1px solid var(--line); border-left: 4px solid var(--tone); border-radius: var(--radius);
  margin: .4rem 0; padding: .1rem .9rem }
.case > summary { align-items: baseline; display: flex; flex-wrap: wrap; gap: .2rem .6rem; list-style: none; padding: .4rem 0 }
.case > summary::-webkit-details-marker { display: none }
.mark { color: var(--tone); font-weight: 700; width: 1em }
.name { flex: 1 1 auto; font-weight: 600; min-width: 0; overflow-wrap: anywhere }
.findings li { border-left: 3px solid var(--tone, var(--line)); margin: .5rem 0; padding-left: .7rem }
.summary small, .summary em { display: block }
.coverage text { fill: currentColor; font-size: 8px }
.output pre { max-height: 24rem }
.track-bar.disturbed { --tone: var(--warn); fill-opacity: .75; stroke: var(--tone); stroke-dasharray: 3 2 }
.track-bar { --tone: var(--accent) }
.track-bar.other { fill: none; stroke: var(--tone) }
.track-mark { --tone: var(--good) } .track-mark.orphan { --tone: var(--odd) }
.timeline { margin: .7rem 0 }
.gap td { text-align: center }
.key svg { margin-right: .35rem; overflow: visible } .key .track-mark { transform: rotate(45deg) }
@media screen and (max-width: 46rem) {
  .badges { display: flex; flex-basis: 100%; flex-wrap: wrap; gap: .2rem; order: 1; padding-left: 1.6rem }
  .badges .chip { white-space: normal }
}
@media screen { .coverage.deep { min-width: 60rem } }
@media print {
  :root { color-scheme: light }
  html { font-size: 11px }
  .case { break-inside: avoid }
  .case, .meter span, .chip { print-color-adjust: exact; -webkit-print-color-adjust: exact }
  details::details-content { content-visibility: visible; display: block }
  .output pre { max-height: none }
}
`

export function ReportHead({ isPassed, of }: { isPassed: boolean; of: string }) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="referrer" content="no-referrer" />
      <meta
        http-equiv="Content-Security-Policy"
        content={raw("default-src 'none'; style-src 'unsafe-inline'")}
      />
      <title>{`${isPassed ? 'Passed' : 'Not passed'}: ${of}`}</title>
      <style>{raw(readStyles('base', 'components', 'timeline', 'portrait') + reportStyle)}</style>
    </head>
  )
}

const letterLooks = {
  p: { colour: 'var(--good)', words: 'nothing found' },
  w: { colour: 'var(--warn)', words: 'a warning' },
  f: { colour: 'var(--bad)', words: 'a mistake' },
  c: { colour: 'var(--accent)', words: 'covered: the client makes no second attempt' },
  i: { colour: 'var(--line-strong)', words: 'inconclusive' },
  '-': { colour: 'var(--line)', words: 'not played' },
} as const
const cell = 8
/** For the names of rows, and for the heads of columns. */
const margins = { left: 110, top: 110 }
const columnHeads = ['alone', 'with a date', 'two mailings'] as const satisfies Record<number, string>

/** A square for each plan of one trouble in each mode, and of two: the first one from top to bottom, the second from left to right. */
export function Coverage({
  coverage,
  title = 'What was played',
  unmet = letterLooks['-'].words,
}: Pick<Exploration, 'coverage'> & { title?: string; unmet?: string }) {
  const heads = [...columnHeads, ...troubles.map(({ name }) => name)]
  const isDeep = coverage.some(line => /[^-c]/.test(line.slice(modes.length)))
  const shown = isDeep ? heads : columnHeads
  const left = (column: number) => (column + (column >= modes.length ? 1 : 0)) * cell
  const titleOfCell = (row: number, column: number) => {
    const mode = modes[column] ?? 'once'
    const first = troubles[row]!
    const second = troubles[column - modes.length]
    return planWords({ mode, troubles: second ? [first, second] : [first] })
  }
  return (
    <section>
      <h2>{title}</h2>
      <p class="soft">
        A row for each kind of trouble at the first attempt: alone, with a date to send at, and with two
        mailings{isDeep && '; then a column for each kind at the second attempt'}.
      </p>
      <p class="key flow small">
        {Object.entries(letterLooks).map(([letter, { colour, words }]) => (
          <span>
            <svg width="8" height="8" aria-hidden="true">
              <rect width="8" height="8" fill={colour} />
            </svg>
            {letter === '-' ? unmet : words}
          </span>
        ))}
      </p>
      <div class="scroll">
        <svg
          viewBox={`${-margins.left} ${-margins.top} ${margins.left + left(shown.length) + cell} ${margins.top + troubles.length * cell}`}
          width={isDeep ? '100%' : `${margins.left + 12 * cell}`}
          role="img"
          aria-label="Coverage of plans"
          class={isDeep ? 'coverage deep' : 'coverage'}
        >
          {isDeep && (
            <>
              <pattern id="ground" width={cell} height={cell} patternUnits="userSpaceOnUse">
                <path d={boxPath(0, cell - 1, cell - 1)} fill={letterLooks['-'].colour} />
              </pattern>
              <path
                d={[0, modes.length]
                  .map((first, at) =>
                    boxPath(left(first), (at === 0 ? modes : troubles).length * cell, troubles.length * cell),
                  )
                  .join('')}
                fill="url(#ground)"
              />
            </>
          )}
          {shown.map((name, column) => (
            <text transform={`translate(${left(column) + cell - 1} -4) rotate(-90)`}>{name}</text>
          ))}
          {coverage.map((line, row) => (
            <>
              <text x={-4} y={(row + 0.8) * cell} text-anchor="end">
                {troubles[row]!.name}
              </text>
              {[...line.slice(0, shown.length)].map((letter, column) => {
                // Thousands of squares that say nothing would make the file large: they are the ground.
                if (isDeep && letter === '-') return null
                const { colour, words } = letterLooks[letter as keyof typeof letterLooks]
                return (
                  <rect x={left(column)} y={row * cell} width={cell - 1} height={cell - 1} fill={colour}>
                    <title>{`${titleOfCell(row, column)} ${letter === '-' ? unmet : words}`}</title>
                  </rect>
                )
              })}
            </>
          ))}
        </svg>
      </div>
    </section>
  )
}

const boxPath = (left: number, width: number, height: number) => `M${left} 0h${width}v${height}h${-width}z`
