/**
 * `npm run mutation [-- ROOM...]`: StrykerJS changes the code of rooms in small ways, one at a time, and says which changes no
 * test notices. What it learned before about code and tests that are the same it does not try again.
 *
 *   --mutate FILE,...   these files of the room alone, or parts: src/service/steps.ts:20-40
 *   --force             tries everything again
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { readFlags } from '../../scripts/read-flags.mjs'
import { rooms } from './rooms.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

const { values, positionals } = readFlags('mutation', {
  options: { mutate: { type: 'string' }, force: { type: 'boolean' } },
  allowPositionals: true,
})
const names = Object.keys(rooms)

/** @param {string} sentence */
function refuse(sentence) {
  console.error(`mutation: ${sentence}`)
  process.exit(2)
}
for (const name of positionals)
  if (!names.includes(name)) refuse(`there is no room ${name}; the rooms are ${names.join(', ')}`)
if (values.mutate !== undefined && positionals.length !== 1) refuse('--mutate needs the room of its files')

/** @param {string} program @param {readonly string[]} args @param {NodeJS.ProcessEnv} [env] */
function run(program, args, env) {
  const { status } = spawnSync(program, args, {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, ...env },
    shell: process.platform === 'win32' && program === 'npm',
  })
  if (status !== 0) process.exit(status ?? 1)
}

const stryker = 'test/mutation/node_modules/@stryker-mutator/core/bin/stryker.js'
// 167 packages, which a clone that runs only the tests need not have.
if (!existsSync(`${root}${stryker}`))
  run('npm', ['install', '--no-package-lock', '--prefix', 'test/mutation', '--no-audit', '--no-fund'])

for (const room of positionals.length > 0 ? positionals : names) {
  const flags = [
    ...(values.mutate === undefined ? [] : ['--mutate', values.mutate]),
    ...(values.force ? ['--force'] : []),
  ]
  run(process.execPath, [stryker, 'run', 'test/mutation/stryker.config.mjs', ...flags], {
    MUTATION_ROOM: room,
  })
}
