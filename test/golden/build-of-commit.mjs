/** Another commit, built in a worktree of its own, which is gone when this process ends. */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const here = fileURLToPath(new URL('../..', import.meta.url))

/**
 * @param {string} cwd @param {string} command @param {string[]} args
 * @returns {string} what it prints; if it fails, that is in the error
 */
function run(cwd, command, args) {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`${[command, ...args].join(' ')} failed:\n${stdout}${stderr}`)
  return stdout.trim()
}

/**
 * @param {string} revision as git takes it
 * @returns {{ commit: string, root: string }} its short hash, and the folder where it is built, with a slash at the end
 */
export function buildOfCommit(revision) {
  const commit = run(here, 'git', ['rev-parse', '--short', '--verify', `${revision}^{commit}`])
  const folder = mkdtempSync(join(tmpdir(), 'mailing-sync-golden-'))
  const root = join(folder, commit)
  process.on('exit', () => {
    spawnSync('git', ['worktree', 'remove', '--force', root], { cwd: here })
    rmSync(folder, { recursive: true, force: true })
  })
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
    process.on(signal, () => process.exit(130))
  run(here, 'git', ['worktree', 'add', '--detach', root, commit])
  const lock = (/** @type {string} */ of) => readFileSync(join(of, 'package-lock.json'), 'utf8')
  if (existsSync(join(here, 'node_modules')) && lock(root) === lock(here))
    symlinkSync(join(here, 'node_modules'), join(root, 'node_modules'), 'junction')
  else run(root, 'npm', ['ci', '--no-audit', '--no-fund'])
  run(root, 'npm', ['run', '--silent', 'build'])
  return { commit, root: `${root}/` }
}
