/** The library's `fetch`, the floor's, and that of the best-known library that intercepts `fetch`: no sockets at all. */
import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { otherRows } from './rows.mjs'
import { fixtureFile } from './subjects.mjs'
import { manyMailings } from './world.mjs'

const child = fileURLToPath(new URL('in-process-child.mjs', import.meta.url))
export const inProcess = ['floor', 'ours', 'before', 'msw']

/** @param {readonly string[]} names
 * @param {{ beside?: string }} options where the build `before` is */
export async function measureInProcess(names, { measurements, seconds, beside }) {
  for (const name of names) {
    const build = name === 'before' ? resolve(beside) : fileURLToPath(new URL('..', import.meta.url))
    const args = [child, name, String(seconds), await fixtureFile(manyMailings), build]
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
