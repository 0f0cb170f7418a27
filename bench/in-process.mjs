/** The library's `fetch`, the floor's, and that of the best-known library that intercepts `fetch`: no sockets at all. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { otherRows } from './rows.mjs'
import { fixtureFile } from './subjects.mjs'
import { manyMailings } from './world.mjs'

const child = fileURLToPath(new URL('in-process-child.mjs', import.meta.url))
export const inProcess = ['floor', 'ours', 'msw']

export async function measureInProcess(names, { measurements, seconds }) {
  for (const name of names) {
    const args = [child, name, String(seconds), await fixtureFile(manyMailings)]
    const { stdout } = await promisify(execFile)(process.execPath, args)
    const { perSecond, cpu, wrong } = JSON.parse(stdout)
    measurements.add(
      'in-process',
      otherRows['in-process'],
      name,
      { value: perSecond, cpu },
      wrong > 0 ? `${wrong} wrong answers` : undefined,
    )
  }
}
