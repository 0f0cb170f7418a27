import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync } from 'node:fs'
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

/** What an import of a file of the program reads at once. */
function readWith(file: string, read = new Map<string, string>()): ReadonlyMap<string, string> {
  if (read.has(file)) return read
  const text = readFileSync(`dist/program/${file}`, 'utf8')
  read.set(file, text)
  for (const [, name] of text.matchAll(/^(?:import|export)\b[^;]*?"\.\/([^"]+)";$/gm)) readWith(name!, read)
  return read
}

test('a start reads few files, and no definitions that only later requests need', () => {
  const serve = readdirSync('dist/program').find(name => name.startsWith('serve-'))!
  const files = new Map([...readWith('main.js'), ...readWith(serve)])
  expect([...files.keys()].map(name => name.split(/[-.]/)[0]).sort()).toEqual([
    'command',
    'main',
    'mock',
    'serve',
  ])
  const all = readdirSync('dist/program').map(name => readFileSync(`dist/program/${name}`, 'utf8'))
  for (const words of [
    'expected a UTC date-time such as', // rows, for fixtures
    'proved nothing', // exams
    'pkijs', // TLS
    'text/event-stream', // control calls
    'aria-current', // pages
  ]) {
    expect(all.join('\n'), words).toContain(words)
    expect([...files.values()].join('\n'), words).not.toContain(words)
  }
})
