/** How long a capsule takes to be made and opened, and a report over many spaces: in a process of its own, by its processor time. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { otherRows } from './rows.mjs'

const child = fileURLToPath(new URL('capsules-child.mjs', import.meta.url))

export const capsuleRows = ['capsule', 'capsule-size', 'capsule-open', 'report', 'report-turn']

/**
 * @param {readonly string[]} keys of the rows
 * @param {{ measurements: import('./measurements.mjs').Measurements, sizes: readonly number[] }} how
 */
export async function measureCapsules(keys, { measurements, sizes }) {
  const hasReport = keys.some(key => key.startsWith('report'))
  const [requests, spaces, each] = sizes
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--max-old-space-size=4096', child, ...[requests, hasReport ? spaces : 0, each].map(String)],
    { maxBuffer: 1 << 20 },
  )
  const { values, wrong } = JSON.parse(stdout)
  for (const key of keys) measurements.add(key, otherRows[key], 'ours', { value: values[key] }, wrong)
}
