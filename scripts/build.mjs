/**
 * `npm run build`: compiles `src/` into `dist/`. It works in a folder of its own and puts that in place at the end, so a program
 * that starts meanwhile finds all its files. `--if-changed` builds only what is not made of the sources as they are. `--if-possible` leaves it out where the
 * compiler is not installed: npm runs it after an installation, which makes a Git dependency usable, but may have been asked for less.
 */
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (/** @type {string} */ path) => join(root, path)
const environment = { ...process.env, PATH: `${at('node_modules/.bin')}${delimiter}${process.env.PATH}` }

/** Everything that the result depends on. */
function sourceDigest() {
  const sources = readdirSync(at('src'), { recursive: true, withFileTypes: true })
    .filter(it => it.isFile())
    .map(it => join(it.parentPath, it.name))
    .sort()
  const others = ['tsconfig.json', 'tsconfig.build.json', 'tsconfig.browser.json', 'package-lock.json']
  const scripts = ['scripts/build.mjs', 'scripts/bundle-program.mjs']
  const files = [...sources, ...[...others, ...scripts].map(at)]
  return hash('sha256', files.map(file => `${file}\n${hash('sha256', readFileSync(file))}`).join('\n'))
}

/** @param {readonly string[]} args */
function compile(...args) {
  const shell = process.platform === 'win32'
  const { status } = spawnSync('tsc', args, { cwd: root, stdio: 'inherit', env: environment, shell })
  if (status !== 0) process.exit(status ?? 1)
}

const mark = at('dist/.sources')

/** Whether `dist/` is made of the sources as they are. */
export const isBuilt = () => existsSync(mark) && readFileSync(mark, 'utf8') === sourceDigest()

export async function build() {
  const digest = sourceDigest()
  const next = at(`dist.next-${process.pid}`)
  const last = at(`dist.last-${process.pid}`)
  process.on('exit', () => {
    for (const folder of [next, last]) rmSync(folder, { recursive: true, force: true })
  })
  compile('-p', 'tsconfig.browser.json', '--noEmit', 'false', '--outDir', next)
  compile('-p', 'tsconfig.build.json', '--outDir', next)
  cpSync(at('src/pages/styles'), join(next, 'pages', 'styles'), { recursive: true })
  const { bundleProgram } = await import('./bundle-program.mjs')
  await bundleProgram(next)
  writeFileSync(join(next, '.sources'), digest)
  if (existsSync(at('dist'))) renameSync(at('dist'), last)
  renameSync(next, at('dist'))
  rmSync(last, { recursive: true, force: true })
}

// A mock that runs loads its parts from `dist/` when it needs them: it is replaced only by other parts.
const has = (/** @type {string} */ option) => process.argv.includes(option)
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (has('--if-possible') && !existsSync(at('node_modules/typescript')))
    console.error('Not built: the development dependencies are not installed')
  else if (!(has('--if-changed') && isBuilt())) await build()
}
