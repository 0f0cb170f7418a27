import { spawnSync } from 'node:child_process'
import { statSync } from 'node:fs'
import { expect, test } from 'vitest'

test('a build of sources that have not changed does nothing', () => {
  const builtAt = statSync('dist/.sources').mtimeMs
  const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/build.mjs', '--if-changed'], {
    encoding: 'utf8',
  })
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: '', stderr: '' })
  expect(statSync('dist/.sources').mtimeMs).toBe(builtAt)
})
