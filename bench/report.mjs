/** Medians and ratios, and how a person reads them. */
import { aim, judged, targets } from './targets.mjs'

export function median(values) {
  const sorted = values.filter(value => value !== undefined).sort((a, b) => a - b)
  if (sorted.length === 0) return undefined
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}

/** With less of a core than this a burst was starved by its neighbours, or by the load generator. */
const leastBusy = 0.9
const isStarved = ({ busy }) => busy !== undefined && busy < leastBusy

/** What others are compared with. */
const references = ['floor', 'raw', 'plain', 'msw']
/** In the row of TLS: the same server without it. */
const withoutTls = { ours: 'plain', raw: 'raw-plain' }

/**
 * One line per row and subject. A ratio is made within a round, where both met the same weather, and its median is
 * taken over the rounds; above 1 is better than the reference. Rounds in which one of the two was starved count only
 * when there are no others.
 */
export function summarize(measured) {
  return measured.map(({ key, row, unit, lessIsBetter, rounds, wrong }) => {
    const figures = Object.keys(rounds).map(subject => {
      const ratios = {}
      for (const reference of references)
        if (rounds[reference])
          ratios[reference] = median(ratiosOf(rounds[subject], rounds[reference], lessIsBetter))
      const base = rounds[key === 'tls' ? withoutTls[subject] : 'floor']
      const found = base && ratiosOf(rounds[subject], base, lessIsBetter)
      const cpu = median(rounds[subject].map(it => it.cpu))
      const baseCpu = base && median(base.map(it => it.cpu))
      const figure = {
        subject,
        median: median(rounds[subject].map(({ value }) => value)),
        ratios,
        /** To the floor, or to the same server without TLS. */
        ratio: found && median(found),
        lowest: found && Math.min(...found),
        highest: found && Math.max(...found),
        cpuMicroseconds: cpu,
        /** The same by processor time, which a busy machine or a slow load generator disturbs less. */
        cpuRatio: cpu && baseCpu ? baseCpu / cpu : undefined,
        busy: median(rounds[subject].map(it => it.busy)),
        starved: rounds[subject].filter(isStarved).length,
        rounds: rounds[subject].length,
      }
      const target = targets[key]?.[subject]
      return target ? { ...figure, target: aim(target, unit), outcome: judged(target, figure) } : figure
    })
    return { key, row, unit, lessIsBetter, valid: wrong.length === 0, wrong, figures }
  })
}

function ratiosOf(own, others, lessIsBetter) {
  const pairs = own.flatMap((it, at) => (others[at] ? [{ it, other: others[at] }] : []))
  const fair = pairs.filter(({ it, other }) => !isStarved(it) && !isStarved(other))
  return (fair.length > 0 ? fair : pairs).map(({ it, other }) =>
    lessIsBetter ? other.value / it.value : it.value / other.value,
  )
}

export const shown = (value, unit) => {
  if (value === undefined) return ''
  const number = value < 10 ? value.toFixed(2) : Math.round(value).toLocaleString('en')
  return unit === '/s' ? `${number}/s` : `${number} ${unit}`
}

const ratio = value => (value === undefined ? '' : value.toFixed(2))

/** Everything, for whoever ran it. */
export function table(rows, titleOf) {
  const lines = [
    '| Row | Subject | Median | Ratio to floor | over the rounds | by CPU | CPU µs | CPU busy | Target | |',
    '|---|---|---:|---:|---|---:|---:|---:|---|---|',
  ]
  for (const { row, unit, valid, figures } of rows)
    for (const [at, it] of figures.entries())
      lines.push(
        `| ${[
          at > 0 ? '' : valid ? row : `${row} (INVALID)`,
          titleOf(it.subject),
          shown(it.median, unit),
          ratio(it.ratio),
          it.lowest === undefined ? '' : `${ratio(it.lowest)}–${ratio(it.highest)}`,
          ratio(it.cpuRatio),
          it.cpuMicroseconds?.toFixed(0) ?? '',
          it.busy === undefined ? '' : `${Math.round(it.busy * 100)} %`,
          it.target ?? '',
          it.outcome ?? '',
        ].join(' | ')} |`,
      )
  return lines.join('\n')
}

/** How ours compares with another build of it: above 1 is better than before. */
export function comparison(measured, pairs, titleOf) {
  const lines = ['| Row | Subject | Ratio to before | over the rounds | by CPU |', '|---|---|---:|---|---:|']
  for (const { row, lessIsBetter, rounds } of measured)
    for (const [now, before] of Object.entries(pairs)) {
      if (!rounds[now] || !rounds[before]) continue
      const ratios = ratiosOf(rounds[now], rounds[before], lessIsBetter)
      const cpu = [rounds[before], rounds[now]].map(it => median(it.map(({ cpu }) => cpu)))
      lines.push(
        `| ${[
          row,
          titleOf(now),
          ratio(median(ratios)),
          `${ratio(Math.min(...ratios))}–${ratio(Math.max(...ratios))}`,
          ratio(cpu[1] && cpu[0] && cpu[0] / cpu[1]),
        ].join(' | ')} |`,
      )
    }
  return lines.join('\n')
}
