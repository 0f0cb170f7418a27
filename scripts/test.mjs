/** `npm test [-- what Vitest takes]`: scripts of the pages, format and lint, types, then the tests. Says what it is at. */
import { spawnSync } from 'node:child_process'

const steps = [
  ['compile the scripts of the pages', 'npm run build:pages --silent'],
  ['check format and lint', 'npm run lint --silent'],
  ['check types', 'npm run types --silent'],
  ['run the tests', 'npx --no -- vitest run'],
]
// A log is read as it stands.
const env = process.stdout.isTTY || process.env.FORCE_COLOR ? process.env : { ...process.env, NO_COLOR: '1' }
const quoted = process.argv.slice(2).map(arg => (/^[\w./:=,@-]+$/.test(arg) ? arg : JSON.stringify(arg)))

// Other arguments than none run some of the tests only.
const duration = (/** @type {number} */ at) =>
  at === 0 && quoted.length === 0 ? ' (all four take about five minutes on two cores)' : ''

for (const [at, [name, command]] of steps.entries()) {
  console.log(`npm test, ${at + 1} of ${steps.length}: ${name}${duration(at)}`)
  const isLast = at === steps.length - 1
  const line = [command, ...(isLast ? quoted : [])].join(' ')
  const { status } = spawnSync(line, { shell: true, stdio: 'inherit', env })
  if (status !== 0) process.exit(status ?? 1)
}
