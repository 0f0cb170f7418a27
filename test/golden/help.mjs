/** What the program says of itself: --help of every command, --version, lists, its greeting; and what the package exports. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Recording } from './entries.mjs'
import { RunningMock, root, run } from './mock.mjs'

/** @param {import('./mock.mjs').Ended} ended */
export const endedText = ({ code, output, errors }) =>
  [
    `exit code ${code}`,
    ...(output === '' ? [] : ['standard output:', output.replace(/\n$/, '')]),
    ...(errors === '' ? [] : ['standard error:', errors.replace(/\n$/, '')]),
  ].join('\n')

export async function record() {
  const recording = new Recording()
  for (const line of [
    '--help',
    'help',
    'health --help',
    'exam --help',
    'verify --help',
    'pull --help',
    'ca --help',
    '--version',
    'exam --list',
    'exam --list --slow',
    'verify --list',
    'verify --list --filter 4.1',
  ])
    recording.add(line, endedText(await run(line.split(' '))))
  const mock = await RunningMock.start()
  const health = await run(['health', '--port', String(mock.port)])
  await mock.stop()
  recording.add('health of a mock that runs', endedText(health))
  const greeting = `${mock.output}${mock.errors}`.replaceAll(String(mock.port), '(port)')
  recording.add('greeting', greeting)
  const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  for (const [name, { default: path }] of Object.entries(exports)) {
    // The fixture for vitest can be imported by vitest only.
    if (path === undefined || name === './vitest') continue
    const module = await import(pathToFileURL(join(root, path)).href)
    recording.add(`names exported by ${name}`, Object.keys(module).sort().join('\n'))
  }
  return { help: recording.entries }
}
