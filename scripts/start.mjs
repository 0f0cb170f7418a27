/**
 * `npm start`: builds what has changed, and starts the mock in this process. Before a build, which takes many seconds, the
 * command line is read and the ports are tried.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build, isBuilt } from './build.mjs'

const at = (/** @type {string} */ path) => new URL(`../${path}`, import.meta.url)

if (!isBuilt()) {
  const folder = at(`dist.start-${process.pid}/`)
  mkdirSync(folder)
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
  const { rolldown } = await import('rolldown')
  const bundle = await rolldown({
    input: fileURLToPath(at('src/cli/command-line.ts')),
    platform: 'node',
    logLevel: 'silent',
    external: id => !id.startsWith('.') && !id.startsWith('/'),
  })
  await bundle.write({ dir: fileURLToPath(folder), entryFileNames: 'command-line.js' })
  const { checkStart } = await import(new URL('command-line.js', folder).href)
  const { version } = JSON.parse(readFileSync(at('package.json'), 'utf8'))
  await checkStart(process.argv.slice(2), process.env, version)
  rmSync(folder, { recursive: true, force: true })
  process.stderr.write('Building what has changed, which takes about half a minute ...\n')
  await build()
}
await import(at('dist/main.js').href)
