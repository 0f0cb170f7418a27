import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { titleOr } from './not-run.ts'

test('npm run fuzz runs a test that is there', () => {
  const [path] = /test\/hostile\/[\w./-]+slow/.exec(readFileSync('test/hostile/fuzz/run.mjs', 'utf8')) ?? []
  expect(existsSync(`${path}.test.ts`)).toBe(true)
})

test.each([
  'bench/instructions.mjs',
  'bench/run.mjs',
  'scripts/generate.mjs',
  'soak/run.mjs',
  'test/attack/run.mjs',
  'test/hostile/fuzz/run.mjs',
  'test/mutation/run.mjs',
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
