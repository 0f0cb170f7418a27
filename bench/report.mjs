/** Medians and ratios, and how a person reads them. */

export function median(values) {
  const sorted = values.filter(value => value !== undefined).sort((a, b) => a - b)
  if (sorted.length === 0) return undefined
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/**
 * One line per row and subject. A ratio is made within a round, where both met the same weather, and its median is
 * taken over the rounds; above 1 is better than the floor.
 */
export function summarize(measured) {
  return measured.map(({ row, unit, lessIsBetter = false, rounds, valid = true, expected }) => {
    const names = Object.keys(rounds)
    const figures = names.map(name => {
      const values = rounds[name]
      const ratios = values.map((value, at) =>
        lessIsBetter ? rounds.floor[at].value / value.value : value.value / rounds.floor[at].value,
      )
      return {
        subject: name,
        median: median(values.map(({ value }) => value)),
        ratio: median(ratios),
        lowest: Math.min(...ratios),
        highest: Math.max(...ratios),
        cpuMicroseconds: median(values.map(({ cpu }) => cpu)),
        busy: median(values.map(({ busy }) => busy)),
      }
    })
    return { row, unit, valid, expected, figures }
  })
}

/** Markdown, so that it can be pasted. */
export function table(rows) {
  const lines = [
    '| Row | Subject | Median | Ratio to floor | over the rounds | CPU µs per request | CPU busy |',
    '|---|---|---:|---:|---|---:|---:|',
  ]
  for (const { row, unit, valid, figures } of rows)
    for (const [at, { subject, median, ratio, lowest, highest, cpuMicroseconds, busy }] of figures.entries())
      lines.push(
        `| ${[
          at > 0 ? '' : valid ? row : `${row} (INVALID)`,
          subject,
          `${Math.round(median).toLocaleString('en')} ${unit}`,
          ratio.toFixed(2),
          `${lowest.toFixed(2)}–${highest.toFixed(2)}`,
          cpuMicroseconds?.toFixed(0) ?? '',
          busy === undefined ? '' : `${Math.round(busy * 100)} %`,
        ].join(' | ')} |`,
      )
  return lines.join('\n')
}
