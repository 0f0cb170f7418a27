/**
 * What is aimed at, by row and subject: at least so many times the floor (for what takes time, its inverse: the floor
 * takes at least so many times what we take), at least so many times another subject, or at most or at least so much.
 */
export const targets = {
  read: { ours: { ratio: 0.9 } },
  collection: { ours: { ratio: 10 } },
  filtered: { ours: { ratio: 6 } },
  create: {
    ours: { ratio: 0.75 },
    'ours-disk': { ratio: 0.7 },
    'ours-disk-100': { ratio: 0.7 },
    'ours-disk-100000': { ratio: 0.7 },
    'ours-synced': { ratio: 0.6 },
  },
  fault: { 'ours-scenario': { ratio: 0.75 } },
  start: { ours: { ratio: 1 / 1.8 } },
  memory: { ours: { most: 85 } },
  reset: { ours: { most: 0.5 } },
  'reset-large': { ours: { most: 0.5 } },
  space: { ours: { most: 0.5 } },
  'space-large': { ours: { most: 0.5 } },
  hanging: { ours: { most: 18 } },
  tls: { ours: { ratio: 0.8, to: 'plain', byCpu: true } },
  'in-process': { ours: { ratio: 10, to: 'msw' } },
  capsule: { ours: { most: 100 } },
  'capsule-size': { ours: { most: 1_000 } },
  'capsule-open': { ours: { most: 1_000 } },
  report: { ours: { most: 5_000 } },
  'report-turn': { ours: { most: 50 } },
  explore: { ours: { least: 400 } },
  'explore-memory': { ours: { most: 0.5 } },
}

/** @returns what is aimed at, in words */
export function aim({ ratio, to = 'floor', most, least, byCpu }, unit) {
  if (least !== undefined) return `≥ ${least}${unit}`
  if (byCpu) return `≥ ${ratio} × ${to} by CPU time`
  if (most !== undefined) return `≤ ${most} ${unit}`
  return ratio < 1 && unit === 'ms' ? `≤ ${(1 / ratio).toFixed(1)} × ${to}` : `≥ ${ratio} × ${to}`
}

/**
 * Whether a target is met.
 * @param figure one of `summarize`
 * @returns 'met', or by how much it is missed
 */
export function judged({ ratio, to = 'floor', most, least, byCpu }, figure) {
  if (least !== undefined) return judgedShare(1 - figure.median / least)
  const missing =
    most === undefined ? 1 - (byCpu ? figure.cpuRatio : figure.ratios[to]) / ratio : figure.median / most - 1
  return judgedShare(missing)
}

function judgedShare(missing) {
  if (Number.isNaN(missing)) return 'not measured'
  return missing <= 0 ? 'met' : `missed by ${Math.ceil(missing * 100)} %`
}
