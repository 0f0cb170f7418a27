import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { faults } from './faults.mjs'

test('each planted fault has its one place in src', () => {
  const program = fileURLToPath(new URL('run.mjs', import.meta.url))
  const places = execFileSync(process.execPath, [program, '--check'], { encoding: 'utf8' }).trim().split('\n')
  expect(places).toHaveLength(faults.length)
})
