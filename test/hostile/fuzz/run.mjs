/**
 * `npm run fuzz -- --seconds 300`: sends the mock whatever comes to mind, for so long each: series of operations and
 * control calls, and bytes over raw connections. `--seed` and `--path` make a case again that has failed.
 */
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { readFlags } from '../../../scripts/read-flags.mjs'

const whole = (/** @type {string | undefined} */ text, /** @type {string} */ flag) => {
  if (text === undefined || /^\d+$/.test(text)) return text
  console.error(`fuzz: ${flag} is "${text}": expected a whole number`)
  process.exit(2)
}

const { values } = readFlags('fuzz', {
  options: { seconds: { type: 'string' }, seed: { type: 'string' }, path: { type: 'string' } },
})
const seconds = whole(values.seconds, '--seconds') ?? '60'
// It fails if it reaches few of the operations.
if (Number(seconds) < 30) {
  console.error(`fuzz: --seconds is ${seconds}: expected at least 30, in which all operations are reached`)
  process.exit(2)
}
const seed = whole(values.seed, '--seed') ?? String(process.hrtime()[1])
console.log(`fuzz: ${seconds} s for each kind, seed ${seed}`)
const vitest = fileURLToPath(new URL('../../../node_modules/vitest/vitest.mjs', import.meta.url))
const { status } = spawnSync(
  process.execPath,
  [vitest, 'run', '--config', 'vitest.slow.config.ts', 'test/hostile/fuzz/fuzz.slow'],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      FUZZ_SEED: seed,
      // A path is one case: it is made once.
      FUZZ_SECONDS: values.path === undefined ? seconds : '0',
      ...(values.path !== undefined && { FUZZ_PATH: values.path }),
    },
  },
)
process.exitCode = status ?? 1
