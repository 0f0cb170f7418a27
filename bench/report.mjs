/** Medians and ratios, and how a person reads them. */

export function median(values) {
  const sorted = values.filter(value => value !== undefined).sort((a, b) => a - b)
  if (sorted.length === 0) return undefined
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** With less of a core than this a burst was starved by its neighbours or by the load generator. */
const leastBusy = 0.9
const isStarved = ({ busy }) => busy !== undefined && busy < leastBusy

/**
 * One line per row and subject. A ratio is made within a round, where both met the same weather, and its median is
 * taken over the rounds; above 1 is better than the floor. Rounds in which one of the two was starved count only
 * when there are no others.
 */
export function summarize(measured) {
  return measured.map(({ row, unit, lessIsBetter = false, rounds, valid = true, expected }) => {
    const names = Object.keys(rounds)
    const figures = names.map(name => {
      // What the floor does not do has no ratio.
      const all = rounds[name].map((own, at) => ({ own, floor: rounds.floor?.[at] ?? own }))
      const fair = all.filter(({ own, floor }) => !isStarved(own) && !isStarved(floor))
      const counted = fair.length > 0 ? fair : all
      const values = counted.map(({ own }) => own)
      const ratios = counted.map(({ own, floor }) =>
        lessIsBetter ? floor.value / own.value : own.value / floor.value,
      )
      return {
        subject: name,
        median: median(values.map(({ value }) => value)),
        ...(rounds.floor && {
          ratio: median(ratios),
          lowest: Math.min(...ratios),
          highest: Math.max(...ratios),
        }),
        cpuMicroseconds: median(values.map(({ cpu }) => cpu)),
        busy: median(values.map(({ busy }) => busy)),
        counted: `${counted.length} of ${all.length}`,
      }
    })
    return { row, unit, valid, expected, figures }
  })
}

/** Markdown, so that it can be pasted. */
export function table(rows) {
  const lines = [
    '| Row | Subject | Median | Ratio to floor | over the rounds | CPU µs per request | CPU busy | rounds |',
    '|---|---|---:|---:|---|---:|---:|---:|',
  ]
  for (const { row, unit, valid, figures } of rows)
    for (const [at, it] of figures.entries())
      lines.push(
        `| ${[
          at > 0 ? '' : valid ? row : `${row} (INVALID)`,
          it.subject,
          `${Math.round(it.median).toLocaleString('en')} ${unit}`,
          it.ratio?.toFixed(2) ?? '',
          it.ratio === undefined ? '' : `${it.lowest.toFixed(2)}–${it.highest.toFixed(2)}`,
          it.cpuMicroseconds?.toFixed(0) ?? '',
          it.busy === undefined ? '' : `${Math.round(it.busy * 100)} %`,
          it.counted,
        ].join(' | ')} |`,
      )
  return lines.join('\n')
}
