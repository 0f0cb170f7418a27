/** How fast explorations play plans, in this process and as commands, and what memory many runs leave behind. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { otherRows } from './rows.mjs'

const child = fileURLToPath(new URL('explore-child.mjs', import.meta.url))

/** How much each row plays: plans, or for commands milliseconds. */
const amounts = {
  explore: 800,
  orders: 6,
  'explore-command': 20_000,
  'explore-warm': 20_000,
  'explore-memory': 1_000,
}
export const explorations = Object.keys(amounts)

/**
 * @param {readonly string[]} keys rows that are wanted
 * @param {{ measurements: import('./measurements.mjs').Measurements, share: number }} options `share`: of the usual amount
 */
export async function measureExplorations(keys, { measurements, share }) {
  for (const key of keys) {
    const args = ['--expose-gc', child, key, String(Math.ceil(amounts[key] * share))]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { wrong, ...figure } = JSON.parse(stdout)
    measurements.add(key, otherRows[key], 'ours', figure, wrong > 0 ? `${wrong} findings` : undefined)
  }
}
