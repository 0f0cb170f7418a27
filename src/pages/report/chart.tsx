import { Live } from '../components/basics.tsx'
import { dayAndTime } from '../relative.ts'
import type { Point, Series } from './series.ts'
import { count, counted } from './words.ts'

/** The lines of the chart: what they are called, and how their points are named in the table. */
const lines = [
  ['opened', 'Recipients who opened'],
  ['clicked', 'Recipients who clicked'],
  ['clicks', 'All clicks'],
] as const

/**
 * Openings and clicks over time. The table is the data: the chart is drawn from it by the page's script, and whoever
 * cannot see the chart reads the table.
 */
export function OverTime({ series }: { series: Series | undefined }) {
  const last = series?.points.at(-1)
  return (
    <>
      <ul class="legend">
        {lines.map(([name, words]) => (
          <li>
            <svg class={`line line-${name}`} width="28" height="10" aria-hidden="true" focusable="false">
              <line x1="0" y1="5" x2="28" y2="5" />
            </svg>
            {words}
          </li>
        ))}
      </ul>
      <div class="chart" hx-morph-skip>
        <canvas
          id="chart"
          role="img"
          aria-label="Openings and clicks over time, as the table below has them"
        />
      </div>
      <Live id="series" on="clock request reset">
        {series && last ? <Table series={series} last={last} /> : <p class="soft">No figures yet.</p>}
      </Live>
    </>
  )
}

function Table({ series, last }: { series: Series; last: Point }) {
  return (
    <>
      <p class="soft">
        By {dayAndTime(last.at)} on the space's clock: opened by {count(last.opened)}, clicked by{' '}
        {count(last.clicked)}, {counted(last.clicks, 'click')}.
      </p>
      <details id="series-table">
        <summary>As a table</summary>
        <section class="scroll series" tabindex={0} aria-label="Openings and clicks over time">
          <table data-starts={series.starts} data-ends={series.ends}>
            <thead>
              <tr>
                <th scope="col">Time</th>
                {lines.map(([, words]) => (
                  <th scope="col" class="number">
                    {words}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {series.points.map(point => (
                <tr data-at={point.at}>
                  <th scope="row">
                    <time datetime={new Date(point.at).toISOString()}>{dayAndTime(point.at)}</time>
                  </th>
                  {lines.map(([name]) => (
                    <td class="number" data-value={point[name]}>
                      {count(point[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  )
}
