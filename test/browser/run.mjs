/**
 * `npm run test:browser`, with what vitest takes as further arguments. Its last line is "browser tests: …" with
 * passed, FAILED, or not run: a machine without a browser can still work on the mock, but is never told that its
 * pages were tried.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.mjs'

/** @param {string} sentence */
const say = sentence => console.log(`browser tests: ${sentence}`)

function main() {
  const browser = findChromium()
  if (!browser) {
    say('not run, no Chromium found')
    return 0
  }
  const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url))
  const { status } = spawnSync(
    process.execPath,
    [vitest, 'run', '--config', 'vitest.browser.config.ts', ...process.argv.slice(2)],
    { stdio: 'inherit', env: { ...process.env, CHROMIUM: browser } },
  )
  say(status === 0 ? 'passed' : 'FAILED')
  return status ?? 1
}

try {
  process.exitCode = main()
} catch (error) {
  say(/** @type {Error} */ (error).message)
  process.exitCode = 2
}
