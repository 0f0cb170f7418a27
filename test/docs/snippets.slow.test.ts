import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { temporaryDirectory } from '../process.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** The blocks of TypeScript that stand in the documentation alone; those of files are compiled with these. */
const snippets = readdirSync('docs')
  .filter(page => page.endsWith('.md') && !page.startsWith('testing-'))
  .flatMap(page => {
    const text = readFileSync(`docs/${page}`, 'utf8')
    return [...text.matchAll(/^(<!-- is [^\n]*\n)?```ts\n(.*?)^```/gms)]
      .filter(([, isFile]) => !isFile)
      .map(({ index, 2: code }) => ({
        name: `${page}-${text.slice(0, index).split('\n').length}.mts`,
        code: code!,
      }))
  })

it('the TypeScript of the documentation is understood by a strict compiler', async () => {
  using folder = temporaryDirectory()
  symlinkSync(`${root}node_modules`, folder.at('node_modules'), 'junction')
  for (const { name, code } of snippets) writeFileSync(folder.at(name), code)
  const [, forJest] = /`(declare module 'expect' .*?)`/.exec(readFileSync('docs/library.md', 'utf8'))!
  const matchers = "import type { SpaceMatchers } from 'mailing-sync-mock/matchers'"
  writeFileSync(folder.at('matchers.d.mts'), `${matchers}\n${forJest}\n`)
  // The package that Jest takes its `expect` from.
  writeFileSync(folder.at('jest.d.ts'), "declare module '@jest/globals' { export { expect } from 'expect' }")
  const compilerOptions = {
    typeRoots: [`${root}node_modules/@types`],
    // A client of which only its outline is shown.
    ...{ noUnusedLocals: false, noUnusedParameters: false },
  }
  const config = { extends: `${root}tsconfig.json`, compilerOptions, include: ['*'], exclude: [] }
  writeFileSync(folder.at('tsconfig.json'), JSON.stringify(config))
  const tsc = `${root}node_modules/typescript/bin/tsc`
  const told = await promisify(execFile)(process.execPath, [tsc, '-p', folder.path]).then(
    ({ stdout }) => stdout,
    ({ stdout, message }) => stdout || message,
  )
  expect(told).toBe('')
  const pages = snippets.map(({ name }) => name.replace(/-\d+\.mts$/, ''))
  expect([...new Set(pages)]).toEqual(['exam.md', 'library.md'])
  expect(snippets.length).toBe(3)
})
