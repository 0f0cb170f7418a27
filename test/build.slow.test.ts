import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { takenPort, temporaryDirectory } from './process.ts'

const npmStart = (folder: string, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve(folder, 'scripts/start.mjs'), ...args],
    {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
    },
  )
  return { status, stdout, stderr }
}

test('a start of sources that have not changed builds nothing', () => {
  const { mtimeMs } = statSync('dist/.sources')
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }
  expect(npmStart('.', '--version')).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
  expect(statSync('dist/.sources').mtimeMs).toBe(mtimeMs)
})

test('a start on a port in use is refused before the build', async () => {
  using folder = temporaryDirectory()
  for (const part of ['src', 'scripts', 'package.json', 'tsconfig.json'])
    cpSync(part, folder.at(part), { recursive: true })
  symlinkSync(resolve('node_modules'), folder.at('node_modules'))
  using taken = await takenPort()
  expect(npmStart(folder.path, '--port', String(taken.port))).toEqual({
    status: 2,
    stdout: '',
    stderr: `mailing-sync-mock: 127.0.0.1:${taken.port} is in use; give another port (--port, --control-port, --tls-port), or 0 to have one chosen\n`,
  })
  expect(existsSync(folder.at('dist'))).toBe(false)
})
