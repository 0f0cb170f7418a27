import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

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
  'test/planted/run.mjs',
])('%s refuses a flag that it does not have in one sentence, with those that it has', program => {
  const { status, stderr } = spawnSync(process.execPath, [program, '--no-such'], { encoding: 'utf8' })
  expect(stderr).toMatch(/^\w+: Unknown option '--no-such'; the flags are --\w+.*\n$/)
  expect(status).toBe(2)
})
