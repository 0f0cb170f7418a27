/**
 * `npm run test:package`, with what vitest takes as further arguments. Its last line is "package test: …" with passed,
 * FAILED, or not run: without the registry nobody can install the package, and nobody is told that it was tried.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** @param {string} sentence */
const say = sentence => console.log(`package test: ${sentence}`)

/** Asks for something small that the tests need anyway. */
const isReachable = () =>
  spawnSync('npm', ['view', 'typescript', 'name', '--fetch-retries=0'], { timeout: 20_000 }).status === 0

function main() {
  if (!isReachable()) {
    say('not run, the registry of npm cannot be reached')
    return 0
  }
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const args = [vitest, 'run', '--config', 'vitest.package.config.ts', ...process.argv.slice(2)]
  const { status } = spawnSync(process.execPath, args, { stdio: 'inherit' })
  say(status === 0 ? 'passed' : 'FAILED')
  return status ?? 1
}

process.exitCode = main()
