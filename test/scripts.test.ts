import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { titleOr } from './not-run.ts'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
const tests = readdirSync('test', { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.test.ts'))
  .map(name => `test/${name}`)

/** The tests that a command names by the beginning of their paths, and whether its configuration is that of the slow ones. */
const named = (command: string) => ({
  paths: command.match(/\btest\/[\w./-]+/g) ?? [],
  isSlow: /vitest\.slow\.config|test:slow/.test(command),
})

const fuzz = /\[vitest, [^\]]*\]/.exec(readFileSync('test/hostile/fuzz/run.mjs', 'utf8'))?.[0] ?? ''
const ofPlaces = Object.entries(scripts).filter(
  ([, command]) => /vitest run|test:slow/.test(command) && named(command).paths.length > 0,
)

test.each([...ofPlaces, ['fuzz', fuzz] as const])(
  'npm run %s runs tests in every place that it names',
  (_, command) => {
    const { paths, isSlow } = named(command)
    expect(paths).not.toEqual([])
    for (const path of paths) {
      const found = tests.filter(name => name.startsWith(path) && name.endsWith('.slow.test.ts') === isSlow)
      expect(found, path).not.toEqual([])
    }
  },
)

test.each([
  'bench/instructions.mjs',
  'bench/run.mjs',
  'soak/run.mjs',
  'test/attack/run.mjs',
  'test/hostile/fuzz/run.mjs',
  'test/planted/run.mjs',
])('%s refuses a flag that it does not have in one sentence, with those that it has', program => {
  const { status, stderr } = spawnSync(process.execPath, [program, '--no-such'], { encoding: 'utf8' })
  expect(stderr).toMatch(/^\w+: Unknown option '--no-such'; the flags are --\w+.*\n$/)
  expect(status).toBe(2)
})

const hasGit = spawnSync('git', ['rev-parse', '--is-inside-work-tree']).status === 0
const ofLines = 'a clone has the line ends of this one, also where git is told to write those of Windows'
test.skipIf(!hasGit)(titleOr(ofLines, hasGit ? undefined : 'this is no clone'), () => {
  const files = ['.ci/run', 'src/main.ts', 'scenarios/reset-after.yaml']
  const { stdout } = spawnSync('git', ['check-attr', 'eol', ...files], { encoding: 'utf8' })
  expect(stdout.trim().split('\n')).toEqual(files.map(file => `${file}: eol: lf`))
  // A picture is none of that.
  const pictures = spawnSync('git', ['ls-files', '--eol', '*.png'], { encoding: 'utf8' }).stdout
  expect(pictures).toMatch(/^i\/-text w\/-text/)
})
