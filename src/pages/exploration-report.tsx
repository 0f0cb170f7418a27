import type { ExplorationResult } from '../judge/explore/explore.ts'
import { troubles } from '../judge/explore/plans.ts'
import { asExam, countsOf, divergenceLines, endLines, levelLines } from '../judge/explore/reports.ts'
import { htmlReport } from './exam-report.tsx'

const colours: Readonly<Record<string, string>> = {
  p: 'var(--good)',
  w: 'var(--warn)',
  f: 'var(--bad)',
  c: 'var(--accent)',
  i: 'var(--line)',
  '-': 'var(--line)',
}
const cell = 8
/** For the names of rows. */
const margin = 110

/** A square for each pair of troubles: the first one from top to bottom, the second from left to right. */
function Coverage({ coverage }: ExplorationResult) {
  const size = troubles.length * cell
  return (
    <section>
      <h2>What was played</h2>
      <p class="soft">
        A row for each kind of trouble at the first attempt. The first column, before the gap, is for it
        alone, the others for each kind at the second attempt. Green: nothing found. Red: a mistake. Yellow: a
        warning. Blue: covered by the plan of the first column. Grey: not played, or inconclusive.
      </p>
      <svg
        viewBox={`${-margin} 0 ${margin + size + 2 * cell} ${size}`}
        width="100%"
        role="img"
        aria-label="Coverage of plans"
      >
        {coverage.map((line, row) => (
          <>
            <text x={-4} y={(row + 0.8) * cell} text-anchor="end" font-size={cell} fill="currentColor">
              {troubles[row]!.name}
            </text>
            {[...line.matchAll(/^.|(.)\1*/g)].map(({ 0: run, index }) => (
              <rect
                x={(index + (index > 0 ? 1 : 0)) * cell}
                y={row * cell}
                width={run.length * cell}
                height={cell - 1}
                fill={colours[run[0]!]}
              />
            ))}
          </>
        ))}
      </svg>
    </section>
  )
}

/** The result of an exploration as one HTML file, in the form of that of an exam. */
export const explorationHtml = (result: ExplorationResult): string =>
  htmlReport(asExam(result), {
    heading: 'Exploration of a mailing synchronization client',
    counts: countsOf(result),
    note: `Each plan put the client into one combination of troubles, one for each attempt in turn. ${levelLines(result).join('. ')}. The smallest plan is shown for each mistake.`,
    why: [
      ...endLines(result),
      `Runs in which each rule could have been broken: ${Object.entries(result.chances)
        .map(([rule, runs]) => `${rule} ${runs}`)
        .join(', ')}.`,
    ].join(' '),
    before: (
      <>
        {result.divergence && <pre>{divergenceLines(result).join('\n')}</pre>}
        <Coverage {...result} />
      </>
    ),
  })
